// How far the index is, while a server makes it; a page that waits for it is loaded anew.
"use strict";
(() => {
  const look = async () => {
    const steps = await (await fetch("/indexing.json", { cache: "no-store" })).json();
    const awaits = document.querySelector("[data-awaits]")?.dataset.awaits;
    let left = 0;
    for (const line of document.querySelectorAll("[data-indexing]")) {
      const step = steps[line.dataset.indexing];
      if (!step) { line.remove(); continue; }
      left += 1;
      if (step.total) line.querySelector("progress").value = 100 * step.done / step.total;
    }
    if (awaits && (awaits === "*" ? !Object.keys(steps).length : !steps[awaits])) location.reload();
    else if (left) setTimeout(look, 700);
    else document.querySelector(".indexing")?.remove();
  };
  // A server that is gone says nothing more; what the page shows stays.
  setTimeout(() => look().catch(() => {}), 700);
})();
