// Search in the static site: the page's list is replaced by what the address asks for.
// Data come as scripts that call commonground(name, value), so that pages from disk may load them.
"use strict";
(() => {
  const asked = new URLSearchParams(location.search);
  const query = (asked.get("q") || "").trim(), sort = asked.get("sort") || "";
  const at = Number(asked.get("page")) || 1;
  const PAGE = 25, HITS = 3, LONG = 240;
  if (!query && !sort) return;

  // Loading: each file once.
  const loaded = new Map(), waiting = new Map();
  window.commonground = (name, value) => loaded.set(name, value);
  const load = (name) => {
    if (!waiting.has(name)) waiting.set(name, new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `data/${name}.js`;
      script.onload = () => resolve(loaded.get(name));
      script.onerror = () => reject(new Error(`data/${name}.js cannot be read.`));
      document.head.append(script);
    }));
    return waiting.get(name);
  };

  // The query language; the server's, without its refinements.
  class QueryError extends Error {}
  const fold = (word) => word.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
  const words = (text) => [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((found) => ({ start: found.index, end: found.index + found[0].length, folded: fold(found[0]) }));
  const parse = (text, names) => {
    const terms = [], pattern = /(-?)(?:([A-Za-z_]\w*):((?:"[^"]*"\*?|[^\s,"]+)(?:,(?:"[^"]*"\*?|[^\s,"]+))*)|("[^"]*"\*?|[^\s]+))/gy;
    while (pattern.lastIndex < text.length) {
      const space = /\s+/y; space.lastIndex = pattern.lastIndex;
      if (space.exec(text)) { pattern.lastIndex = space.lastIndex; continue; }
      const start = pattern.lastIndex, found = pattern.exec(text);
      if (!found) throw new QueryError(`The query cannot be read from character ${start + 1} on.`);
      const field = found[2] && (names[found[2].toLowerCase()] || names[found[2]]);
      if (found[2] && !field) throw new QueryError(`There is no field "${found[2]}". There are: ${Object.keys(names).join(", ")}.`);
      if (!found[2] && (found[4].match(/"/g) || []).length === 1) throw new QueryError("A quotation mark is never closed.");
      const parts = found[2] ? found[3].match(/"[^"]*"\*?|[^\s,"]+/g) : [found[4]];
      const prefix = parts.some((part) => part.length > 1 && part.endsWith("*"));
      const values = parts.map((part) => part.replace(/(.)\*$/, "$1").replace(/^"|"$/g, ""));
      terms.push({ field, values, prefix, negated: found[1] === "-", start, end: pattern.lastIndex });
    }
    return terms;
  };

  // What a term finds: a mask over dialogues.
  const mask = (index, ordinals) => { const made = new Uint8Array(index.ids.length); for (const each of ordinals) made[each] = 1; return made; };
  const undelta = (list) => { let sum = 0; return list.map((step) => (sum += step)); };
  const measured = (index, name, value) => {
    const found = /^(?:(<=|>=|<|>|=)?([+-]?[\d.]+)|([+-]?\d*\.?\d+)?\.\.([+-]?\d*\.?\d+)?)$/.exec(value);
    if (!found) throw new QueryError(`${name} is a number, found "${value}".`);
    const [, sign, one, low, high] = found;
    const fits = one === undefined
      ? (x) => x >= (low === undefined ? -Infinity : +low) && x <= (high === undefined ? Infinity : +high)
      : { "<": (x) => x < +one, "<=": (x) => x <= +one, ">": (x) => x > +one, ">=": (x) => x >= +one }[sign] || ((x) => x === +one);
    return Uint8Array.from(index.measures[name], (x) => x !== null && fits(x) ? 1 : 0);
  };
  const keyword = (index, name, lists, term) => {
    const known = Object.keys(lists), chosen = new Set();
    for (const value of term.values) {
      const low = value.toLowerCase();
      let found = known.filter((each) => term.prefix ? each.toLowerCase().startsWith(low) : each === value);
      if (!found.length) found = known.filter((each) => each.toLowerCase() === low);
      if (!found.length) throw new QueryError(`No ${name} is "${value}".`);
      for (const each of found) for (const ordinal of undelta(lists[each])) chosen.add(ordinal);
    }
    return mask(index, chosen);
  };
  const objects = async (index, term) => {
    const fields = await load("objects"), chosen = new Set();
    let known = false;
    for (const lists of Object.values(fields)) for (const [id, list] of Object.entries(lists)) {
      const parts = id.toLowerCase().split(/[^0-9a-z]+/).map((part) => part.replace(/^0+/, ""));
      const fits = term.values.some((value) => id === value || (term.prefix ? id.startsWith(value) : parts.includes(value.toLowerCase().replace(/^0+/, ""))));
      if (fits) { known = true; for (const ordinal of undelta(list)) chosen.add(ordinal); }
    }
    if (!known) throw new QueryError(`No object is "${term.values}".`);
    return mask(index, chosen);
  };
  const shardsOf = (index, word, prefix) => {
    const firsts = index.shards;
    let from = firsts.findLastIndex((first) => first <= word);
    if (from < 0) from = 0;
    const names = [from];
    if (prefix) while (firsts[names.at(-1) + 1]?.startsWith(word)) names.push(names.at(-1) + 1);
    return names.map((number) => `words-${number}`);
  };
  // Places of a word: dialogue, event and place in the event, packed into one text each.
  const placesOf = async (index, word, prefix) => {
    const places = [];
    if (!index.shards.length) return places;
    for (const shard of await Promise.all(shardsOf(index, word, prefix).map(load)))
      for (const key of prefix ? Object.keys(shard).filter((each) => each.startsWith(word)) : Object.hasOwn(shard, word) ? [word] : [])
        for (let i = 0; i < shard[key].length; i += 3) places.push(shard[key].slice(i, i + 3));
    return places;
  };
  const phrase = async (index, term, hits) => {
    const wanted = words(term.values[0]).map((each) => each.folded);
    if (!wanted.length) throw new QueryError("There is no letter or digit to look for.");
    let places = await placesOf(index, wanted[0], term.prefix && wanted.length === 1);
    for (let i = 1; i < wanted.length; i += 1) {
      const next = new Set((await placesOf(index, wanted[i], term.prefix && i === wanted.length - 1)).map(String));
      places = places.filter(([dialogue, event, place]) => next.has(`${dialogue},${event},${place + i}`));
    }
    if (!term.negated) for (const [dialogue, event] of places) {
      if (!hits.has(dialogue)) hits.set(dialogue, new Set());
      hits.get(dialogue).add(event);
    }
    return { found: mask(index, places.map(([dialogue]) => dialogue)), wanted };
  };
  const search = async (index, terms) => {
    const result = new Uint8Array(index.ids.length).fill(1), hits = new Map(), looked = [];
    for (const term of terms) {
      let found;
      if (!term.field) {
        const answer = await phrase(index, term, hits);
        found = answer.found;
        if (!term.negated) looked.push({ words: answer.wanted, prefix: term.prefix });
      } else if (term.field in index.measures) found = measured(index, term.field, term.values.join(","));
      else if (term.field === "object") found = await objects(index, term);
      else if (term.field === "id") found = Uint8Array.from(index.ids, (id) => term.values.some((value) => term.prefix ? id.startsWith(value) : id === value) ? 1 : 0);
      else found = keyword(index, term.field, index.fields[term.field] || {}, term);
      for (let i = 0; i < result.length; i += 1) result[i] &= term.negated ? 1 - found[i] : found[i];
    }
    return { result, hits, looked };
  };
  const order = (index, result) => {
    const found = [...result.keys()].filter((ordinal) => result[ordinal]);
    const [, name, way] = /^(.*)-(up|down)$/.exec(sort) || [];
    const values = name && index.measures[name === "events" ? "n_events" : name];
    if (!values) return found;
    const sign = way === "down" ? -1 : 1;
    return found.sort((a, b) => (values[a] === null) - (values[b] === null) || sign * (values[a] - values[b]) || a - b);
  };

  // Showing: nothing of the data ever becomes markup.
  const make = (tag, name, ...inside) => { const made = document.createElement(tag); if (name) made.className = name; made.append(...inside); return made; };
  const link = (file, event, name, ...inside) => { const made = make("a", name, ...inside); made.href = `d/${file}.html${event === null ? "" : `#e${event}`}`; return made; };
  const marked = (text, looked) => {
    const all = words(text), parts = make("bdi", ""), places = [];
    for (const { words: wanted, prefix } of looked) for (let i = 0; i + wanted.length <= all.length; i += 1)
      if (wanted.every((word, k) => prefix && k === wanted.length - 1 ? all[i + k].folded.startsWith(word) : all[i + k].folded === word)) places.push([all[i].start, all[i + wanted.length - 1].end]);
    places.sort((a, b) => a[0] - b[0]);
    let from = places.length && text.length > LONG ? Math.max(0, places[0][0] - LONG / 3) : 0;
    const until = Math.min(text.length, from + LONG);
    if (from) parts.append("…");
    for (const [start, end] of places) if (start >= from && end <= until) { parts.append(text.slice(from, start), make("mark", "", text.slice(start, end))); from = end; }
    parts.append(text.slice(from, until), until < text.length ? "…" : "");
    return parts;
  };
  const count = (number) => number.toLocaleString("en");
  const showOne = (index, ordinal, card, lines, events, looked) => {
    const [split, domain, number, findings, opening] = card, file = index.files[ordinal];
    const head = make("div", "result-head", link(file, null, "id", make("bdi", "", index.ids[ordinal] || "(no id)")));
    for (const each of [split, domain]) if (each !== null) head.append(make("span", "", each));
    head.append(make("span", "", `${count(number)} events`));
    for (const [name, values] of Object.entries(index.measures)) if (!name.startsWith("n_") && values[ordinal] !== null) head.append(make("span", "", `${name.replaceAll("_", " ")} `, make("b", "", String(+values[ordinal].toFixed(4)))));
    if (findings) head.append(make("span", "badge", `${count(findings)} finding${findings === 1 ? "" : "s"}`));
    const item = make("li", "result", head);
    const shown = [...events].sort((a, b) => a - b);
    for (const event of shown.slice(0, HITS)) item.append(link(file, event, "hit", make("bdi", "who", lines[event][0]), " ", marked(lines[event][1], looked)));
    if (shown.length > HITS) item.append(make("span", "soft small", `and ${count(shown.length - HITS)} more`));
    if (!shown.length && opening) { const said = make("p", "opening", opening); said.dir = "auto"; item.append(said); }
    return item;
  };
  const address = (parameters) => { const text = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString(); return `index.html${text ? `?${text}` : ""}`; };
  const showPages = (pages) => {
    document.querySelector(".found .pager")?.remove();
    if (pages < 2) return;
    const bar = make("nav", "pager");
    bar.setAttribute("aria-label", "Pages");
    for (let number = 1; number <= pages; number += 1) {
      if (number !== 1 && number !== pages && Math.abs(number - at) > 2) continue;
      const one = make("a", "", String(number));
      one.href = address({ q: query, sort, page: number === 1 ? "" : number });
      if (number === at) one.setAttribute("aria-current", "page");
      bar.append(one);
    }
    document.querySelector(".found").append(bar);
  };
  const written = (field, value) => /[\s",*]/.test(value) || !value ? `${field}:"${value.split('"')[0]}"${value.includes('"') ? "*" : ""}` : `${field}:${value}`;
  const showFacets = (index, result, terms) => {
    for (const section of document.querySelectorAll(".facets [data-field]")) {
      const field = section.dataset.field, lists = index.fields[field];
      for (const item of section.querySelectorAll("li")) {
        const value = item.dataset.value, anchor = item.querySelector("a");
        const held = lists ? mask(index, undelta(lists[value] || [])) : measured(index, field, value);
        const number = result.reduce((sum, each, i) => sum + (each & held[i]), 0);
        const term = terms.find((each) => !each.negated && each.field === field && each.values.length === 1 && each.values[0] === value.split('"')[0]);
        const next = term ? (query.slice(0, term.start) + query.slice(term.end)).replace(/\s+/g, " ").trim() : `${query} ${written(field, value)}`.trim();
        anchor.href = address({ q: next, sort });
        anchor.toggleAttribute("aria-current", false);
        if (term) anchor.setAttribute("aria-current", "true");
        anchor.querySelector(".count").textContent = count(number);
        item.hidden = !number && !term;
      }
    }
  };
  const show = async () => {
    const index = await load("index"), terms = parse(query, index.names);
    const { result, hits, looked } = await search(index, terms), found = order(index, result);
    const pages = Math.max(1, Math.ceil(found.length / PAGE)), shown = found.slice((at - 1) * PAGE, at * PAGE);
    const blocks = await Promise.all(shown.map((ordinal) => load(`lines-${Math.floor(ordinal / index.block)}`)));
    const list = document.querySelector(".results");
    list.replaceChildren(...shown.map((ordinal, i) => {
      const [card, lines] = blocks[i][ordinal % index.block];
      return showOne(index, ordinal, card, lines, hits.get(ordinal) || [], looked);
    }));
    list.start = (at - 1) * PAGE + 1;
    const unit = document.querySelector(".browse").dataset.unit, summary = document.querySelector(".summary");
    const clear = make("a", "", "clear");
    clear.href = "index.html";
    summary.replaceChildren(make("b", "", count(found.length)), ` of ${count(index.ids.length)} ${unit}s`, ...(query ? [" for ", make("code", "", make("bdi", "", query))] : []), " · ", clear);
    const place = document.querySelector(".bar > .soft");
    if (place) place.textContent = found.length ? `${count((at - 1) * PAGE + 1)} to ${count(Math.min(found.length, at * PAGE))} of ${count(found.length)}` : "";
    if (!found.length) list.append(make("li", "nothing", "Nothing fits all of this. Take a filter away."));
    showPages(pages);
    showFacets(index, result, terms);
  };
  document.querySelector(".search input").value = query;
  const choice = document.querySelector(".sort select");
  if (choice) choice.value = sort;
  if (query && choice) { const kept = make("input", ""); kept.type = "hidden"; kept.name = "q"; kept.value = query; choice.form.append(kept); }
  document.querySelector(".summary").textContent = "Searching…";
  show().catch((error) => { document.querySelector(".results").replaceChildren(); document.querySelector(".summary").textContent = error instanceof QueryError ? error.message : `The search failed: ${error.message}`; })
    .finally(() => { document.documentElement.dataset.searched = "yes"; });
})();
