// What the catalogue says of a thing: a button for each part of it that the assistant can tell.
import { enable, fill, make, plain, rove, texts } from "/static/shop.js";

const PARTS = ["price", "dimensions", "material", "color", "info"];

function valueOf(part, facts) {
  if (part === "price") return `$${Number(facts.sale_price)}`;
  if (part === "dimensions") return fill(texts.dimensions, { width: facts.x_dim, depth: facts.y_dim, height: facts.z_dim });
  if (part !== "info") return plain(facts[part]);
  const told = [facts.product_name, facts.product_description, facts.decor_style, facts.intended_room];
  return told.map(plain).filter(Boolean).join(" · ");
}

// Makes the text of a thing; tell(item, part) is called when a part is pressed.
export function makeText({ item, place }, facts, tell) {
  const name = fill(texts.text_of, { place: texts[`place.${place}`] });
  const box = make("div", { class: "shop-facts", role: "group", "aria-label": name });
  for (const part of PARTS) {
    const button = make("button", { type: "button", class: "shop-fact", "data-key": `${part}-${item}`, "data-item": item, "data-attribute": part }, make("b", {}, texts[`attribute.${part}`]));
    button.append(make("span", { class: "soft", "data-own": "" }, valueOf(part, facts)));
    button.onclick = () => tell(item, part);
    box.append(button);
  }
  rove(box)();
  return make("section", { class: "fu-text" }, make("h3", {}, name), box);
}

// Marks what is told in this round; what the user never saw cannot be told of.
export function markTold(box, told, can) {
  for (const button of box.querySelectorAll("[data-attribute]")) {
    const of = told[button.dataset.item] || [];
    button.setAttribute("aria-pressed", String(of.includes(button.dataset.attribute)));
    enable(button, can(Number(button.dataset.item)));
  }
}
