// Outlines of things, in a square of 100: what a page draws of an item that has no picture. Each
// shape is [path, how it is filled]: "body" in the colours of the item, "dark" in a shade of them,
// "line" as a line only.

const HEMS = { micro: 66, mini: 70, short: 70, knee: 80, midi: 86, tea: 86, ankle: 93, maxi: 96 };

// What of a cut is known: where the hem is, and how long the sleeves are.
function cut(look, hem) {
  const words = (name) => [look[name] || []].flat().join(" ");
  const length = Object.entries(HEMS).find(([name]) => words("hemLength").includes(name));
  const sleeves = `${words("sleeveStyle")} ${words("sleeveLength")} ${words("necklineStyle")}`;
  const bare = /sleeveless|strapless|spaghetti|halter|tank/.test(sleeves);
  return { hem: length ? length[1] : hem, sleeves: bare ? "none" : /short|cap|flutter/.test(sleeves) ? "short" : "long" };
}

function sleeves(kind, left, right) {
  if (kind === "none") return [];
  const [far, low] = kind === "short" ? [10, 16] : [18, 46];
  return [
    [`M${left} 17 L${left - far} ${18 + low} L${left - far + 9} ${20 + low} L${left + 5} 36 Z`, "dark"],
    [`M${right} 17 L${right + far} ${18 + low} L${right + far - 9} ${20 + low} L${right - 5} 36 Z`, "dark"],
  ];
}

function dress(look) {
  const { hem, sleeves: length } = cut(look, 86);
  return [
    ...sleeves(length, 36, 64),
    [`M36 14 L44 12 Q50 22 56 12 L64 14 L62 44 L${62 + (hem - 44) / 3} ${hem} Q50 ${hem + 4} ${38 - (hem - 44) / 3} ${hem} L38 44 Z`, "body"],
    ["M38 44 L62 44", "line"],
  ];
}

function skirt(look) {
  const { hem } = cut(look, 78);
  const flare = (hem - 20) / 4;
  return [
    [`M34 18 L66 18 L${68 + flare} ${hem} Q50 ${hem + 5} ${32 - flare} ${hem} Z`, "body"],
    ["M33 18 L67 18 L68 26 L32 26 Z", "dark"],
    [`M44 28 L40 ${hem - 3} M56 28 L60 ${hem - 3}`, "line"],
  ];
}

function sweater(look) {
  return [
    ...sleeves(cut(look, 0).sleeves, 32, 68),
    ["M32 16 L42 13 Q50 22 58 13 L68 16 L68 78 L32 78 Z", "body"],
    ["M32 72 L68 72 L68 80 L32 80 Z", "dark"],
  ];
}

function coat(look) {
  const { hem, sleeves: length } = cut(look, 90);
  return [
    ...sleeves(length, 31, 69),
    [`M31 15 L42 11 L50 24 L58 11 L69 15 L72 ${hem} L28 ${hem} Z`, "body"],
    ["M42 11 L50 24 L43 40 L36 18 Z M58 11 L50 24 L57 40 L64 18 Z", "dark"],
    [`M50 24 L50 ${hem} M35 62 L44 62 M56 62 L65 62`, "line"],
  ];
}

const trousers = () => [
  ["M34 12 L66 12 L72 92 L55 92 L50 36 L45 92 L28 92 Z", "body"], ["M34 12 L66 12 L67 19 L33 19 Z", "dark"],
];
const shoe = () => [
  ["M14 46 L36 40 Q48 62 70 62 Q86 64 88 76 L14 76 Z", "body"], ["M13 76 L89 76 L88 83 L13 83 Z", "dark"],
];
const bag = () => [
  ["M22 40 L78 40 L84 86 L16 86 Z", "body"], ["M36 40 Q36 16 50 16 Q64 16 64 40", "line"],
];
const label = () => [
  ["M20 34 L64 34 L84 54 L64 74 L20 74 Z", "body"], ["M66 54 m-4 0 a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0", "dark"],
];

const CLOTHES = [
  [/dress|gown|jumpsuit|romper/, dress],
  [/skirt/, skirt],
  [/coat|jacket|blazer|vest|parka/, coat],
  [/sweater|shirt|top|blouse|hoodie|cardigan|tee|tank|pullover/, sweater],
  [/pant|jean|trouser|legging|short/, trousers],
  [/shoe|boot|sandal|sneaker|heel/, shoe],
  [/bag|purse|backpack|clutch/, bag],
];

// Furniture fills its square; whoever draws it gives the square the proportions of the thing.

