// Light or dark: kept between pages, set before anything is painted.
"use strict";
(() => {
  const root = document.documentElement;
  // Browsers may forbid storage, as in private windows or for files on disk: then it throws.
  const read = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const keep = (theme) => { try { localStorage.setItem("theme", theme); } catch { /* not kept */ } };
  const saved = read();
  if (saved === "light" || saved === "dark") root.dataset.theme = saved;
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    button?.addEventListener("click", () => {
      const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
      const next = (root.dataset.theme || system) === "dark" ? "light" : "dark";
      root.dataset.theme = next;
      keep(next);
    });
    const current = document.querySelector(".tabs [aria-current]");
    const tabs = document.querySelector(".tabs");
    // Only the tabs scroll: scrollIntoView would let the first Tab begin behind the current one.
    const centre = (tab) => {
      const [box, mine] = [tabs.getBoundingClientRect(), tab.getBoundingClientRect()];
      tabs.scrollLeft += mine.left + mine.width / 2 - box.left - box.width / 2;
    };
    if (current) centre(current);
    // Browsers leave a tab that has the focus where it is if any of it can be seen.
    tabs?.addEventListener("focusin", (event) => centre(event.target));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (document.querySelector("[data-dialogue]")) return;
    const box = document.querySelector(".search input");
    if (box) { event.preventDefault(); box.focus(); box.select(); }
  });
})();
