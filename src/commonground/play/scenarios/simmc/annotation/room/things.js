// The things that were known when something was said, as pictures to link an act with.
import { portray } from "/static/drawing.js";
import { pictures } from "/static/rooms.js";

const NAMED = 9;

export function nameThing(number) { return `OBJECT_${number}`; }

export class Things {
  // linked(number) and unlinked(number) are called with the number of a thing.
  constructor(box, texts, handlers) {
    this.box = box;
    this.texts = texts;
    this.handlers = handlers;
  }

  // What is in view comes first, as it stands there.
  show(known, things) {
    this.order = [...known].sort((one, other) => isSeen(other.place) - isSeen(one.place)).map((each) => each.number);
    const places = new Map(known.map((each) => [each.number, each.place]));
    this.box.replaceChildren(...this.order.map((number, at) => this.make(number, things[number], places.get(number), at)));
  }

  make(number, thing, place, at) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = isSeen(place) ? "sa-thing sa-seen" : "sa-thing";
    button.dataset.thing = number;
    const facts = [thing.color, thing.price].filter(Boolean).join(", ");
    button.append(
      drawPicture(thing),
      makeText("sa-name", `${nameThing(number)} ${thing.kind}`, true),
      makeText("small soft", facts, true),
      makeText("small sa-spot", this.texts[`spot.${place || "before"}`] || place, false),
    );
    if (at < NAMED) button.append(makeText("sa-digit", String(at + 1), true));
    button.onclick = () => this.handlers.linked(number);
    button.onkeydown = (event) => {
      if (event.key === "Delete" || event.key === "Backspace") this.handlers.unlinked(number);
    };
    return button;
  }

  // Shows which of them an act is linked with.
  mark(links) {
    const sure = new Map(links.map((each) => [each.number, each.sure]));
    for (const button of this.box.children) {
      const number = Number(button.dataset.thing);
      button.setAttribute("aria-pressed", String(sure.has(number)));
      button.classList.toggle("sa-proposed", sure.get(number) === false);
    }
  }
}

// What only the answer brings is not in view yet.
function isSeen(place) { return Boolean(place) && place !== "answer"; }

function makeText(name, text, own) {
  const part = document.createElement("span");
  part.className = name;
  part.textContent = text;
  if (own) part.dataset.own = "";
  return part;
}

function drawPicture(thing) {
  const source = (name) => pictures + name.split("/").map(encodeURIComponent).join("/");
  const shown = portray(thing, source, "");
  // A picture that is named and is not there is drawn like one that nobody has.
  shown.onerror = () => shown.replaceWith(portray({ ...thing, picture: null }, source, ""));
  return shown;
}
