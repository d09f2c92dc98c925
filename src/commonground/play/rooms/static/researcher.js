// What the researcher's pages share: their texts, elements made of them, and orders to the server.

export const texts = JSON.parse(document.getElementById("texts").textContent);

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// How long something is ago.
export function ago(us, now) {
  const seconds = Math.max(0, Math.round((now - us) / 1e6));
  if (seconds < 60) return fill(texts.seconds, { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return fill(texts.minutes, { n: `${minutes}:${String(seconds % 60).padStart(2, "0")}` });
  return fill(texts.hours, { n: Math.floor(minutes / 60), minutes: minutes % 60 });
}

// That somebody's line is lost, and since when.
export function sayLost(us, now) {
  return fill(texts.lost_since, { time: ago(us, now) });
}

export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  // Texts are appended as texts: nothing that people wrote becomes markup.
  element.append(...children.map((each) => (each instanceof Node ? each : String(each))));
  return element;
}

// A name or a text of the study itself, which is in no catalogue.
export function keepOwn(text) {
  return make("span", { "data-own": "" }, text);
}

// Orders something; says what went wrong where it did.
export async function order(what, more) {
  const answer = await fetch("/act", {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ what, ...more }),
  });
  const said = await answer.json();
  const done = said.before ? texts.paid_before : texts.done;
  document.getElementById("state").textContent = answer.ok ? done : `${said.error} ${said.advice}`;
  return answer.ok;
}
