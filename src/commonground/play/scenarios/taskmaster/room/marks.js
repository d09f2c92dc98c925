// Labelled stretches of what was written: proposed ones are confirmed, changed or removed, and
// others added, word by word: with a finger, the mouse or the keyboard.
import { fill } from "/static/rooms.js";
import { element, keep, make, recall, texts } from "/static/elements.js";
import { cutText, slice } from "/static/words.js";

// What is chosen in which turn: a stretch from one word to another, and the mark that it is.
let chosen = null;
let game = null;
let redraw = null;
let dragging = null;

export function onMarks(call) { redraw = call; }

// Takes the view; called before the dialogue is drawn.
export function readMarks(view) {
  game = view;
  if (chosen && game.bubbles[chosen.turn]?.text !== chosen.text) chosen = null;
}

// The marks of a turn as they stand on this page: as changed here, as long as its words are.
function marksOf(bubble) {
  const changed = recall(`marks ${bubble.number}`);
  if (changed && changed.text === bubble.text) return changed.marks;
  return game.spans.filter((each) => each.turn === bubble.number).map(({ start, end, label }) => ({ start, end, label }));
}

// All stretches as they are to be sent.
export function listMarks() {
  return game.bubbles.filter((each) => each.text !== null).flatMap((bubble) => marksOf(bubble).map((mark) => ({ turn: bubble.number, ...mark })));
}

// Whether the server has the stretches as a person confirmed them.
export function areConfirmed() {
  const plain = (marks) => JSON.stringify(marks.map(({ turn, start, end, label }) => [turn, start, end, label]).sort());
  return game.marked && plain(listMarks()) === plain(game.spans);
}

function change(bubble, marks) {
  const text = bubble.text;
  keep(`marks ${bubble.number}`, { text, marks: [...marks].sort((one, other) => one.start - other.start) });
  chosen = null;
  redraw();
}

// Draws the text of a turn as words; key says what is drawn.
export function drawWords(bubble) {
  const own = chosen?.turn === bubble.number ? chosen : null;
  const marks = marksOf(bubble).filter((each) => each !== own?.mark && !overlaps(each, own));
  const shown = own ? [...marks, { ...own, isChosen: true }] : marks;
  const text = make("p", { class: "tm-said tm-words", role: "group", "data-own": true, "aria-label": fill(texts.words, { n: bubble.number + 1 }) },
    ...cutText(bubble.text, shown).map((piece) => makePiece(piece)));
  (text.querySelector(".chosen") || text.querySelector("[role=button]"))?.setAttribute("tabindex", "0");
  listen(text, bubble);
  return { made: text, key: JSON.stringify([marks, own, areConfirmed()]) };
}

const overlaps = (one, other) => other && one.start < other.end && other.start < one.end;

function makePiece(piece) {
  if (!piece.mark && !piece.word) return piece.text;
  const name = piece.word ? "tm-word" : piece.mark.isChosen ? "tm-mark chosen" : areConfirmed() ? "tm-mark confirmed" : "tm-mark";
  const made = make("span", {
    class: name, role: "button", tabindex: -1, "data-own": true, "data-focus": `word ${piece.start}`, "data-start": piece.start, "data-end": piece.end,
    "aria-pressed": piece.mark?.isChosen ? "true" : null,
  }, piece.text);
  if (piece.mark?.label) made.append(make("span", { class: "tm-kind", title: piece.mark.label }, nameLabel(piece.mark.label)));
  return made;
}

function listen(text, bubble) {
  const piece = (event) => event.target.closest("[role=button]");
  text.addEventListener("click", (event) => { if (piece(event)) choose(bubble, piece(event)); });
  text.addEventListener("keydown", (event) => { if (piece(event)) press(event, bubble, piece(event)); });
  text.addEventListener("focusin", (event) => {
    for (const each of text.querySelectorAll("[role=button]")) each.tabIndex = each === event.target ? 0 : -1;
  });
  text.addEventListener("pointerdown", (event) => {
    dragging = event.pointerType === "mouse" && piece(event)?.matches(".tm-word") ? { turn: bubble.number, from: spanOf(piece(event)) } : null;
  });
  text.addEventListener("pointerover", (event) => {
    if (!dragging || dragging.turn !== bubble.number || event.buttons !== 1 || !piece(event)) return;
    const to = spanOf(piece(event));
    if (to.start !== dragging.from.start || chosen) select(bubble, dragging.from, to);
  });
}

const spanOf = (made) => ({ start: Number(made.dataset.start), end: Number(made.dataset.end) });

// Chooses a stretch from one word to another, however they lie.
function select(bubble, from, to) {
  const [start, end] = [Math.min(from.start, to.start), Math.max(from.end, to.end)];
  const only = game.labels.length === 1 ? game.labels[0] : "";
  chosen = { turn: bubble.number, text: bubble.text, start, end, from, to, label: chosen?.label || only };
  redraw();
}

