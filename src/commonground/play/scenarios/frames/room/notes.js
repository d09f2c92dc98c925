// What the user said and what the wizard is about to say, as gestures: suggestions to be confirmed,
// what is recorded, and a way to take each of it back.
import { LABELS, button, element, fill, make, nameAct, nameSlot, own, renew, showSlot, showValue, texts } from "/static/parts.js";

export function openNotes(desk) {
  const leftOut = desk.leftOut;
  let drafted = null;
  const confirm = (each) => {
    const left = without(each, leftOut);
    if (left !== null) desk.act(left.type, left.payload);
  };
  element("fr-all").onclick = () => desk.suggestions.forEach(confirm);
  desk.field.addEventListener("input", () => drawPreview(desk));
  listenToMessages(desk);

  function drawHeard(game) {
    const noting = desk.whose === "user";
    element("fr-heard-none").hidden = game.heard !== null;
    const suggestions = desk.suggestions;
    renew(element("fr-suggestions"), [suggestions, [...leftOut]], () => suggestions.map(
      (each) => makeSuggestion(each, leftOut, () => confirm(each), () => drawHeard(desk.game)),
    ));
    element("fr-all-row").hidden = suggestions.length < 2;
    renew(element("fr-heard"), [game.notes, noting, game.draft.length], () => [
      ...game.notes.map((note, at) => makeNote(note, noting ? () => desk.act("frames.undo", { of: "user", note: at + 1 }) : null)),
      ...(game.heard !== null && game.draft.length && game.phase === "chat" ? [makeReopening(desk)] : []),
    ]);
  }

  function drawDraft(game) {
    if (drafted !== null) for (const note of game.draft.slice(drafted)) desk.insert(note.text);
    else if (!desk.field.value) for (const note of game.draft) desk.insert(note.text || findWords(note.act));
    drafted = game.draft.length;
    renew(element("fr-draft"), game.draft, () => game.draft.map((note, at) => makeNote(note, () => {
      desk.remove(note.text || (note.act && findWords(note.act)));
      desk.act("frames.undo", { of: "wizard", note: at + 1 });
    })));
    renew(element("fr-proposals"), game.proposals, () => game.proposals.map((each) => makeProposal(each, desk)));
    drawPreview(desk);
  }

  return {
    focus: () => {
      const all = element("fr-all-row").hidden ? null : element("fr-all");
      (all || element("fr-suggestions").querySelector(".fr-confirm") || element("fr-more").querySelector("summary")).focus();
    },
    draw(game) {
      drawHeard(game);
      drawDraft(game);
    },
  };
}

// Gestures in words

function describe(gesture, searches) {
  const { type, payload } = gesture;
  if (type === "frames.offer") {
    const said = searches[payload.search - 1].said[payload.row - 1];
    return [nameGesture(texts.act_offer), own(`${said.name}, ${said.price}`)];
  }
  if (type === "frames.frame_switch") {
    return [nameGesture(nameAct("switch_frame")), showFrame(payload.frame), ...(payload.slots || []).map((each) => showSlot(each.key, each.val))];
  }
  const name = type === "frames.frame_new" ? texts.new_frame : nameAct(payload.name);
  return [nameGesture(name), ...describeArgs(payload.args || [])];
}

function nameGesture(name) {
  return make("b", {}, name);
}

function showFrame(number) {
  return make("span", { class: "fr-tag" }, fill(texts.frame, { n: number }));
}

function describeArgs(args) {
  return args.filter((arg) => arg.key !== "id").flatMap((arg) => (Array.isArray(arg.val)
    ? arg.val.flatMap((each) => [showFrame(each.frame), ...each.annotations.map((note) => showSlot(note.key, note.val))])
    : [showSlot(arg.key, arg.val)]));
}

function describeNote(note) {
  if (note.act) {
    const name = note.made && note.act.name === "inform" ? texts.new_frame : nameAct(note.act.name);
    const made = note.made ? [make("span", { class: "fr-tag fr-done" }, fill(texts.makes_frame, { n: note.made }))] : [];
    return [nameGesture(name), ...describeArgs(note.act.args), ...made];
  }
  const edit = note.gesture;
  if (edit.keys) return [nameGesture(texts[edit.open ? "asked" : "closed"]), showFrame(edit.frame), ...edit.keys.map((key) => showSlot(key))];
  const values = edit.values.length ? edit.values.map((each) => showValue(each.val)) : [make("span", {}, texts.emptied)];
  return [nameGesture(texts.mended), showFrame(edit.frame), make("span", { class: "fr-tag" }, make("span", { class: "fr-key" }, nameSlot(edit.slot)), " ", ...values)];
}

