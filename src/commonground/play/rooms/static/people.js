// A row for each participant: sorted and turned over by the server, acted upon by the researcher.
import { ago, fill, keepOwn, make, order, texts } from "/static/researcher.js";

const RENEW_MS = 5000;
let data = JSON.parse(document.getElementById("data").textContent);
let sort = { by: "number", down: false };

const say = (name, values = {}) => fill(texts[`people.${name}`], values);

function listColumns() {
  const judged = [...(data.has_known ? ["right"] : []), ...(data.has_kappa ? ["kappa"] : [])];
  return ["number", "state", "done", ...judged, "seconds", "pastes", "flags", "owed", "seen_us"];
}

function nameColumn(column) {
  return say(`column.${column === "seconds" && data.by_unit ? "seconds_unit" : column}`);
}

function draw() {
  const columns = listColumns();
  document.getElementById("count").textContent = say("count", { n: data.people });
  document.getElementById("page").textContent = say("page", { n: data.page + 1, pages: data.pages });
  document.getElementById("before").disabled = data.page === 0;
  document.getElementById("next").disabled = data.page + 1 >= data.pages;
  const actions = make("th", {}, make("span", { class: "hidden" }, texts.people_actions));
  document.getElementById("heads").replaceChildren(...columns.map(makeHead), actions);
  document.getElementById("rows").replaceChildren(...data.rows.map((row) => makeRow(row, columns)));
}

function makeHead(column) {
  const name = nameColumn(column);
  const isSorted = sort.by === column;
  const mark = isSorted ? (sort.down ? " ↓" : " ↑") : "";
  const button = make("button", { type: "button", class: "quiet", "aria-label": say("sort", { column: name }) }, name, make("span", { "aria-hidden": "true" }, mark));
  button.onclick = () => {
    sort = { by: column, down: isSorted ? !sort.down : false };
    turn(0);
  };
  const order = isSorted ? { "aria-sort": sort.down ? "descending" : "ascending" } : {};
  return make("th", { ...order, ...(isText(column) ? {} : { class: "number" }) }, button);
}

function isText(column) {
  return column === "number" || column === "state";
}

function makeRow(row, columns) {
  const cells = columns.map((column) => make("td", isText(column) ? {} : { class: "number" }, writeCell(row, column)));
  return make("tr", row.state ? { class: "problem" } : {}, ...cells, make("td", {}, ...makeActions(row)));
}

function writeCell(row, column) {
  if (column === "number") return keepOwn(`#${row.number}`);
  if (column === "state") return makeState(row);
  if (column === "right") return row.known ? say("known_of", row) : texts.unmeasured;
  if (column === "owed") return (row.owed + row.bonus).toFixed(2);
  if (column === "seen_us") return ago(row.seen_us, data.now_us);
  const value = row[column];
  if (value === null) return texts.unmeasured;
  return column === "kappa" ? value.toFixed(2) : column === "seconds" ? value.toFixed(1) : value;
}

function makeState(row) {
  const stage = row.exit ? texts[`exit.${row.exit}`] : say(`state.${row.stage}`);
  if (!row.state) return stage;
  const badge = make("span", { class: `badge ${row.state}` }, say(`state.${row.state}`));
  return make("span", {}, badge, stage, ...(row.reason ? [make("br", {}), keepOwn(row.reason)] : []));
}

function makeActions(row) {
  const name = { n: `#${row.number}` };
  const actions = [makeButton("look", name, () => look(row))];
  if (row.state === "review") actions.push(makeButton("clear", name, () => confirm(say("clear_sure", name)) && act("clear", row)));
  if (row.state === "excluded") actions.push(makeButton("readmit", name, () => confirm(say("readmit_sure", name)) && act("readmit", row)));
  else actions.push(makeButton("exclude", name, () => exclude(row, name)));
  actions.push(makeButton("bonus", name, () => reward(row, name)), makeButton("tell", name, () => tell(row, name)));
  return actions;
}

function makeButton(what, name, does) {
  const text = what === "bonus" ? texts.bonus : say(what);
  const label = what === "bonus" ? fill(texts.bonus_label, name) : say(`${what}_label`, name);
  const button = make("button", { type: "button", class: "quiet", "data-act": what, "aria-label": label }, text);
  button.onclick = does;
  return button;
}

async function act(what, row, more = {}) {
  if (await order(what, { participant: row.participant, ...more })) await turn(data.page);
}

function exclude(row, name) {
  const text = (prompt(say("exclude_why", name)) || "").trim();
  if (text) act("exclude", row, { text });
}

function reward(row, name) {
  const { currency } = data;
  const amount = (prompt(`${fill(texts.bonus_amount, { ...name, currency })} ${say("bonus_through")}`) || "").trim().replace(",", ".");
  const purpose = amount && prompt(texts.bonus_purpose, "bonus");
  if (purpose && confirm(say("bonus_sure", { ...name, amount, currency }))) act("bonus", row, { amount, purpose });
}

function tell(row, name) {
  const text = (prompt(say("tell_what", name)) || "").trim();
  if (text) act("tell", row, { text });
}

async function look(row) {
  const answer = await fetch(`/people/${row.participant}.json`);
  if (!answer.ok) return;
  const { sessions } = await answer.json();
  document.getElementById("look-title").textContent = say("sessions", { n: `#${row.number}` });
  const items = sessions.map((each) => make("li", {}, make("a", { href: `/watch/${each.session}` }, keepOwn(each.session)), " ", writeEnd(each)));
  document.getElementById("look-sessions").replaceChildren(...(items.length ? items : [make("li", {}, say("none_played"))]));
  document.getElementById("look").hidden = false;
  document.getElementById("look-close").focus();
}

function writeEnd(session) {
  if (session.ended === null) return texts.under_way;
  const reason = texts[`exit.${session.ended}`] || texts["exit.timed_out"];
  return say("ended", { reason, time: ago(0, session.seconds * 1e6) });
}

async function turn(page) {
  try {
    const answer = await fetch(`/people.json?sort=${sort.by}&down=${Number(sort.down)}&page=${page}`);
    if (!answer.ok) throw new Error(String(answer.status));
    data = await answer.json();
    draw();
  } catch {
    document.getElementById("state").textContent = texts.no_answer;
  }
}

document.getElementById("before").onclick = () => turn(data.page - 1);
document.getElementById("next").onclick = () => turn(data.page + 1);
document.getElementById("look-close").onclick = () => { document.getElementById("look").hidden = true; };

draw();
// A page that is used by keyboard keeps its focus: what has it is not replaced.
setInterval(() => { if (!document.activeElement?.closest("table")) turn(data.page); }, RENEW_MS);