// A touch: on a mark it is opened; on a word a stretch begins, or one that is open goes as far.
function choose(bubble, made) {
  const span = spanOf(made);
  const mark = marksOf(bubble).find((each) => each.start === span.start && each.end === span.end);
  const isOpen = chosen?.turn === bubble.number && !chosen.mark;
  if (made.matches(".chosen")) focusEditor(bubble);
  else if (mark) open(bubble, mark);
  else select(bubble, isOpen ? chosen.from : span, span);
}

function open(bubble, mark) {
  chosen = { turn: bubble.number, text: bubble.text, mark, ...mark };
  redraw();
}

function focusEditor(bubble) {
  element("tm-talk").querySelector(`[data-turn="${bubble.number}"] select`)?.focus();
}

function press(event, bubble, made) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (event.key === "Enter" || event.key === " ") {
    if (!made.matches(".chosen")) choose(bubble, made);
    focusEditor(bubble);
  } else if (event.key === "Delete" || event.key === "Backspace") {
    const span = spanOf(made);
    change(bubble, marksOf(bubble).filter((each) => each.start !== span.start));
  } else if (event.key === "Escape") close(bubble);
  else if (step && event.shiftKey) extend(bubble, made, step);
  else if (step) neighbour(made, step)?.focus();
  else return;
  event.preventDefault();
}

function neighbour(made, step) {
  const all = [...made.parentElement.querySelectorAll("[role=button]")];
  return all[all.indexOf(made) + step];
}

// Moves the far end of what is chosen by a word, or begins with the word that has the focus.
function extend(bubble, made, step) {
  const isOpen = made.matches(".chosen") && chosen && !chosen.mark;
  const words = cutText(bubble.text, []).filter((each) => each.word);
  const from = isOpen ? chosen.from : spanOf(made);
  const far = isOpen ? chosen.to : from;
  const at = words.findIndex((each) => each.start >= far.start);
  const to = words[at + step] ? { start: words[at + step].start, end: words[at + step].end } : far;
  select(bubble, from, to);
  element("tm-talk").querySelector(`[data-turn="${bubble.number}"] .chosen`)?.focus();
}

function close(bubble) {
  const start = chosen?.start;
  chosen = null;
  redraw();
  element("tm-talk").querySelector(`[data-turn="${bubble.number}"] [data-start="${start}"]`)?.focus();
}

// The label of what is chosen, below its turn; nothing where nothing is chosen there.
export function drawEditor(bubble) {
  if (chosen?.turn !== bubble.number) return [];
  const own = chosen;
  const id = `tm-label-${bubble.number}`;
  const labels = make("select", { id, "data-focus": "label" }, ...makeLabels(own.label));
  const form = make("form", { class: "tm-editor" },
    make("label", { for: id }, make("span", {}, texts.label), " ", make("q", { "data-own": true }, slice(bubble.text, own.start, own.end))), labels,
    make("div", { class: "row" },
      make("button", { class: "main", type: "submit" }, texts[own.mark ? "save" : "mark"]),
      makeButton(texts.cancel, () => close(bubble)),
      ...(own.mark ? [makeButton(texts.remove, () => change(bubble, without(bubble, own)), "danger")] : [])));
  labels.onchange = () => { own.label = labels.value; };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!labels.value) labels.focus();
    else change(bubble, [...without(bubble, own), { start: own.start, end: own.end, label: labels.value }]);
  });
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") close(bubble); });
  return [form];
}

const without = (bubble, own) => marksOf(bubble).filter((each) => !overlaps(each, own));

function makeButton(text, call, name = null) {
  const button = make("button", { type: "button", class: name }, text);
  button.onclick = call;
  return button;
}

// A label as a person reads it: as the texts name it, else its words, without those that name the
// errand: `taxi.end_time.drive` is "drive, end time".
export function nameLabel(label) {
  const words = label.split(".").map((each) => each.replaceAll("_", " "));
  return texts[`named.${label}`] || words.slice(-2).reverse().join(", ");
}

// The labels of what the script has values for come first.
function makeLabels(label) {
  const options = (names) => names.map((each) => make("option", { value: each, selected: each === label, "data-own": true }, nameLabel(each)));
  const others = game.labels.filter((each) => !game.likely.includes(each));
  const groups = [[texts.likely, game.likely], [texts.others, others]].filter(([, names]) => names.length);
  const choices = groups.length < 2 ? options(game.labels) : groups.map(([title, names]) => make("optgroup", { label: title }, ...options(names)));
  return label ? choices : [make("option", { value: "" }, texts.choose_label), ...choices];
}