// Rows of the lists

// A gesture without the slots that the wizard has left out; null where it has no other.
function without(gesture, leftOut) {
  const { args } = gesture.payload;
  if (!args?.length) return gesture;
  const left = args.filter((arg) => !leftOut.has(name(gesture, arg)));
  return left.length ? { ...gesture, payload: { ...gesture.payload, args: left } } : null;
}

function name(gesture, arg) {
  return `${gesture.payload.name || gesture.type} ${arg.key}`;
}

// What is suggested but for what was left out of a suggestion that was confirmed.
export function findSuggestions(game, leftOut) {
  return game.suggestions.filter((each) => {
    const { args } = each.payload;
    return args?.length !== 1 || !leftOut.has(name(each, args[0]));
  });
}

function makeSuggestion(gesture, leftOut, confirm, changed) {
  const args = gesture.payload.args || [];
  const isLeft = args.length > 1;
  // What an act is about stays: without it there is no act.
  const tags = isLeft ? args.flatMap((arg) => (Array.isArray(arg.val) ? describeArgs([arg]) : [makeChoice(gesture, arg, leftOut, changed)])) : [];
  const parts = describe({ ...gesture, payload: isLeft ? { ...gesture.payload, args: [] } : gesture.payload }, []);
  const nothing = without(gesture, leftOut) === null;
  return make("li", { class: "fr-suggestion" },
    button({ class: "fr-confirm main", "aria-label": sayNote(texts.confirm, parts, tags), disabled: nothing, "data-own": "", onclick: confirm }, make("span", { "aria-hidden": "true" }, "✓")),
    make("span", { class: "fr-line" }, ...parts, ...tags));
}

// A slot of a suggestion that can be left out of it.
function makeChoice(gesture, arg, leftOut, changed) {
  const key = name(gesture, arg);
  const tag = showSlot(arg.key, arg.val);
  return button({ class: "fr-toggle", "aria-pressed": String(!leftOut.has(key)), onclick: () => {
    if (!leftOut.delete(key)) leftOut.add(key);
    changed();
  } }, ...tag.childNodes);
}

function makeNote(note, takeBack) {
  const parts = describeNote(note);
  const back = takeBack && button({ class: "fr-back quiet", "aria-label": sayNote(texts.take_back, parts), "data-own": "", onclick: takeBack }, own("×", { "aria-hidden": "true" }));
  return make("li", { class: "fr-note" }, make("span", { class: "fr-line" }, ...parts), ...(back ? [back] : []));
}

function sayNote(text, parts, more = []) {
  return fill(text, { what: [...parts, ...more].map((each) => each.textContent).join(" ") });
}

// The user's words can be noted again once what was begun is taken back.
function makeReopening(desk) {
  return make("li", {}, button({ class: "fr-small", onclick: () => {
    for (const note of desk.game.draft) {
      desk.remove(note.text || (note.act && findWords(note.act)));
      desk.act("frames.undo", { of: "wizard" });
    }
  } }, texts.reopen));
}

function makeProposal(gesture, desk) {
  const words = gesture.type === "frames.act" ? findWords(gesture.payload) : "";
  const parts = describe(gesture, desk.game.searches);
  return make("li", { class: "fr-suggestion" }, button({ class: "fr-small fr-line", onclick: () => desk.say(gesture.type, gesture.payload, words) }, make("span", { "aria-hidden": "true" }, "+"), ...parts));
}

// Words for an act of the wizard, to be changed as it likes; empty where it has to find its own.
// Where they go on from others about the same offer, its name is not said again.
export function findWords(act, goesOn = false) {
  const args = act.args || [];
  const facts = args.flatMap((arg) => (Array.isArray(arg.val) ? arg.val.flatMap((each) => each.annotations) : [arg])).filter((arg) => arg.key !== "id" && !LABELS.has(arg.key));
  const start = args.some((arg) => arg.key === "action") ? texts[act.name === "inform" ? "say.booked" : "say.offer_booking"] : "";
  if (!facts.length || !texts[`say.${act.name}_slot`]) return start || texts[`say.${act.name}`] || "";
  // Of what is called by its name, the name comes first.
  const named = facts.length > 1 && facts[0].key === "name" ? facts.shift() : null;
  const about = named && !goesOn ? fill(texts["say.about"], { name: named.val }) : "";
  return [start, about, ...wordFacts(act.name, facts)].filter(Boolean).join(" ");
}

