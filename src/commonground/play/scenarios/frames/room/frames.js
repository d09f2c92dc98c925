// The frames: what each holds, which one is active, what is new; every slot can be mended.
import { button, element, fill, make, nameSlot, own, renew, showSlot, showValue, texts } from "/static/parts.js";
import { findWords } from "/static/notes.js";

const MARK = /^[A-Z_]+$/;

export function openFrames(desk) {
  const mend = openMending(desk);
  return {
    draw(game) {
      const noting = desk.whose === "user";
      const order = [...game.frames].sort((one, other) => (other.frame_id === game.active) - (one.frame_id === game.active) || other.frame_id - one.frame_id);
      const state = [game.frames, game.active, game.changed, game.offers, noting, game.opened, game.phase];
      renew(element("fr-frames"), state, () => order.map((frame) => makeCard(frame, game, desk, mend)));
    },
  };
}

function makeCard(frame, game, desk, mend) {
  const number = frame.frame_id;
  const active = number === game.active;
  const changed = new Set(game.changed[number] || []);
  const hotel = frame.info.name?.[0]?.val;
  const head = make("div", { class: "fr-bar" },
    make("h3", {}, fill(texts.frame, { n: number }), ...(hotel ? [" ", own(hotel)] : [])),
    ...(active ? [make("span", { class: "fr-tag fr-active" }, texts.active)] : []),
    ...(frame.frame_parent_id ? [make("span", { class: "small soft" }, fill(texts.from_frame, { n: frame.frame_parent_id }))] : []));
  if (!active && desk.whose === "user" && !game.opened) {
    head.append(button({ class: "fr-small", onclick: () => desk.act("frames.frame_switch", { of: "user", frame: number }) }, texts.goes_here));
  }
  const slots = Object.entries(frame.info).flatMap(([slot, values]) => values.map((each) => makeSlot(slot, each, changed.has(slot), () => mend(number, slot))));
  const more = button({ class: "fr-small", "aria-label": fill(texts.add_slot_label, { n: number }), onclick: () => mend(number, null) }, texts.add_slot);
  return make("article", { class: active ? "fr-frame fr-is-active" : "fr-frame", "data-frame": String(number) },
    head, make("div", { class: "fr-tags" }, ...slots, more), ...makeQuestions(frame, desk), ...makeFacts(frame, game, desk));
}

function makeSlot(slot, held, isNew, mend) {
  const parts = [make("span", { class: "fr-key" }, nameSlot(slot)), " "];
  if (held.negated) parts.push(make("span", { class: "fr-not" }, texts.not), " ");
  return button({ class: isNew ? "fr-slot fr-new" : "fr-slot", onclick: mend }, ...parts, showValue(held.val));
}

// Open questions, each with a button that closes it.
function makeQuestions(frame, desk) {
  const asked = [
    ...frame.requests.map((each) => ({ kind: "request", by: each.author, keys: [each.key] })),
    ...frame.binary_questions.map((each) => ({ kind: "binary", by: each.author, keys: [each.key], value: each.value })),
    ...frame.compare_requests.map((each) => ({ kind: "compare", by: "user", keys: each.keys })),
  ];
  if (!asked.length) return [];
  return [make("div", { class: "fr-tags" }, ...asked.map((each) => {
    const tag = make("span", { class: "fr-tag fr-asked" }, fill(texts[`asked_${each.by}`], { what: "" }).trim(), " ", ...each.keys.map((key) => showSlot(key, Array.isArray(each.value) ? null : each.value)));
    const close = button({ class: "fr-back quiet", "aria-label": fill(texts.close_question, { what: each.keys.map(nameSlot).join(", ") }), onclick: () => {
      desk.act("frames.question", { of: desk.whose, frame: frame.frame_id, ...each, open: false });
    } }, own("×", { "aria-hidden": "true" }));
    tag.append(close);
    return tag;
  }))];
}

// What the list says of a package that was offered and is not in the frame: a click tells it.
function makeFacts(frame, game, desk) {
  const offer = game.offers[frame.frame_id];
  if (!offer || game.phase !== "chat") return [];
  const said = game.searches[offer.search - 1].said[offer.row - 1];
  const untold = Object.entries(said).filter(([slot]) => !(slot in frame.info));
  if (!untold.length) return [];
  return [make("details", { class: "fr-facts" }, make("summary", {}, texts.facts), make("div", { class: "fr-tags" }, ...untold.map(([slot, value]) => button({
    class: "fr-toggle", onclick: () => tell(frame, slot, value, said, game, desk),
  }, ...showSlot(slot, value).childNodes))))];
}

function tell(frame, slot, value, said, game, desk) {
  const fact = { key: slot, val: value };
  const named = [{ frame: frame.frame_id, annotations: [{ key: "name", val: said.name }, fact], fromrange: false }];
  const args = frame.frame_id === game.active ? [fact] : [{ key: "read", val: named }];
  const payload = { of: "wizard", name: "inform", args };
  desk.say("frames.act", payload, findWords(payload));
}

// The dialog in which all values of a slot can be changed.
function openMending(desk) {
  const dialog = element("fr-mend");
  const form = element("fr-mend-form");
  const which = form.elements.slot;
  let frame = null;
  const all = Object.keys(texts).filter((key) => key.startsWith("slot.")).map((key) => key.slice(5));
  which.append(...all.map((each) => make("option", { value: each }, nameSlot(each))));
  which.addEventListener("change", drawValues);
  element("fr-mend-close").onclick = () => dialog.close();
  element("fr-mend-remove").onclick = () => send([]);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send(readValues());
  });

  function drawValues() {
    const slot = which.value;
    fillValues(MARK.test(slot) || desk.isFlag(slot), desk.game.frames[frame - 1].info[slot]);
  }

  function send(values) {
    desk.act("frames.slot", { of: desk.whose, frame, slot: which.value, values });
    dialog.close();
  }

  return (number, slot) => {
    frame = number;
    which.value = slot || all[0];
    element("fr-mend-which").hidden = slot !== null;
    element("fr-mend-remove").hidden = slot === null;
    element("fr-mend-title").textContent = fill(texts[slot === null ? "mend_new" : "mend"], { n: number, slot: nameSlot(slot || "") });
    drawValues();
    dialog.showModal();
  };
}

function fillValues(isFlag, held) {
  const values = isFlag ? held || [{ val: true, negated: false }] : [...(held || []), { val: "", negated: false }];
  element("fr-mend-values").replaceChildren(...values.map((each, at) => makeValue(isFlag, each, at)));
}

function makeValue(isFlag, held, at) {
  const label = fill(texts.value, { n: at + 1 });
  const field = isFlag
    ? make("select", { "aria-label": label, name: "value" }, make("option", { value: "true" }, texts.yes), make("option", { value: "false" }, texts.no))
    : make("input", { type: "text", "aria-label": label, name: "value", "data-own": "" });
  field.value = String(held.val);
  const not = make("input", { type: "checkbox", name: "negated" });
  not.checked = held.negated;
  return make("div", { class: "fr-value" }, field, make("label", { class: "check" }, not, make("span", {}, texts.not)));
}

function readValues() {
  return [...element("fr-mend-values").children].flatMap((row) => {
    const field = row.querySelector("[name=value]");
    const negated = row.querySelector("[name=negated]").checked;
    if (field instanceof HTMLSelectElement) return [{ val: field.value === "true", negated }];
    const val = field.value.trim();
    return val ? [{ val, negated }] : [];
  });
}
