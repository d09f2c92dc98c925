// Where people differ: each unit as they saw it, all their votes, and one decision.
import { fill, keepOwn, make, order, texts } from "/static/researcher.js";
import { drawLines, makePicture } from "/static/unit.js";

const shared = JSON.parse(document.getElementById("lb-texts").textContent);
const element = (id) => document.getElementById(id);
const BY = "commonground adjudicator";
let data = JSON.parse(element("data").textContent);

element("by").value = localStorage.getItem(BY) || "";
element("by").addEventListener("input", () => localStorage.setItem(BY, element("by").value));
element("all").addEventListener("change", draw);

const say = (name, values = {}) => fill(texts[`adjudicate.${name}`], values);
const nameAnswer = (answer) => shared[`answers.${answer}`] || answer;
const when = (us) => (us ? new Date(us / 1000).toLocaleString(document.documentElement.lang) : "–");

function draw() {
  const measured = data.agreement;
  const shares = (each) => (each.agreeing === null ? "–" : say("share", { n: Math.round(100 * each.agreeing), labels: each.decided }));
  const figures = [
    ["alpha", measured.alpha === null ? "–" : measured.alpha.toFixed(2)], ["disputed", measured.disputed],
    ["settled", measured.settled], ["upheld", measured.upheld],
    ["before", shares(measured.before)], ["after", shares(measured.after)],
  ];
  element("figures").replaceChildren(...figures.map(([name, value]) => make("div", {}, make("dt", {}, say(name)), make("dd", {}, value))));
  const shown = data.units.filter((unit) => element("all").checked || unit.candidates.some((each) => each.disputed && !each.decision));
  element("none").hidden = shown.length > 0;
  element("units").replaceChildren(...shown.map(drawUnit));
}

function drawUnit(unit) {
  const lines = make("ol", { class: "lb-dispute-lines" });
  drawLines(lines, unit.context, shared);
  const disputed = unit.candidates.filter((each) => each.disputed);
  const card = make(
    "section", { class: "card wide lb-dispute", "aria-label": unit.unit }, lines,
    make("h2", {}, keepOwn(shared["page.question"] || unit.question)),
    ...disputed.map((each) => drawCandidate(unit, each)),
  );
  return card;
}

function drawCandidate(unit, candidate) {
  const votes = candidate.votes.map((vote) => make("li", {}, keepOwn(say("vote", { who: vote.who, answer: nameAnswer(vote.answer), at: when(vote.at_us) }))));
  const name = `decide-${unit.piece}-${candidate.id}`;
  const options = unit.answers.map((answer) => {
    const radio = make("input", { type: "radio", name, value: answer, required: "" });
    radio.checked = candidate.decision?.answer === answer;
    return make("label", { class: "check" }, radio, keepOwn(nameAnswer(answer)));
  });
  const note = make("input", { type: "text", maxlength: "500", "aria-label": say("note"), placeholder: say("note") });
  note.value = candidate.decision?.note || "";
  const form = make(
    "form", { class: "stack" }, make("div", { class: "row", role: "radiogroup", "aria-label": candidate.text || unit.question }, ...options),
    make("div", { class: "row" }, note, make("button", { class: "main", type: "submit" }, say("decide"))),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    decide(unit, candidate, new FormData(form).get(name), note.value.trim());
  });
  const title = candidate.text ? [make("p", {}, make("b", {}, keepOwn(candidate.text)))] : [];
  const picture = candidate.picture || candidate.lacks_picture ? [makePicture(candidate, candidate.text, shared)] : [];
  const made = candidate.decision;
  const decided = made ? [make("p", { class: "note good" }, keepOwn(say("decided", { answer: nameAnswer(made.answer), by: made.by, at: when(made.at_us) })))] : [];
  return make("div", { class: "stack" }, ...picture, ...title, make("p", { class: "soft small" }, say("votes")), make("ul", { class: "lb-votes" }, ...votes), ...decided, form);
}

async function decide(unit, candidate, answer, text) {
  const by = element("by").value.trim();
  if (!by) {
    element("state").textContent = say("name_first");
    element("by").focus();
    return;
  }
  if (!(await order("decide", { piece: unit.piece, candidate: candidate.id, answer, by, text }))) return;
  const told = await fetch("/adjudicate.json");
  data = await told.json();
  draw();
}

draw();
