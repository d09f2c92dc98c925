// The researcher's page: asks every second how the study stands, and shows problems first.
import { ago, fill, keepOwn, make, order, sayLost, texts } from "/static/researcher.js";

const RENEW_MS = 1000;
let data = JSON.parse(document.getElementById("data").textContent);

function draw() {
  const now = data.now_us;
  for (const name of ["stuck", "unfinished"]) {
    const note = document.getElementById(name);
    note.hidden = !data[name];
    note.textContent = data[name] ? fill(texts[name], { why: data[name] }) : "";
  }
  drawUndrawn();
  document.getElementById("close").hidden = data.closed;
  for (const id of ["open", "closed"]) document.getElementById(id).hidden = !data.closed;
  const stages = data.stages;
  const figures = [
    [texts.completed, data.wanted ? fill(texts.of, { n: data.completed, wanted: data.wanted }) : data.completed],
    [texts.under_way, data.sessions.length],
    [texts.waiting, data.waiting.length],
    [texts.reading, (stages.arrived || 0) + (stages.consented || 0) + (stages.instructed || 0)],
    ...Object.entries(data.exits).filter(([name]) => name !== "completed").map(([name, count]) => [texts[`exit.${name}`], count]),
    ...(data.watch ? [[texts[`watched.${data.watch.measure}`], writeWatch(data.watch)]] : []),
    ...(data.models ? [[texts.model_cost, writeCost(data.models)]] : []),
    ...Object.entries(data.measures).map(([name, value]) => [texts[`measures.${name}`] || name, write(value)]),
  ];
  document.getElementById("figures").replaceChildren(
    ...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
  drawGames();
  document.getElementById("groups-section").hidden = data.quotas.length === 0;
  document.getElementById("groups").replaceChildren(...data.quotas.map(makeQuota));
  const conditions = data.models ? data.models.conditions : [];
  document.getElementById("conditions-section").hidden = conditions.length === 0;
  document.getElementById("conditions").replaceChildren(...conditions.map(makeCondition));
  fillList("waiting", data.waiting.map((each) => makeWaiting(each, now)), "waiting");
  fillList("out", data.out.map((each) => makeLeaver(each, now)), "out-table");
}

// Shown again only when it says something new: an alert is read out each time.
function drawUndrawn() {
  const { undrawn } = data;
  const note = document.getElementById("undrawn");
  note.hidden = !undrawn;
  if (!undrawn || note.dataset.reports === String(undrawn.reports)) return;
  note.dataset.reports = undrawn.reports;
  const names = undrawn.pictures.flatMap((name, number) => [number ? ", " : " ", keepOwn(name)]);
  const time = new Date(undrawn.last_us / 1000).toLocaleTimeString(document.documentElement.lang);
  note.replaceChildren(fill(texts.undrawn, { n: undrawn.reports, time }), ...names);
}

function write(value) {
  if (value === null) return texts.unmeasured;
  return Number.isInteger(value) ? value : value.toFixed(2);
}

// An estimate with its bounds, and whether they are as near as the study wants them.
function writeWatch({ estimate, target, reached }) {
  if (!estimate) return texts.unmeasured;
  const places = target < 0.5 ? 3 : 1;
  const [value, low, high] = ["value", "low", "high"].map((name) => estimate[name].toFixed(places));
  const state = fill(texts[reached ? "watched.reached" : "watched.open"], { target });
  const said = fill(texts["watched.bounds"], { low, high, n: estimate.n });
  return make("span", {}, value, make("small", { class: "soft bounds" }, said), make("small", { class: reached ? "good" : "soft" }, state));
}

function writeCost(models) {
  const spent = models.spent.toFixed(2);
  return models.limit === null ? spent : fill(texts.of, { n: spent, wanted: models.limit });
}

// Shows what there is in a list, or that there is nothing.
function fillList(id, items, box) {
  document.getElementById(id).replaceChildren(...items);
  showList(id, items.length, box);
}

function showList(id, length, box) {
  document.getElementById(box).hidden = length === 0;
  document.getElementById(`no-${id}`).hidden = length > 0;
}

// Of a thousand games, only those that somebody sees are drawn anew each second.
const games = new Map();
const seen = new Set();
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) seen.add(target);
    else seen.delete(target);
  }
  drawGames();
});

function drawGames() {
  const body = document.getElementById("sessions");
  const present = new Set(data.sessions.map((each) => each.session));
  for (const [name, row] of games) {
    if (present.has(name)) continue;
    sight.unobserve(row);
    seen.delete(row);
    games.delete(name);
    row.remove();
  }
  let at = body.firstElementChild;
  for (const session of data.sessions) {
    const isNew = !games.has(session.session);
    if (isNew) games.set(session.session, make("tr", {}));
    const row = games.get(session.session);
    if (isNew || seen.has(row)) fillGame(row, session, data.now_us);
    if (row === at) at = at.nextElementSibling;
    else body.insertBefore(row, at);
    if (isNew) sight.observe(row);
  }
  showList("sessions", data.sessions.length, "sessions-table");
}

