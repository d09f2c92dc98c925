// What the pages of both shops share: whose turn it is, the cart, the end of the talk, the survey,
// and the small parts that they are built of.
import { begin, pictures, show } from "/static/rooms.js";
import { describe, portray } from "/static/drawing.js";

export const texts = JSON.parse(document.getElementById("shop-texts").textContent);
export const element = (id) => document.getElementById(id);

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function make(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// Begins; draw(view, refusal) is called with each new view, and when an act is refused. Returns
// act(type, payload).
export function open(draw) {
  const act = begin((view, refusal) => {
    drawTurn(view);
    drawCart(view.game);
    drawEnd(view, refusal);
    drawSurvey(view.game);
    draw(view, refusal);
  });
  element("shop-done").onclick = () => act("simmc.done", {});
  element("shop-bye").addEventListener("submit", (event) => {
    event.preventDefault();
    const text = element("shop-bye-text").value.trim();
    if (text) act("simmc.goodbye", { text });
  });
  element("shop-survey").addEventListener("submit", (event) => {
    event.preventDefault();
    const answers = new FormData(event.target);
    act("simmc.survey", { grade: Number(answers.get("grade")), text: String(answers.get("text")) });
  });
  return act;
}

// Whose turn it is

function drawTurn({ role, game }) {
  const state = game.phase === "talk" ? turnOf(role, game) : game.phase;
  show("shop-role", texts[`role.${role}`]);
  show("shop-turn", texts[`turn.${role}.${state}`] || texts[`turn.${state}`]);
  show("shop-hint", texts[`hint.${role}.${state}`] || texts[`hint.${state}`] || "");
  element("shop-head").classList.toggle("yours", game.yours);
  const heard = game.chat.findLast((each) => each.role !== null && each.role !== role);
  element("shop-heard").hidden = !game.yours || !heard;
  element("shop-heard-text").textContent = heard ? heard.text : "";
  document.body.classList.toggle("shop-resting", game.phase !== "talk");
}

function turnOf(role, game) {
  if (game.parting) return game.yours ? "parting" : "parted";
  if (!game.yours) return "wait";
  return role === "user" && game.round === 1 ? "first" : "yours";
}

// The cart

let shownCart = null;
function drawCart(game) {
  const key = JSON.stringify(game.basket);
  if (key === shownCart) return;
  shownCart = key;
  element("shop-cart").hidden = game.basket.length === 0;
  element("shop-cart-items").replaceChildren(...game.basket.map((each) => make("li", {}, picture(each))));
}

// The end of the talk

function drawEnd(view, refusal) {
  const { game, role } = view;
  element("shop-end").hidden = role !== "user" || game.phase !== "talk" || game.parting;
  element("shop-bye").hidden = game.cart.length === 0;
  element("shop-bye-why").hidden = game.cart.length > 0;
  element("shop-bye-send").disabled = !view.allowed.includes("simmc.goodbye");
  element("shop-done").disabled = !view.allowed.includes("simmc.done");
  // Only what was taken is gone from its field.
  if (game.parting && !refusal) element("shop-bye-text").value = "";
}

function drawSurvey(game) {
  const form = element("shop-survey");
  const asked = game.phase === "survey" && !game.answered;
  const opens = form.hidden && asked;
  form.hidden = !asked;
  element("shop-answered").hidden = !(game.phase === "survey" && game.answered);
  if (opens) form.scrollIntoView({ block: "start" });
}

// Parts of a page

// An item as it is seen: its picture, or a drawing of what is known of it, with words beneath it
// for what a drawing cannot show.
export function picture(thing, { alt = describe(thing), words = false } = {}) {
  const source = (name) => pictures + name.split("/").map(encodeURIComponent).join("/");
  const figure = make("figure", { class: "shop-picture" }, portray(thing, source, alt));
  figure.dataset.own = "";
  if (words && !thing.picture) figure.append(make("figcaption", {}, describe(thing)));
  return figure;
}

// Puts something new into a box, and only then; returns whether it did. What had the keyboard's
// focus has it again if there is something of the same data-key.
export function refresh(box, key, build) {
  const now = JSON.stringify(key);
  if (box.dataset.shown === now) return false;
  const held = box.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  box.dataset.shown = now;
  box.replaceChildren(...[build()].flat());
  if (held !== undefined) (box.querySelector(`[data-key="${held}"]`) || box.querySelector("[data-key]"))?.focus();
  return true;
}

// What cannot be pressed now stays where the keyboard finds it; pressed all the same, the server
// says why not.
export function enable(button, on) {
  button.setAttribute("aria-disabled", String(!on));
}

// A value of a catalogue: lists with commas, names without underscores.
export function plain(value) {
  const list = typeof value === "string" && value.startsWith("[") ? value.slice(1, -1).split(",") : [value].flat();
  return list.map((each) => String(each).trim().replace(/^['"]|['"]$/g, "").replaceAll("_", " ")).filter(Boolean).join(", ");
}

// Makes a group of buttons one stop of the Tab key; arrows, Home and End lead through it.
export function rove(box) {
  const stops = () => [...box.querySelectorAll("button")].filter((each) => !each.closest("[hidden]"));
  const stopAt = (chosen) => {
    for (const each of stops()) each.tabIndex = each === chosen ? 0 : -1;
  };
  box.addEventListener("focusin", (event) => { if (stops().includes(event.target)) stopAt(event.target); });
  box.addEventListener("keydown", (event) => {
    const all = stops();
    const next = findNext(all, all.indexOf(event.target), event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  return () => stopAt(stops().find((each) => each.tabIndex === 0) || stops()[0]);
}

function findNext(all, at, key) {
  if (at < 0) return null;
  const row = Math.max(1, all.filter((each) => each.offsetTop === all[0].offsetTop).length);
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row };
  if (key === "Home") return all[0];
  if (key === "End") return all[all.length - 1];
  return key in steps ? all[Math.min(all.length - 1, Math.max(0, at + steps[key]))] : null;
}
