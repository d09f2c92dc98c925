// What the script tells the worker: prose, lists, and the fields that come before the dialogue.
import { element, keep, make, makeProse, recall, texts } from "/static/elements.js";

let shownForms = null;
let shownBrief = null;

// Draws the page of the script: as a form until it is filled in, then as what one can look up.
export function drawBrief(game) {
  const asks = game.phase === "forms";
  element("tm-forms").hidden = !asks;
  element("tm-brief").hidden = asks;
  const end = game.page.findIndex((part) => part.kind === "conversation");
  const [before, after] = [game.page.slice(0, end), game.page.slice(end + 1)];
  if (asks) drawForms(before, game.longest_value);
  else drawLookUp(game, before, after);
}

function drawForms(parts, longest) {
  const key = JSON.stringify(parts);
  if (key === shownForms) return;
  shownForms = key;
  element("tm-forms-page").replaceChildren(...parts.flatMap((part) => (part.kind === "field" ? [makeField(part, longest)] : makePart(part))));
}

function drawLookUp(game, before, after) {
  const key = JSON.stringify([before, after]);
  if (key === shownBrief) return;
  if (shownBrief === null) {
    const isNew = game.bubbles.every((each) => each.fixed || each.text === null);
    const hadForms = before.some((part) => part.kind === "field");
    element("tm-brief").open = matchMedia("(min-width: 1024px)").matches || (isNew && !hadForms);
  }
  shownBrief = key;
  element("tm-brief-page").replaceChildren(...before.flatMap(makePart));
  element("tm-after").replaceChildren(...after.flatMap(makePart));
  element("tm-after").hidden = !element("tm-after").children.length;
}

function makePart(part) {
  if (part.kind === "text") return [make("p", { class: "tm-prose", "data-own": true }, ...makeProse(part.text))];
  if (part.kind === "list") {
    return [make("ul", { class: "facts", "data-own": true, dir: "auto" }, ...part.items.map((item) => make("li", {}, ...makeProse(item))))];
  }
  if (part.kind !== "field") return [];
  return [make("p", { class: "tm-entered", "data-own": true }, make("span", { class: "soft small" }, ...makeProse(part.prompt)), make("b", { dir: "auto" }, part.value || ""))];
}

function makeField(part, longest) {
  const id = `tm-field-${part.name}`;
  const input = make("input", {
    id, "data-name": part.name, type: "text", autocomplete: "off", maxlength: longest, "aria-describedby": `${id}-fault`,
  });
  input.value = part.value ?? recall(part.name) ?? "";
  input.addEventListener("input", () => {
    keep(part.name, input.value);
    refuseField(part.name, "");
  });
  return make("div", { class: "tm-field" },
    make("label", { for: id, "data-own": true }, ...makeProse(part.prompt)), input,
    make("p", { class: "tm-fault", id: `${id}-fault`, role: "alert", hidden: true }));
}

// Says at a field what is wrong with it; an empty text takes that away.
export function refuseField(name, text) {
  element("tm-enter").disabled = false;
  const fault = element(`tm-field-${name}-fault`);
  if (!fault) return false;
  const input = element(`tm-field-${name}`);
  fault.textContent = text;
  fault.hidden = !text;
  if (text) {
    input.setAttribute("aria-invalid", "true");
    input.focus();
  } else {
    input.removeAttribute("aria-invalid");
  }
  return true;
}

// Calls send(values) when the form is filled in.
export function onEntered(send) {
  element("tm-forms").addEventListener("submit", (event) => {
    event.preventDefault();
    const fields = [...element("tm-forms-page").querySelectorAll("input")];
    const values = Object.fromEntries(fields.map((each) => [each.dataset.name, each.value.trim()]));
    const empty = Object.keys(values).filter((name) => !values[name]);
    for (const name of empty.reverse()) refuseField(name, texts.field_empty);
    if (empty.length) return;
    element("tm-enter").disabled = true;
    send(values);
  });
}
