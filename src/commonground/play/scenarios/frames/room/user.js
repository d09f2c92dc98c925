// The user's page: the task, the end of the chat, and the rating.
import { element, keepDraft, make, nameSlot, own, reveal, showValue, texts } from "/static/parts.js";

const NARROW = matchMedia("(max-width: 860px)");

export function sitAsUser(act) {
  keepDraft();
  element("fr-user").hidden = false;
  element("fr-end-open").onclick = () => element("fr-end").showModal();
  element("fr-end").addEventListener("close", () => {
    if (element("fr-end").returnValue === "yes") act("frames.end", {});
    element("fr-end").returnValue = "";
  });
  element("fr-rating").addEventListener("submit", (event) => {
    event.preventDefault();
    act("frames.survey", { rating: Number(new FormData(event.target).get("rating")) });
  });
  let phase = null;
  return (game) => {
    if (phase === null) drawCard(game.card);
    // On a small screen the task makes room for the chat once that has begun; it opens by a tap.
    if (game.phase === "chat" && phase !== "chat" && NARROW.matches) element("fr-card").open = false;
    phase = game.phase;
    drawState(game);
  };
}

function drawCard(card) {
  element("fr-task").textContent = card.text;
  element("fr-wishes").replaceChildren(...listWishes(card.wishes));
  element("fr-second-wishes").replaceChildren(...listWishes(card.second));
  element("fr-second").hidden = Object.keys(card.second).length === 0;
  element("fr-place-list").replaceChildren(...card.places.map((place) => make("li", { class: "fr-tag" }, own(place))));
  element("fr-places").hidden = card.places.length === 0;
}

function listWishes(wishes) {
  return Object.entries(wishes).map(([slot, value]) => make(
    "div", {}, make("dt", {}, nameSlot(slot)), make("dd", {}, showValue(value)),
  ));
}

function drawState(game) {
  const step = game.phase === "survey" && game.answered ? "answered" : game.phase;
  element("fr-title").textContent = texts[`user.title.${step}`] || "";
  element("fr-hint").textContent = texts[`user.hint.${step}`] || "";
  element("fr-ending").hidden = game.phase !== "chat";
  if (reveal("fr-rating", game.phase === "survey" && !game.answered)) {
    element("fr-rating").scrollIntoView({ block: "nearest" });
    element("fr-title").focus();
  }
  for (const each of ["text", "write"]) element(each).toggleAttribute("inert", game.phase === "survey" || game.phase === "over");
}
