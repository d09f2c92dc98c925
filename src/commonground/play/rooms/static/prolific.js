// Submissions at Prolific, on the researcher's page: looked up when asked for, approved, paid.
import { fill, keepOwn, make, order, texts } from "/static/researcher.js";

const create = document.getElementById("prolific-create");
const look = document.getElementById("prolific-look");
const all = document.getElementById("prolific-all");
const state = document.getElementById("prolific-state");
let shown = null;

async function renew() {
  look.disabled = true;
  try {
    const answer = await fetch("/prolific.json");
    const said = await answer.json();
    if (answer.ok) draw(said);
    else state.textContent = `${said.error} ${said.advice}`;
  } catch {
    state.textContent = texts.no_answer;
  }
  look.disabled = false;
}

function draw(found) {
  shown = found;
  state.textContent = fill(texts.prolific_state, { ...found, taken: found.taken ?? "?" });
  document.getElementById("prolific").replaceChildren(...found.submissions.map(makeRow));
  document.getElementById("prolific-table").hidden = found.submissions.length === 0;
  const due = found.submissions.filter((each) => each.due);
  all.hidden = due.length === 0;
  all.textContent = fill(texts.approve_all, { n: due.length });
}

function makeRow(each) {
  const name = each.number === null ? each.platform_id : `#${each.number}`;
  const doubt = each.doubt && each.status !== "APPROVED" ? texts[`doubt.${each.doubt}`] : "";
  return make(
    "tr", {}, make("td", {}, keepOwn(name)), make("td", {}, each.way_out ? texts[`exit.${each.way_out}`] : ""),
    make("td", {}, keepOwn(each.status)), make("td", { class: "number" }, each.owed.toFixed(2)),
    make("td", { class: "number" }, each.bonus ? each.bonus.toFixed(2) : ""), make("td", {}, doubt),
    make("td", {}, ...(each.doubt === "no_trace" ? [] : makeButtons(each, name))),
  );
}

function makeButtons(each, name) {
  const { currency, reward } = shown;
  const approve = make("button", { type: "button", "aria-label": fill(texts.approve_label, { n: name }) }, texts.approve);
  approve.disabled = each.status !== "AWAITING REVIEW";
  approve.onclick = async () => {
    if (!confirm(fill(texts.approve_sure, { n: name, amount: reward, currency }))) return;
    if (await order("approve", { submission: each.submission })) await renew();
  };
  const bonus = make("button", { type: "button", "aria-label": fill(texts.bonus_label, { n: name }) }, texts.bonus);
  bonus.onclick = async () => {
    const amount = (prompt(fill(texts.bonus_amount, { n: name, currency })) || "").trim().replace(",", ".");
    const purpose = amount && prompt(texts.bonus_purpose, "bonus");
    if (!purpose || !confirm(fill(texts.bonus_sure, { n: name, amount, currency }))) return;
    if (await order("bonus", { submission: each.submission, amount, purpose })) await renew();
  };
  return [approve, " ", bonus];
}

async function approveAll() {
  const due = shown.submissions.filter((each) => each.due);
  const { currency, reward: amount } = shown;
  const total = (Number(amount) * due.length).toFixed(2);
  if (!confirm(fill(texts.approve_all_sure, { n: due.length, amount, currency, total }))) return;
  for (const each of due) if (!await order("approve", { submission: each.submission })) break;
  await renew();
}

if (create) {
  create.onclick = async () => {
    create.disabled = true;
    if (await order("create", {})) location.reload();
    create.disabled = false;
  };
} else {
  look.onclick = renew;
  all.onclick = approveAll;
}
