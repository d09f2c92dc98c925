// How far the index is, while a server makes it; a page that waits for it is loaded anew.
"use strict";
(() => {
  const look = async () => {
    const steps = await (await fetch("/indexing.json", { cache: "no-store" })).json();
    const awaits = document.querySelector("[data-awaits]")?.dataset.awaits;
    const box = document.querySelector("details.indexing"), names = Object.keys(steps);
    const percent = (step) => (step.total ? Math.floor((100 * step.done) / step.total) : 0);
    for (const line of box.querySelectorAll("[data-indexing]")) {
      const step = steps[line.dataset.indexing];
      line.querySelector("span").textContent = step ? (percent(step) ? `${percent(step)} %` : "waits") : "done";
    }
    const [name] = names, says = box.querySelector("[role=status]"), bar = box.querySelector("progress");
    if (name) {
      const text = `Indexing ${box.dataset.total - names.length + 1} of ${box.dataset.total}: ${name}`;
      // Written only where it changed: what it says is read aloud.
      if (says.textContent !== text) says.textContent = text;
      bar.value = percent(steps[name]);
      bar.setAttribute("aria-label", `Index of ${name}`);
      box.querySelector(".percent").textContent = `${percent(steps[name])} %`;
    }
    if (awaits && (awaits === "*" ? !Object.keys(steps).length : !steps[awaits])) location.reload();
    else if (name) setTimeout(look, 700);
    else box.remove();
  };
  // A server that is gone says nothing more; what the page shows stays.
  setTimeout(() => look().catch(() => {}), 700);
})();
