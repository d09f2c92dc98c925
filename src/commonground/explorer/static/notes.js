// The stars and notes of this browser: listed, written to a file, read from one.
"use strict";
(() => {
  const list = document.getElementById("notes"), none = document.getElementById("no-notes");
  const status = document.getElementById("notes-told");
  const read = () => { try { return JSON.parse(localStorage.getItem("notes")) ?? {}; } catch { return {}; } };
  const keep = (all) => { localStorage.setItem("notes", JSON.stringify(all)); show(); };
  const make = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text, ...more });
  const root = new URL("..", document.currentScript.src), isOfFiles = location.pathname.endsWith(".html");
  // A file may hold anything: only paths of this explorer become links. Of a static site they are files.
  const link = (each) => {
    const [path, dialogue] = [String(each.path), String(each.dialogue)], ending = ".html";
    const isOfFile = path.endsWith(dialogue.endsWith(ending) ? ending + ending : ending);
    const stem = isOfFile ? path.slice(0, -ending.length) : path;
    const url = new URL(path.startsWith("/") ? `.${stem}${isOfFiles ? ending : ""}` : ".", root);
    return url.href.startsWith(root.href) ? `${url.pathname}#e${Number(each.event)}` : root.pathname;
  };
  const show = () => {
    const all = Object.entries(read());
    none.hidden = all.length > 0;
    list.replaceChildren(...all.map(([key, each]) => {
      const item = make("li", ""), head = make("p", "");
      item.className = "result";
      head.append(
        make("span", each.starred ? "\u2605 " : "", { className: "star" }),
        make("a", `${each.corpus} ${each.dialogue}, event ${each.event}`, { href: link(each), className: "id" }),
        " ", make("button", "Remove", { type: "button", onclick: () => { const rest = read(); delete rest[key]; keep(rest); } }),
      );
      const said = make("p", "", { className: "opening", dir: "auto" });
      said.append(make("bdi", each.speaker), `: ${each.text}`);
      item.append(head, said);
      if (each.note) item.append(make("p", each.note, { className: "own-note", dir: "auto" }));
      return item;
    }));
  };
  document.getElementById("notes-export").addEventListener("click", () => {
    const text = JSON.stringify({ version: 1, notes: Object.values(read()) }, null, 1);
    const href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    make("a", "", { href, download: "commonground-notes.json" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 1000);
  });
  document.getElementById("notes-import").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    try {
      const { notes } = JSON.parse(await file.text()), all = read();
      for (const each of notes) {
        const { corpus, dialogue, event: number, speaker, text, path, starred, note, at } = each;
        if (typeof corpus !== "string" || typeof dialogue !== "string" || !Number.isInteger(number)) throw new Error();
        const key = JSON.stringify([corpus, dialogue, number]);
        // What was noted last is kept.
        if (!all[key] || String(all[key].at) < String(at)) all[key] = { corpus, dialogue, event: number, speaker, text, path, starred, note, at };
      }
      keep(all);
      status.textContent = `${notes.length} read.`;
    } catch {
      status.textContent = `${file.name} is not a file of notes.`;
    }
    // Else to choose the same file again would be no change, and nothing would happen.
    event.target.value = "";
  });
  show();
})();
