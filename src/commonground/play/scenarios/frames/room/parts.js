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

// Slots in groups, in the field's words; what stands in no group is asked for rarely.
const GROUPS = {
  trip: ["dst_city", "or_city", "str_date", "end_date", "flex", "duration", "max_duration", "min_duration"],
  party: ["n_adults", "n_children"],
  money: ["budget", "price"],
  hotel: ["name", "category", "gst_rating", "breakfast", "wifi", "parking", "spa", "gym", "amenities"],
  near: ["vicinity", "downtown", "beach", "park", "museum", "market", "mall", "shopping", "theatre", "palace", "cathedral", "university", "airport"],
  flight: ["seat", "dep_time_or", "arr_time_dst", "dep_time_dst", "arr_time_or"],
  talk: ["ref_anaphora", "impl_anaphora"],
  count: ["count", "count_name", "count_dst_city", "count_category", "count_seat", "count_amenities"],
  right: ["budget_ok", "dst_city_ok", "str_date_ok", "end_date_ok", "n_adults_ok", "seat_ok", "intent_ok"],
};

export function listSlots() {
  return Object.entries(GROUPS).map(([group, slots]) => make(
    "optgroup", { label: texts[`group.${group}`] }, ...slots.map((slot) => make("option", { value: slot }, nameSlot(slot))),
  ));
}

// A value as text: yes and no, or "any", in the language of the page; all else as it is.
export function showValue(value) {
  if (value === true || value === false) return make("span", {}, texts[value ? "yes" : "no"]);
  if (value === ANY) return make("span", {}, texts.any);
  return own(Array.isArray(value) ? value.join(", ") : String(value ?? ""));
}

// A slot and its value as a tag; without a value it is asked for, or it is so.
export function showSlot(slot, value) {
  const tag = make("span", { class: "fr-tag" }, make("span", { class: "fr-key" }, nameSlot(slot)));
  if (value === false) tag.prepend(make("span", { class: "fr-not" }, texts.no), " ");
  else if (value !== undefined && value !== null && value !== true && !LABELS.has(slot)) tag.append(" ", showValue(value));
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

// Keeps what was typed and not sent yet, so that a reload of the page brings it back.
export function keepDraft() {
  const field = element("text");
  const key = `draft ${location.pathname}`;
  if (!field.value) field.value = sessionStorage.getItem(key) || "";
  addEventListener("pagehide", () => sessionStorage.setItem(key, field.value));
}
