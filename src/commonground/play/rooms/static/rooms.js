// What all games share: the chat, where there is one, and what is said of the partner and of the
// line. A game's own script, room.js, draws the rest.
import { Line, fill, keep, offerReturn, pictures, readKept, sessions, show, texts } from "/static/line.js";
import { tellDrawn, watch } from "/static/signals.js";

export { fill, pictures, sessions, show, texts };
const TYPING_ENDS_MS = 4000;
const REFUSAL_MS = 6000;
const pageTitle = document.title;
let superseded = false;
const hasChat = document.getElementById("write") !== null;

// Begins; draw(view, refusal, act) is called with each new view, and when an act is answered; a
// draw that returns true has said itself why an act was refused. Returns act(type, payload, back).
export function begin(draw) {
  const line = new Line(["playing"], {
    shown(view) {
      showRoom(line);
      showTalk(line);
      line.ready?.();
      draw(view, null, null);
      tellPictures(line);
    },
    state(name) {
      document.body.classList.toggle("still", name !== "open");
      show("banner", name === "open" ? "" : texts[name]);
      superseded = name === "superseded";
      if (superseded) offerReturn();
    },
    warned(code) { complain(texts[code]); },
    answered(id, act, refusal) {
      if (refusal && act.type === "chat.message") putBack(act.payload.text);
      showTalk(line);
      if (draw(line.view, refusal, act) !== true && refusal) complain(explain(refusal));
    },
  });
  if (hasChat) writeTo(line);
  else tellTyping(line, document.getElementById("main"));
  watch(line);
  const zoom = document.getElementById("zoom");
  zoom.onclick = () => zoom.close();
  for (const name of ["rules", "leave"]) {
    document.getElementById(`${name}-open`).onclick = () => document.getElementById(name).showModal();
  }
  return (type, payload, back) => line.act(type, payload, back);
}

// Says in words why an act was refused.
export function explain(refusal) {
  return fill(texts[`reject.${refusal.code}`] || texts["reject.unknown"], refusal.parameters || {});
}

function showRoom(line) {
  const view = line.view;
  show("banner", view.paused ? texts.paused : view.started ? "" : texts.not_started);
  const since = view.partner_absent_us ? line.timeOf(view.partner_absent_us) : "";
  const absent = since ? fill(texts.partner_absent_since, { time: since }) : texts.partner_absent;
  show("partner-state", view.partner_absent ? absent : view.partner_silent ? texts.partner_silent : "");
  show("nudge", view.nudged ? texts.nudged : "");
  document.getElementById("end-offer").hidden = !view.may_end;
}

// A click on a picture that can be enlarged shows it as large as the window allows.
export function offerZoom(picture) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "zoom";
  button.append(picture);
  const name = makeSpan("hidden", texts.zoom);
  button.append(name);
  button.onclick = () => {
    const box = document.getElementById("zoom");
    const large = box.querySelector("img");
    large.src = picture.src;
    large.alt = picture.alt;
    box.showModal();
  };
  return button;
}

// Tells once for each set of pictures that they are to be seen.
let drawn = null;
function tellPictures(line) {
  const board = document.getElementById("main");
  const names = [...board.querySelectorAll("img")].map((each) => each.src).join(" ");
  if (names === drawn) return;
  drawn = names;
  tellDrawn(line, board);
}

let complaining = null;
function complain(text) {
  show("refusal", text);
  clearTimeout(complaining);
  complaining = setTimeout(() => show("refusal", ""), REFUSAL_MS);
}

// The chat. Where there is none, the researcher's last message stands above the game.

function showTalk(line) {
  const view = line.view;
  if (!hasChat) {
    showNotice(view.notices[view.notices.length - 1]);
    return;
  }
  document.getElementById("typing").textContent = view.partner_typing ? texts.partner_typing : "";
  // Where people take turns, a text can be written before it can be sent.
  document.querySelector("#write button").disabled = !view.allowed.includes("chat.message");
  showChat(line);
}

function showNotice(notice) {
  const box = document.getElementById("notice");
  box.hidden = !notice;
  // Once: what is put in again is read out again.
  if (!notice || box.dataset.at === String(notice.at_us)) return;
  box.dataset.at = notice.at_us;
  box.replaceChildren(texts.researcher, ": ", makeOwn("", notice.text));
}

function listMessages(line) {
  const view = line.view;
  const said = view.game.chat.map((each) => ({
    who: each.role === view.role ? "you" : each.role === null ? "researcher" : "partner",
    text: each.text, at: each.at_us, key: String(each.at_us),
  }));
  for (const notice of view.notices) {
    said.push({ who: "researcher", text: notice.text, at: notice.at_us, key: `n${notice.at_us}` });
  }
  said.sort((one, other) => one.at - other.at);
  for (const [id, act] of line.pending) {
    if (act.type === "chat.message") said.push({ who: "you", text: act.payload.text, key: id, sending: true });
  }
  return said;
}

function showChat(line) {
  const said = listMessages(line);
  const list = document.getElementById("message-list");
  const box = document.getElementById("messages");
  // Who has scrolled up to read is left there.
  const atEnd = isAtEnd(box);
  const known = new Map([...list.children].map((item) => [item.dataset.key, item]));
  said.forEach((each, number) => {
    const item = known.get(each.key) || makeMessage(each);
    known.delete(each.key);
    item.classList.toggle("follows", number > 0 && said[number - 1].who === each.who);
    if (list.children[number] !== item) list.insertBefore(item, list.children[number] || null);
  });
  for (const gone of known.values()) gone.remove();
  document.getElementById("chat-empty").hidden = said.length > 0;
  if (atEnd || (said.length && said[said.length - 1].sending)) box.scrollTop = box.scrollHeight;
  countNew(said, atEnd);
}

