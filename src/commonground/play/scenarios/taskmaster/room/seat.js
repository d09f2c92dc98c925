// What the researcher sees of a worker: the script's title, the turns so far, and what is marked.
import { make, texts } from "/static/researcher.js";

export function drawSeat(game) {
  const turns = game.bubbles.map((each) => make("li", { class: each.text === null ? "soft" : "" },
    make("b", {}, texts[`speaker.${each.speaker}`]), " ",
    make("span", { "data-own": "" }, each.text ?? `(${each.hint})`)));
  return [
    make("p", { "data-own": "" }, make("b", {}, game.title)),
    make("ol", { class: "turns" }, ...turns),
    make("p", { class: "small soft", "data-own": "" }, ...game.spans.flatMap((each) => [make("bdi", {}, slice(game, each)), ` = ${each.label}; `])),
  ];
}

const slice = (game, span) => [...game.bubbles[span.turn].text].slice(span.start, span.end).join("");
