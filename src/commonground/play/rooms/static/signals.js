// What browsers tell of how a text came about and of what is seen of a page: recorded and
// reported, never acted upon. Numbers, and names of pictures; what was written or pasted is not in it.
import { pictures } from "/static/line.js";

const FEWEST_GAPS = 3;
const SCROLL_ENDS_MS = 500;
const STILL_PX = 4;

export function watch(line) {
  const signal = (kind, data) => line.tell("signal", { kind, data });
  watchWriting(signal);
  watchAttention(signal);
  watchScrolling(signal);
  watchPictures(line, signal);
}

function isText(element) {
  return element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && element.type === "text");
}

function watchWriting(signal) {
  let keys = [];
  document.addEventListener("paste", (event) => {
    if (!isText(event.target)) return;
    signal("paste", { characters: event.clipboardData ? event.clipboardData.getData("text").length : 0 });
  });
  document.addEventListener("keydown", (event) => {
    if (isText(event.target)) keys.push(performance.now());
  });
  document.addEventListener("submit", () => {
    const gaps = keys.slice(1).map((at, number) => at - keys[number]).sort((one, other) => one - other);
    if (gaps.length >= FEWEST_GAPS) {
      signal("rhythm", { keys: keys.length, median_gap_ms: Math.round(gaps[Math.floor(gaps.length / 2)]) });
    }
    keys = [];
  }, true);
}

// Another tab, another window, another program: both the tab and the window are asked, since a
// window that lies beside another one stays visible.
function watchAttention(signal) {
  let left = null;
  const look = () => {
    const away = document.hidden || !document.hasFocus();
    if (away && left === null) {
      left = performance.now();
      signal("blur", { hidden: document.hidden ? 1 : 0 });
    } else if (!away && left !== null) {
      signal("focus", { away_ms: Math.round(performance.now() - left) });
      left = null;
    }
  };
  // The focus is somewhere else only after the event.
  const later = () => setTimeout(look);
  document.addEventListener("visibilitychange", later);
  window.addEventListener("blur", later);
  window.addEventListener("focus", later);
}

function watchScrolling(signal) {
  const known = new Map();
  const waiting = new Map();
  const tell = (box, chat) => {
    waiting.delete(box);
    // In the chat it is the end that counts, which moves away with each message.
    const rest = box.scrollHeight - box.scrollTop - box.clientHeight;
    const place = Math.round(chat ? rest : box.scrollTop);
    if (Math.abs(place - (known.get(box) || 0)) < STILL_PX) return;
    known.set(box, place);
    signal("scroll", {
      chat: chat ? 1 : 0, [chat ? "from_end_px" : "top_px"]: place,
      view_px: box.clientHeight, whole_px: box.scrollHeight,
    });
  };
  document.addEventListener("scroll", (event) => {
    const box = event.target === document ? document.scrollingElement : event.target;
    if (box.closest("dialog")) return;
    clearTimeout(waiting.get(box));
    waiting.set(box, setTimeout(() => tell(box, box.id === "messages"), SCROLL_ENDS_MS));
  }, true);
}

// Tells which picture of the study could not be drawn, once for each page of the game, so that the
// researcher hears of it.
function watchPictures(line, signal) {
  const told = new Set();
  // Errors of pictures do not bubble; they are heard on their way down.
  document.addEventListener("error", (event) => {
    if (!(event.target instanceof HTMLImageElement) || !line.view) return;
    const { pathname } = new URL(event.target.src);
    const key = `${line.view.game.round} ${pathname}`;
    if (!pathname.startsWith(pictures) || told.has(key)) return;
    told.add(key);
    signal("undrawn", { picture: pathname.slice(pictures.length).split("/").map(decodeURIComponent).join("/") });
  }, true);
}

// Tells when the pictures that a part of the page has now are really to be seen. Where others
// take their place before, nothing is told.
export function tellDrawn(line, part) {
  const pictures = [...part.querySelectorAll("img")];
  const round = line.view.game.round;
  const began = performance.now();
  Promise.all(pictures.map((each) => each.decode())).then(() => {
    if (!pictures.every((each) => each.isConnected)) return;
    line.tell("signal", { kind: "drawn", data: { round, pictures: pictures.length, after_ms: Math.round(performance.now() - began) } });
  }, () => {});
}
