// What is seen of an item: its picture, or, where there is none, a drawing of what is known of it.
import { clothesShapes, furnitureShapes } from "/static/glyphs.js";

const COLORS = {
  black: "#2b2b30", white: "#f6f4ee", ivory: "#f3ecd6", cream: "#f3ecd6", grey: "#8b8d92", gray: "#8b8d92",
  silver: "#b9bec6", charcoal: "#4a4d55", metallic: "#a3a9b3", chrome: "#b9bec6", red: "#c8352c", burgundy: "#7a2235",
  pink: "#dd86a8", pastel: "#e6cfe0", coral: "#e77f67", orange: "#e07b28", yellow: "#e5b826", neon: "#c6e52a",
  gold: "#c79a2e", bronze: "#8c6239", beige: "#d9c6a0", tan: "#c8a77a", natural: "#cfae7e", oak: "#b98d60",
  brown: "#7c5838", walnut: "#5f4030", espresso: "#40302a", green: "#3c8f4c", army_green: "#5d6532", olive: "#77783a",
  teal: "#23807f", turquoise: "#35a9a6", blue: "#2f63b5", navy: "#23345e", indigo: "#3d3a86", purple: "#7d4c9e",
  clear: "#dde9ee", ombre: "#a98fb4", multicolor: "#b08aa8",
};
const UNKNOWN = "#b4a99b";
const WOODS = { oak: "#b98d60", pine: "#d6b27c", steel: "#9aa1ab", linen: "#d8cfbd", glass: "#cfe3ea", wood: "#a5764a", metal: "#9aa1ab" };
const INK = "#33302e";
const CHALK = "#a39c94";

const SPACE = "http://www.w3.org/2000/svg";
let drawings = 0;

function make(name, attributes, ...children) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// The words that an item is described by: type, colours, and what else its look tells.
export function describe(thing) {
  const { type, class_name: name, color, description, ...more } = thing.look;
  const words = [...(color || []), thing.kind, ...Object.values(more).flat()];
  return [...new Set(words.map((each) => String(each).replaceAll("_", " ").toLowerCase()))].join(", ");
}

// Returns an element that shows an item. Its own picture is found by source(name).
export function portray(thing, source, alt) {
  if (!thing.picture) return drawThing(thing, alt);
  const picture = document.createElement("img");
  picture.src = source(thing.picture);
  picture.alt = alt;
  picture.draggable = false;
  return picture;
}

// Furniture is seen from a side; clothes have none.
function drawThing(thing, alt) {
  const named = alt ? { role: "img", "aria-label": alt } : { "aria-hidden": "true" };
  const id = `drawing-${drawings += 1}`;
  const colors = findColors(thing);
  const ink = isDark(colors[0]) ? CHALK : INK;
  const svg = make("svg", { viewBox: "0 0 120 96", class: "shop-drawing", ...named, "data-own": "" });
  svg.append(make("defs", {}, makeStripes(id, colors), ...makePattern(id, thing.look, ink)));
  // Wall and floor go on beyond the drawing, in frames of any shape.
  svg.append(make("rect", { x: -240, y: -192, width: 600, height: 480, fill: "#eeeae3" }), make("rect", { x: -240, y: 74, width: 600, height: 214, fill: "#dcd5ca" }));
  const [x, y, wide, high] = findBox(thing);
  const shapes = thing.side ? furnitureShapes(thing.kind, thing.side) : clothesShapes(thing.kind, thing.look);
  const body = make("g", { transform: `translate(${x} ${y}) scale(${wide / 100} ${high / 100})` });
  for (const [path, fill] of shapes) body.append(...fillShape(path, fill, id, thing.look, ink));
  svg.append(body);
  return svg;
}

// The colours of a thing, as far as they are known, for CSS.
export function findColors(thing) {
  const named = [thing.look.color || []].flat().flatMap((each) => each.toLowerCase().split(/[/,;& ]+/));
  const found = named.map((each) => COLORS[each] || WOODS[each]).filter(Boolean);
  return found.length ? found.slice(0, 3) : [UNKNOWN];
}

// On dark things lines and shades are light.
function isDark(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  return red * 0.3 + green * 0.6 + blue * 0.1 < 75;
}

// Several colours are stripes beside each other.
function makeStripes(id, colors) {
  const stops = colors.flatMap((color, number) => [number, number + 1].map(
    (end) => make("stop", { offset: end / colors.length, "stop-color": color }),
  ));
  return make("linearGradient", { id }, ...stops);
}

const PATTERNS = [
  [/strip|chevron|marled|herringbone|ribbed/, (ink) => [make("path", { d: "M0 3 H12", stroke: ink, "stroke-width": 3 })]],
  [/dot|animal/, (ink) => [make("circle", { cx: 4, cy: 4, r: 2, fill: ink }), make("circle", { cx: 10, cy: 10, r: 2, fill: ink })]],
  [/plaid|check|geometric|tartan|gingham/, (ink) => [make("path", { d: "M0 4 H12 M4 0 V12", stroke: ink, "stroke-width": 2, fill: "none" })]],
  [/floral|paisley|print|painterly|tropical/, (ink) => [make("path", { d: "M6 2 Q9 6 6 10 Q3 6 6 2 M2 6 Q6 3 10 6 Q6 9 2 6", fill: ink })]],
];

function findPattern(look) {
  const words = [look.pattern || []].flat().join(" ");
  return PATTERNS.find(([each]) => each.test(words));
}

function makePattern(id, look, ink) {
  const found = findPattern(look);
  if (!found) return [];
  return [make("pattern", { id: `${id}-pattern`, width: 12, height: 12, patternUnits: "userSpaceOnUse" }, ...found[1](ink))];
}

function fillShape(path, fill, id, look, ink) {
  const edge = { stroke: ink, "stroke-width": 1, "stroke-linejoin": "round", "vector-effect": "non-scaling-stroke" };
  if (fill === "line") return [make("path", { d: path, fill: "none", "stroke-opacity": 0.6, ...edge })];
  const shapes = [make("path", { d: path, fill: `url(#${id})`, ...edge })];
  if (fill === "dark") shapes.push(make("path", { d: path, fill: ink, "fill-opacity": 0.22 }));
  if (findPattern(look)) shapes.push(make("path", { d: path, fill: `url(#${id}-pattern)`, "fill-opacity": 0.35 }));
  return shapes;
}

// Where a thing stands in the drawing: clothes in a square, furniture in its own proportions.
function findBox(thing) {
  if (!thing.side) return [16, 4, 88, 88];
  const [x, y, z] = thing.size || [1, 1, 1];
  const flat = thing.side === "up" || thing.side === "down";
  const wide = thing.side === "left" || thing.side === "right" ? y : x;
  // Nothing is drawn so narrow or so low that it could not be made out.
  const ratio = Math.min(5, Math.max(0.2, wide / (flat ? y : z)));
  const scale = Math.min(92 / ratio, 72);
  const [w, h] = [scale * ratio, scale];
  return [60 - w / 2, flat ? 48 - h / 2 : 84 - h, w, h];
}