const LEGS = "M6 84 L16 84 L14 100 L8 100 Z M84 84 L94 84 L92 100 L86 100 Z";
const sofa = {
  front: [[LEGS, "dark"], ["M8 4 L92 4 L92 60 L8 60 Z", "body"], ["M0 34 L14 34 L14 88 L0 88 Z M86 34 L100 34 L100 88 L86 88 Z", "dark"], ["M14 56 L86 56 L86 86 L14 86 Z", "body"], ["M50 4 L50 86", "line"]],
  side: [[LEGS, "dark"], ["M0 4 L22 0 L30 40 L96 40 L100 88 L0 88 Z", "body"], ["M24 40 L98 40 L98 62 L24 62 Z", "dark"]],
  top: [["M0 0 L100 0 L100 100 L0 100 Z", "dark"], ["M14 26 L86 26 L86 100 L14 100 Z", "body"], ["M50 26 L50 100", "line"]],
};
const chair = {
  front: [["M14 54 L24 54 L22 100 L16 100 Z M76 54 L86 54 L84 100 L78 100 Z", "dark"], ["M16 0 L84 0 L82 50 L18 50 Z", "body"], ["M8 48 L92 48 L92 62 L8 62 Z", "dark"], ["M33 4 L33 46 M50 4 L50 46 M67 4 L67 46", "line"]],
  side: [["M10 56 L18 56 L14 100 L6 100 Z M84 56 L92 56 L96 100 L88 100 Z", "dark"], ["M2 0 L14 0 L22 52 L10 54 Z", "body"], ["M8 48 L96 48 L96 60 L8 60 Z", "dark"]],
  top: [["M4 10 L96 10 L96 100 L4 100 Z", "body"], ["M0 0 L100 0 L100 14 L0 14 Z", "dark"]],
};
const table = {
  front: [["M6 16 L16 16 L14 100 L8 100 Z M84 16 L94 16 L92 100 L86 100 Z", "dark"], ["M0 0 L100 0 L100 18 L0 18 Z", "body"]],
  top: [["M0 6 Q0 0 6 0 L94 0 Q100 0 100 6 L100 94 Q100 100 94 100 L6 100 Q0 100 0 94 Z", "body"], ["M8 50 L92 50", "line"]],
};
const lamp = {
  front: [["M46 38 L54 38 L54 92 L46 92 Z", "dark"], ["M28 90 L72 90 L78 100 L22 100 Z", "dark"], ["M26 0 L74 0 L100 42 L0 42 Z", "body"]],
  top: [["M50 0 a50 50 0 1 0 0.1 0 Z", "body"], ["M50 26 a24 24 0 1 0 0.1 0 Z", "dark"]],
};
const shelves = {
  front: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M8 7 L92 7 L92 31 L8 31 Z M8 38 L92 38 L92 62 L8 62 Z M8 69 L92 69 L92 93 L8 93 Z", "dark"], ["M46 19 L54 19 M46 50 L54 50 M46 81 L54 81", "line"]],
  back: [["M0 0 L100 0 L100 100 L0 100 Z", "dark"], ["M50 0 L50 100", "line"]],
  side: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M0 94 L100 94", "line"]],
  top: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M0 88 L100 88", "line"]],
};
const bed = {
  front: [["M0 0 L100 0 L100 60 L0 60 Z", "dark"], ["M4 46 L96 46 L96 88 L4 88 Z", "body"], [LEGS, "dark"]],
  side: [["M0 0 L8 0 L8 100 L0 100 Z M94 50 L100 50 L100 100 L94 100 Z", "dark"], ["M8 46 L94 46 L94 82 L8 82 Z", "body"]],
  top: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M8 6 L46 6 L46 24 L8 24 Z M54 6 L92 6 L92 24 L54 24 Z", "dark"], ["M0 36 L100 36", "line"]],
};
const stool = {
  front: [[LEGS, "dark"], ["M4 10 Q50 -6 96 10 L98 86 L2 86 Z", "body"], ["M3 46 L97 46", "line"]],
  top: [["M0 12 Q0 0 12 0 L88 0 Q100 0 100 12 L100 88 Q100 100 88 100 L12 100 Q0 100 0 88 Z", "body"]],
};
const rug = {
  front: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M9 9 L91 9 L91 91 L9 91 Z", "line"], ["M50 22 L78 50 L50 78 L22 50 Z", "dark"]],
};
const frame = {
  front: [["M0 0 L100 0 L100 100 L0 100 Z", "dark"], ["M9 9 L91 9 L91 91 L9 91 Z", "body"], ["M20 66 L62 22 M34 78 L80 30", "line"]],
  side: [["M0 0 L100 0 L100 100 L0 100 Z", "dark"]], top: [["M0 0 L100 0 L100 100 L0 100 Z", "dark"]],
};
const box = {
  front: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M0 18 L100 18", "line"], ["M40 46 L60 46 L60 56 L40 56 Z", "dark"]],
  side: [["M0 0 L100 0 L100 100 L0 100 Z", "body"], ["M0 18 L100 18", "line"]],
};

const FURNITURE = [
  [/sofa|couch|loveseat|sectional|futon|settee/, sofa],
  [/lamp|light|chandelier|sconce/, lamp],
  [/ottoman|pouf|bench|stool/, stool],
  [/chair|recliner|seat|rocker|glider/, chair],
  [/bookcase|shel|cabinet|dresser|chest|stand|storage|sideboard|wardrobe|armoire|hutch|rack/, shelves],
  [/table|desk/, table],
  [/bed|headboard|mattress/, bed],
  [/rug|mat\b|carpet/, rug],
  [/mirror|art|clock|frame|screen/, frame],
];
const ELEVATION = { front: "front", back: "back", left: "side", right: "side", up: "top", down: "top" };

// Returns the shapes of a piece of clothing.
export function clothesShapes(kind, look) {
  const found = CLOTHES.find(([words]) => words.test(kind.toLowerCase()));
  return (found ? found[1] : label)(look);
}

// Returns the shapes of a piece of furniture, seen from a side.
export function furnitureShapes(kind, side) {
  const found = FURNITURE.find(([words]) => words.test(kind.toLowerCase()));
  const views = found ? found[1] : box;
  return views[ELEVATION[side]] || (ELEVATION[side] === "top" ? table.top : views.front);
}
