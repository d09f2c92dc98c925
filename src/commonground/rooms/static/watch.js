// A game as it is played, from every seat, to look at only.
import { ago, make, order } from "/static/monitor.js";

const RENEW_MS = 700;
const sid = document.getElementById("main").dataset.session;
let data = JSON.parse(document.getElementById("data").textContent);

function draw() {
  const roles = Object.keys(data.views).sort();
  document.getElementById("seats").replaceChildren(...roles.map((role) => makeSeat(role, data.views[role])));
  const first = data.views[roles[0]];
  const said = [
    ...first.game.chat,
    ...roles.flatMap((role) => data.views[role].notices.map((each) => ({ ...each, role: null, to: role }))),
  ].sort((one, other) => one.at_us - other.at_us);
  const talk = document.getElementById("talk");
  const box = document.getElementById("talk-box");
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  talk.replaceChildren(...said.map((each) => make(
    "li", { class: each.role || "you-all" },
    make("b", {}, each.role || `You to ${each.to}`), " ", make("span", {}, each.text),
    make("span", { class: "soft small" }, ` ${ago(each.at_us, data.now_us)} ago`),
  )));
  if (atEnd) box.scrollTop = box.scrollHeight;
  const paused = data.problems.includes("paused");
  document.querySelector('[data-order="pause"]').hidden = paused;
  document.querySelector('[data-order="resume"]').hidden = !paused;
  const chooser = document.querySelector("select[name=role]");
  if (chooser.options.length === 1) chooser.append(...roles.map((role) => make("option", { value: role }, role)));
}

function makeSeat(role, view) {
  const game = view.game;
  const seat = data.seats[role];
  const state = seat.absent ? "absent" : seat.typing ? "typing" : view.nudged ? "silent" : "here";
  // What is so of the player now; what is not need not be said.
  const parts = Object.entries(game).flatMap(([key, value]) =>
    value === true ? [key] : key === "score" && value !== null ? [`score ${value}`] : []);
  const card = make("section", { class: "seat card", "aria-label": `Player ${role}` },
    make("h2", {}, `Player ${role} `, make("span", { class: `badge ${state}` }, state)),
    make("p", { class: "soft small" }, [`page ${game.round}`, game.phase, ...parts].join(", ")));
  if (game.images) {
    card.append(make("div", { class: "pictures" }, ...game.images.map((image) => make(
      "figure", image.highlighted ? { class: "target" } : {},
      make("img", { src: `/picture/${image.image.split("/").map(encodeURIComponent).join("/")}`, alt: image.image }),
      make("figcaption", {}, image.highlighted ? image.mark || "not marked" : "", image.right === null ? "" : image.right ? " ✓" : " ✗"),
    ))));
  }
  return card;
}

async function renew() {
  try {
    const answer = await fetch(`/watch/${sid}/data.json`);
    const said = await answer.json();
    if (said.over) {
      document.getElementById("state").textContent = "The game is over.";
      document.querySelector(".orders").hidden = true;
      return;
    }
    data = said;
    draw();
  } catch {
    document.getElementById("state").textContent = "The server does not answer.";
  }
  setTimeout(renew, RENEW_MS);
}

for (const button of document.querySelectorAll("[data-order]")) {
  button.onclick = () => {
    const what = button.dataset.order;
    if (what !== "end" || confirm("End this game for both players?")) order(what, { session: sid });
  };
}
document.getElementById("tell").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const role = form.elements.role.value;
  const text = form.elements.text.value;
  if (await order("message", { session: sid, text, roles: role ? [role] : [] })) form.elements.text.value = "";
});
draw();
setTimeout(renew, RENEW_MS);
