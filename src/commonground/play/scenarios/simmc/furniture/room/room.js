// The page of the furniture shop. The user sees what is shared; the assistant a screen of its own,
// on which it searches, turns things and reads about them before it shares them.
import { element, enable, fill, make, open, picture, refresh, texts } from "/static/shop.js";
import { fillSearch } from "/static/search.js";
import { makeText, markTold } from "/static/text.js";
import { largest, makeRoom } from "/static/solid.js";
import { describeSide, makeTurntable } from "/static/turntable.js";

let shown = null;
// Attributes that were pressed and that the view does not have yet, by thing.
let pressed = {};

const act = open((view, refusal) => {
  shown = view;
  if (refusal) pressed = {};
  element("fu-shop").className = `shop-goods fu-shop ${view.role}`;
  drawScene(view);
  if (view.role === "assistant") drawDesk(view, refusal);
});

// What is shared

let before = null;
function drawScene({ role, game }) {
  element("fu-scene-title").textContent = texts[`scene.${role}`];
  element("fu-empty").hidden = game.scene.length > 0;
  element("fu-empty").textContent = texts[`empty.${role}`];
  const box = element("fu-scene");
  const key = game.scene.map((each) => [each.item, each.place, each.side]);
  box.classList.toggle("focused", game.scene.length === 1 && game.scene[0].place === "focus");
  if (!refresh(box, key, () => makeScene(game.scene))) return;
  box.classList.remove("arrived");
  void box.offsetWidth;  // so that the animation runs once more
  box.classList.toggle("arrived", before !== null);
  before = key;
}

// Things without pictures stand in one room, drawn to one scale.
function makeScene(things) {
  element("fu-scene").classList.toggle("roomy", things.every((each) => !each.picture));
  return things.map((each) => makeShared(each, largest(things)));
}

function makeShared(thing, most) {
  const figure = picture(thing, { words: true });
  if (!thing.picture) figure.firstElementChild.replaceWith(makeRoom(thing, most));
  const says = thing.place === "focus" ? describeSide(thing) : "";
  return make("div", { class: "fu-thing" }, figure, ...(says ? [make("p", { class: "small soft" }, says)] : []));
}

// What only the assistant has

const look = (thing) => picture(thing);
const turntable = makeTurntable((direction) => act("simmc.rotate", { direction }), look);

function drawDesk(view, refusal) {
  const { game } = view;
  for (const name of ["search", "screen"]) element(`fu-${name}-part`).hidden = false;
  fillSearch(game.form, (query) => act("simmc.search", query));
  const { screen, results } = game;
  const there = screen.focus ? [screen.focus] : screen.row;
  element("fu-nothing").hidden = there.length > 0;
  const count = { n: results.found, from: results.at + 1, to: Math.min(results.at + 3, results.found) };
  element("fu-found").textContent = results.found ? fill(texts.found, count) : "";
  const key = [screen.focus?.item, there.map((each) => each.item), screen.texts];
  refresh(element("fu-screen"), key, () => makeScreen(screen));
  if (screen.focus) turntable.show(screen.focus, refusal !== null);
  drawGallery(view, there);
  drawButtons(view);
}

function makeScreen(screen) {
  const things = screen.focus ? [screen.focus] : screen.row;
  if (!things.length) return [];
  const open = things.filter((each) => String(each.item) in screen.texts);
  const opened = open.map((each) => makeText(each, screen.texts[each.item], tell));
  return [screen.focus ? makeFocus(screen) : makeRow(screen), make("div", { class: "fu-texts" }, ...opened)];
}

function makeRow(screen) {
  const cards = screen.row.map((each) => makeCard(each, screen.texts));
  return make("div", { class: "fu-row" }, makeStep("prev"), make("div", { class: "fu-cards" }, ...cards), makeStep("next"));
}

