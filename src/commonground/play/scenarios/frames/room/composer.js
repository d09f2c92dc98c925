// Gestures by hand: words, what they are, which frames they are about, and then the act.
import { LABELS, button, element, fill, make, nameAct, nameSlot, own, renew, texts } from "/static/parts.js";
import { findWords } from "/static/notes.js";

const ANY = "-1";
const USER_ACTS = ["inform", "frame_new", "negate", "request", "confirm", "request_compare", "switch_frame", "affirm", "moreinfo", "request_alts", "greeting", "thankyou", "goodbye"];
const WIZARD_ACTS = ["inform", "frame_new", "request", "confirm", "affirm", "negate", "no_result", "canthelp", "hearmore", "sorry", "greeting", "thankyou", "you_are_welcome", "goodbye"];
// Acts that are about frames: those that are chosen, or else the active one.
const ABOUT = new Set(["affirm", "negate", "moreinfo", "request_alts", "no_result", "canthelp", "hearmore"]);
const EDGES = /^[\s.,;:!?"'“”()]+|[\s.,;:!?"'“”()]+$/g;
const SLOTS = Object.keys(texts).filter((key) => /^slot\.[a-z_]+$/.test(key)).map((key) => key.slice(5));

export function openComposer(desk) {
  const frames = new Set();
  const slot = element("fr-slot");
  let of = null;
  let chosenOf = null;
  let range = null;
  let value = null;
  let tokens = [];

  slot.append(make("option", { value: "" }, texts.no_slot), ...SLOTS.map((each) => make("option", { value: each }, nameSlot(each))));
  slot.addEventListener("change", () => draw(desk.game));
  for (const each of document.querySelectorAll("[data-of]")) {
    each.onclick = () => {
      chosenOf = each.dataset.of;
      reset();
    };
  }
  desk.field.addEventListener("input", () => of === "wizard" && desk.game && draw(desk.game));
  document.addEventListener("fr-select", (event) => select(event.detail));

  function reset() {
    frames.clear();
    range = value = null;
    slot.value = "";
    if (desk.game) draw(desk.game);
  }

  // Selects words that were marked in the chat.
  function select(words) {
    element("fr-more").open = true;
    chosenOf = "user";
    draw(desk.game);
    const at = desk.game.heard.indexOf(words);
    const inside = tokens.flatMap((each, number) => (each.at < at + words.length && each.at + each.text.length > at ? [number] : []));
    if (inside.length) choose(inside[0], inside[inside.length - 1]);
  }

  function choose(first, last) {
    range = first === null ? null : [first, last];
    value = null;
    const words = readWords();
    if (words) slot.value = guessSlot(words, desk.game) || slot.value;
    draw(desk.game);
  }

  function readWords() {
    if (range === null || !tokens[range[1]]) return "";
    const [first, last] = range.map((number) => tokens[number]);
    const text = of === "user" ? desk.game.heard : desk.field.value;
    return text.slice(first.at, last.at + last.text.length).replace(EDGES, "");
  }

  // The value that the slot is given: yes or no, any, a label, or the words.
  function readValue() {
    if (value !== null) return value;
    if (desk.isFlag(slot.value)) return range === null ? null : true;
    if (LABELS.has(slot.value)) return "book";
    return readWords() || null;
  }

  // A word that is tapped is selected; one beside those that are is added to them.
  function tap(number, extend) {
    if (range === null) choose(number, number);
    else if (extend || number === range[0] - 1 || number === range[1] + 1) choose(Math.min(range[0], number), Math.max(range[1], number));
    else if (number >= range[0] && number <= range[1]) choose(null);
    else choose(number, number);
  }

  function move(event, number) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = element("fr-words").children[number + step];
    if (!step || !next || number + step >= tokens.length) return;
    event.preventDefault();
    if (event.shiftKey) {
      if (range === null) range = [number, number];
      tap(number + step, true);
    }
    element("fr-words").children[number + step].focus();
  }

  function makeWord(token, number) {
    const on = range !== null && number >= range[0] && number <= range[1];
    return button({ class: "fr-word", "aria-pressed": String(on), onclick: (event) => tap(number, event.shiftKey), onkeydown: (event) => move(event, number) }, own(token.text));
  }

  function makeValue(label, given) {
    return button({ class: "fr-word fr-given", "aria-pressed": String(value === given), onclick: () => {
      value = value === given ? null : given;
      draw(desk.game);
    } }, label);
  }

  function drawWords() {
    const text = of === "user" ? desk.game.heard || "" : desk.field.value;
    tokens = [...text.matchAll(/\S+/g)].map((found) => ({ text: found[0], at: found.index }));
    if (range !== null && range[1] >= tokens.length) range = null;
    const given = desk.isFlag(slot.value) ? [[texts.yes, true], [texts.no, false]] : slot.value && !LABELS.has(slot.value) ? [[texts.any, ANY]] : [];
    renew(element("fr-words"), [of, text, range, slot.value, value], () => [...tokens.map(makeWord), ...given.map(([label, each]) => makeValue(label, each))]);
  }

  function drawFrames(game) {
    renew(element("fr-about"), [game.frames.length, game.active, [...frames]], () => game.frames.map(({ frame_id: number }) => button({
      class: "fr-toggle", "aria-pressed": String(frames.has(number)), "aria-label": fill(texts.frame, { n: number }), onclick: () => {
        if (!frames.delete(number)) frames.add(number);
        draw(desk.game);
      },
    }, own(String(number)))));
  }

  function drawActs(game) {
    const names = of === "user" ? USER_ACTS : WIZARD_ACTS;
    const gestures = names.map((name) => build(name, of, slot.value, readValue(), [...frames], game));
    renew(element("fr-acts"), [of, gestures], () => names.map((name, at) => button({
      class: "fr-small", disabled: gestures[at] === null, onclick: () => begin(gestures[at]),
    }, name === "frame_new" ? texts[of === "user" ? "new_frame" : "suggest"] : nameAct(name))));
  }

  function begin(gesture) {
    const words = of === "wizard" && gesture.type === "frames.act" ? findWords(gesture.payload) : "";
    const said = readWords();
    desk.say(gesture.type, gesture.payload, said && desk.holds(said) ? "" : words);
    reset();
  }

  function draw(game) {
    const before = of;
    of = game.heard === null || desk.whose === "wizard" ? "wizard" : chosenOf || "user";
    if (before !== of) {
      range = value = null;
      frames.clear();
    }
    if (game.heard === null) chosenOf = null;
    for (const each of document.querySelectorAll("[data-of]")) {
      each.setAttribute("aria-pressed", String(each.dataset.of === of));
      each.disabled = each.dataset.of === "user" && desk.whose !== "user";
    }
    drawWords();
    drawFrames(game);
    drawActs(game);
  }

  return { draw };
}

