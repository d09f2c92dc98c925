// Elements, texts and drafts: what the parts of the page share.

export const texts = JSON.parse(document.getElementById("tm-texts").textContent);
export const element = (id) => document.getElementById(id);

// Makes an element. An attribute of false, null or undefined is left out, one of true is empty.
export function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

// Prose of a script, with *bold* words; its line feeds are kept by the style.
export function makeProse(text) {
  return text.split(/\*([^*\n]+)\*/).map((part, number) => (number % 2 ? make("strong", {}, part) : part));
}

// What was typed and is not sent yet, in this tab only, so that a page that is loaded anew has it.
const KEY = `drafts ${location.pathname}`;
let drafts = { title: null, kept: {} };
try {
  drafts = JSON.parse(sessionStorage.getItem(KEY)) || drafts;
} catch { /* a browser that keeps nothing has no drafts */ }

// Says which script is on; drafts of another one are dropped.
export function openDrafts(title) {
  if (drafts.title !== title) drafts = { title, kept: {} };
}

export const recall = (name) => drafts.kept[name];

// Keeps a draft; one of undefined is dropped.
export function keep(name, value) {
  drafts.kept[name] = value;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(drafts));
  } catch { /* then it lasts as long as the page */ }
}
