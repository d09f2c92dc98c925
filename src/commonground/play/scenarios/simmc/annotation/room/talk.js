// The whole dialogue beside the utterance at work: what is done, and a way back to each.

export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// labelOf(number) gives a label or nothing; open(number) is called where an utterance is pressed.
export function drawTalk(list, utterances, { at, labelOf, texts, open }) {
  if (list.children.length !== utterances.length || list.dataset.first !== utterances[0].text) {
    list.dataset.first = utterances[0].text;
    list.replaceChildren(...utterances.map((each) => makeItem(each, texts, open)));
  }
  utterances.forEach((each, place) => drawItem(list.children[place].firstChild, each, labelOf(each.number), at, texts));
}

function makeItem(utterance, texts, open) {
  const item = document.createElement("li");
  item.className = utterance.role;
  const button = document.createElement("button");
  button.type = "button";
  button.append(
    makePart("sa-said-by small soft", texts[`side.${utterance.role}`], false),
    makePart("sa-said", utterance.text, true),
    makePart("sa-acts small", "", true),
    makePart("hidden", "", false),
  );
  button.onclick = () => open(utterance.number);
  item.append(button);
  return item;
}

function makePart(name, text, own) {
  const part = document.createElement("span");
  part.className = name;
  part.textContent = text;
  if (own) part.dataset.own = "";
  return part;
}

function drawItem(button, utterance, label, at, texts) {
  const done = label !== undefined;
  button.classList.toggle("sa-labelled", done);
  if (utterance.number === at) button.setAttribute("aria-current", "step");
  else button.removeAttribute("aria-current");
  const acts = (label || []).map((frame) => frame.act.replace(/^DA:/, "").replace(/:(CLOTHING|FURNITURE)/, ""));
  button.children[2].textContent = acts.join("  ");
  button.children[3].textContent = done ? texts.labelled : "";
}
