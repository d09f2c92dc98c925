// The page of the fashion shop. The user sees the image in focus; the assistant all images, what
// the catalogue says of them, and the buttons that say what it does.
import { element, enable, make, open, picture, plain, refresh, rove, texts } from "/static/shop.js";

const HIDDEN = new Set(["type", "availability"]);
const PLACES = ["memory", "database"];
let shown = null;
// Attributes that were pressed and that the view does not have yet.
let pressed = null;

const act = open((view, refusal) => {
  shown = view;
  const { game } = view;
  if (refusal || same(game.pressed?.attributes, pressed)) pressed = null;
  element("fa-shop").className = `fa-shop shop-goods ${view.role}`;
  drawFocus(view);
  if (view.role === "assistant") drawDesk(view);
});

const same = (one, other) => JSON.stringify([...(one || [])].sort()) === JSON.stringify([...(other || [])].sort());

let before = null;
function drawFocus({ role, game }) {
  const box = element("fa-picture");
  element("fa-focus-title").textContent = texts[`focus.${role}`];
  if (!refresh(box, game.focus.image, () => picture(game.focus, { words: true }))) return;
  box.classList.toggle("arrived", before !== null);
  before = game.focus.image;
}

// What only the assistant has

const restops = [...PLACES, "facts", "more"].map((name) => rove(element(`fa-${name}`)));

function drawDesk(view) {
  const { game } = view;
  element("fa-tell").hidden = element("fa-finds").hidden = false;
  for (const place of PLACES) drawThumbs(view, place);
  drawFacts(view);
  drawCart(view);
  const said = texts[`action.${game.action}`] || texts["action.wait"];
  element("fa-action").textContent = said;
  for (const restop of restops) restop();
}

function drawThumbs(view, place) {
  const things = view.game[place];
  element(`fa-${place}-part`).hidden = things.length === 0;
  refresh(element(`fa-${place}`), things.map((each) => each.image), () => things.map(makeThumb));
  for (const button of element(`fa-${place}`).children) {
    const current = Number(button.dataset.image) === view.game.focus.image;
    button.setAttribute("aria-current", String(current));
    enable(button, view.allowed.includes("simmc.focus"));
  }
}

function makeThumb(thing) {
  const { price, brand, customerRating, availableSizes } = thing.facts;
  const more = Object.entries(thing.look).filter(([name]) => name !== "type" && name !== "color");
  const lines = [
    make("b", {}, [plain(thing.look.color || []), thing.kind].filter(Boolean).join(" ")),
    make("span", {}, [plain(price), `★ ${plain(customerRating)}`].join(" · ")),
    make("span", {}, plain(brand)),
    make("span", { class: "soft" }, [plain(availableSizes), ...more.map(([, value]) => plain(value))].filter(Boolean).join(" · ")),
  ];
  const button = make("button", { type: "button", class: "fa-thumb", "data-image": thing.image, "data-own": "" }, picture(thing, { alt: "" }), ...lines);
  button.onclick = () => act("simmc.focus", { image: thing.image });
  return button;
}

// Attributes of what is in focus: pressed are those that the assistant tells. People ask for the
// embellishment; the catalogue calls it embellishments.
function drawFacts(view) {
  const { focus } = view.game;
  const values = Object.fromEntries(view.game.attributes.map((name) => [name, plain(focus.facts[name] ?? focus.facts[`${name}s`] ?? [])]));
  const names = view.game.attributes.filter((name) => !HIDDEN.has(name));
  refresh(element("fa-facts"), focus.image, () => names.filter((name) => values[name]).map((name) => makeFact(name, values[name])));
  refresh(element("fa-more"), focus.image, () => names.filter((name) => !values[name]).map((name) => makeFact(name, "")));
  const told = pressed || view.game.pressed.attributes;
  for (const button of document.querySelectorAll("[data-attribute]")) {
    button.setAttribute("aria-pressed", String(told.includes(button.dataset.attribute)));
    enable(button, view.allowed.includes("simmc.specify"));
  }
}

function makeFact(name, value) {
  const button = make("button", { type: "button", class: "shop-fact", "data-attribute": name }, make("b", {}, texts[`attribute.${name}`]));
  if (value) button.append(make("span", { class: "soft", "data-own": "" }, value));
  button.onclick = () => tell(name);
  return button;
}

function tell(name) {
  const told = pressed || shown.game.pressed.attributes;
  pressed = told.includes(name) ? told.filter((each) => each !== name) : [...told, name];
  act("simmc.specify", { attributes: pressed });
  if (shown.allowed.includes("simmc.specify")) drawFacts(shown);
}

function drawCart(view) {
  const { game } = view;
  const button = element("fa-cart");
  const inside = game.cart.includes(game.focus.image);
  const now = game.pressed.cart === game.focus.image;
  button.textContent = texts[inside ? "cart.inside" : now ? "cart.out" : "cart.in"];
  button.setAttribute("aria-pressed", String(now));
  enable(button, view.allowed.includes("simmc.cart"));
}
element("fa-cart").onclick = () => act("simmc.cart", {});
