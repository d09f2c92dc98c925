// The researcher's page: asks every second how the study stands, and shows problems first.

const RENEW_MS = 1000;
let data = JSON.parse(document.getElementById("data").textContent);

const WORDS = {
  completed: "completed", withdrew: "withdrew", timed_out: "timed out", partner_left: "partner left",
  screened_out: "screened out", quota_full: "quota full", waited_out: "waited out", time_over: "time over",
  ended_by_moderator: "ended by you",
};

export function ago(us, now) {
  const seconds = Math.max(0, Math.round((now - us) / 1e6));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}

export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children.map((each) => (each instanceof Node ? each : String(each))));
  return element;
}

// Orders something; says what went wrong where it did.
export async function order(what, more) {
  const answer = await fetch("/act", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ what, ...more }),
  });
  const said = await answer.json();
  document.getElementById("state").textContent = answer.ok ? "Done." : `${said.error} ${said.advice}`;
  return answer.ok;
}

function draw() {
  const now = data.now_us;
  const stuck = document.getElementById("stuck");
  stuck.hidden = !data.stuck;
  stuck.textContent = data.stuck ? `All games pause: ${data.stuck}` : "";
  const stages = data.stages;
  const figures = [
    ["Completed", data.wanted ? `${data.completed} of ${data.wanted}` : data.completed],
    ["Under way", data.sessions.length],
    ["Waiting", data.waiting.length],
    ["Reading", (stages.arrived || 0) + (stages.consented || 0) + (stages.instructed || 0)],
    ...Object.entries(data.exits).filter(([name]) => name !== "completed").map(([name, count]) => [WORDS[name], count]),
  ];
  document.getElementById("figures").replaceChildren(
    ...figures.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))),
  );
  document.getElementById("sessions").replaceChildren(...data.sessions.map((each) => row(each, now)));
  document.getElementById("no-sessions").hidden = data.sessions.length > 0;
  document.getElementById("waiting").replaceChildren(...data.waiting.map((each) => make(
    "li", {}, make("b", {}, `#${each.number}`), ` since ${ago(each.since_us, now)}`,
    make("span", { class: each.connected ? "good" : "bad" }, each.connected ? ` seen ${ago(each.seen_us, now)} ago` : " not connected"),
  )));
  document.getElementById("no-waiting").hidden = data.waiting.length > 0;
  document.getElementById("out-table").hidden = data.out.length === 0;
  document.getElementById("no-out").hidden = data.out.length > 0;
  document.getElementById("out").replaceChildren(...data.out.map((each) => make(
    "tr", {}, make("td", {}, `#${each.number}`), make("td", {}, WORDS[each.exit]),
    make("td", { class: "number" }, each.sessions), make("td", {}, each.platform), make("td", { class: "number" }, ago(each.since_us, now)),
    make("td", {}, makeEraser(each)),
  )));
}

function makeEraser(person) {
  const button = make("button", { type: "button", class: "quiet", "aria-label": `Erase the data of person ${person.number}` }, "Erase");
  button.onclick = async () => {
    const sure = confirm(`Delete everything of person #${person.number}, exports and backups included? This cannot be undone.`);
    if (sure && await order("erase", { participant: person.participant })) draw();
  };
  return button;
}

function row(session, now) {
  const badges = session.problems.map((each) => make("span", { class: `badge ${each}` }, each));
  const players = Object.entries(session.seats).map(([role, seat]) => make(
    "span", { class: "player" }, make("b", {}, role), ` ${seat.typing ? "typing" : seat.connected ? ago(seat.seen_us, now) : "gone"} `,
  ));
  const signals = Object.entries(session.signals).map(([kind, count]) => `${kind} ${count}`).join(", ");
  if (signals) players.push(make("span", { class: "soft small" }, signals));
  const place = session.round === null ? session.phase : `page ${session.round}, ${session.phase}`;
  return make(
    "tr", session.problems.length ? { class: "problem" } : {},
    make("td", {}, make("a", { href: `/watch/${session.session}` }, session.session)),
    make("td", {}, ...badges), make("td", {}, place), make("td", {}, ...players),
    make("td", { class: "number" }, session.messages), make("td", { class: "number" }, ago(session.created_us, now)),
    make("td", { class: "number" }, ago(session.last_us, now)),
    make("td", {}, make("a", { class: "button", href: `/watch/${session.session}` }, "Watch")),
  );
}

async function renew() {
  try {
    const answer = await fetch("/data.json");
    if (!answer.ok) throw new Error(String(answer.status));
    data = await answer.json();
    document.getElementById("state").textContent = "Live";
    // A page that is used by keyboard keeps its focus: a link that has it is not replaced.
    if (!document.activeElement || !document.activeElement.closest("tbody")) draw();
  } catch {
    document.getElementById("state").textContent = "The server does not answer.";
  }
  setTimeout(renew, RENEW_MS);
}

if (document.getElementById("figures")) {
  draw();
  setTimeout(renew, RENEW_MS);
}
