// A unit that is labelled: what was said, a question, and a choice of answers for each candidate.
// The digits on the keyboard are the answers; they go to the candidate that is marked.
import { begin, sessions, texts as shared } from "/static/rooms.js";
import { drawLines, fill, makeChoice, makeElement, setPictureOpener } from "/static/unit.js";

const texts = JSON.parse(document.getElementById("lb-texts").textContent);
const element = (id) => document.getElementById(id);
let view = null;
let game = null; // the unit that is shown: the one to be labelled, or the one before
let back = false; // whether it is the one before, whose answers are changed
let scope = ""; // what the types of act begin with
let drawn = null; // the unit that the page shows
let sent = false; // whether it was submitted or skipped, and there is no other one yet
// Answers that were chosen and that the view does not have yet, so that the page follows the hand.
const chosen = new Map();

const act = begin((now, refusal) => {
  if (view && view.number !== now.number) back = false;
  view = now;
  scope = view.allowed.length ? view.allowed[0].split(".")[0] : scope;
  if (refusal) recover(refusal);
  draw();
});

function draw() {
  game = back ? view.previous : view.game;
  const shown = `${view.number} ${back}`;
  if (shown !== drawn) drawUnit(shown);
  drawAnswers();
}

function turn(toBack) {
  back = toBack;
  draw();
}

element("lb-back").onclick = () => turn(true);
element("lb-on").onclick = () => turn(false);

function recover(refusal) {
  chosen.clear();
  sent = false;
  const text = shared[`reject.${refusal.code}`];
  const note = element("lb-skip-refusal");
  note.hidden = !element("lb-skip").open || !text;
  note.textContent = text || "";
}

function drawUnit(shown) {
  const first = drawn === null;
  drawn = shown;
  sent = false;
  chosen.clear();
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
  drawPlace();
  drawLines(element("lb-lines"), game.context, texts);
  element("lb-question").textContent = texts["page.question"] || game.question;
  element("lb-keys").textContent = describeKeys();
  const wide = game.candidates.some((each) => each.picture || each.lacks_picture);
  element("lb-candidates").classList.toggle("lb-pictured", wide);
  element("lb-candidates").replaceChildren(
    ...game.candidates.map((each, number) => makeChoice(each, number, game, texts, choose)),
  );
  drawReasons();
  showAsked();
  // Whoever goes on hears that another unit is here; whoever comes in begins at the top.
  if (!first) element("lb-place").focus({ preventScroll: true });
  mark(0);
}

// Begins at the top of the page.
function showAsked() {
  for (let each = element("main"); each; each = each.parentElement) each.scrollTop = 0;
  keepAsked();
}

// Shows the line that is judged in its box, and before it as many others as there is room for.
function keepAsked() {
  const box = element("lb-context");
  const asked = element("lb-lines").lastElementChild;
  const top = asked.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  box.scrollTop = Math.min(top, Math.max(0, top + asked.offsetHeight - box.clientHeight));
}

addEventListener("resize", () => { if (game) keepAsked(); });

function drawPlace() {
  const of = view.done + 1 + Math.min(view.left, sessions - view.number);
  const place = { n: view.done + (back ? 0 : 1), of };
  element("lb-place").textContent = fill(texts["page.place"], place);
  Object.assign(element("lb-progress"), { hidden: of < 2, max: of, value: view.done });
  element("lb-back").hidden = back || !view.previous?.submitted;
  element("lb-back-note").hidden = element("lb-on").hidden = !back;
  element("lb-submit").hidden = element("lb-skip-open").hidden = back;
}

function nameAnswer(answer) {
  return texts[`answers.${answer}`] || answer;
}

function describeKeys() {
  // Each answer shows its digit; more than two are not told again.
  if (game.answers.length > 2) return texts["page.keys_many"];
  const names = game.answers.map((answer, number) => fill(texts["page.key"], { key: number + 1, answer: nameAnswer(answer) }));
  return fill(texts["page.keys"], { keys: names.join(", ") });
}

function answerOf(candidate) {
  return chosen.get(candidate.id) || candidate.answer;
}

