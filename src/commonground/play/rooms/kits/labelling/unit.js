// The parts of a unit as elements: lines that were said, candidates with their answers, pictures.
import { pictures } from "/static/rooms.js";

let openPicture = () => {};

// Sets what is done when a picture is clicked: a function of its address and its name.
export function setPictureOpener(open) {
  openPicture = open;
}

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

export function makeElement(name, kind, text = "") {
  const made = document.createElement(name);
  if (kind) made.className = kind;
  made.textContent = text;
  return made;
}

// Text of the material, which may be in any language and is in no catalogue.
function makeOwn(name, kind, text) {
  const made = makeElement(name, kind, text);
  made.dataset.own = "";
  made.dir = "auto";
  return made;
}

// Draws what was said; the question is about the last line.
export function drawLines(list, lines, texts) {
  list.replaceChildren(...lines.map((line, number) => {
    const asked = number === lines.length - 1;
    const item = makeElement("li", asked ? "lb-line lb-asked" : "lb-line");
    if (line.is_action) item.classList.add("lb-action");
    const who = makeElement("p", "lb-who");
    who.append(makeOwn("b", "", line.speaker));
    if (asked) who.append(" ", makeElement("span", "lb-badge", texts["page.asked"]));
    item.append(who);
    if (line.picture || line.lacks_picture) item.append(makePicture(line, line.speaker, texts));
    item.append(makeOwn("p", line.is_action ? "lb-said lb-done" : "lb-said", line.text));
    return item;
  }));
}

export function makePicture(shown, name, texts) {
  if (!shown.picture) return makeElement("p", "lb-picture lb-missing small", texts["page.no_picture"]);
  const source = pictures + shown.picture.split("/").map(encodeURIComponent).join("/");
  const button = makeElement("button", "lb-picture");
  button.type = "button";
  button.setAttribute("aria-label", texts["page.enlarge"]);
  const picture = document.createElement("img");
  Object.assign(picture, { src: source, alt: name });
  picture.dataset.own = "";
  button.append(picture);
  button.onclick = () => openPicture(source, name);
  return button;
}

// Makes the item of a candidate; choose(candidate, answer) is called when an answer is chosen.
export function makeChoice(candidate, number, game, texts, choose) {
  const item = makeElement("li", "lb-candidate");
  if (candidate.picture || candidate.lacks_picture) item.append(makePicture(candidate, candidate.text || fill(texts["page.picture_n"], { n: number + 1 }), texts));
  // Where there is one thing only, and no words for it, the question says what it is.
  const needsName = !candidate.text && game.candidates.length > 1;
  const title = needsName
    ? makeElement("p", "lb-title soft", fill(texts["page.picture_n"], { n: number + 1 }))
    : makeOwn("p", "lb-title", candidate.text);
  title.id = `lb-title-${number}`;
  title.hidden = !title.textContent;
  const choice = makeElement("fieldset", "lb-choice");
  choice.setAttribute("aria-labelledby", title.hidden ? "lb-question" : title.id);
  choice.append(...game.answers.map((answer, at) => makeOption(candidate, number, answer, at, texts, choose)));
  item.append(title, choice);
  return item;
}

function makeOption(candidate, number, answer, at, texts, choose) {
  const option = makeElement("label", "");
  const radio = document.createElement("input");
  Object.assign(radio, { type: "radio", name: `answer-${number}`, value: answer });
  radio.addEventListener("change", () => choose(candidate, answer));
  const known = texts[`answers.${answer}`];
  const key = makeElement("kbd", "", String(at + 1));
  key.setAttribute("aria-hidden", "true");
  option.append(radio, known ? makeElement("span", "", known) : makeOwn("span", "", answer), key);
  return option;
}
