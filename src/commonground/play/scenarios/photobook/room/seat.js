// What the researcher sees of a PhotoBook seat: its six images, and how the three were marked.
import { make, texts } from "/static/researcher.js";

export function drawSeat(game, picture) {
  return [make("div", { class: "pictures" }, ...game.images.map((image) => make(
    "figure", image.highlighted ? { class: "target" } : {},
    make("img", { src: picture(image.image), alt: image.image, "data-own": "" }),
    make("figcaption", {}, ...(image.highlighted ? describeMark(image) : [])),
  )))];
}

function describeMark(image) {
  const mark = texts[image.mark ? `mark.${image.mark}` : "mark.none"];
  return [mark, ...(image.right === null ? [] : [make("span", { "data-own": "" }, image.right ? " ✓" : " ✗")])];
}
