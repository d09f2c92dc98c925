// What the researcher sees of an annotator: the dialogue, and what each utterance was labelled as.
import { keepOwn, make, texts } from "/static/researcher.js";

export function drawSeat(game) {
  return [make("ol", { class: "sa-watched" }, ...game.utterances.map((each) => make(
    "li", {}, make("b", {}, texts[`side.${each.role}`]), " ", keepOwn(each.text), " ",
    make("span", { class: "soft small" }, ...describeLabel(game.labels[each.number])),
  )))];
}

function describeLabel(label) {
  if (label === undefined) return [];
  if (!label.length) return [texts.nothing];
  return [keepOwn(label.map((frame) => frame.act).join(", "))];
}
