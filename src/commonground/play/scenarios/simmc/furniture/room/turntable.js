// A thing that can be turned: by buttons, by dragging, and by the arrow keys.
import { make, refresh, texts } from "/static/shop.js";
import { follow, makeRoom, turnTo } from "/static/solid.js";

const RING = ["front", "right", "back", "left"];
const SIDES = [...RING, "up", "down"];
const DRAG_PX = 70;

// Returns the side that is seen after a turn to the right, left, up or down.
export function turnFrom(side, way) {
  const at = RING.indexOf(side);
  if (way === "right") return at < 0 ? "right" : RING[(at + 1) % 4];
  if (way === "left") return at < 0 ? "left" : RING[(at + 3) % 4];
  if (way === "up") return side === "down" ? "front" : "up";
  return side === "up" ? "front" : "down";
}

// Makes a turntable; turn(side) is called with each side that is asked for, look(thing) draws the
// thing. Returns its element and show(thing, refused), which draws the thing as it is turned now.
export function makeTurntable(turn, look) {
  let seen = null;
  // The side that was asked for and is not seen yet: keys may come faster than answers.
  let wanted = null;
  const now = () => wanted || seen.side;
  const ask = (next) => {
    if (next !== now()) turn(wanted = next);
  };
  const box = make("div", { class: "fu-turn", tabindex: "0", role: "group", "data-key": "turn", "aria-label": texts["turn_label"] });
  const says = make("p", { class: "small soft", "aria-live": "polite" });
  const buttons = SIDES.map((each) => makeButton(each, ask));
  box.addEventListener("keydown", (event) => {
    const way = { ArrowRight: "right", ArrowLeft: "left", ArrowUp: "up", ArrowDown: "down" }[event.key];
    if (!way) return;
    event.preventDefault();
    ask(turnFrom(now(), way));
  });
  const room = () => box.querySelector(".fu-room");
  const release = () => { if (room()) turnTo(room(), seen.side); };
  dragBy(box, (way) => ask(turnFrom(now(), way)), (x, y) => { if (room()) follow(room(), x, y); }, release);
  const whole = make("div", { class: "fu-turntable" }, box, says, make("div", { class: "fu-sides", role: "group", "aria-label": texts["sides_label"] }, ...buttons));
  const show = (thing, refused) => {
    if (refused || thing.side === wanted || thing.item !== seen?.item) wanted = null;
    seen = thing;
    // What has no picture is a solid, which turns; of what has one, another picture is shown.
    if (thing.picture) refresh(box, [thing.item, thing.side], () => look(thing));
    else refresh(box, [thing.item], () => makeRoom(thing));
    release();
    says.textContent = describeSide(thing);
    for (const each of buttons) each.setAttribute("aria-pressed", String(each.dataset.side === thing.side));
  };
  return { whole, show };
}

function makeButton(side, ask) {
  const button = make("button", { type: "button", "data-side": side, "data-key": `side-${side}` }, texts[`side.${side}`]);
  button.onclick = () => ask(side);
  return button;
}

// Says which side is seen, and where there is no picture of it.
export function describeSide(thing) {
  const seen = texts[`seen.${thing.side}`];
  return thing.picture && thing.shows !== thing.side ? `${seen} ${texts["seen.missing"]}` : seen;
}

// Each stretch of a drag is a turn: a thing that is pulled to the left shows its right side. Until
// then moved(x, y) is called with how far it is pulled, and released() when it is let go.
function dragBy(box, turn, moved, released) {
  let from = null;
  box.addEventListener("pointerdown", (event) => {
    from = [event.clientX, event.clientY];
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
    if (Math.max(Math.abs(x), Math.abs(y)) < DRAG_PX) return moved(x, y);
    from = [event.clientX, event.clientY];
    turn(Math.abs(x) > Math.abs(y) ? (x < 0 ? "right" : "left") : (y < 0 ? "down" : "up"));
  });
  for (const end of ["pointerup", "pointercancel"]) box.addEventListener(end, () => { from = null; released(); });
}
