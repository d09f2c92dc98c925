// Results of the static site: what the address asks for takes the place of what the file has.
"use strict";
(() => {
  const { load } = window.commonground, { make, count, linked, makePager } = window.making;
  const whole = document.querySelector(".results-page"), { only, error } = whole.dataset;
  const given = new URLSearchParams(location.search), file = location.pathname;
  const asked = Object.fromEntries(["measure", "low", "high", "sort"].map((name) => [name, (given.get(name) || "").trim()]));
  const at = Math.max(1, Number.parseInt(given.get("page"), 10) || 1);
  const searched = () => { document.documentElement.dataset.searched = "yes"; };
  const heads = [...document.querySelectorAll("th[data-column]")];
  const search = (changed) => new URLSearchParams(Object.entries({ ...asked, ...changed }).filter(([, value]) => value)).toString();
  const list = (changed) => `${file}?${search(changed)}`;
  if (!Object.values(asked).some(Boolean)) return;

  // Which instances there are, and in what order: as Pair of results/runs.py chooses them.
  class AskedWrong extends Error {}
  const readBound = (text) => {
    if (!text) return null;
    const number = Number(text);
    if (Number.isNaN(number)) throw new AskedWrong(`“${text.slice(0, 40)}” is not a number. Write it like 0.5.`);
    return number;
  };
  const columnOf = (index, name) => {
    const found = index.values.find(([each]) => each === name);
    if (!found) throw new AskedWrong(`There is no number “${name}”.`);
    return found[1];
  };
  const isListed = (index) => {
    const isAnyScored = /[rw]/.test(index.states);
    const fits = { wrong: "w", right: "r", unscored: "u", all: isAnyScored ? "rw" : "u" }[only];
    const low = readBound(asked.low), high = readBound(asked.high);
    const values = asked.measure && (low !== null || high !== null) ? columnOf(index, asked.measure) : null;
    const isBetween = (value) => value !== null && (low === null || value >= low) && (high === null || value <= high);
    return (number) => fits.includes(index.states[number]) && (!values || isBetween(values[number]));
  };
  const kindsOf = (index) => new Map(index.kinds.map(([name, steps]) => {
    let sum = 0;
    return [name, steps.map((step) => (sum += step))];
  }));
  const order = (index, numbers) => {
    if (!asked.sort) return numbers;
    const name = asked.sort.replace(/-(up|down)$/, ""), values = columnOf(index, name), way = asked.sort.endsWith("-down") ? -1 : 1;
    const compare = (a, b) => way * (values[a] - values[b]) || a - b;
    // Those whose number is undefined come last either way.
    return numbers.sort((a, b) => (values[a] === null) - (values[b] === null) || (values[a] === null ? a - b : compare(a, b)));
  };

  const findRows = async (index, numbers) => {
    const blocks = [...new Set(numbers.map((number) => Math.floor(number / index.block)))];
    const read = async (block) => {
      // Markup that the program wrote, with all data in it escaped, as that of the page itself.
      const text = `<table><tbody>${await load(`rows-${block}`)}</tbody></table>`;
      return [block, new DOMParser().parseFromString(text, "text/html").querySelector("tbody").rows];
    };
    const rows = new Map(await Promise.all(blocks.map(read)));
    return numbers.map((number) => [rows.get(Math.floor(number / index.block)), number % index.block]).map(([all, place]) => all[place]);
  };
  const countKinds = (index, fits) => {
    const kinds = kindsOf(index);
    for (const each of document.querySelectorAll(".chosen-by [data-name]"))
      each.querySelector(".count").textContent = count((kinds.get(each.dataset.name) ?? []).filter(fits).length);
  };
  const show = async () => {
    const index = await load("index"), fits = isListed(index), ofKind = error ? kindsOf(index).get(error) : null;
    const all = order(index, (ofKind ?? [...index.states].map((_, number) => number)).filter(fits));
    const pages = Math.max(1, Math.ceil(all.length / index.size)), first = (at - 1) * index.size;
    if (at > pages) throw new AskedWrong(`There is no page ${at}. The last one is ${count(pages)}.`);
    const shown = all.slice(first, first + index.size), rows = await findRows(index, shown);
    const body = document.querySelector("tbody.results"), pager = makePager(pages, at, (page) => list({ page }));
    countKinds(index, fits);
    document.querySelector(".bar > .soft").textContent = shown.length ? `${count(first + 1)} to ${count(first + shown.length)} of ${count(all.length)}` : "";
    document.querySelector(".pager")?.remove();
    if (pager) whole.append(pager);
    if (!shown.length) body.closest(".scroll").replaceWith(make("p", "nothing", "No instances match all of this. ", linked(file, "", "Show all"), "."));
    body.replaceChildren(...rows);
    // What measures make of some instances together, only the program knows.
    if (asked.measure && (asked.low || asked.high)) document.querySelector("tr.overall")?.remove();
  };
  const explain = (problem) => {
    document.querySelector(".pager")?.remove();
    document.querySelector(".bar > .soft").textContent = "";
    const text = problem instanceof AskedWrong ? problem.message : `The list failed: ${problem.message}`;
    document.querySelector(".scroll").replaceWith(make("div", "problem", make("h2", "", text), make("p", "", linked(file, "", "Show all"))));
  };

  // What is asked for stays asked for on the ways from here.
  document.querySelector('link[rel="alternate"]')?.remove();
  for (const each of document.querySelectorAll(".chosen-by a, .tabs-in a")) each.search = search({});
  for (const head of heads) {
    const name = head.dataset.column, order = asked.sort === `${name}-up` ? "ascending" : asked.sort === `${name}-down` ? "descending" : "";
    const link = head.querySelector("a"), ways = new URL(link.href).searchParams.get("sort").endsWith("-down") ? ["down", "up"] : ["up", "down"];
    const now = { ascending: "up", descending: "down" }[order], next = !now ? ways[0] : now === ways[0] ? ways[1] : "";
    link.search = search({ sort: next && `${name}-${next}` });
    link.querySelector(".order").textContent = { up: "\u00a0▴", down: "\u00a0▾" }[now] ?? "";
    if (order) head.setAttribute("aria-sort", order);
    else head.removeAttribute("aria-sort");
  }
  const form = document.querySelector(".results-form");
  for (const name of ["measure", "low", "high"]) form.elements[name].value = asked[name];
  if (asked.sort) { const kept = make("input", ""); Object.assign(kept, { type: "hidden", name: "sort", value: asked.sort }); form.append(kept); }
  show().catch(explain).finally(searched);
})();
