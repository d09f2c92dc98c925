// A dialogue of the static site that was reached from a list: the one before and behind it there.
"use strict";
(() => {
  const page = document.querySelector("[data-dialogue]"), bar = document.querySelector(".neighbours");
  const asked = new URLSearchParams(location.search), query = (asked.get("q") || "").trim(), sort = asked.get("sort") || "";
  // In the order of the files the page's own links are right.
  if (!page || !bar || !(query || sort)) return;
  const step = (index, ordinal, text, rel, key) => {
    const made = document.createElement(ordinal === undefined ? "span" : "a");
    made.textContent = text;
    if (ordinal === undefined) { made.className = "off"; return made; }
    const parameters = new URLSearchParams(Object.entries({ q: query, sort }).filter(([, value]) => value));
    Object.assign(made, { href: `${index.files[ordinal]}.html?${parameters}`, rel, title: key });
    return made;
  };
  const show = async () => {
    const { open, find, order } = window.commonground, index = await open();
    const { dialogues, events } = await find(index, query), found = order(index, dialogues, sort, events);
    const at = found.indexOf(index.ids.indexOf(page.dataset.dialogue));
    if (at < 0) return;
    const place = document.createElement("span");
    place.className = "place";
    place.textContent = `${(at + 1).toLocaleString("en")} of ${found.length.toLocaleString("en")}`;
    bar.replaceChildren(step(index, found[at - 1], "← previous", "prev", "Previous (k)"), " ", place, " ", step(index, found[at + 1], "next →", "next", "Next (j)"));
  };
  document.querySelector(".search input").value = query;
  // Where the query cannot be read, the order of the files stays.
  show().catch(() => {}).finally(() => { document.documentElement.dataset.searched = "yes"; });
})();
