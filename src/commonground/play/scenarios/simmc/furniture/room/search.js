// The form that the assistant searches the catalogue by.
import { element, make } from "/static/shop.js";

const LISTS = { color: "colors", material: "materials", decorStyle: "decor_styles", intendedRoom: "intended_rooms" };

let filled = false;

// Fills the form once; find(query) is called with what is asked for.
export function fillSearch(options, find) {
  if (filled) return;
  filled = true;
  const form = element("fu-search");
  const choices = form.elements;
  choices.furnitureType.append(...Object.keys(options.types).map(makeOption));
  for (const [name, list] of Object.entries(LISTS)) choices[name].append(...options[list].map(makeOption));
  const hint = () => {
    const [least, most] = options.types[choices.furnitureType.value];
    choices.minPrice.placeholder = Math.floor(least);
    choices.maxPrice.placeholder = Math.ceil(most);
  };
  choices.furnitureType.addEventListener("change", hint);
  hint();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    find(readQuery(choices));
  });
}

function makeOption(value) {
  return make("option", { value, "data-own": "" }, value);
}

function readQuery(choices) {
  const query = { furnitureType: choices.furnitureType.value };
  for (const name of Object.keys(LISTS)) query[name] = choices[name].value;
  for (const name of ["minPrice", "maxPrice"]) query[name] = choices[name].value === "" ? null : Number(choices[name].value);
  return query;
}
