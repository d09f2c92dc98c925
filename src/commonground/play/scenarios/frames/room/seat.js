// What the researcher sees of a Frames seat: the user's task, or the wizard's frames.
import { fill, keepOwn, make, texts } from "/static/researcher.js";

export function drawSeat(game) {
  return game.card ? drawTask(game.card) : drawFrames(game);
}

function drawTask(card) {
  return [make("h3", {}, texts["frames.card"]), make("p", { "data-own": "" }, card.text)];
}

function drawFrames(game) {
  const facts = [fill(texts["frames.searches"], { n: game.searches.length }), fill(texts["frames.draft"], { n: game.draft.length })];
  return [
    make("p", { class: "soft small facts-line" }, ...facts.map((each) => make("span", {}, each))),
    make("h3", {}, texts["frames.frames"]),
    make("ol", {}, ...game.frames.map((frame) => make("li", {}, ...describeFrame(frame, game.active)))),
  ];
}

function describeFrame(frame, active) {
  const slots = Object.entries(frame.info).map(([slot, values]) => `${slot} ${values.map((each) => `${each.negated ? "¬" : ""}${each.val}`).join(", ")}`);
  const parts = [keepOwn(slots.join(" · "))];
  if (frame.frame_id === active) parts.unshift(make("b", {}, texts["frames.active"]), " ");
  return parts;
}
