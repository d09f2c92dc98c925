// What both players' pages share: texts, elements made of them, and how slots and values are shown.
import { fill } from "/static/rooms.js";

export { fill };
export const texts = JSON.parse(document.getElementById("fr-texts").textContent);
export const element = (id) => document.getElementById(id);

const ANY = "-1";
// Slots whose value is a label and stands in nobody's words.
export const LABELS = new Set(["action", "intent"]);

// Makes an element; functions among the attributes are its handlers, such as onclick.
export function make(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function" || key === "disabled") made[key] = value;
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

// A text of the study or of a person, which is in no catalogue.
export function own(text, attributes = {}) {
  return make("span", { "data-own": "", ...attributes }, text);
}

export function button(attributes, ...children) {
  return make("button", { type: "button", ...attributes }, ...children);
}

export function nameSlot(slot) {
  return texts[`slot.${slot}`] || slot;
}

export function nameAct(name) {
  return texts[`act.${name}`] || name;
}

// A value as text: yes and no, or "any", in the language of the page; all else as it is.
export function showValue(value) {
  if (value === true || value === false) return make("span", {}, texts[value ? "yes" : "no"]);
  if (value === ANY) return make("span", {}, texts.any);
  return own(Array.isArray(value) ? value.join(", ") : String(value ?? ""));
}

// A slot and its value as a tag; without a value it is asked for.
export function showSlot(slot, value) {
  const tag = make("span", { class: "fr-tag" }, make("span", { class: "fr-key" }, nameSlot(slot)));
  if (value !== undefined && value !== null) tag.append(" ", showValue(value));
  return tag;
}

// Draws a list anew only where it changed, so that nobody loses the focus to the same list.
export function renew(list, key, makeItems) {
  const state = JSON.stringify(key);
  if (list.dataset.state === state) return;
  const place = [...list.querySelectorAll("button")].indexOf(document.activeElement);
  list.dataset.state = state;
  list.replaceChildren(...makeItems());
  if (place < 0) return;
  const buttons = list.querySelectorAll("button:not(:disabled)");
  if (buttons.length) buttons[Math.min(place, buttons.length - 1)].focus();
}

// Shows an element or not, and says whether it came just now.
export function reveal(id, on) {
  const came = element(id).hidden && on;
  element(id).hidden = !on;
  return came;
}
