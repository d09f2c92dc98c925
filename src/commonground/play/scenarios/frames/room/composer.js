// Gestures by hand: words, what they are, which frames they are about, and then the act.
import { LABELS, button, element, fill, listSlots, make, nameAct, own, renew, showSlot, texts } from "/static/parts.js";
import { findWords } from "/static/notes.js";

const ANY = "-1";
const USER_ACTS = ["inform", "frame_new", "book", "negate", "request", "confirm", "request_compare", "switch_frame", "affirm", "moreinfo", "request_alts", "greeting", "thankyou", "goodbye"];
const WIZARD_ACTS = ["inform", "frame_new", "suggest", "offer_booking", "booked", "request", "confirm", "affirm", "negate", "no_result", "canthelp", "hearmore", "sorry", "greeting", "thankyou", "you_are_welcome", "goodbye"];
// Acts that are about frames: those that are chosen, or else the active one.
const ABOUT = new Set(["affirm", "negate", "moreinfo", "request_alts", "no_result", "canthelp", "hearmore"]);
const EDGES = /^[\s.,;:!?"'“”()]+|[\s.,;:!?"'“”()]+$/g;
const BOOKING = { book: ["inform", "intent"], booked: ["inform", "action"], offer_booking: ["suggest", "action"] };

export function openComposer(desk) {
  const frames = new Set();
  const kept = []; // slots of the act besides the one that is chosen
  const slot = element("fr-slot");
  let of = null;
  let chosenOf = null;
  let range = null;
  let value = null;
  let tokens = [];

  slot.append(make("option", { value: "" }, texts.no_slot), ...listSlots());
  element("fr-and").onclick = keep;
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
    kept.length = 0;
    unselect();
  }

  function unselect() {
    range = value = null;
    slot.value = "";
    if (desk.game) draw(desk.game);
  }

  // Adds what is chosen to the act, so that another slot can be chosen.
  function keep() {
    kept.push(readNote());
    unselect();
    element("fr-words").querySelector("button")?.focus();
  }

  // The slot that is chosen, with its value if it has one.
  function readNote() {
    const said = readValue();
    return said === null ? { key: slot.value } : { key: slot.value, val: said };
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
    const given = desk.isFlag(slot.value) ? [[texts.yes, true], [texts.no, false]] : slot.value ? [[texts.any, ANY]] : [];
    renew(element("fr-words"), [of, text, range, slot.value, value], () => [...tokens.map(makeWord), ...given.map(([label, each]) => makeValue(label, each))]);
  }

  function drawKept() {
    element("fr-and").disabled = !slot.value;
    renew(element("fr-kept"), kept, () => kept.map((note, at) => {
      const tag = showSlot(note.key, note.val);
      tag.append(button({ class: "fr-back quiet", "aria-label": fill(texts.take_back, { what: tag.textContent }), onclick: () => {
        kept.splice(at, 1);
        draw(desk.game);
      } }, own("×", { "aria-hidden": "true" })));
      return tag;
    }));
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
    const notes = slot.value ? [...kept, readNote()] : kept;
    const gestures = names.map((name) => build(name, of, notes, [...frames], game));
    renew(element("fr-acts"), [of, gestures], () => names.map((name, at) => button({
      class: "fr-small", disabled: gestures[at] === null, onclick: () => begin(gestures[at]),
    }, nameButton(name, of))));
  }

  function begin(gesture) {
    const words = of === "wizard" && gesture.type === "frames.act" ? findWords(gesture.payload) : "";
    const said = readWords() || kept.some((each) => typeof each.val === "string" && desk.holds(each.val));
    desk.say(gesture.type, gesture.payload, said ? "" : words);
    reset();
  }

  function draw(game) {
    const before = of;
    of = game.heard === null || desk.whose === "wizard" ? "wizard" : chosenOf || "user";
    if (before !== of) {
      range = value = null;
      frames.clear();
      kept.length = 0;
    }
    if (game.heard === null) chosenOf = null;
    for (const each of document.querySelectorAll("[data-of]")) {
      each.setAttribute("aria-pressed", String(each.dataset.of === of));
      each.disabled = each.dataset.of === "user" && desk.whose !== "user";
    }
    drawWords();
    drawKept();
    drawFrames(game);
    drawActs(game);
  }

  return { draw };
}

function nameButton(name, of) {
  if (name === "frame_new") return texts[of === "user" ? "new_frame" : "suggest_new"];
  return texts[name] || nameAct(name);
}

// Returns the gesture that an act would be with what is chosen; null where something is missing.
function build(name, of, notes, frames, game) {
  const can = of === "user" ? game.heard !== null : game.phase === "chat";
  if (!can) return null;
  const refer = (numbers, slots) => numbers.map((frame) => ({ frame, annotations: slots, fromrange: numbers.length > 1 }));
  const act = (done, ...args) => ({ type: "frames.act", payload: { of, name: done, args } });
  const about = frames.length ? [{ key: "ref", val: refer(frames, []) }] : [];
  const full = notes.length > 0 && notes.every((each) => "val" in each);
  const keys = notes.map(({ key }) => ({ key }));
  const opens = of === "wizard" || !game.opened;
  if (name in BOOKING) {
    const [done, label] = BOOKING[name];
    return act(done, { key: label, val: "book" }, ...notes, ...(done === "suggest" ? about : []));
  }
  switch (name) {
    case "inform":
      if (!full) return null;
      return of === "wizard" && frames.length ? act(name, { key: "read", val: refer(frames, notes) }) : act(name, ...notes);
    case "suggest":
      return full ? act(name, ...notes, ...about) : null;
    case "frame_new":
      return full && opens ? { type: "frames.frame_new", payload: { of, args: notes, ...(frames.length ? { parent: frames[0] } : {}) } } : null;
    case "request":
    case "confirm": {
      if (!notes.length) return null;
      const asked = name === "request" ? keys : notes;
      return frames.length ? act(name, { key: "ref", val: refer(frames, asked) }) : act(name, ...asked);
    }
    case "request_compare":
      return frames.length > 1 ? compare(frames, keys, game) : null;
    case "switch_frame":
      if (!opens || frames.length !== 1 || frames[0] === game.active) return null;
      return { type: "frames.frame_switch", payload: { of, frame: frames[0], slots: full ? notes : [] } };
  }
  return ABOUT.has(name) ? act(name, { key: "ref", val: refer(frames.length ? frames : [game.active], notes) }) : act(name);
}

// A comparison: what is asked stands beside the frames, each of which is called as the user does.
export function compare(frames, asked, game) {
  const said = game.heard.toLowerCase();
  const references = frames.map((frame) => {
    const name = game.frames[frame - 1].info.name?.[0]?.val;
    const annotations = name && said.includes(String(name).toLowerCase()) ? [{ key: "name", val: name }] : [];
    return { frame, annotations, fromrange: false };
  });
  const args = [...asked.filter(({ key }) => key !== "name"), { key: "ref", val: references }];
  return { type: "frames.act", payload: { of: "user", name: "request_compare", args } };
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
