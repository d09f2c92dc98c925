// A game as it is played, from every seat, to look at only.
import { ago, fill, keepOwn, make, order, sayLost, texts } from "/static/researcher.js";
import { drawSeat } from "/static/seat.js";

const RENEW_MS = 700;
const sid = document.getElementById("main").dataset.session;
let data = JSON.parse(document.getElementById("data").textContent);

function draw() {
  const roles = Object.keys(data.views).sort();
  document.getElementById("seats").replaceChildren(...roles.map((role) => makeSeat(role, data.views[role])));
  drawTalk(roles);
  const paused = data.problems.includes("paused");
  document.querySelector('[data-order="pause"]').hidden = paused;
  document.querySelector('[data-order="resume"]').hidden = !paused;
  const chooser = document.querySelector("select[name=role]");
  // Once: a list that is filled again would lose the choice.
  if (chooser.options.length === 1) chooser.append(...roles.map((role) => make("option", { value: role, "data-own": "" }, role)));
}

function drawTalk(roles) {
  const said = [
    ...data.views[roles[0]].game.chat,
    ...roles.flatMap((role) => data.views[role].notices.map((each) => ({ ...each, role: null, to: role }))),
  ].sort((one, other) => one.at_us - other.at_us);
  const box = document.getElementById("talk-box");
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  document.getElementById("talk").replaceChildren(...said.map((each) => make(
    "li", { class: each.role || "you-all" },
    make("b", {}, each.role ? keepOwn(each.role) : fill(texts.you_to, { role: each.to })), " ", keepOwn(each.text), " ",
    make("span", { class: "soft small" }, fill(texts.ago, { time: ago(each.at_us, data.now_us) })),
  )));
  if (atEnd) box.scrollTop = box.scrollHeight;
}

function makeSeat(role, view) {
  const game = view.game;
  const seat = data.seats[role];
  const state = seat.absent ? "absent" : seat.typing ? "typing" : view.nudged ? "silent" : "here";
  const lost = seat.absent_us ? [make("span", {}, sayLost(seat.absent_us, data.now_us))] : [];
  const phase = texts[`phase.${game.phase}`] || game.phase;
  // What is so of the player now, as far as the scenario's texts have words for it.
  const facts = Object.entries(game).flatMap(([name, value]) => {
    const text = texts[`fact.${name}`];
    return !text || value === null || value === false ? [] : [fill(text, { n: value })];
  });
  const place = game.round === null ? phase : fill(texts.page, { n: game.round, phase });
  return make("section", { class: "seat card", "aria-label": fill(texts.player, { role }) },
    make("h2", {}, make("span", {}, fill(texts.player, { role })), " ", make("span", { class: `badge ${state}` }, texts[`state.${state}`])),
    make("p", { class: "soft small facts-line" }, ...[place, ...facts].map((each) => make("span", {}, each)), ...lost),
    ...drawSeat(game, (name) => `/picture/${name.split("/").map(encodeURIComponent).join("/")}`));
}

async function renew() {
  try {
    const answer = await fetch(`/watch/${sid}/data.json`);
    const said = await answer.json();
    if (said.over) {
      sayOver();
      return;
    }
    data = said;
    draw();
  } catch {
    document.getElementById("state").textContent = texts.no_answer;
  }
  setTimeout(renew, RENEW_MS);
}

for (const button of document.querySelectorAll("[data-order]")) {
  button.onclick = () => {
    const what = button.dataset.order;
    if (what !== "end" || confirm(texts.end_sure)) order(what, { session: sid });
  };
}
document.getElementById("tell").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const role = form.elements.role.value;
  const text = form.elements.text.value;
  if (await order("message", { session: sid, text, roles: role ? [role] : [] })) form.elements.text.value = "";
});
function sayOver() {
  document.getElementById("state").textContent = texts.over;
  document.querySelector(".orders").hidden = true;
}

draw();
if (data.over) sayOver();
else setTimeout(renew, RENEW_MS);