function makeCondition(condition) {
  const players = condition.name === "people" ? texts.people_only : keepOwn(condition.name);
  return make("tr", {}, make("td", {}, players), number(condition.completed), number(condition.under_way));
}

function number(value) {
  return make("td", { class: "number" }, value);
}

function makeQuota(quota) {
  const state = quota.full ? "full" : "open";
  return make(
    "tr", {}, make("td", {}, quota.role === null ? texts.all : fill(texts.role, { role: quota.role })),
    number(quota.completed), number(quota.wanted === null ? texts.unlimited : quota.wanted),
    number(quota.under_way), number(quota.waiting), make("td", {}, make("span", { class: `badge ${state}` }, texts[state])),
  );
}

function makeWaiting(person, now) {
  const seen = person.connected ? fill(texts.seen, { time: ago(person.seen_us, now) }) : sayLost(person.seen_us, now);
  return make(
    "li", {}, make("b", {}, keepOwn(`#${person.number}`)), " ", fill(texts.since, { time: ago(person.since_us, now) }), " ",
    ...(person.role ? [make("span", { class: "badge" }, fill(texts.role, { role: person.role })), " "] : []),
    ...(data.languages.length > 1 ? [make("span", { class: "badge" }, keepOwn(person.language)), " "] : []),
    make("span", { class: person.connected ? "good" : "bad" }, seen),
  );
}

function makeLeaver(person, now) {
  const why = person.quota ? [" ", make("span", { class: "soft small" }, texts[`quota.${person.quota}`])] : [];
  return make(
    "tr", {}, make("td", {}, keepOwn(`#${person.number}`)), make("td", {}, texts[`exit.${person.exit}`], ...why),
    number(person.sessions), make("td", {}, keepOwn(person.platform)), number(ago(person.since_us, now)),
    make("td", {}, makeEraser(person)),
  );
}

function makeEraser(person) {
  const name = { n: `#${person.number}` };
  const button = make("button", { type: "button", class: "quiet", "aria-label": fill(texts.erase_label, name) }, texts.erase);
  button.onclick = async () => {
    if (confirm(fill(texts.erase_sure, name)) && await order("erase", { participant: person.participant })) draw();
  };
  return button;
}

function fillGame(row, session, now) {
  const badges = session.problems.map((each) => make("span", { class: `badge ${each}` }, texts[`state.${each}`]));
  const players = Object.entries(session.seats).map(([role, seat]) => make(
    "span", { class: "player" }, make("b", {}, keepOwn(role)), " ",
    ...(seat.model ? [keepOwn(seat.model), " "] : []),
    seat.typing ? texts.typing : seat.connected ? ago(seat.seen_us, now) : sayLost(seat.seen_us, now), " ",
  ));
  const signals = Object.entries(session.signals).filter(([kind]) => texts[`signal.${kind}`]);
  players.push(...signals.map(([kind, count]) => make("span", { class: "soft small player" }, fill(texts[`signal.${kind}`], { n: count }))));
  const phase = texts[`phase.${session.phase}`] || session.phase;
  const place = session.round === null ? phase : fill(texts.page, { n: session.round, phase });
  const watch = { href: `/watch/${session.session}` };
  row.className = session.problems.length ? "problem" : "";
  row.replaceChildren(
    make("td", {}, make("a", watch, keepOwn(session.session))), make("td", {}, ...badges), make("td", {}, place),
    make("td", {}, ...players), number(session.messages), number(ago(session.created_us, now)), number(ago(session.last_us, now)),
    make("td", {}, make("a", { class: "button", ...watch }, texts.watch)),
  );
}

for (const id of ["close", "open"]) {
  document.getElementById(id).onclick = () => {
    if (id === "open" || confirm(texts.close_sure)) order(id, {});
  };
}

async function renew() {
  try {
    const answer = await fetch("/data.json");
    if (!answer.ok) throw new Error(String(answer.status));
    data = await answer.json();
    document.getElementById("state").textContent = texts.live;
    // A page that is used by keyboard keeps its focus: a link that has it is not replaced.
    if (!document.activeElement || !document.activeElement.closest("tbody")) draw();
  } catch {
    document.getElementById("state").textContent = texts.no_answer;
  }
  setTimeout(renew, RENEW_MS);
}

draw();
setTimeout(renew, RENEW_MS);
