// Lists by keyboard: j and k go from row to row, Enter opens the one with the focus.
"use strict";
(() => {
  const rows = () => [...document.querySelectorAll(".result")];
  const step = (by) => {
    const all = rows(), at = all.findIndex((each) => each.classList.contains("current"));
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
    if (!next) return;
    all[at]?.classList.remove("current");
    next.classList.add("current");
    next.querySelector(".id").focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  };
  const keys = { j: () => step(1), k: () => step(-1) };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !keys[event.key]) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    keys[event.key]();
  });
  // Whoever goes by Tab or by mouse has a row, too.
  addEventListener("focusin", (event) => {
    const row = event.target.closest?.(".result");
    if (!row) return;
    for (const each of rows()) each.classList.toggle("current", each === row);
  });
  for (const each of document.querySelectorAll(".snippet [data-copy]")) each.addEventListener("click", async () => {
    const code = each.closest(".snippet").querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      each.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      each.textContent = "Press Ctrl+C";
    }
  });
  addEventListener("click", (event) => {
    for (const each of document.querySelectorAll("details.menu[open]"))
      if (!each.contains(event.target)) each.open = false;
  });
})();