function drawAnswers() {
  const over = !back && (game.phase === "over" || sent);
  game.candidates.forEach((candidate, number) => {
    if (chosen.get(candidate.id) === candidate.answer) chosen.delete(candidate.id);
    const answer = answerOf(candidate);
    const item = element("lb-candidates").children[number];
    item.classList.toggle("lb-answered", Boolean(answer));
    for (const radio of item.querySelectorAll("input")) {
      radio.checked = radio.value === answer;
      radio.disabled = over;
    }
  });
  const missing = game.candidates.filter((each) => !answerOf(each)).length;
  element("lb-submit").disabled = missing > 0 || over;
  element("lb-skip-open").disabled = over;
  element("lb-hint").textContent = over ? texts["page.sent"] : back ? "" : describeMissing(missing);
}

function describeMissing(missing) {
  if (missing === 0) return texts["page.all"];
  return missing === 1 ? texts["page.missing_one"] : fill(texts["page.missing"], { n: missing });
}

// The marked candidate takes the digits: the one with the focus, else the first without an answer.

function mark(number) {
  [...element("lb-candidates").children].forEach((item, at) => item.classList.toggle("lb-marked", at === number));
}

function findMarked() {
  return [...element("lb-candidates").children].findIndex((item) => item.classList.contains("lb-marked"));
}

function choose(candidate, answer) {
  if (sent || answerOf(candidate) === answer) return;
  chosen.set(candidate.id, answer);
  act(`${scope}.label`, { candidate: candidate.id, answer }, back ? view.number - 1 : undefined);
  drawAnswers();
}

function goOn(from) {
  // The candidates behind this one, then those before it: round once.
  const order = [...game.candidates.keys()].map((step) => (from + 1 + step) % game.candidates.length);
  const next = order.find((number) => !answerOf(game.candidates[number]));
  if (next === undefined) {
    // None is marked: a digit that is typed too often must not change an answer.
    mark(-1);
    element(back ? "lb-on" : "lb-submit").focus();
    return;
  }
  mark(next);
  element("lb-candidates").children[next].querySelector("input").focus();
}

element("lb-candidates").addEventListener("focusin", (event) => {
  const item = event.target.closest("li");
  mark([...element("lb-candidates").children].indexOf(item));
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || game === null || sent) return;
  if (document.querySelector("dialog[open]") || event.target.closest("textarea, input[type=text]")) return;
  const answer = /^[1-9]$/.test(event.key) ? game.answers[Number(event.key) - 1] : undefined;
  const marked = findMarked();
  if (answer === undefined || marked < 0) return;
  event.preventDefault();
  choose(game.candidates[marked], answer);
  goOn(marked);
});

element("lb-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (sent || back || game.candidates.some((each) => !answerOf(each))) return;
  sent = true;
  act(`${scope}.submit`, {});
  drawAnswers();
});

// Skipping, with a reason.

function drawReasons() {
  element("lb-reasons").replaceChildren(...game.reasons.map((reason) => {
    const option = makeElement("label", "check");
    const radio = Object.assign(document.createElement("input"), { type: "radio", name: "reason", value: reason, required: true });
    radio.addEventListener("change", () => { element("lb-note").required = reason === "other"; });
    option.append(radio, makeElement("span", "", texts[`skip.reasons.${reason}`]));
    return option;
  }));
  element("lb-note").maxLength = game.longest_note;
  element("lb-note").value = "";
  element("lb-note").required = false;
  element("lb-skip-refusal").hidden = true;
}

element("lb-skip-open").onclick = () => element("lb-skip").showModal();
element("lb-skip-close").onclick = () => element("lb-skip").close();
element("lb-skip-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (sent) return;
  const given = new FormData(event.target);
  sent = true;
  act(`${scope}.skip`, { reason: given.get("reason"), note: given.get("note").trim() });
  drawAnswers();
});

setPictureOpener((source, name) => {
  Object.assign(element("lb-zoom-picture"), { src: source, alt: name });
  element("lb-zoom").showModal();
});
