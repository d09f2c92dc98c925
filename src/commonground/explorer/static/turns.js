// The turn with the focus: its link and its text to copy, a star and a note to keep in this browser.
"use strict";
(() => {
  const page = document.querySelector(".dialogue");
  if (!page) return;
  const { corpus, dialogue } = page.dataset;
  // The explorer's own folder, on a server as on a disk: paths in it hold wherever it is.
  const root = new URL("..", document.currentScript.src);
  const path = `/${location.pathname.slice(root.pathname.length)}`;
  const row = () => page.querySelector(".event.current");
  const status = Object.assign(document.createElement("p"), { className: "told" });
  status.setAttribute("role", "status");
  document.body.append(status);
  let ending = 0;
  const tell = (text) => {
    status.textContent = text;
    clearTimeout(ending);
    ending = setTimeout(() => { status.textContent = ""; }, 4000);
  };
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      tell(`${what} copied.`);
    } catch {
      prompt(`${what}, to copy:`, text);  // where the page may not write to the clipboard
    }
  };
  const textOf = (event) => {
    const said = (event.querySelector(".bubble, .action") ?? event.querySelector(".what")).cloneNode(true);
    for (const each of said.querySelectorAll(".span-label, .who")) each.remove();
    return said.textContent.replace(/\s+/g, " ").trim();
  };
  const linkOf = (event) => Object.assign(new URL(location.href), { hash: event.id }).href;

  // What is kept: by corpus, dialogue and event.
  // Read anew each time: another tab may have written meanwhile.
  const read = () => { try { return JSON.parse(localStorage.getItem("notes")) ?? {}; } catch { return {}; } };
  const keyOf = (event) => JSON.stringify([corpus, dialogue, Number(event.dataset.event)]);
  const keep = (event, changed) => {
    const all = read(), key = keyOf(event);
    all[key] = {
      corpus, dialogue, event: Number(event.dataset.event), speaker: event.dataset.speaker,
      text: textOf(event).slice(0, 300), path, starred: false, note: "",
      ...all[key], ...changed, at: new Date().toISOString(),
    };
    if (!all[key].starred && !all[key].note) delete all[key];
    try { localStorage.setItem("notes", JSON.stringify(all)); } catch { tell("This browser cannot store notes here."); }
    show(event, all[key]);
  };
  const show = (event, kept) => {
    event.classList.toggle("starred", Boolean(kept?.starred));
    event.querySelector(".own-note")?.remove();
    if (!kept?.note) return;
    const note = Object.assign(document.createElement("p"), { className: "own-note", textContent: kept.note });
    note.dir = "auto";
    event.querySelector(".what").append(note);
  };
  const kept = read();
  for (const each of page.querySelectorAll(".event")) if (kept[keyOf(each)]) show(each, kept[keyOf(each)]);

  const acts = {
    link: (event) => copy(linkOf(event), "Link"),
    text: (event) => copy(textOf(event), "Text"),
    star: (event) => {
      keep(event, { starred: !event.classList.contains("starred") });
      tell(event.classList.contains("starred") ? "Starred." : "No longer starred.");
    },
    note: (event) => {
      const said = prompt(`Note on event ${event.dataset.event}:`, read()[keyOf(event)]?.note ?? "");
      if (said !== null) keep(event, { note: said.trim() });
    },
  };
  const keys = { l: "link", t: "text", s: "star", o: "note" };
  const act = (name) => {
    const event = row();
    if (event && page.querySelector(`[data-turn="${name}"]`)) acts[name](event);
  };
  for (const each of page.querySelectorAll("[data-turn]")) each.addEventListener("click", () => act(each.dataset.turn));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (!keys[event.key] || event.target.closest?.("input, textarea, select, [contenteditable]")) return;
    event.preventDefault();
    act(keys[event.key]);
  });
})();
