// The page of an annotator: one utterance at a time, with a draft of its label. A draft becomes the
// label when it is saved; should the server refuse it, it is at work again.
import { begin } from "/static/rooms.js";
import {
  addSlot, dropMark, listMarks, makeDraft, newFrame, readDrafts, storeDrafts, toFrames, toggleThing,
} from "/static/draft.js";
import { Marks } from "/static/marks.js";
import { searchActs, searchSlots } from "/static/ontology.js";
import { Picker } from "/static/picker.js";
import { nameThing, Things } from "/static/things.js";
import { drawTalk, fill } from "/static/talk.js";
import { Words } from "/static/words.js";

const element = (id) => document.getElementById(id);
const texts = JSON.parse(element("sa-texts").textContent);
let game = null;
let at = null;
let draft = [];
let active = 0;
// Drafts that were changed and are not saved yet, and labels on their way to the server.
let drafts = new Map();
const sent = new Map();

const words = new Words(element("sa-words"), { chosen: (_, pointer) => askSlot("", pointer !== "touch"), pressed: pressWords });
const picker = new Picker(element, () => element("sa-words").focus({ preventScroll: true }));
const marks = new Marks(element("sa-frames"), texts, { accepted: accept, dropped: drop, edited: edit, activated: activate });
const things = new Things(element("sa-things"), texts, { linked: link, unlinked: unlink });

const act = begin((view, refusal) => {
  const isOther = game === null || game.dialogue !== view.game.dialogue || game.domain !== view.game.domain;
  game = view.game;
  if (refusal) takeBack(refusal.client_msg_id);
  if (isOther) start();
  drawProgress();
});

// Utterances and their labels

function labelOf(number) {
  const waiting = [...sent.values()].filter((each) => each.number === number).pop();
  return waiting ? waiting.frames : game.labels[number];
}

function findMissing(from) {
  const numbers = game.utterances.map((each) => each.number);
  const order = [...numbers.slice(from), ...numbers.slice(0, from)];
  return order.find((number) => labelOf(number) === undefined);
}

const nameDialogue = () => `${game.domain} ${game.dialogue}`;

function start() {
  drafts = readDrafts(nameDialogue());
  sent.clear();
  open(findMissing(0) ?? 0);
}

// A label that was refused is a draft again, and at work.
function takeBack(id) {
  const label = sent.get(id);
  if (!label) return;
  sent.delete(id);
  drafts.set(label.number, makeDraft(label.frames, true));
  open(label.number);
}

// Puts an utterance to work.
function open(number) {
  at = number;
  active = 0;
  const now = game.utterances[number];
  const label = labelOf(number);
  draft = drafts.get(number) || makeDraft(label || now.proposal, label !== undefined);
  if (picker.open) picker.close();
  drawUtterance(now);
  drawDraft();
  drawProgress();
  showInTalk();
  element("sa-words").focus({ preventScroll: true });
  element("sa-words").closest(".board").scrollTop = 0;
}

function step(by) {
  const number = at + by;
  if (game.utterances[number]) open(number);
}

function save() {
  if (game.phase !== "label") return;
  if (drafts.has(at) || labelOf(at) === undefined) send();
  const next = findMissing(at + 1);
  if (next !== undefined) return open(next);
  open(at);
  element("sa-finish").focus();
}

function send() {
  const label = { number: at, frames: toFrames(draft) };
  drafts.delete(at);
  storeDrafts(nameDialogue(), drafts);
  sent.set(act("simmc.label", { utterance: at, frames: label.frames }), label);
}

// Drawing

const whoSaid = (utterance) => texts[`side.${utterance.role}`];

function drawUtterance(now) {
  const of = game.utterances.length;
  element("sa-place").textContent = fill(texts.place, { n: at + 1, of });
  const did = now.did && now.did !== "None" ? ` · ${fill(texts.did, { action: now.did })}` : "";
  element("sa-who").textContent = whoSaid(now) + did;
  const before = game.utterances[at - 1];
  element("sa-before").hidden = !before;
  if (before) {
    const said = document.createElement("span");
    said.dataset.own = "";
    said.textContent = before.text;
    element("sa-before").replaceChildren(fill(texts.said, { who: whoSaid(before) }), " ", said);
  }
  words.show(now.text, fill(texts.words, { n: at + 1, of, who: whoSaid(now), text: now.text }));
  things.show(now.known, game.things);
  element("sa-no-things").hidden = now.known.length > 0;
}

function drawDraft() {
  const describe = (mark) => "slot" in mark
    ? [`“${words.text(mark)}” `, makeBold(mark.slot)]
    : [makeBold(nameThing(mark.number)), ` ${game.things[mark.number]?.kind ?? ""}`];
  marks.show(draft, describe);
  marks.point(active);
  words.mark(draft.flatMap((frame) => frame.slots));
  things.mark(draft[active]?.things || []);
  const left = listMarks(draft).filter((mark) => !mark.sure).length;
  const isNew = drafts.has(at) || labelOf(at) === undefined;
  const name = draft.length === 0 && isNew ? "nothing" : left ? "accept" : isNew ? "save" : "go_on";
  element("sa-next-text").textContent = texts[name];
  element("sa-add").disabled = draft.length >= game.most;
}

function makeBold(text) {
  const part = document.createElement("b");
  part.textContent = text;
  return part;
}