function wordFacts(name, facts) {
  if (name !== "inform") return facts.map((each) => wordFact(name, each));
  const has = facts.filter((each) => each.val === true).map(({ key }) => texts[`say.thing.${key}`] || nameSlot(key));
  const lacks = facts.filter((each) => each.val === false).map(({ key }) => nameSlot(key));
  return [
    ...facts.filter((each) => typeof each.val !== "boolean").map((each) => wordFact(name, each)),
    ...(has.length ? [fill(texts["say.has"], { what: listWords(has, "conjunction") })] : []),
    ...(lacks.length ? [fill(texts["say.lacks"], { what: listWords(lacks, "disjunction") })] : []),
  ];
}

// A sentence of the slot's own, or else the one for any slot.
function wordFact(name, { key, val }) {
  const form = texts[`say.${name}.${key}`] || texts[`say.${name}_slot`];
  return fill(form, { slot: nameSlot(key), value: showValue(val).textContent });
}

function listWords(words, type) {
  return new Intl.ListFormat(document.documentElement.lang, { type }).format(words);
}

// The arguments of an act that was begun with more facts of the same frame; null for another act.
export function joinFacts(note, args) {
  const told = note?.act?.name === "inform" && note.gesture.name === "inform" ? note.act.args : null;
  if (told === null || told.length === 0) return null;
  if (args.every((arg) => !Array.isArray(arg.val))) return told.some((arg) => Array.isArray(arg.val) || LABELS.has(arg.key)) ? null : [...told, ...args];
  const [one, other] = [told[0], args[0]];
  const same = told.length === 1 && one.key === other.key && one.val.length === 1 && one.val[0].frame === other.val[0].frame;
  if (!same) return null;
  const known = new Set(one.val[0].annotations.map(({ key }) => key));
  const annotations = [...one.val[0].annotations, ...other.val[0].annotations.filter(({ key }) => !known.has(key))];
  return [{ key: one.key, val: [{ ...one.val[0], annotations }] }];
}

// The message with what is annotated in it; what is missing stands behind it.
function drawPreview(desk) {
  const text = desk.field.value;
  const values = desk.game ? desk.game.draft.flatMap((note) => (note.act ? listValues(note.act.args) : [])) : [];
  const missing = values.filter((value) => !desk.holds(value) && !saysNumber(text, value));
  const preview = element("fr-preview");
  preview.replaceChildren(...markValues(text, values), ...missing.map((value) => button({ class: "fr-missing", title: texts.missing, onclick: () => {
    desk.insert(value);
    desk.field.focus();
  } }, value)));
  preview.hidden = !preview.textContent;
}

function listValues(args) {
  const pairs = args.flatMap((arg) => (Array.isArray(arg.val) ? arg.val.flatMap((each) => each.annotations) : [arg]));
  return [...new Set(pairs.filter(({ key, val }) => typeof val === "string" && !LABELS.has(key) && val !== "-1").map((each) => each.val))];
}

const NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

// Whether a text has the number of a price, of stars and the like in another form.
function saysNumber(text, value) {
  if (!/^\$?[\d.,]+ ?(USD|days?|weeks?|dollars)?$/i.test(value)) return false;
  const wanted = readNumber(value);
  const said = text.match(/\d[\d,]*(\.\d+)?|[a-z]+/gi) || [];
  return said.some((each) => readNumber(each) === wanted || NUMBERS.indexOf(each.toLowerCase()) + 1 === wanted);
}

function readNumber(text) {
  return Number.parseFloat(text.replace(/[$,]/g, ""));
}

function markValues(text, values) {
  const plain = text.toLowerCase();
  const spans = values.map((value) => [plain.indexOf(value.toLowerCase()), value.length]).filter(([at]) => at >= 0);
  spans.sort(([one], [other]) => one - other);
  const parts = [];
  let done = 0;
  for (const [at, length] of spans) {
    if (at < done) continue;
    parts.push(text.slice(done, at), make("mark", {}, text.slice(at, at + length)));
    done = at + length;
  }
  return [...parts, text.slice(done)];
}

// Words that are selected in the user's last messages are taken into the composer.
function listenToMessages(desk) {
  const list = element("messages");
  const take = () => {
    const selection = document.getSelection();
    const words = String(selection).trim();
    const said = selection.anchorNode?.parentElement?.closest(".partner .text");
    if (words && said && desk.game.heard?.includes(words)) {
      desk.show("notes");
      document.dispatchEvent(new CustomEvent("fr-select", { detail: words }));
    }
  };
  list.addEventListener("mouseup", take);
  list.addEventListener("touchend", () => setTimeout(take, 300));
}
