// A click on a picture enlarges it; arrows go on to the others of the page.
"use strict";
(() => {
  const box = document.createElement("dialog"), image = document.createElement("img");
  const bar = document.createElement("nav"), caption = document.createElement("p"), place = document.createElement("span");
  const button = (text, label, act) => {
    const made = document.createElement("button");
    Object.assign(made, { type: "button", textContent: text, onclick: act });
    made.setAttribute("aria-label", label);
    return made;
  };
  // Each picture once, in the order of the page, though it may stand there often.
  const list = () => {
    const found = new Map();
    for (const each of document.querySelectorAll(".pic > img")) if (!found.has(each.src)) found.set(each.src, each);
    return [...found.values()];
  };
  let shown = [], at = 0;
  const show = (number) => {
    // Round at both ends: JavaScript's remainder of -1 would be -1.
    at = (number + shown.length) % shown.length;
    const { src, alt } = shown[at], chain = shown[at].closest("[data-chain]")?.dataset.chain;
    Object.assign(image, { src, alt });
    caption.replaceChildren(alt);
    if (chain) {
      const link = document.createElement("a");
      Object.assign(link, { href: chain, textContent: "What was said about it", onclick: () => box.close() });
      caption.append(" \u00b7 ", link);
    }
    const id = shown[at].closest("[data-object]")?.dataset.object, everywhere = document.body.dataset.everywhere;
    if (id && everywhere) {
      const link = document.createElement("a");
      Object.assign(link, { href: `${everywhere}?object=${encodeURIComponent(id)}`, textContent: "In all dialogues" });
      caption.append(" \u00b7 ", link);
    }
    place.textContent = `${at + 1} of ${shown.length}`;
  };
  const open = (picture) => {
    if (!box.isConnected) document.body.append(box);
    shown = list();
    show(shown.findIndex((each) => each.src === picture.src));
    box.showModal();
  };
  box.className = "enlarged";
  box.setAttribute("aria-label", "Picture");
  caption.setAttribute("aria-live", "polite");
  place.className = "placed";
  bar.append(
    button("\u2190", "Previous picture", () => show(at - 1)), button("\u2192", "Next picture", () => show(at + 1)),
    caption, place, button("Close", "Close", () => box.close()),
  );
  box.append(image, bar);
  box.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    event.stopPropagation();  // no other key of the page works meanwhile
    if (!by) return;
    event.preventDefault();
    show(at + by);
  });
  box.addEventListener("click", (event) => { if (event.target === box) box.close(); });
  addEventListener("click", (event) => {
    const picture = event.target.closest?.(".pic")?.querySelector(":scope > img");
    if (!picture || picture.closest("a, button, summary, dialog")) return;
    open(picture);
  });
  // Those who use keys open the pictures of the focused row or tile.
  addEventListener("keydown", (event) => {
    if (event.key !== "e" || event.ctrlKey || event.metaKey || event.altKey || box.open) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    const picture = document.querySelector(":is(.current, :focus) .pic > img") ?? list()[0];
    if (picture) { event.preventDefault(); open(picture); }
  });
})();
