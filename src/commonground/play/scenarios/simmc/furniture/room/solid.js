// Furniture as a solid in a room, made of what the catalogue says: its type, its measures and its
// colours. What has pictures is shown by these.
import { describe, findColors } from "/static/drawing.js";
import { make } from "/static/shop.js";

// Boxes of a thing that fills a cube from 0 to 1: [left, back, bottom, right, front, top]. What stands
// on another box begins a little within it, so that no two sides lie in one plane.
const leg = (x, y, top) => [x, y, 0, x + 0.08, y + 0.08, top];
const legs = (top) => [leg(0.02, 0.02, top), leg(0.9, 0.02, top), leg(0.02, 0.9, top), leg(0.9, 0.9, top)];
const PARTS = [
  [/sofa|couch|loveseat|sectional|futon|settee/, [...legs(0.12), [0, 0, 0.12, 1, 1, 0.45], [0, 0, 0.44, 1, 0.26, 1], [0, 0.26, 0.44, 0.13, 1, 0.68], [0.87, 0.26, 0.44, 1, 1, 0.68]]],
  [/lamp|light|chandelier|sconce/, [[0.25, 0.25, 0, 0.75, 0.75, 0.05], [0.45, 0.45, 0.05, 0.55, 0.55, 0.6], [0.08, 0.08, 0.58, 0.92, 0.92, 1]]],
  [/ottoman|pouf|bench|stool/, [...legs(0.4), [0, 0, 0.4, 1, 1, 1]]],
  [/chair|recliner|seat|rocker|glider/, [...legs(0.42), [0, 0, 0.42, 1, 1, 0.52], [0.04, 0, 0.51, 0.96, 0.12, 1]]],
  [/bookcase|shel|cabinet|dresser|chest|stand|storage|sideboard|wardrobe|armoire|hutch|rack/, [[0, 0, 0, 1, 0.06, 1], [0, 0.06, 0, 0.05, 1, 1], [0.95, 0.06, 0, 1, 1, 1], ...[0, 0.32, 0.64, 0.95].map((z) => [0.05, 0.06, z, 0.95, 1, z + 0.05])]],
  [/table|desk/, [...legs(0.86), [0, 0, 0.86, 1, 1, 1]]],
  [/bed|headboard|mattress/, [...legs(0.15), [0, 0, 0.15, 1, 0.06, 1], [0, 0.06, 0.15, 1, 1, 0.5]]],
];
const WHOLE = [[0, 0, 0, 1, 1, 1]];

// How far a thing is turned about its height, and then tilted, in degrees, by the side that is seen.
// A little more than the side itself, so that its depth is seen as well.
const POSES = { front: [-24, -12], right: [-114, -12], back: [-204, -12], left: [66, -12], up: [-12, -76], down: [-12, 70] };
const DRAG_DEGREES = 0.8;

// Returns the largest measure of several things, for all of them to be drawn to one scale.
export function largest(things) {
  return Math.max(...things.flatMap((each) => each.size || [1]));
}

// Returns a room with a thing in it; turnTo(room, side) turns it.
export function makeRoom(thing, most = largest([thing])) {
  const solid = make("div", { class: "fu-solid" }, ...partsOf(thing, most));
  const room = make("div", { class: "fu-room", role: "img", "aria-label": describe(thing), "data-own": "" }, solid);
  turnTo(room, thing.side);
  return room;
}

function partsOf(thing, most) {
  const found = PARTS.find(([words]) => words.test(thing.kind.toLowerCase()));
  const [wide, deep, high] = (thing.size || [1, 1, 1]).map((each) => Math.max(2, (each / most) * 100));
  const color = findColors(thing)[0];
  return (found ? found[1] : WHOLE).flatMap((part) => facesOf(part, [wide, deep, high], color));
}

// The six sides of a box. Left and up are less in CSS, and what is near is more.
function facesOf([left, back, bottom, right, front, top], [wide, deep, high], color) {
  const [w, d, h] = [(right - left) * wide, (front - back) * deep, (top - bottom) * high];
  const middle = [((left + right) / 2 - 0.5) * wide, (0.5 - (bottom + top) / 2) * high, ((back + front) / 2 - 0.5) * deep];
  const sides = [
    ["", w, h, d, 0], ["rotateY(180deg)", w, h, d, 18], ["rotateY(90deg)", d, h, w, 22], ["rotateY(-90deg)", d, h, w, 12],
    ["rotateX(90deg)", w, d, h, -14], ["rotateX(-90deg)", w, d, h, 34],
  ];
  return sides.map(([turn, across, down, depth, shade]) => {
    const face = make("i", { class: "fu-face" });
    const move = middle.map((each) => unit(each)).join(", ");
    face.style.width = unit(across);
    face.style.height = unit(down);
    face.style.transform = `translate(-50%, -50%) translate3d(${move}) ${turn} translateZ(${unit(depth / 2)})`;
    face.style.background = shade < 0 ? `color-mix(in srgb, ${color}, white ${-shade}%)` : `color-mix(in srgb, ${color}, black ${shade}%)`;
    return face;
  });
}

const unit = (number) => `calc(var(--unit) * ${number.toFixed(2)})`;

// Turns a thing the short way round until a side is seen.
export function turnTo(room, side) {
  const [turn, tilt] = POSES[side];
  const now = Number(room.dataset.turn ?? turn);
  const short = now + ((((turn - now) % 360) + 540) % 360) - 180;
  room.dataset.turn = short;
  pose(room, short, tilt);
  room.dataset.tilt = tilt;
}

// Lets a thing follow a pointer that drags it, by so many pixels from where it was taken.
export function follow(room, x, y) {
  pose(room, Number(room.dataset.turn) + x * DRAG_DEGREES, Number(room.dataset.tilt) - y * DRAG_DEGREES);
}

function pose(room, turn, tilt) {
  room.firstElementChild.style.transform = `rotateX(${tilt}deg) rotateY(${turn}deg)`;
}
