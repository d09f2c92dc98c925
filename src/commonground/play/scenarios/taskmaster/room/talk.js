// The dialogue: what is fixed, what was written, the box for the turn that is on, and what comes.
import { element, keep, make, makeProse, recall, texts } from "/static/elements.js";
import { drawEditor, drawWords } from "/static/marks.js";

// Turns that were sent and are not in the view yet, by number; turns that are written anew; what
// was wrong with a turn; what each place of the list shows.
const sending = new Map();
const changing = new Set();
const faults = new Map();
const shown = [];
let send = null;
let redraw = null;
let last = null;
let isFirst = true;

// Says what to call with the number and the words of a turn, and to draw the page again.
export function onTurn(call, draw) { [send, redraw] = [call, draw]; }

export function drawTalk(game) {
  last = game;
  settle(game);
  game.bubbles.forEach((bubble, number) => {
    const mode = findMode(bubble, game);
    const words = mode === "words" ? drawWords(bubble) : null;
    const key = JSON.stringify([mode, bubble.text, bubble.hint, words && words.key, mode === "box" && [faults.get(number) || "", sending.has(number)]]);
    if (shown[number] === key) return;
    const was = shown[number];
    shown[number] = key;
    place(number, makeTurn(bubble, mode, words), was);
  });
  while (shown.length > game.bubbles.length) {
    shown.pop();
    element("tm-talk").lastElementChild.remove();
  }
  isFirst = false;
}

// What the server has is not on its way any more.
function settle(game) {
  for (const [number, text] of sending) {
    if (game.bubbles[number]?.text !== text) continue;
    sending.delete(number);
    changing.delete(number);
    keep(`turn ${number}`, undefined);
  }
}

function findMode(bubble, game) {
  if (bubble.open && (bubble.text === null || changing.has(bubble.number))) return "box";
  if (bubble.text === null) return "later";
  const isReached = game.bubbles.slice(0, bubble.number).every((each) => each.text !== null);
  if (!isReached) return "ahead";
  return game.labels.length && game.phase === "review" ? "words" : bubble.open ? "own" : "fixed";
}

// Puts a turn in its place; the keyboard stays where it was, or goes to the box that is new.
function place(number, made, was) {
  const list = element("tm-talk");
  const old = list.children[number];
  const focused = old?.contains(document.activeElement) ? document.activeElement : null;
  const at = focused?.dataset.focus;
  const before = focused?.selectionStart;
  if (old) old.replaceWith(made);
  else list.append(made);
  const box = made.querySelector("textarea");
  const isNext = box && !was?.startsWith('["box"') && !isFirst;
  const next = (at && made.querySelector(`[data-focus="${CSS.escape(at)}"]`)) || (isNext || focused ? box || made.querySelector('[data-focus="change"]') : null);
  if (!next || (!focused && document.activeElement.matches("textarea, input"))) return;
  next.focus();
  if (before !== undefined && next === box && at === "box") next.setSelectionRange(before, before);
}

function makeTurn(bubble, mode, words) {
  const rewrites = mode === "box" && bubble.text !== null;
  const turn = make("li", { class: `tm-turn ${bubble.speaker} ${mode}`, "data-turn": bubble.number, "data-rewrites": rewrites });
  const who = make("span", { class: "tm-who small" }, texts[bubble.speaker]);
  if (mode === "box") turn.append(makeBox(bubble));
  else if (mode === "later") turn.append(who, make("p", { class: "tm-said", "data-own": true }, ...makeProse(bubble.hint)));
  else if (words) turn.append(who, words.made, ...makeChange(bubble), ...drawEditor(bubble));
  else turn.append(who, make("p", { class: "tm-said", "data-own": true }, bubble.text), ...makeChange(bubble));
  return turn;
}

function makeChange(bubble) {
  if (!bubble.open) return [];
  const button = make("button", { type: "button", class: "quiet small tm-change", "data-focus": "change" }, texts.change);
  button.onclick = () => {
    changing.add(bubble.number);
    redraw();
    element(`tm-text-${bubble.number}`).focus();
  };
  return [button];
}

function makeBox(bubble) {
  const { number } = bubble;
  const [id, fault] = [`tm-text-${number}`, faults.get(number) || ""];
  const box = make("textarea", {
    id, rows: 2, maxlength: last.longest, enterkeyhint: "send", autocomplete: "off", "data-focus": "box",
    placeholder: texts[`write_${bubble.speaker}`], "aria-describedby": `${id}-fault`, "aria-invalid": fault ? "true" : null,
    readonly: sending.has(number),
  });
  box.value = recall(`turn ${number}`) ?? bubble.text ?? "";
  const form = make("form", { class: "tm-box" },
    make("label", { for: id },
      make("b", { class: "tm-who" }, texts[bubble.speaker]),
      bubble.hint ? make("span", { class: "tm-hint", "data-own": true }, ...makeProse(bubble.hint)) : make("span", { class: "tm-hint" }, texts[`free_${bubble.speaker}`])),
    ...makeMusts(bubble, box), box,
    make("p", { class: "tm-fault", id: `${id}-fault`, role: "alert", hidden: !fault }, fault),
    make("div", { class: "row" },
      make("button", { class: "main", type: "submit", disabled: sending.has(number) }, texts[bubble.text === null ? "next" : "save"]),
      ...makeCancel(bubble)));
  box.addEventListener("input", () => keep(`turn ${number}`, box.value));
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && bubble.text !== null) cancel(number);
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(bubble, box.value.replace(/\s+/g, " ").trim());
  });
  return form;
}

// The values that a turn must name, to be put in by a touch.
function makeMusts(bubble, box) {
  if (!bubble.must.length) return [];
  const chips = bubble.must.map((value) => {
    const chip = make("button", { type: "button", class: "tm-must", "data-own": true }, value);
    chip.onclick = () => {
      const glue = box.selectionStart > 0 && !/\s$/.test(box.value.slice(0, box.selectionStart)) ? " " : "";
      box.setRangeText(glue + value, box.selectionStart, box.selectionEnd, "end");
      box.dispatchEvent(new Event("input", { bubbles: true }));
      box.focus();
    };
    return chip;
  });
  return [make("div", { class: "tm-musts" }, make("span", { class: "small soft" }, texts.must), ...chips)];
}

function makeCancel(bubble) {
  if (bubble.text === null) return [];
  const button = make("button", { type: "button" }, texts.cancel);
  button.onclick = () => cancel(bubble.number);
  return [button];
}

function cancel(number) {
  changing.delete(number);
  faults.delete(number);
  keep(`turn ${number}`, undefined);
  redraw();
}

function submit(bubble, text) {
  if (sending.has(bubble.number)) return;
  if (text === bubble.text) {
    cancel(bubble.number);
    return;
  }
  if (!text) {
    refuseTurn(bubble.number, texts.empty);
    return;
  }
  keep(`turn ${bubble.number}`, text);
  faults.delete(bubble.number);
  sending.set(bubble.number, text);
  drawTalk(last);
  send(bubble.number, text);
}

// Says at a turn's box why its words were not taken.
export function refuseTurn(number, text) {
  sending.delete(number);
  faults.set(number, text);
  drawTalk(last);
  element(`tm-text-${number}`)?.focus();
}
