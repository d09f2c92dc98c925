// Two dialogues side by side: what is the same thing lights up in both; parts go along.
"use strict";
(() => {
  const sides = [...document.querySelectorAll(".side")];
  let lit = null;
  const point = (event) => {
    const id = event.target.closest?.("[data-object]")?.dataset.object ?? null;
    // The pointer moves within one thing all the time.
    if (id === lit) return;
    for (const each of document.querySelectorAll(".sides .lit")) each.classList.remove("lit");
    lit = id;
    if (id === null) return;
    for (const each of document.querySelectorAll(`.sides [data-object="${CSS.escape(id)}"]`)) each.classList.add("lit");
  };
  addEventListener("pointerover", point);
  addEventListener("focusin", point);
  // A click on the head of a part brings the same part of the other into sight.
  for (const side of sides) side.addEventListener("click", (event) => {
    const head = event.target.closest(".segment");
    if (!head) return;
    const place = [...side.querySelectorAll(".segment")].indexOf(head);
    for (const each of sides) {
      const same = each.querySelectorAll(".segment")[place];
      if (same) each.scrollTop += same.getBoundingClientRect().top - each.getBoundingClientRect().top - 48;
    }
  });
})();
