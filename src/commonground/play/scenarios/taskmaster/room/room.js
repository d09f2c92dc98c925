// The page of a self-dialog: fill in the forms, write the turns, look it over, submit.
import { begin, explain, fill } from "/static/rooms.js";
import { drawBrief, onEntered, refuseField } from "/static/brief.js";
import { element, make, openDrafts, recall, texts } from "/static/elements.js";
import { areConfirmed, listMarks, onMarks, readMarks } from "/static/marks.js";
import { drawTalk, onTurn, refuseTurn } from "/static/talk.js";

let shown = null;
let phase = null;
// Boxes that were ticked and that the view does not have yet.
const ticked = new Map();

const act = begin((view, refusal, done) => {
  if (refusal && done.type === "taskmaster.check") ticked.delete(done.payload.name);
  shown = view;
  openDrafts(view.game.title);
  draw();
  return refusal !== null && explainInPlace(refusal, done);
});

function draw() {
  const game = shown.game;
  element("tm").dataset.phase = game.phase;
  drawHead(game);
  drawBrief(game);
  element("tm-main").hidden = game.phase === "forms";
  readMarks(game);
  drawTalk(game);
  drawReview(game);
  if (phase !== null && phase !== game.phase) turnTo(game);
  phase = game.phase;
}

// Where a refusal has a place of its own on the page it is said there.
function explainInPlace(refusal, done) {
  if (done.type === "taskmaster.enter") return refuseField(refusal.parameters?.field, explain(refusal));
  if (done.type !== "taskmaster.turn") return false;
  refuseTurn(done.payload.turn, explain(refusal));
  return true;
}

function drawHead(game) {
  const count = game.bubbles.filter((each) => each.text !== null || each.fixed).length;
  const next = game.bubbles.find((each) => each.text === null);
  const hasForms = game.page.some((part) => part.kind === "field");
  for (const step of document.querySelectorAll("[data-step]")) {
    step.hidden = step.dataset.step === "forms" && !hasForms;
    if (step.dataset.step === game.phase) step.setAttribute("aria-current", "step");
    else step.removeAttribute("aria-current");
  }
  const name = game.phase === "dialogue" && game.is_free ? "free" : game.phase;
  const of = game.is_free ? count + game.missing : game.bubbles.length;
  const values = { n: (next ? next.number : game.bubbles.length - 1) + 1, of };
  element("tm-title").textContent = fill(texts[`title_${name}`] || "", values);
  element("tm-lead").textContent = texts[game.is_free && game.phase === "review" ? "lead_review_free" : `lead_${name}`] || "";
  const progress = element("tm-progress");
  progress.hidden = game.phase !== "dialogue";
  progress.max = of;
  progress.value = values.n - 1;
}

// A new phase begins at the top, unless somebody is in the middle of writing on.
function turnTo(game) {
  if (game.phase === "dialogue" || (game.phase === "review" && !game.is_free)) {
    element("tm-title").focus();
    element("tm").scrollIntoView({ block: "start" });
  }
}

function drawReview(game) {
  element("tm-review").hidden = game.phase !== "review";
  element("tm-how").hidden = game.phase !== "review" || !game.labels.length;
  if (game.phase !== "review") return;
  element("tm-marks").hidden = !game.labels.length;
  const confirmed = areConfirmed();
  const count = listMarks().length;
  element("tm-marks-state").textContent = confirmed ? texts.confirmed : fill(texts[count ? "marks" : "no_marks"], { n: count });
  element("tm-marks-state").className = confirmed ? "note good" : "soft";
  element("tm-confirm").disabled = confirmed;
  element("tm-confirm").classList.toggle("main", !confirmed);
  drawChecks(game);
  drawLeft(game, confirmed);
}

function drawChecks(game) {
  const box = element("tm-checks");
  box.hidden = !game.checks.length;
  for (const check of game.checks) {
    const id = `tm-check-${check.name}`;
    if (!element(id)) box.append(makeCheck(id, check));
    if (ticked.get(check.name) === check.checked) ticked.delete(check.name);
    element(id).checked = ticked.get(check.name) ?? check.checked;
  }
}

function makeCheck(id, check) {
  const box = make("input", { type: "checkbox", id });
  box.onchange = () => {
    ticked.set(check.name, box.checked);
    act("taskmaster.check", { name: check.name, checked: box.checked });
    drawLeft(shown.game, areConfirmed());
  };
  return make("label", { class: "check" }, box, make("span", { "data-own": true }, check.text));
}

// What is missing before it can be submitted; the server has the last word.
function drawLeft(game, confirmed) {
  const unticked = game.checks.filter((each) => !(ticked.get(each.name) ?? each.checked)).length;
  const changed = game.marked || listMarks().length > 0;
  const left = [
    ...(game.labels.length && changed && !confirmed ? [texts.left_marks] : []),
    ...(unticked ? [fill(texts[unticked === 1 ? "left_check" : "left_checks"], { n: unticked })] : []),
    ...(element("tm-talk").querySelector("[data-rewrites]") ? [texts.left_turn] : []),
  ];
  element("tm-left").textContent = left.length ? `${texts.left} ${left.join(" · ")}` : texts.ready;
  element("tm-submit").disabled = left.length > 0;
}

onMarks(draw);
onTurn((turn, text) => act("taskmaster.turn", { turn, text }), draw);
onEntered((values) => act("taskmaster.enter", { values }));
element("tm-confirm").onclick = () => act("taskmaster.mark", { spans: listMarks() });
element("tm-submit").onclick = () => {
  // In free form the last box need not be filled; what stands in it was meant to be sent.
  const begun = shown.game.bubbles.find((each) => each.open && each.text === null && recall(`turn ${each.number}`)?.trim());
  if (begun) refuseTurn(begun.number, texts.unsent);
  else act("taskmaster.submit", {});
};
