// What labels are made of, as it is shown and searched: acts with their attributes, and slots.

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

function divide(act) {
  const [path, attribute = ""] = act.split(/\.(.*)/s);
  const [kind, ...rest] = path.split(":");
  return kind === "DA" ? { parts: rest.slice(0, 2), thing: rest[2] || "", attribute } : { parts: [kind, ...rest], thing: "", attribute };
}

function make(name, text) {
  const part = document.createElement(name);
  part.textContent = text;
  return part;
}

// An act as elements: what it does, what with, which attribute of it.
export function drawAct(act) {
  const { parts, thing, attribute } = divide(act);
  const drawn = [make("b", parts.join(":"))];
  if (thing) drawn.push(make("span", `:${thing}`));
  if (attribute) drawn.push(document.createElement("wbr"), make("b", `.${attribute}`));
  return drawn;
}

function explainAct(act, texts) {
  return texts[`act.${divide(act).parts.join("_")}`] || "";
}

// Returns a search through the acts of a side: attributes are offered once they are typed.
export function searchActs(offer, side, texts) {
  const bases = offer[side].map((act) => {
    const { parts, thing } = divide(act);
    const words = [...parts.flatMap((part) => part.split("_")), thing, ...explainAct(act, texts).split(/\s+/)];
    return { act, words: words.map((word) => word.toLowerCase()), takes: act.startsWith("DA:") };
  });
  return (query) => {
    const typed = query.toLowerCase().split(/[\s:._]+/).filter((each) => each && each !== "da");
    const found = bases.flatMap((base) => matchAct(base, typed, offer.attributes));
    found.sort((one, other) => one.missed - other.missed);
    const acts = found.filter((each) => each.missed < 1).map((each) => each.act);
    const own = /^(DA|ERR):/.test(query) && !acts.includes(query) ? [query] : [];
    return [
      ...acts.map((act) => ({ value: act, parts: drawAct(act), gloss: explainAct(act, texts) })),
      ...own.map((act) => ({ value: act, parts: [act], gloss: texts.own })),
    ];
  };
}

function matchAct(base, typed, attributes) {
  const left = typed.filter((each) => !base.words.some((word) => word.startsWith(each)));
  const alone = { act: base.act, missed: left.length };
  if (!base.takes || !typed.length) return [alone];
  // An attribute counts where a word that was typed begins it; those that begin the act may, too.
  const named = attributes.filter((name) => typed.some((each) => begins(name, each)) && left.every((each) => begins(name, each)));
  return [alone, ...named.map((name) => ({ act: `${base.act}.${name}`, missed: left.length ? 0 : 0.5 }))];
}

function begins(name, typed) {
  return [name, ...name.split(/(?=[A-Z])/)].some((part) => part.toLowerCase().startsWith(typed));
}

// Returns a search through the slots; those whose name is that of a fact with these words go first.
export function searchSlots(offer, words, things, texts) {
  const likely = new Set();
  for (const thing of things) {
    for (const [name, value] of Object.entries(thing.facts)) {
      if (String(value).replace(/_/g, " ").toLowerCase().includes(words.toLowerCase())) likely.add(name);
    }
  }
  const slots = [...offer.slots].sort((one, other) => likely.has(other) - likely.has(one));
  return (query) => {
    const typed = query.toLowerCase();
    const found = slots.filter((each) => begins(each, typed) || (typed.length > 2 && each.toLowerCase().includes(typed)));
    const own = NAME.test(query) && !offer.slots.includes(query) ? [query] : [];
    return [
      ...found.map((each) => ({ value: each, parts: [each] })),
      ...own.map((each) => ({ value: each, parts: [each], gloss: texts.own })),
    ];
  };
}
