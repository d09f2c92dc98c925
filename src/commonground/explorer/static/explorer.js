// The page of a dialogue: focus, stage, keys, find box, toggles. Without it all is shown.
"use strict";
(() => {
  const root = document.documentElement;
  const page = document.querySelector(".dialogue");
  if (!page) return;
  const all = (selector, from = page) => [...from.querySelectorAll(selector)];
  const events = all(".event");
  const stages = all(".stage");
  const timed = all(".stages [data-from], .stages [data-until]");
  const outline = all(".outline a");
  const stops = all("[data-stop]");
  let current = -1;
  root.classList.add("js");
  document.body.dataset.page = "dialogue";

  // Only the box scrolls: scrollIntoView would move the talk, too.
  const centre = (element, box) => {
    if (!box) return;
    const [mine, room] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
    box.scrollLeft += mine.left + mine.width / 2 - room.left - room.width / 2;
    box.scrollTop += mine.top + mine.height / 2 - room.top - room.height / 2;
  };

  // The focused event, and what there was to see at it.
  const holds = (element, number) =>
    Number(element.dataset.first) <= number && number <= Number(element.dataset.last);
  const show = (number) => {
    if (number === current || !events.length) return;
    document.getElementById(`e${current}`)?.classList.remove("current");
    current = number;
    document.getElementById(`e${number}`)?.classList.add("current");
    for (const each of stages) each.classList.toggle("current", holds(each, number));
    for (const each of timed) {
      const from = Number(each.dataset.from ?? 0), until = Number(each.dataset.until ?? Infinity);
      each.classList.toggle("later", !(from <= number && number < until));
    }
    let here = null;
    for (const each of outline) {
      if (Number(each.hash.slice(2)) <= number) here = each;
      each.classList.remove("current");
      each.removeAttribute("aria-current");
    }
    here?.classList.add("current");
    here?.setAttribute("aria-current", "true");
    for (const each of stops) {
      const here = each.classList.toggle("current", Number(each.dataset.stop) === number);
      if (here) centre(each, each.closest(".metro"));
    }
  };
  // What sticks to the upper edge, one below the other, covers the talk that scrolls below it.
  const talk = all(".transcript")[0];
  const covered = () => {
    const column = talk.getBoundingClientRect();
    const bottoms = [document.querySelector(".top"), ...all(".dialogue-head, .stages")].map((each) => {
      const style = each && getComputedStyle(each);
      if (style?.position !== "sticky") return 0;
      const box = each.getBoundingClientRect();
      const beside = box.left >= column.right || box.right <= column.left;
      return beside ? 0 : parseFloat(style.top) + box.height;
    });
    return Math.max(...bottoms);
  };
  // The style sheet keeps that much free above an event: browsers scroll to links on their own, too.
  const measure = () => root.style.setProperty("--covered", `${covered()}px`);
  addEventListener("resize", measure);
  const reveal = (target) => {
    measure();
    target.scrollIntoView({ block: "nearest", behavior: "instant" });
  };
  // The event that a link, a key or a click chose; it has the focus until the reader scrolls on.
  let chosen = null;
  const go = (number, { focus = true } = {}) => {
    const target = document.getElementById(`e${number}`);
    if (!target) return;
    chosen = target;
    show(number);
    reveal(target);
    if (focus) target.focus({ preventScroll: true });
    // Replaced, not pushed: one step back leaves the dialogue, not the event before.
    history.replaceState(null, "", `#e${number}`);
  };
  // What a toggle hides has no box, and so no parent to be placed in.
  const visible = (element) => element.offsetParent !== null;
  const step = (by) => {
    let next = events.findIndex((each) => Number(each.dataset.event) === current) + by;
    while (events[next] && !visible(events[next])) next += by;
    if (events[next]) go(Number(events[next].dataset.event));
  };
  const fromAddress = () => {
    const found = /^#e(\d+)$/.exec(location.hash);
    if (found) go(Number(found[1]));
  };
  addEventListener("hashchange", fromAddress);
  page.addEventListener("click", (event) => {
    const row = event.target.closest(".event");
    if (row && !event.target.closest("a, button, summary, input")) {
      chosen = row;
      show(Number(row.dataset.event));
    }
  });
  page.addEventListener("focusin", (event) => {
    const row = event.target.closest(".event");
    if (row) show(Number(row.dataset.event));
  });

  // Scrolling moves the focus along. Pages also scroll by themselves, as when a picture comes in:
  // what was chosen keeps the focus then, while it is to be seen.
  const SCROLL_KEYS = ["PageDown", "PageUp", "Home", "End", " "];
  const leave = () => { chosen = null; };
  // Passive: the browser need not wait for us before it scrolls.
  addEventListener("wheel", leave, { passive: true });
  addEventListener("touchmove", leave, { passive: true });
  addEventListener("keydown", (event) => { if (SCROLL_KEYS.includes(event.key)) leave(); });
  const isSeen = (element) => {
    const box = element.getBoundingClientRect();
    return box.top >= covered() - 1 && box.top < innerHeight;
  };
  addEventListener("load", () => { if (chosen) reveal(chosen); });
  let waiting = false;
  const follow = () => {
    waiting = false;
    if (chosen && isSeen(chosen)) return;
    chosen = null;
    const line = covered() + 40;
    const top = page.getBoundingClientRect().top;
    if (scrollY < 4 || top > line) return show(Number(events[0]?.dataset.event));
    const found = events.find((each) => visible(each) && each.getBoundingClientRect().bottom >= line);
    if (found) show(Number(found.dataset.event));
  };
  addEventListener("scroll", () => {
    // Once for each frame drawn, however many events of scrolling come.
    if (!waiting) { waiting = true; requestAnimationFrame(follow); }
  }, { passive: true });

  // Things that are the same light up together; what stands in several of them, all of those.
  const light = (ids, on) => {
    for (const id of ids)
      for (const each of all(`[data-object="${CSS.escape(id)}"]`)) each.classList.toggle("lit", on);
  };
  let lit = [];
  const point = (event) => {
    const ids = [];
    let each = event.target.closest?.("[data-object]");
    for (; each; each = each.parentElement?.closest("[data-object]")) ids.push(each.dataset.object);
    if (ids.join("\n") === lit.join("\n")) return;
    light(lit, false);
    lit = ids;
    light(lit, true);
  };
  page.addEventListener("pointerover", point);
  page.addEventListener("pointerleave", point);
  page.addEventListener("focusin", point);

  // Modes and toggles, kept between pages.
  const read = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const keep = (key, value) => { try { localStorage.setItem(key, value); } catch { /* not kept */ } };
  const press = (button, on) => button.setAttribute("aria-pressed", String(on));
  // The address says how the page is looked at, so that a link to it shows the same to others.
  const asked = new URLSearchParams(location.search);
  const say = (name, value) => {
    const url = new URL(location.href);
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
    try { history.replaceState(null, "", url); } catch { /* a file on disk keeps its address */ }
  };
  const setMode = (name) => {
    root.dataset.mode = name;
    for (const each of all("[data-set-mode]")) press(each, each.dataset.setMode === name);
  };
  for (const each of all("[data-set-mode]")) each.addEventListener("click", () => {
    setMode(each.dataset.setMode);
    say("seen", each.dataset.setMode === modes[0] ? "" : each.dataset.setMode);
  });
  const modes = all("[data-set-mode]").map((each) => each.dataset.setMode);
  if (modes.length) setMode(modes.includes(asked.get("seen")) ? asked.get("seen") : modes[0]);
  const fetchNative = async () => {
    const section = all(".native[data-source]")[0];
    if (!section) return;
    const text = document.createElement("pre");
    text.tabIndex = 0;
    text.textContent = "…";
    section.append(text);
    const source = section.dataset.source;
    delete section.dataset.source;
    try {
      const answer = await fetch(source);
      text.textContent = answer.ok ? await answer.text() : `The server answered ${answer.status}.`;
    } catch {
      text.textContent = "The released records cannot be fetched from here; download them instead.";
    }
  };
  const toggle = (name, to) => {
    const button = page.querySelector(`[data-toggle="${name}"]`);
    if (!button) return;
    const on = to ?? button.getAttribute("aria-pressed") !== "true";
    press(button, on);
    root.setAttribute(`data-show-${name}`, on ? "yes" : "no");
    keep(`show-${name}`, on ? "yes" : "no");
    return name === "native" && on ? fetchNative() : undefined;
  };
  // As the reader asks for it: the released records stand below everything else, so go there.
  const usual = new Map(all("[data-toggle]").map((each) => [each, each.getAttribute("aria-pressed")]));
  const turn = (name) => {
    const coming = toggle(name);
    const other = [...usual].filter(([each, pressed]) => each.getAttribute("aria-pressed") !== pressed);
    const names = (pressed) => other.filter((each) => each[1] === pressed).map(([each]) => each.dataset.toggle).join(",");
    say("hide", names("true"));
    say("show", names("false"));
    if (name !== "native" || root.dataset.showNative !== "yes") return;
    const go = () => all(".native")[0]?.scrollIntoView();
    go();
    coming?.then(go);  // as the page is long enough only when the records are there
  };
  for (const each of all("[data-toggle]")) {
    const name = each.dataset.toggle, kept = read(`show-${name}`);
    if (asked.get("hide")?.split(",").includes(name)) toggle(name, false);
    else if (asked.get("show")?.split(",").includes(name)) toggle(name, true);
    else if (kept && !asked.has("hide") && !asked.has("show")) toggle(name, kept === "yes");
    each.addEventListener("click", () => turn(name));
  }
  const folding = all("[data-fold]")[0];
  const foldStage = (folded) => {
    root.dataset.stage = folded ? "folded" : "open";
    folding.setAttribute("aria-expanded", String(!folded));
    folding.textContent = folded ? "Show what they saw" : "Hide";
  };
  folding?.addEventListener("click", () => foldStage(root.dataset.stage !== "folded"));
  // On a low window, as on one enlarged four times, the talk would come far below the pictures.
  if (folding && matchMedia("(max-width: 1000px) and (max-height: 400px)").matches) foldStage(true);
  if (matchMedia("(max-width: 1000px)").matches) for (const each of all(".outline details")) each.open = false;

  // The find box.
  const box = document.getElementById("find"), count = document.getElementById("found");
  let hits = [], hit = -1;
  const paint = () => {
    // The Custom Highlight API marks ranges without touching the page; older browsers lack it, and
    // the box then only counts and scrolls.
    if (!CSS.highlights) return;
    CSS.highlights.set("found", new Highlight(...hits));
    CSS.highlights.set("found-current", new Highlight(...(hits[hit] ? [hits[hit]] : [])));
  };
  const search = () => {
    const wanted = box.value.toLocaleLowerCase();
    hits = []; hit = -1;
    for (const row of wanted ? events : []) {
      const walker = document.createTreeWalker(row.querySelector(".what"), NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.parentElement.closest(".who, .hidden")) continue;
        // Where lower case has another length, places would not fit: compare as it is written.
        const lower = node.data.toLocaleLowerCase();
        const text = lower.length === node.data.length ? lower : node.data;
        for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, at + wanted.length);
          if (range.getClientRects().length) hits.push(range);
        }
      }
    }
    count.textContent = wanted && !hits.length ? "none" : "";
    paint();
    if (hits.length) visit(1);
  };
  const visit = (by) => {
    if (!hits.length) return;
    hit = (hit + by + hits.length) % hits.length;
    count.textContent = `${hit + 1} of ${hits.length}`;
    paint();
    go(Number(hits[hit].startContainer.parentElement.closest(".event").dataset.event), { focus: false });
  };
  // The words that the reader came with are lit on arrival, compared as the search compares them.
  const lightAsked = () => {
    if (!page.dataset.asked || !CSS.highlights) return;
    const asked = page.dataset.asked.split("|").map((each) =>
      ({ words: each.replace(/\*$/, "").split(" "), prefix: each.endsWith("*") }));
    const places = [];
    for (const bubble of all(".bubble")) {
      const walker = document.createTreeWalker(bubble, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const said = window.splitWords(node.data);
        const folded = said.map((each) => each.folded);
        said.forEach((first, at) => {
          for (const { words, prefix } of asked) {
            const fits = (word, i) => folded[at + i] === word
              || (prefix && i === words.length - 1 && folded[at + i]?.startsWith(word));
            if (!words.every(fits)) continue;
            const range = new Range();
            range.setStart(node, first.start);
            range.setEnd(node, said[at + words.length - 1].end);
            places.push(range);
          }
        });
      }
    }
    CSS.highlights.set("asked", new Highlight(...places));
  };
  lightAsked();
  box?.addEventListener("input", () => { search(); say("find", box.value); });
  box?.addEventListener("keydown", (event) => {
    if (event.key === "Enter") { event.preventDefault(); visit(event.shiftKey ? -1 : 1); }
    if (event.key === "Escape") { box.value = ""; search(); say("find", ""); document.getElementById(`e${current}`)?.focus(); }
  });
  for (const each of all("[data-find]")) each.addEventListener("click", () => visit(each.dataset.find === "next" ? 1 : -1));

  // Copying, and the list of keys.
  // Where no file holds the released records, the page does.
  for (const each of all("[data-save]")) each.addEventListener("click", () => {
    const texts = all(".native pre").map((pre) => pre.textContent);
    const href = URL.createObjectURL(new Blob([texts.length === 1 ? texts[0] : `[${texts.join(",")}]`], { type: "application/json" }));
    Object.assign(document.createElement("a"), { href, download: each.dataset.save }).click();
    // Not at once: some browsers begin to read it only after the click has returned.
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  });
  for (const each of all("[data-copy]")) each.addEventListener("click", async () => {
    const code = each.closest(".snippet").querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      each.textContent = "Copied";
    } catch {
      // Where the page may not write to the clipboard, as over plain http, the reader can.
      getSelection().selectAllChildren(code);
      each.textContent = "Press Ctrl+C";
    }
  });
  const help = document.getElementById("help");
  for (const each of all("[data-help]")) each.addEventListener("click", () => help.showModal());
  const followLink = (rel) => page.querySelector(`a[rel="${rel}"]`)?.click();
  const keys = {
    n: () => step(1), ArrowDown: () => step(1), p: () => step(-1), ArrowUp: () => step(-1),
    j: () => followLink("next"), k: () => followLink("prev"),
    a: () => turn("annotations"), x: () => turn("actions"), f: () => turn("findings"), r: () => turn("native"),
    "/": () => { box?.focus(); box?.select(); }, "?": () => help?.showModal(),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help?.open) return;
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    if (event.key === "Escape") for (const each of all("details.menu[open]")) {
      if (each.contains(document.activeElement)) each.querySelector("summary").focus();
      each.open = false;
    }
    if (event.key.startsWith("Arrow") && event.target.closest?.(".stages, .outline, .native, pre, summary")) return;
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  // On a phone the other menus are in the last one, so that the tools have one row.
  const more = page.querySelector("#more"), narrow = matchMedia("(max-width: 720px)");
  const others = more ? all(".tools > details.menu").filter((each) => each !== more) : [];
  const gather = () => {
    for (const each of others) each.open = false;
    if (narrow.matches) more.querySelector(".listed").prepend(...others);
    else more.before(...others);
  };
  if (others.length) {
    narrow.addEventListener("change", gather);
    if (narrow.matches) gather();
  }
  addEventListener("click", (event) => {
    for (const each of all("details.menu[open]")) if (!each.contains(event.target)) each.open = false;
  });

  if (box && asked.get("find")) { box.value = asked.get("find"); search(); }
  if (/^#e\d+$/.test(location.hash)) fromAddress();
  else if (events.length) show(Number(events[0].dataset.event));
})();
