// Lists of the static site: what the address asks for takes the place of what the file has.
"use strict";
(() => {
  const { QueryError, load, open, words, find, findEvents, order, countFacets, countObjects } = window.commonground;
  const { make, bdi, breakable, count, address, linked, makePager } = window.making;
  const browse = document.querySelector(".browse");
  const asked = new URLSearchParams(location.search);
  const query = (asked.get("q") || "").trim(), sort = asked.get("sort") || "";
  const at = Math.max(1, Number.parseInt(asked.get("page"), 10) || 1);
  const tab = browse.dataset.tab, unit = browse.dataset.unit;
  const HITS = 3, LONG = 240, VALUES = 8, RARE = 60;
  const FILES = { dialogues: "index", events: "events", objects: "objects" };
  // The file itself is what nothing was asked of.
  if (!query && !sort && at === 1) return;

  const list = (parameters) => address(`${FILES[tab]}.html`, { sort, ...parameters });
  const dialogue = (index, ordinal, event = null) => address(`d/${index.files[ordinal]}.html`, { q: query, sort }) + (event === null ? "" : `#e${event}`);
  const named = (index, ordinal) => bdi(index.ids[ordinal] || "(no id)");
  const cutAround = (places, length) => {
    const from = places.length && length > LONG ? Math.max(0, Math.min(places[0][0] - LONG / 3, length - LONG)) : 0;
    return [from, Math.min(length, from + LONG)];
  };
  const marked = (text, looked) => {
    const all = words(text), made = bdi(""), places = [];
    const fits = ({ words: wanted, prefix }, i) => wanted.every((word, k) => {
      const found = all[i + k]?.folded;
      return prefix && k === wanted.length - 1 ? found?.startsWith(word) : found === word;
    });
    for (const each of looked) for (let i = 0; i < all.length; i += 1)
      if (fits(each, i)) places.push([all[i].start, all[i + each.words.length - 1].end]);
    places.sort((a, b) => a[0] - b[0]);
    const [begin, end] = cutAround(places, text.length);
    let from = begin;
    if (begin) made.append("…");
    for (const [start, stop] of places) if (start >= from && stop <= end) { made.append(text.slice(from, start), make("mark", "", text.slice(start, stop))); from = stop; }
    made.append(text.slice(from, end), end < text.length ? "…" : "");
    return made;
  };
  const said = async (index, ordinal) => (await load(`lines-${Math.floor(ordinal / index.block)}`))[ordinal % index.block];
  const showHit = (index, ordinal, event, [speaker, text, action], looked) => {
    const what = text === null ? make("span", "did", "→ ", bdi(action ?? "")) : marked(text, looked);
    return linked(dialogue(index, ordinal, event), "hit", bdi(speaker, index.tones.has(speaker) ? `who tone-${index.tones.get(speaker)}` : "who"), " ", what);
  };

  // Each tab gives its items on this page, and how many there are in all.
  const columns = [...document.querySelectorAll("th[data-column]")].map((each) => each.dataset.column);
  const MEASURES = { events: "n_events", utterances: "n_utterances" };
  const lengths = new Map();
  const lengthOf = (index, name, value) => {
    const values = index.measures.get(name);
    if (!lengths.has(name)) lengths.set(name, values.reduce(([low, high], each) => (each === null ? [low, high] : [Math.min(low, each), Math.max(high, each)]), [0, -Infinity]));
    const [low, high] = lengths.get(name);
    return high > low ? Math.round((100 * (value - low)) / (high - low)) : 100;
  };
  const drawing = (tag, values) => { const made = document.createElementNS("http://www.w3.org/2000/svg", tag); for (const [key, value] of Object.entries(values)) made.setAttribute(key, value); return made; };
  const drawBar = (length) => {
    const made = drawing("svg", { class: "minibar", viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" });
    made.append(drawing("rect", { width: length, height: 4 }));
    return made;
  };
  const showCell = (index, ordinal, name, card) => {
    const text = { split: card.split, domain: card.domain, findings: card.findings ? count(card.findings) : null };
    const cell = make("td", name in text && name !== "findings" ? "code" : "number"), title = index.titles.find(([each]) => each === name)?.[1];
    cell.dataset.label = title ?? name;
    if (name in text) { if (text[name] !== null) cell.append(name === "findings" ? text[name] : bdi(text[name])); return cell; }
    const measure = MEASURES[name] ?? name, value = index.measures.get(measure)?.[ordinal] ?? null;
    if (value !== null) cell.append(String(+value.toPrecision(6)), drawBar(lengthOf(index, measure, value)));
    return cell;
  };
  const showDialogue = async (index, found, ordinal) => {
    const [[split, domain, , findings, preview, pictures], lines] = await said(index, ordinal);
    const what = make("td", "what", linked(dialogue(index, ordinal), "id", named(index, ordinal))), row = make("tr", "result");
    if (document.querySelector(".listing th:first-child .hidden")) {
      const shown = pictures.map(([id, title, picture]) => showPicture(index, { id, title, picture }, "s"));
      row.append(make("td", "thumbs", ...shown));
    }
    const first = index.starts[ordinal], events = found.events?.filter((event) => index.owner[event] === ordinal) ?? [];
    for (const event of events.slice(0, HITS)) what.append(showHit(index, ordinal, event - first, lines[event - first], found.looked));
    if (events.length > HITS) what.append(make("span", "soft small", `and ${count(events.length - HITS)} more`));
    if (!events.length && preview) { const text = make("p", "opening", preview); text.dir = "auto"; what.append(text); }
    row.append(what, ...columns.map((name) => showCell(index, ordinal, name, { split, domain, findings })));
    return row;
  };
  const showEvent = async (index, found, number) => {
    const ordinal = index.owner[number], event = number - index.starts[ordinal], [, lines] = await said(index, ordinal);
    const id = linked(dialogue(index, ordinal, event), "id", named(index, ordinal), " ", make("span", "soft", String(event)));
    return make("li", "result line", make("span", "place", id), showHit(index, ordinal, event, lines[event], found.looked));
  };
  // As `site/rendering/sketches.py` draws it: stripes that are cut by a nested view each.
  const drawItem = (outlines, { label, shape = "thing", fills = [], price = null }) => {
    const made = make("span", "sketch"), svg = drawing("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" });
    const fill = (colour) => drawing("path", { d: outlines.get(shape), fill: colour, "fill-rule": "evenodd" }), wide = 48 / fills.length;
    const stripe = (colour, i) => { const cut = drawing("svg", { x: i * wide, y: 0, width: wide, height: 48, viewBox: `${i * wide} 0 ${wide} 48` }); cut.append(fill(colour)); return cut; };
    svg.append(...(fills.length > 1 ? fills.map(stripe) : [fill(fills[0] ?? "none")]));
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", label);
    made.append(svg, ...(price === null ? [] : [make("span", "sketch-price", price)]));
    return made;
  };
  const showPicture = (index, each, size = "m") => {
    const frame = make("span", `pic pic-${size}`);
    frame.dataset.object = each.id;
    if (typeof each.picture === "string") {
      const none = make("span", "pic-none", bdi(each.title ?? each.id, "pic-id"), make("span", "pic-why", each.picture));
      none.setAttribute("role", "img");
      none.setAttribute("aria-label", `${each.title ?? each.id}: ${each.picture}`);
      frame.append(none);
      return frame;
    }
    if (!Array.isArray(each.picture)) { frame.append(drawItem(index.outlines, each.picture)); return frame; }
    const [file, width, height] = each.picture, image = make("img", "");
    Object.assign(image, { loading: "lazy", alt: each.title ?? each.id, width, height, src: `pictures/${file}` });
    frame.append(image);
    return frame;
  };
  const showObject = (index, each) => {
    const link = linked(address("index.html", { q: window.commonground.write("object", each.id) }), "");
    if (each.picture !== null) link.append(showPicture(index, each));
    link.append(make("span", "object-title", bdi(each.title ?? each.id)));
    const facts = [each.kind, ...(each.shown ? [`shown in ${count(each.shown)}`] : []), ...(each.pointed ? [`pointed at ${count(each.pointed)} ×`] : [])];
    const known = make("ul", "known-of", ...each.facts.map((fact) => make("li", "", bdi(fact))));
    return make("li", "", link, ...(each.facts.length ? [known] : []), make("span", "soft small", facts.join(" · ")));
  };
  const listers = {
    dialogues: async (index, found, cut) => {
      const all = order(index, found.dialogues, sort, found.events);
      return [all.length, await Promise.all(cut(all).map((ordinal) => showDialogue(index, found, ordinal)))];
    },
    events: async (index, found, cut) => {
      const all = await findEvents(index, found);
      return [all.length, await Promise.all(Array.from(cut(all), (number) => showEvent(index, found, number)))];
    },
    objects: async (index, found, cut) => {
      const all = await countObjects(index, found.dialogues);
      return [all.length, cut(all).map((each) => showObject(index, each))];
    },
  };

  const showPages = (pages) => {
    document.querySelector(".found .pager")?.remove();
    const bar = makePager(pages, at, (page) => list({ q: query, page }));
    if (bar) document.querySelector(".found").append(bar);
  };
  const showValue = (value) => {
    const link = linked(list({ q: value.query }), "", breakable(value.title ?? value.label), make("span", "count", count(value.count)));
    if (value.title) link.title = value.label;
    if (value.chosen) link.setAttribute("aria-current", "true");
    return make("li", "", link);
  };
  const showFacets = (facets) => {
    const fold = document.querySelector(".facets .fold");
    for (const section of [...fold.querySelectorAll("section")]) section.remove();
    for (const { field, title, values } of facets) {
      const heading = make("h2", "", title), chosen = values.filter((each) => each.chosen), others = values.filter((each) => !each.chosen);
      heading.id = `facet-${field}`;
      const items = make("ul", "", ...[...chosen, ...others.slice(0, VALUES)].map(showValue)), section = make("section", "", heading, items);
      items.setAttribute("aria-labelledby", heading.id);
      section.dataset.field = field;
      const rare = make("ul", "", ...others.slice(VALUES, RARE).map(showValue));
      if (others.length > RARE) rare.append(make("li", "soft", `and ${count(others.length - RARE)} rarer ones: write `, make("code", "", `${field}:`), " and the value"));
      if (others.length > VALUES) section.append(make("details", "more", make("summary", "", `${count(others.length - VALUES)} more`), rare));
      fold.append(section);
    }
  };
  const summary = document.querySelector(".summary"), results = document.querySelector(tab === "objects" ? ".objects" : ".results");
  const place = document.querySelector(".bar > .soft");
  const showSummary = (index, found) => {
    const number = found.dialogues.reduce((sum, each) => sum + each, 0), all = index.ids.length;
    summary.replaceChildren(make("b", "", count(number)), `${number === all ? "" : ` of ${count(all)}`} ${unit}${all === 1 ? "" : "s"}`);
    if (query) summary.append(" for ", make("code", "", bdi(query)), " · ", linked(`${FILES[tab]}.html`, "", "clear"));
  };
  const show = async () => {
    const index = await open(), found = await find(index, query), size = index.sizes[tab];
    const [total, items] = await listers[tab](index, found, (all) => all.slice((at - 1) * size, at * size));
    const pages = Math.max(1, Math.ceil(total / size)), facets = await countFacets(index, found, query);
    if (at > pages) throw new QueryError(`There is no page ${at}.`, `The last one is ${count(pages)}.`, 0, 0);
    results.replaceChildren(...items);
    if (tab === "events") results.start = (at - 1) * size + 1;
    if (place) place.textContent = total ? `${count((at - 1) * size + 1)} to ${count(Math.min(total, at * size))} of ${count(total)}` : "";
    document.querySelector(".found > .nothing")?.remove();
    if (!total) results.before(make("p", "nothing", "No results match all of this. Remove a filter, or ", linked(`${FILES[tab]}.html`, "", "show all"), "."));
    showSummary(index, found);
    showPages(pages);
    // What says the same of all that was found narrows nothing.
    const shown = found.dialogues.reduce((sum, each) => sum + each, 0);
    const constant = ({ values }) => tab === "dialogues" && values.every((each) => each.count === shown && !each.chosen);
    const titled = facets.filter((each) => each.values.length && !constant(each))
      .map((each) => ({ ...each, values: each.values.map((value) => ({ ...value, title: index.coded.get(`${each.field}:${value.label}`) })) }));
    showFacets(titled);
  };
  const explain = (error) => {
    results.replaceChildren();
    document.querySelector(".found .pager")?.remove();
    if (place) place.textContent = "";
    summary.textContent = "";
    const problem = make("div", "problem", make("h2", "", error instanceof QueryError ? error.message : `The search failed: ${error.message}`));
    if (error instanceof QueryError && error.end > error.start) {
      const text = bdi("");
      text.append(query.slice(0, error.start), make("mark", "", query.slice(error.start, error.end)), query.slice(error.end));
      problem.append(make("pre", "query", text));
    }
    if (error.advice) problem.append(make("p", "", error.advice));
    problem.append(make("p", "", linked(`${FILES[tab]}.html`, "", "Show all")));
    results.before(problem);
  };

  // The file's twin in JSON is not that of what is shown now.
  document.querySelector('link[rel="alternate"]')?.remove();
  document.querySelector(".search input").value = query;
  if (query) document.title = `${query} · ${document.title}`;
  for (const each of document.querySelectorAll(".tabs-in a")) each.href = address(`${FILES[each.dataset.tab]}.html`, { q: query, sort: each.dataset.tab === "dialogues" ? sort : "" });
  for (const each of document.querySelectorAll("th a[data-sort]")) {
    // The file has what a first click asks for: then the other way, then as released.
    const first = each.dataset.sort, name = first.replace(/-(up|down)$/, ""), other = `${name}-${first.endsWith("-up") ? "down" : "up"}`;
    each.href = address("index.html", { q: query, sort: { [first]: other, [other]: "" }[sort] ?? first });
    if (sort !== first && sort !== other) continue;
    each.append(sort.endsWith("-up") ? " ▴" : " ▾");
    each.closest("th").setAttribute("aria-sort", sort.endsWith("-up") ? "ascending" : "descending");
  }
  const choice = document.querySelector(".sort select");
  if (choice) choice.value = sort;
  if (query && choice) { const kept = make("input", ""); Object.assign(kept, { type: "hidden", name: "q", value: query }); choice.form.append(kept); }
  summary.textContent = "Searching…";
  show().catch(explain).finally(() => { document.documentElement.dataset.searched = "yes"; });
})();
