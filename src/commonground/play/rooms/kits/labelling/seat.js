// What the researcher sees of somebody who labels: the line, the question, and each answer.
import { keepOwn, make, texts } from "/static/researcher.js";

export function drawSeat(game, picture) {
  const asked = game.context[game.context.length - 1];
  return [
    make("p", {}, make("b", {}, keepOwn(asked.speaker)), " ", keepOwn(asked.text)),
    make("p", { class: "soft" }, keepOwn(game.question)),
    make("div", { class: "pictures" }, ...game.candidates.map((each) => make(
      "figure", {}, ...drawPicture(each, picture),
      make("figcaption", {}, keepOwn(each.text), " ", make("b", {}, ...nameAnswer(each.answer))),
    ))),
  ];
}

function drawPicture(candidate, picture) {
  return candidate.picture ? [make("img", { src: picture(candidate.picture), alt: candidate.text, "data-own": "" })] : [];
}

function nameAnswer(answer) {
  if (answer === null) return [texts["answer.none"]];
  return [texts[`answer.${answer}`] || keepOwn(answer)];
}