function makeStep(name) {
  const button = make("button", { type: "button", class: "fu-step", "data-key": name, "data-act": `simmc.${name}`, "aria-label": texts[name] }, name === "prev" ? "‹" : "›");
  button.onclick = () => act(`simmc.${name}`, {});
  return button;
}

function makeCard(thing, open) {
  const closer = makeButton("closer", `focus-${thing.item}`, () => act("simmc.focus", { item: thing.item }));
  const buttons = make("div", { class: "fu-buttons" }, closer, ...makeCommon(thing.item, open));
  return make("div", { class: "fu-card", role: "group", "aria-label": texts[`place.${thing.place}`] }, picture(thing, { words: true }), buttons);
}

function makeFocus({ focus, texts: open }) {
  const back = makeButton("back", "unfocus", () => act("simmc.unfocus", {}));
  const buttons = make("div", { class: "fu-buttons" }, back, ...makeCommon(focus.item, open));
  return make("div", { class: "fu-focus" }, turntable.whole, buttons);
}

// The buttons that a thing has in the row and in focus.
function makeCommon(item, open) {
  const read = makeButton("text", `text-${item}`, () => act("simmc.click", { item }));
  read.setAttribute("aria-expanded", String(String(item) in open));
  const cart = makeButton("cart.in", `cart-${item}`, () => act("simmc.cart", { item }));
  cart.dataset.cart = item;
  return [read, cart];
}

function makeButton(name, key, press) {
  const button = make("button", { type: "button", "data-key": key }, texts[`button.${name}`] || texts[name]);
  button.onclick = press;
  return button;
}

function tell(item, part) {
  const told = toldOf(shown)[item] || [];
  pressed[item] = told.includes(part) ? told.filter((each) => each !== part) : [...told, part];
  act("simmc.specify", { item, attributes: pressed[item] });
  drawButtons(shown);
}

const toldOf = (view) => ({ ...view.game.pressed.specified, ...pressed });

function forgetPressed({ pressed: { specified } }) {
  for (const [item, told] of Object.entries(pressed)) {
    if (String([...told].sort()) === String([...(specified[item] || [])].sort())) delete pressed[item];
  }
}

// What each button says now, and whether it does anything.
function drawButtons(view) {
  const { game, allowed } = view;
  forgetPressed(game);
  const can = (item) => game.yours && game.shown.includes(item);
  markTold(element("fu-screen"), toldOf(view), can);
  for (const button of element("fu-shop").querySelectorAll("[data-cart]")) drawCart(button, game, can);
  for (const button of element("fu-screen").querySelectorAll("[data-act]")) enable(button, allowed.includes(button.dataset.act));
  for (const button of element("fu-screen").querySelectorAll("button:not([data-attribute], [data-cart], [data-act])")) enable(button, game.yours);
  enable(element("fu-find"), game.yours);
  const share = element("fu-share");
  share.textContent = texts[game.screen.prepared ? "share" : game.scene.length ? "shared" : "share"];
  enable(share, allowed.includes("simmc.share"));
  element("fu-action").textContent = texts[`action.${game.action}`] || texts["action.wait"];
}

function drawCart(button, game, can) {
  const item = Number(button.dataset.cart);
  const now = game.pressed.cart === item;
  const inside = game.cart.includes(item);
  button.textContent = texts[inside ? "cart.inside" : now ? "cart.out" : "cart.in"];
  button.setAttribute("aria-pressed", String(now));
  enable(button, can(item) && !inside);
}

// What was shown and is not on the screen can still be bought.
function drawGallery(view, there) {
  const known = new Set(there.map((each) => each.item));
  const others = view.game.gallery.filter((each) => !known.has(each.item));
  element("fu-gallery-part").hidden = others.length === 0;
  refresh(element("fu-gallery"), others.map((each) => each.item), () => others.map((each) => {
    const cart = makeCommon(each.item, {})[1];
    return make("div", { class: "fu-thing" }, picture(each), cart);
  }));
}

element("fu-share").onclick = () => act("simmc.share", {});
