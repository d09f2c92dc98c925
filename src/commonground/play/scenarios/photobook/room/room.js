// The PhotoBook page: six images, three of them to be marked; the marks are the server's.
import { begin, offerZoom, pictures } from "/static/rooms.js";

const texts = JSON.parse(document.getElementById("pb-texts").textContent);
const element = (id) => document.getElementById(id);
const LABELS = ["common", "different"];
let shownRound = null;
let reviewed = null;
let shown = null;
// Marks that were clicked and that the view does not have yet, so that the page follows the hand.
const clicked = new Map();

const act = begin((view, refusal) => {
  const game = shown = view.game;
  // A mark that was refused must not go on looking as if it stood.
  if (refusal) clicked.clear();
  if (game.round !== shownRound) turnTo(game);
  drawMarks(game);
  drawFoot(game);
  drawQuestions(game);
  if (game.phase !== "play" && !game.reviewed && reviewed !== game.round) {
    // That the results were shown is in the log, too.
    reviewed = game.round;
    act("photobook.review", {});
  }
});

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

function turnTo(game) {
  const first = shownRound === null;
  shownRound = game.round;
  clicked.clear();
  element("pb-page").textContent = fill(texts.title, { page: game.round, pages: game.rounds });
  element("pb-grid").replaceChildren(...game.images.map(makeCard));
  element("pb-grid").closest(".board").scrollTop = 0;
  // Whoever is writing to the partner when the page turns writes on.
  if (!first && document.activeElement !== element("text")) element("pb-page").focus();
}

function makeCard(image, number) {
  const card = document.createElement("div");
  card.className = image.highlighted ? "pb-card pb-target" : "pb-card";
  const picture = document.createElement("img");
  // Part by part: encoded as a whole, the slashes between folders would be lost.
  picture.src = pictures + image.image.split("/").map(encodeURIComponent).join("/");
  picture.alt = fill(texts.image, { n: number + 1 });
  picture.dataset.image = image.image;
  card.append(offerZoom(picture));
  if (!image.highlighted) {
    const strip = document.createElement("span");
    strip.className = "pb-strip";
    card.append(strip);
    return card;
  }
  const choice = document.createElement("fieldset");
  choice.className = "pb-choice";
  const legend = document.createElement("legend");
  legend.className = "hidden";
  legend.textContent = picture.alt;
  choice.append(legend, ...LABELS.map((label) => makeOption(image, number, label)));
  const result = document.createElement("p");
  result.className = "pb-result";
  result.hidden = true;
  card.append(choice, result);
  return card;
}

function makeOption(image, number, label) {
  const option = document.createElement("label");
  const radio = document.createElement("input");
  radio.type = "radio";
  // One name for both labels, so that the browser lets one of them be chosen; arrow keys go between
  // them.
  radio.name = `mark-${number}`;
  radio.value = label;
  radio.addEventListener("change", () => {
    clicked.set(image.image, label);
    act("photobook.mark", { image: image.image, label });
    drawFoot(shown);
  });
  const name = document.createElement("span");
  name.textContent = texts[label];
  option.append(radio, name);
  return option;
}

function drawMarks(game) {
  game.images.forEach((image, number) => {
    const card = element("pb-grid").children[number];
    if (!image.highlighted) return;
    // The server has it now: from here on its word counts.
    if (clicked.get(image.image) === image.mark) clicked.delete(image.image);
    const mark = clicked.get(image.image) || image.mark;
    for (const radio of card.querySelectorAll("input")) {
      radio.checked = radio.value === mark;
      radio.disabled = game.submitted || game.phase !== "play";
    }
    const result = card.querySelector(".pb-result");
    result.hidden = image.right === null;
    result.className = `pb-result ${image.right ? "good" : "bad"}`;
    result.textContent = image.right === null ? "" : texts[image.right ? "right" : "wrong"];
  });
}

function drawFoot(game) {
  const targets = game.images.filter((image) => image.highlighted);
  const missing = targets.filter((image) => !(clicked.get(image.image) || image.mark)).length;
  const playing = game.phase === "play";
  const submit = element("pb-submit");
  submit.hidden = !playing || game.submitted;
  submit.disabled = missing > 0;
  element("pb-next").hidden = game.phase !== "review" || game.asked;
  const score = element("pb-score");
  score.hidden = game.score === null;
  if (game.score !== null) score.textContent = fill(texts.score, { n: game.score, of: targets.length });
  const waiting = game.waiting && game.phase !== "over";
  element("pb-wait").hidden = !waiting;
  element("pb-wait").textContent = waiting ? texts[`wait_${game.phase}`] || "" : "";
  const hint = playing ? (game.submitted ? "" : missing > 0 ? texts.hint : texts.hint_submit) : "";
  element("pb-hint").textContent = hint;
}

function drawQuestions(game) {
  const form = element("pb-questions");
  const asked = game.phase === "questionnaire" && !game.answered;
  // Once, when it appears: each further view would scroll the page away from the player.
  if (form.hidden && asked) {
    form.hidden = false;
    form.scrollIntoView({ block: "start" });
  }
  form.hidden = !asked;
}

element("pb-submit").onclick = () => act("photobook.submit", {});
element("pb-next").onclick = () => act("photobook.next", {});
element("pb-questions").addEventListener("submit", (event) => {
  event.preventDefault();
  const answers = new FormData(event.target);
  act("photobook.questionnaire", {
    col: Number(answers.get("col")),
    partner_u: Number(answers.get("partner_u")),
    self_u: Number(answers.get("self_u")),
    text: String(answers.get("text")),
  });
});
