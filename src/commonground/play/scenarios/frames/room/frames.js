// The frames: what each holds, which one is active, what is new; every slot can be mended.
import { LABELS, button, element, fill, listSlots, make, nameSlot, own, renew, showSlot, showValue, texts } from "/static/parts.js";
import { compare } from "/static/composer.js";

const MARK = /^[A-Z_]+$/;
// What is compared, by the user's words.
const COMPARED = [
  ["price", /cheap|price|cost|expensive|how much/i],
  ["category", /\bstars?\b/i],
  ["gst_rating", /rat(ed|ing)|review|guests/i],
  ["duration", /\blong(er)?\b|\bshort(er)?\b|\bdays\b/i],
  ["seat", /\bclass\b|\bseats?\b|business|economy/i],
];

export function openFrames(desk) {
  const mend = openMending(desk);
  const shown = { picked: null, heard: null, open: new Set() };
  const part = {
    draw(game) {
      if (shown.heard !== game.heard) shown.picked = null;
      shown.heard = game.heard;
      const noting = desk.whose === "user";
      const order = [...game.frames].sort((one, other) => (other.frame_id === game.active) - (one.frame_id === game.active) || other.frame_id - one.frame_id);
      const state = [game.frames, game.active, game.changed, game.offers, noting, game.opened, game.phase, shown.picked];
      renew(element("fr-frames"), state, () => order.map((frame) => makeCard(frame, game, desk, mend, shown)));
    },
  };
  return part;
}

// A frame is picked by one click, and compared with another by a second.
function makeComparison(number, game, desk, shown) {
  return button({ class: "fr-small", "aria-pressed": String(shown.picked === number), onclick: () => {
    const before = shown.picked;
    shown.picked = before === null ? number : null;
    if (before !== null && before !== number) {
      const asked = COMPARED.filter(([, pattern]) => pattern.test(game.heard)).map(([key]) => ({ key }));
      const gesture = compare([before, number], asked, game);
      desk.act(gesture.type, gesture.payload);
    }
    desk.redraw();
  } }, texts[shown.picked === null || shown.picked === number ? "compare" : "compare_with"]);
}

function makeCard(frame, game, desk, mend, shown) {
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
  if (game.offers[number] && desk.whose === "user" && Object.keys(game.offers).length > 1) head.append(makeComparison(number, game, desk, shown));
  const slots = Object.entries(frame.info).flatMap(([slot, values]) => values.map((each) => makeSlot(slot, each, changed.has(slot), () => mend(number, slot))));
  const more = button({ class: "fr-small", "aria-label": fill(texts.add_slot_label, { n: number }), onclick: () => mend(number, null) }, texts.add_slot);
  return make("article", { class: active ? "fr-frame fr-is-active" : "fr-frame", "data-frame": String(number) },
    head, make("div", { class: "fr-tags" }, ...slots, more), ...makeQuestions(frame, desk), ...makeFacts(frame, game, desk, shown.open));
}

function makeSlot(slot, held, isNew, mend) {
  const parts = [make("span", { class: "fr-key" }, nameSlot(slot)), " "];
  if (held.negated) parts.unshift(make("span", { class: "fr-not" }, texts.not), " ");
  const plain = held.val === true || LABELS.has(slot);
  return button({ class: isNew ? "fr-slot fr-new" : "fr-slot", onclick: mend }, ...parts, ...(plain ? [] : [showValue(held.val)]));
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
function makeFacts(frame, game, desk, open) {
  const offer = game.offers[frame.frame_id];
  if (!offer || game.phase !== "chat") return [];
  const said = game.searches[offer.search - 1].said[offer.row - 1];
  const untold = Object.entries(said).filter(([slot]) => !(slot in frame.info));
  if (!untold.length) return [];
  const details = make("details", { class: "fr-facts" }, make("summary", {}, texts.facts), make("div", { class: "fr-tags" }, ...untold.map(([slot, value]) => button({
    class: "fr-toggle", onclick: () => tell(frame, slot, value, said, game, desk),
  }, ...showSlot(slot, value).childNodes))));
  details.open = open.has(frame.frame_id);
  details.addEventListener("toggle", () => (details.open ? open.add(frame.frame_id) : open.delete(frame.frame_id)));
  return [details];
}

function tell(frame, slot, value, said, game, desk) {
  const fact = { key: slot, val: value };
  const named = [{ frame: frame.frame_id, annotations: [{ key: "name", val: said.name }, fact], fromrange: false }];
  desk.tell(frame.frame_id === game.active ? [fact] : [{ key: "read", val: named }]);
}

// The dialog in which all values of a slot can be changed.
function openMending(desk) {
  const dialog = element("fr-mend");
  const form = element("fr-mend-form");
  const which = form.elements.slot;
  let frame = null;
  const marks = Object.keys(texts).map((key) => key.replace("slot.", "")).filter((key) => MARK.test(key));
  const rare = ["intent", "action", ...marks].map((each) => make("option", { value: each }, nameSlot(each)));
  which.append(...listSlots(), make("optgroup", { label: texts["group.marks"] }, ...rare));
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
    which.value = slot || "dst_city";
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