// Returns the gesture that an act would be with what is chosen; null where something is missing.
function build(name, of, slot, value, frames, game) {
  const can = of === "user" ? game.heard !== null : game.phase === "chat";
  if (!can) return null;
  const note = value === null ? { key: slot } : { key: slot, val: value };
  const refer = (numbers, ...notes) => numbers.map((frame) => ({ frame, annotations: notes, fromrange: numbers.length > 1 }));
  const act = (...args) => ({ type: "frames.act", payload: { of, name, args } });
  const full = slot && value !== null;
  if (name === "inform") {
    if (!full) return null;
    return of === "wizard" && frames.length ? act({ key: "read", val: refer(frames, note) }) : act(note);
  }
  const opens = of === "wizard" || !game.opened;
  if (name === "frame_new") return full && opens ? { type: "frames.frame_new", payload: { of, args: [note], ...(frames.length ? { parent: frames[0] } : {}) } } : null;
  if (name === "request" || name === "confirm") {
    if (!slot) return null;
    const asked = name === "request" ? { key: slot } : note;
    return frames.length ? act({ key: "ref", val: refer(frames, asked) }) : act(asked);
  }
  if (name === "request_compare") return slot && frames.length > 1 ? act({ key: "ref", val: refer(frames, { key: slot }).map((each) => ({ ...each, fromrange: false })) }) : null;
  if (name === "switch_frame") {
    if (!opens || frames.length !== 1 || frames[0] === game.active) return null;
    return { type: "frames.frame_switch", payload: { of, frame: frames[0], slots: full ? [note] : [] } };
  }
  if (ABOUT.has(name)) return act({ key: "ref", val: refer(frames.length ? frames : [game.active], ...(full ? [note] : [])) });
  return act();
}

const GUESSES = [
  ["budget", /\$|usd|dollar/i],
  ["str_date", /january|february|march|april|may|june|july|august|september|october|november|december|\d(st|nd|rd|th)\b/i],
  ["category", /stars?$/i],
  ["seat", /^(economy|business)$/i],
  ["duration", /\bdays?$|\bweeks?$/i],
  ["n_adults", /^\d+$|adults?$|people$/i],
  ["ref_anaphora", /\bone\b|\b(first|second|third|last)\b/i],
];

function guessSlot(words, game) {
  const plain = words.toLowerCase();
  if (game.cities.some((city) => city.toLowerCase() === plain)) return "dst_city";
  const names = game.frames.flatMap((frame) => (frame.info.name || []).map((each) => String(each.val).toLowerCase()));
  if (names.includes(plain)) return "name";
  return GUESSES.find(([, pattern]) => pattern.test(words))?.[0];
}
