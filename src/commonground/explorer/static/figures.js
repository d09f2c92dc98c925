// While figures are counted, those that are there stand on the page; others come in as they are made.
"use strict";
(() => {
  const page = document.querySelector(".of-figures");
  const look = async () => {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".of-figures");
    // Nothing is there yet: the server sent the page that asks to wait.
    if (!fresh) return void setTimeout(look, 1500);
    let before = null;
    // A copy, for each that is moved to this page leaves the other one.
    for (const each of [...fresh.querySelectorAll("section.figure")]) {
      const here = document.getElementById(each.id);
      if (!here && before) before.after(each);
      else if (!here) page.querySelector("section.figure").before(each);
      before = here ?? each;
    }
    const sign = page.querySelector(".waits"), now = fresh.querySelector(".waits");
    if (now) { sign.replaceChildren(...now.childNodes); setTimeout(look, 1500); } else sign.remove();
  };
  // A server that is gone says nothing more; what the page shows stays.
  setTimeout(() => look().catch(() => {}), 1500);
})();
