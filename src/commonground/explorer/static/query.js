// The search of the static site: the query language, and what it finds. The server's twins of this
// are language.py, searcher.py, facets.py and ranks.py of explorer/search; tests/browser/test_static.py compares them.
// Data come as scripts that call commonground(name, value), so that pages from disk may load them.
"use strict";
(() => {
  const folder = document.currentScript.dataset.folder;
  const loaded = new Map(), waiting = new Map();
  window.commonground = (name, value) => loaded.set(name, value);
  const load = (name) => {
    // By a script and not by `fetch`, which browsers refuse to pages from disk.
    if (!waiting.has(name)) waiting.set(name, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${folder}${name}.js`;
      script.onload = () => resolve(loaded.get(name));
      script.onerror = () => reject(new Error(`${folder}${name}.js cannot be read.`));
      document.head.append(script);
    }));
    return waiting.get(name);
  };

  // Lists of ascending numbers are written as differences from the one before.
  const undelta = (steps) => { let sum = 0; return Int32Array.from(steps, (step) => (sum += step)); };
  const lists = (pairs) => new Map(pairs.map(([value, steps]) => [value, undelta(steps)]));
  const fields = new Map();
  const field = async (name) => {
    if (!fields.has(name)) fields.set(name, lists(await load(`field-${name}`)));
    return fields.get(name);
  };
  let opened = null;
  const open = () => (opened ??= load("index").then((index) => {
    const starts = new Int32Array(index.lengths.length + 1);
    index.lengths.forEach((length, i) => { starts[i + 1] = starts[i] + length; });
    const owner = new Int32Array(starts.at(-1));
    for (let i = 0; i < index.lengths.length; i += 1) owner.fill(i, starts[i], starts[i + 1]);
    return {
      ...index, starts, owner, names: new Map(index.names), measures: new Map(index.measures), ranks: new Map(index.ranks),
      levels: new Map(index.levels), tones: new Map(index.tones), coded: new Map(index.coded), outlines: new Map(index.outlines), fields: new Map(index.fields.map(([name, pairs]) => [name, lists(pairs)])),
    };
  }));

  // From text to terms.
  class QueryError extends Error {
    constructor(message, advice, start, end) { super(message); Object.assign(this, { advice, start, end }); }
  }
  const QUALIFIERS = new Set(["speaker", "segment", "kind"]);
  const LONGEST = 1000;
  const NUMBER = "[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)";
  const RANGE = new RegExp(`^(?:(<=|>=|<|>|=)?(${NUMBER})|(${NUMBER})?\\.\\.(${NUMBER})?)$`);
  const readValue = (text, place, several) => {
    if (text[place] === '"') {
      const close = text.indexOf('"', place + 1);
      if (close < 0) throw new QueryError("A quotation mark is never closed.", 'Add " at its end.', place, text.length);
      const starred = text[close + 1] === "*";
      return [text.slice(place + 1, close), starred, close + 1 + starred];
    }
    const stop = several ? /[\s,]/g : /\s/g;
    stop.lastIndex = place;
    const end = stop.exec(text)?.index ?? text.length, value = text.slice(place, end);
    const starred = value.length > 1 && value.endsWith("*");
    return [starred ? value.slice(0, -1) : value, starred, end];
  };
  const readValues = (text, place, several) => {
    const values = [];
    for (let prefix = false; ;) {
      const [value, starred, end] = readValue(text, place, several);
      values.push(value);
      prefix ||= starred;
      if (!(several && text[end] === ",")) return [values, prefix, end];
      place = end + 1;
    }
  };
  const readSpan = (name, values, start, end) => {
    const found = values.length === 1 && values[0] !== ".." && RANGE.exec(values[0]);
    if (!found) throw new QueryError(`${name} is a number, found '${values}'.`, `Write ${name}:24, ${name}:<24, ${name}:>=24 or ${name}:20..24.`, start, end);
    const [, sign, one, low, high] = found;
    if (one === undefined) return (x) => x >= (low === undefined ? -Infinity : +low) && x <= (high === undefined ? Infinity : +high);
    return { "<": (x) => x < +one, "<=": (x) => x <= +one, ">": (x) => x > +one, ">=": (x) => x >= +one }[sign] ?? ((x) => x === +one);
  };
  const readTerm = (index, text, start) => {
    const minus = Number(text[start] === "-"), negated = Boolean(minus);
    // Sticky: it matches at `lastIndex` or nowhere.
    const named = /-?([A-Za-z_][A-Za-z_0-9]*):/y;
    named.lastIndex = start;
    const name = named.exec(text)?.[1];
    if (name === undefined) {
      const [values, prefix, end] = readValues(text, start + minus, false);
      if (!values[0].trim()) throw new QueryError("There is nothing to search for.", "Write a word.", start, end);
      return { field: null, values, prefix, negated, span: null, start, end };
    }
    const field = index.names.get(name) ?? index.names.get(name.toLowerCase());
    if (field === undefined) throw new QueryError(`There is no field '${name}'.`, `${adviseName(name.toLowerCase(), [...index.names.keys()])} Words with a colon go in quotes: "${name}:"`, start + minus, start + minus + name.length);
    const [values, prefix, end] = readValues(text, named.lastIndex, true);
    if (values.includes("")) throw new QueryError(`${name}: has no value.`, `Write one after the colon: ${name}:VALUE`, start, end);
    const span = index.measures.has(field) ? readSpan(name, values, named.lastIndex, end) : null;
    return { field, values, prefix, negated, span, start, end };
  };
  const parse = (index, text) => {
    if (text.length > LONGEST) throw new QueryError(`The query has ${text.length.toLocaleString("en")} characters.`, `At most ${LONGEST.toLocaleString("en")} are read.`, LONGEST, text.length);
    const terms = [];
    for (let place = 0; place < text.length;) {
      if (/\s/.test(text[place])) { place += 1; continue; }
      terms.push(readTerm(index, text, place));
      place = terms.at(-1).end;
    }
    return terms;
  };
  const write = (name, value) => {
    if (value && !/[\s",*]/.test(value)) return `${name}:${value}`;
    const [cut] = value.split('"');
    return `${name}:"${cut}"${cut === value ? "" : "*"}`;
  };
  const isTerm = (term, name, value) => term.field === name && term.values.length === 1 && term.values[0] === value.split('"')[0];
  const toggle = (text, terms, name, value) => {
    const held = terms.find((term) => !term.negated && isTerm(term, name, value));
    if (held) return (text.slice(0, held.start) + text.slice(held.end)).replace(/\s+/g, " ").trim();
    return `${text.trim()} ${write(name, value)}`.trim();
  };

  const words = window.splitWords;
  const shardsOf = (index, word, prefix) => {
    const names = [Math.max(0, index.shards.findLastIndex((first) => first <= word))];
    if (prefix) while (index.shards[names.at(-1) + 1]?.startsWith(word)) names.push(names.at(-1) + 1);
    return names.map((number) => `words-${number}`);
  };
  // Where a word stands: places by number of the event.
  const placesOf = async (index, word, prefix) => {
    const places = new Map();
    if (!index.shards.length) return places;
    for (const shard of await Promise.all(shardsOf(index, word, prefix).map(load)))
      for (const [each, list] of shard)
        if (prefix ? each.startsWith(word) : each === word)
          for (let i = 0, event = 0; i < list.length; i += 2) {
            event += list[i];
            if (!places.has(event)) places.set(event, new Set());
            places.get(event).add(list[i + 1]);
          }
    return places;
  };
  const phrase = async (index, term) => {
    const wanted = words(term.values[0]).map((each) => each.folded), last = wanted.length - 1;
    if (!wanted.length) throw new QueryError("There is no letter or digit to search for.", "Only words are indexed.", term.start, term.end);
    const found = await Promise.all(wanted.map((word, i) => placesOf(index, word, term.prefix && i === last)));
    const begins = (event, place) => found.every((places, i) => places.get(event)?.has(place + i));
    const events = [...found[0].keys()].filter((event) => [...found[0].get(event)].some((place) => begins(event, place)));
    // A typed array sorts by number; a list would sort by the digits, 10 before 9.
    return Int32Array.from(events).sort();
  };

  // What a term finds: events, or dialogues.
  const mask = (length, numbers) => { const made = new Uint8Array(length); for (const each of numbers) made[each] = 1; return made; };
  const union = (numbers) => Int32Array.from(new Set(numbers.flatMap((each) => [...each]))).sort();
  const invert = (given) => given.map((each) => 1 - each);
  const keyword = async (index, term) => {
    const known = index.fields.get(term.field) ?? (index.levels.has(term.field) ? await field(term.field) : new Map());
    const chosen = new Set();
    for (const value of term.values) {
      const low = value.toLowerCase(), values = [...known.keys()];
      let found = values.filter((each) => (term.prefix ? each.toLowerCase().startsWith(low) : each === value));
      if (!found.length) found = values.filter((each) => each.toLowerCase() === low);
      if (!found.length) throw new QueryError(`No ${term.field} is '${value}'.`, values.length ? adviseName(value, values.sort()) : `This corpus has no ${term.field}.`, term.start, term.end);
      for (const each of found) chosen.add(each);
    }
    const whole = index.levels.get(term.field) === "event" ? await field(term.field) : known;
    return union([...chosen].map((each) => whole.get(each)));
  };
  const strip = (part) => part.toLowerCase().replace(/^0+/, "");
  const objectsOf = async (term) => {
    const found = new Set(), known = (await load("objects")).map(([id]) => id), ids = new Set(known);
    for (const value of term.values) {
      if (ids.has(value)) found.add(value);
      else for (const id of known)
        if (term.prefix ? id.startsWith(value) : id.split(/[^0-9A-Za-z]+/).some((part) => strip(part) === strip(value))) found.add(id);
    }
    if (!found.size) throw new QueryError(`No object is '${term.values}'.`, "Give its id, or a number in it; the objects tab lists them.", term.start, term.end);
    return found;
  };
  const pointing = async (index, name, ids) => {
    if (!index.levels.has(name)) return new Int32Array();
    const all = await field(name);
    return union([...ids].filter((id) => all.has(id)).map((id) => all.get(id)));
  };
  const eventsOf = async (index, term) => {
    if (term.field === null) return phrase(index, term);
    if (term.field === "object") return pointing(index, "object", await objectsOf(term));
    if (term.span || index.levels.get(term.field) !== "event") return null;
    return keyword(index, term);
  };
  const dialoguesOf = (index, events) => mask(index.ids.length, events.map((event) => index.owner[event]));
  const withId = (index, term) => {
    const made = new Uint8Array(index.ids.length);
    for (const value of term.values) {
      const found = index.ids.flatMap((id, i) => ((term.prefix ? id.startsWith(value) : id === value) ? [i] : []));
      if (!found.length) throw new QueryError(`There is no dialogue '${value}'.`, `Ids that begin with it: id:${value}*`, term.start, term.end);
      for (const each of found) made[each] = 1;
    }
    return made;
  };
  const dialoguesWith = async (index, term, events, who) => {
    if (term.span) return Uint8Array.from(index.measures.get(term.field), (x) => (x !== null && term.span(x) ? 1 : 0));
    if (term.field === "id") return withId(index, term);
    if (events === null) return mask(index.ids.length, await keyword(index, term));
    const made = dialoguesOf(index, who ? events.filter((event) => who[event]) : events);
    if (term.field === "object" && !who) for (const each of await pointing(index, "shown", await objectsOf(term))) made[each] = 1;
    return made;
  };
  const qualified = async (index, terms) => {
    let who = null;
    for (const term of terms.filter((each) => QUALIFIERS.has(each.field))) {
      const held = mask(index.owner.length, await keyword(index, term));
      who = (term.negated ? invert(held) : held).map((each, i) => each & (who ? who[i] : 1));
    }
    return who;
  };

  // What a query finds: dialogues, events that were asked for, and what counting needs further.
  const find = async (index, query) => {
    const terms = parse(index, query), who = await qualified(index, terms);
    const dialogues = who ? dialoguesOf(index, Int32Array.from(who.keys()).filter((event) => who[event])) : new Uint8Array(index.ids.length).fill(1);
    const asked = [];
    for (const term of terms.filter((each) => !QUALIFIERS.has(each.field))) {
      const events = await eventsOf(index, term), found = await dialoguesWith(index, term, events, who);
      for (let i = 0; i < dialogues.length; i += 1) dialogues[i] &= found[i] ^ term.negated;
      asked.push({ term, events });
    }
    const meant = asked.filter(({ term, events }) => events && !term.negated).map(({ events }) => events);
    let events = meant.length ? union(meant) : null;
    if (who) events = (events ?? Int32Array.from(who.keys())).filter((event) => who[event]);
    const looked = asked.filter(({ term }) => term.field === null && !term.negated).map(({ term }) => ({ words: words(term.values[0]).map((each) => each.folded), prefix: term.prefix }));
    return { terms, dialogues, events, looked, who, asked };
  };
  const findEvents = async (index, found) => {
    const held = found.who ? found.who.slice() : new Uint8Array(index.owner.length).fill(1);
    for (const { term, events } of found.asked) {
      const dialogues = events ? null : await dialoguesWith(index, term, null, null);
      const one = events ? mask(held.length, events) : null;
      for (let i = 0; i < held.length; i += 1) held[i] &= (one ? one[i] : dialogues[index.owner[i]]) ^ term.negated;
    }
    return Int32Array.from(held.keys()).filter((event) => held[event]);
  };
  const order = (index, dialogues, sort, hits = null) => {
    const found = [...dialogues.keys()].filter((ordinal) => dialogues[ordinal]);
    if (sort === "hits-down" && hits) {
      const counts = new Int32Array(dialogues.length);
      for (const event of hits) counts[index.owner[event]] += 1;
      return found.sort((a, b) => counts[b] - counts[a] || a - b);
    }
    const [, name, way] = /^(.*)-(up|down)$/.exec(sort) || [];
    const values = index.measures.get(({ events: "n_events", utterances: "n_utterances" })[name] ?? name) ?? index.ranks.get(name);
    if (!values) return found;
    const sign = way === "down" ? -1 : 1;
    return found.sort((a, b) => (values[a] === null) - (values[b] === null) || sign * (values[a] - values[b]) || a - b);
  };

  // How many dialogues have each value, as in the query with it.
  const countSpeakers = async (index, found, speakers) => {
    const said = found.asked.filter(({ term, events }) => events && !term.span);
    if (!said.length && !found.who) return null;
    const fixed = new Uint8Array(index.ids.length).fill(1);
    for (const { term, events } of found.asked) {
      if (said.some((each) => each.term === term)) continue;
      const one = await dialoguesWith(index, term, events, null);
      for (let i = 0; i < fixed.length; i += 1) fixed[i] &= one[i] ^ term.negated;
    }
    const all = await field("speaker");
    return speakers.map((speaker) => {
      const spoken = all.get(speaker).filter((event) => !found.who || found.who[event]);
      const theirs = mask(index.owner.length, spoken), held = dialoguesOf(index, spoken);
      for (const { term, events } of said) {
        const one = dialoguesOf(index, events.filter((event) => theirs[event]));
        for (let i = 0; i < held.length; i += 1) held[i] &= one[i] ^ term.negated;
      }
      return held.reduce((sum, each, i) => sum + (each & fixed[i]), 0);
    });
  };
  const countOne = async (index, found, name, labels) => {
    const { dialogues, who } = found, measure = index.measures.get(name);
    if (name === "speaker" && found.terms.length) {
      const counts = await countSpeakers(index, found, labels);
      if (counts) return counts;
    }
    const among = who && index.levels.get(name) === "event" ? await field(name) : null;
    const count = (numbers) => numbers.reduce((sum, each) => sum + dialogues[each], 0);
    return labels.map((label) => {
      if (measure) { const fits = readSpan(name, [label], 0, 0); return measure.reduce((sum, x, i) => sum + (x !== null && fits(x) ? dialogues[i] : 0), 0); }
      if (among) return count([...new Set(among.get(label).filter((event) => who[event]).map((event) => index.owner[event]))]);
      return count(index.fields.get(name).get(label));
    });
  };
  const countFacets = async (index, found, query) => Promise.all(index.facets.map(async ([name, title, labels]) => {
    const counts = await countOne(index, found, name, labels);
    const values = labels.map((label, i) => ({ label, count: counts[i], chosen: found.terms.some((term) => isTerm(term, name, label)), query: toggle(query, found.terms, name, label) }));
    if (!index.measures.has(name)) values.sort((a, b) => b.count - a.count);
    return { field: name, title, values: values.filter((each) => each.count) };
  }));
  const countObjects = async (index, dialogues) => {
    const shown = index.levels.has("shown") ? await field("shown") : new Map();
    const pointed = index.levels.has("object") ? await field("object") : new Map();
    const level = index.levels.get("shown");
    const count = (numbers, ofEvents) => (numbers ?? []).reduce((sum, each) => sum + dialogues[ofEvents ? index.owner[each] : each], 0);
    return (await load("objects"))
      .map(([id, kind, title, picture, facts], row) => ({ row, id, kind, title, picture, facts, shown: count(shown.get(id), level === "event"), pointed: count(pointed.get(id), true) }))
      .filter((each) => each.shown || each.pointed)
      .sort((a, b) => b.shown - a.shown || b.pointed - a.pointed || a.row - b.row);
  };
  Object.assign(window.commonground, { QueryError, load, open, parse, write, words, find, findEvents, order, countFacets, countObjects });
})();
