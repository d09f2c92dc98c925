// What the lists of the static site are made of: nothing of the data ever becomes markup.
"use strict";
window.making = (() => {
  const make = (tag, name, ...inside) => { const made = document.createElement(tag); if (name) made.className = name; made.append(...inside); return made; };
  const bdi = (text, name = "") => make("bdi", name, text);
  // A name of several words, which a narrow column may break between them.
  const breakable = (text) => make("bdi", "", ...text.split(/(?<=[_:./])(?=[\p{L}\p{N}_])/u).flatMap((part, i) => (i ? [document.createElement("wbr"), part] : [part])));
  const count = (number) => number.toLocaleString("en");
  const address = (file, parameters) => {
    const text = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString();
    return file + (text ? `?${text}` : "");
  };
  const linked = (href, name, ...inside) => { const made = make("a", name, ...inside); made.href = href; return made; };
  // The way through the pages of a list, or null where it has one page; the address of the first has no number.
  const makePager = (pages, at, addressOf) => {
    if (pages < 2) return null;
    const bar = make("nav", "pager"), link = (page, text) => linked(addressOf(page > 1 ? page : ""), "", text);
    const step = (text, page, rel) => {
      if (page < 1 || page > pages) return make("span", "soft", text);
      return Object.assign(link(page, text), { rel });
    };
    bar.setAttribute("aria-label", "Pages");
    bar.append(step("← previous", at - 1, "prev"));
    let last = 0;
    for (let number = 1; number <= pages; number += 1) {
      if (number !== 1 && number !== pages && Math.abs(number - at) > 2) continue;
      if (last && number - last > 1) bar.append(make("span", "soft", "…"));
      const one = link(number, count(number));
      one.setAttribute("aria-label", `Page ${number}`);
      if (number === at) one.setAttribute("aria-current", "page");
      bar.append(one);
      last = number;
    }
    bar.append(step("next →", at + 1, "next"));
    return bar;
  };
  return { make, bdi, breakable, count, address, linked, makePager };
})();