// A line or two from the end counts as the end.
function isAtEnd(box) { return box.scrollHeight - box.scrollTop - box.clientHeight < 60; }

// What came and was not seen: below, where somebody has scrolled up, and while the page is hidden.

let heard = null;
let below = 0;
let unread = 0;

function countNew(said, atEnd) {
  const others = said.filter((each) => each.who !== "you").length;
  const fresh = heard === null ? 0 : Math.max(0, others - heard);
  heard = others;
  if (atEnd) below = 0;
  else below += fresh;
  if (document.hidden) unread += fresh;
  tellNew();
}

function tellNew() {
  show("new-below", below ? fill(texts.new_below, { n: below }) : "");
  document.title = unread ? `(${unread}) ${pageTitle}` : pageTitle;
}

function followReading() {
  const box = document.getElementById("messages");
  // A box that gets smaller, by pictures above it or the keyboard of a phone, leaves the end in sight.
  let atEnd = true;
  let height = 0;
  new ResizeObserver(() => {
    height = box.clientHeight;
    if (atEnd) box.scrollTop = box.scrollHeight;
  }).observe(box);
  box.addEventListener("scroll", () => {
    if (box.clientHeight !== height) return;
    atEnd = isAtEnd(box);
    if (!below || !atEnd) return;
    below = 0;
    tellNew();
  });
  document.getElementById("new-below").onclick = () => {
    box.scrollTop = box.scrollHeight;
    box.focus();
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    unread = 0;
    tellNew();
  });
}

function makeMessage(message) {
  const item = document.createElement("li");
  item.dataset.key = message.key;
  item.className = message.who;
  item.append(makeSpan("who", texts[message.who]));
  item.append(makeOwn("text", message.text));
  if (message.sending) item.append(makeSpan("sending small soft", texts.sending));
  return item;
}

// Text of a person, which is in no catalogue and may be of any script.
function makeOwn(name, text) {
  const span = makeSpan(name, text);
  span.dataset.own = "";
  span.dir = "auto";
  return span;
}

function makeSpan(name, text) {
  const span = document.createElement("span");
  span.className = name;
  span.textContent = text;
  return span;
}

// Tells when somebody types in a part of the page, and has not for a while. Returns what to call
// when an act itself ends the typing.
function tellTyping(line, part) {
  let typing = null;
  const rest = () => {
    line.tell("typing", { on: false });
    typing = null;
  };
  part.addEventListener("input", () => {
    if (typing === null) line.tell("typing", { on: true });
    clearTimeout(typing);
    typing = setTimeout(rest, TYPING_ENDS_MS);
  });
  return () => {
    clearTimeout(typing);
    typing = null;
  };
}

function writeTo(line) {
  const field = document.getElementById("text");
  const left = document.getElementById("left");
  const stopTyping = tellTyping(line, field);
  const count = () => {
    const most = line.view && line.view.game.longest;
    if (!most) return;
    field.maxLength = most;
    // Spread into characters, as the server counts them; `length` counts emoji twice.
    left.textContent = texts.left_characters.replace("{n}", String(most - [...field.value].length));
  };
  const grow = () => {
    // Where browsers know it by themselves, the hint in an empty field has its lines, too.
    if (CSS.supports("field-sizing", "content")) return;
    // Else it would never be smaller than it is now.
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + field.offsetHeight - field.clientHeight}px`;
  };
  field.addEventListener("keydown", (event) => {
    // While a character is composed, as of Japanese, Enter only ends that.
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    const send = document.querySelector("#write button");
    if (send.disabled) complain(texts["reject.not_your_turn"] || texts["reject.unknown"]);
    else send.form.requestSubmit(send);
  });
  field.addEventListener("focus", count);
  field.addEventListener("input", () => {
    grow();
    count();
    keepDraft();
  });
  // What was written stays, over a reload and in the tab that takes over.
  let kept = "";
  const keepDraft = () => {
    if (!line.view || superseded) return;
    const now = readKept();
    kept = field.value;
    keep({ ...now, acts: now.number === line.view.number ? now.acts : [], number: line.view.number, draft: kept });
  };
  const takeDraft = () => {
    const { number, draft } = readKept();
    if (!line.view || number !== line.view.number || field.value !== kept || draft === kept) return;
    field.value = kept = draft;
    grow();
    count();
  };
  line.ready = takeDraft;
  addEventListener("storage", takeDraft);
  followReading();
  document.getElementById("write").addEventListener("submit", (event) => {
    event.preventDefault();
    // A message is one line; what was pasted may have several.
    const text = field.value.replace(/\s*\n\s*/g, " ").trim();
    if (!text || !line.view) return;
    if (superseded) {
      complain(texts.superseded);
      return;
    }
    stopTyping();
    line.act("chat.message", { text });
    field.value = "";
    keepDraft();
    grow();
    showChat(line);
    count();
    field.focus();
  });
}

function putBack(text) {
  const field = document.getElementById("text");
  if (!field || field.value) return;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