function drawProgress() {
  for (const [id, label] of sent) {
    if (JSON.stringify(game.labels[label.number]) === JSON.stringify(label.frames)) sent.delete(id);
  }
  const of = game.utterances.length;
  const done = game.utterances.filter((each) => labelOf(each.number) !== undefined).length;
  element("sa-progress").max = of;
  element("sa-progress").value = done;
  element("sa-count").textContent = fill(texts.count, { n: done, of });
  element("sa-back").disabled = at === 0;
  const isWhole = done === of && drafts.size === 0;
  element("sa-finish").hidden = !isWhole;
  element("sa-next").hidden = isWhole;
  element("sa-said").textContent = isWhole ? texts.all_done : "";
  drawTalk(element("sa-talk"), game.utterances, { at, labelOf, texts, open });
}

// Where the dialogue has a place of its own to scroll in, the utterance at work stays in sight.
function showInTalk() {
  const box = element("sa-talk").parentElement;
  const button = box.querySelector("[aria-current]");
  box.scrollTop = button.offsetTop - (box.clientHeight - button.offsetHeight) / 2;
}

// Changing the draft

function change() {
  drafts.set(at, draft);
  storeDrafts(nameDialogue(), drafts);
  active = Math.max(0, Math.min(active, draft.length - 1));
  drawDraft();
  drawProgress();
}

function accept(mark) {
  mark.sure = true;
  const next = marks.next(mark);
  change();
  if (!next || !marks.focus(next)) element("sa-words").focus({ preventScroll: true });
}

function drop(mark) {
  const next = marks.next(mark);
  draft = dropMark(draft, mark);
  change();
  if (!next || !marks.focus(next)) element("sa-words").focus({ preventScroll: true });
}

function edit(mark, frame) {
  if (mark === frame.act) askAct("", frame);
  else if ("slot" in mark) askSlot("", true, { frame, mark });
  else things.box.querySelector(`[data-thing="${mark.number}"]`)?.focus();
}

function activate(number) {
  if (number === active || !draft[number]) return;
  active = number;
  // Nothing is made anew: somebody may be about to press one of its buttons.
  marks.point(active);
  things.mark(draft[active].things);
}

function link(number) {
  withFrame((frame) => { toggleThing(frame, number); change(); });
}

function unlink(number) {
  const mark = draft[active]?.things.find((each) => each.number === number);
  if (!mark) return;
  draft = dropMark(draft, mark);
  change();
}

// Calls back with the act that gets what is marked; where there is none, one is asked for first.
function withFrame(use) {
  if (draft[active]) use(draft[active]);
  else askAct("", null, use);
}

function askAct(typed, frame, use = () => {}) {
  const find = searchActs(game.offer, game.utterances[at].role, texts);
  picker.ask({
    text: texts[frame ? "ask_act" : "ask_new_act"], typed, find,
    take(act) {
      if (frame) frame.act = { name: act, sure: true };
      else active = draft.push(newFrame(act)) - 1;
      change();
      use(draft[active]);
    },
  });
}

function askSlot(typed, focus, old = null) {
  const span = old ? old.mark : words.span;
  if (!span) return;
  const text = words.text(span);
  const known = game.utterances[at].known.map((each) => game.things[each.number]);
  picker.ask({
    text: fill(texts.ask_slot, { words: text }), typed, focus, find: searchSlots(game.offer, text, known, texts),
    take: (slot) => withFrame((frame) => {
      if (old) draft = dropMark(draft, old.mark);
      addSlot(old ? old.frame : frame, slot, span);
      words.clear();
      change();
    }),
  });
}

// The keyboard, where the words have the focus

function slotsAt(span) {
  return draft.flatMap((frame) => frame.slots).filter((each) => each.start < span.end && span.start < each.end);
}

function pressWords(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const keys = { Enter: pressEnter, Delete: dropChosen, Backspace: dropChosen, PageUp: () => step(-1), PageDown: () => step(1) };
  const turns = { ArrowUp: -1, ArrowDown: 1 };
  if (event.key in keys) keys[event.key]();
  else if (event.key in turns && draft.length > 1) activate((active + turns[event.key] + draft.length) % draft.length);
  else if (event.key === "+") askAct("", null);
  else if (/^[1-9]$/.test(event.key)) linkNth(Number(event.key));
  else if (/^\p{L}$/u.test(event.key)) type(event.key);
  else return;
  event.preventDefault();
}

// With words chosen, Enter accepts what is proposed for them or asks for a slot; else it saves.
function pressEnter() {
  if (!words.span) return save();
  const proposed = slotsAt(words.span).filter((each) => !each.sure);
  if (!proposed.length) return askSlot("", true);
  for (const each of proposed) each.sure = true;
  words.clear();
  change();
}

function dropChosen() {
  if (!words.span) return;
  for (const each of slotsAt(words.span)) draft = dropMark(draft, each);
  change();
}

function linkNth(digit) {
  const number = things.order[digit - 1];
  if (number !== undefined) link(number);
}

function type(letter) {
  if (words.span) askSlot(letter, true);
  else askAct(letter, draft[active] || null);
}

element("sa-next").onclick = save;
element("sa-back").onclick = () => step(-1);
element("sa-add").onclick = () => askAct("", null);
element("sa-finish").onclick = () => act("simmc.submit", {});
element("sa-cancel").addEventListener("click", () => words.clear());
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.ctrlKey && !picker.open) save();
});
