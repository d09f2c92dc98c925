// The words of an utterance, to be chosen by mouse, touch and keyboard. Places in it are counted in
// code points, as labels count them.

const WORD = /[$€£]?[\p{L}\p{N}_]+(?:[.,:'’][\p{L}\p{N}_]+)*/gu;

const countPoints = (text) => [...text].length;

function listWords(text) {
  return [...text.matchAll(WORD)].map((found) => {
    const start = countPoints(text.slice(0, found.index));
    return { text: found[0], start, end: start + countPoints(found[0]) };
  });
}

export class Words {
  // chosen(span, pointer) is called when words were chosen by mouse or finger; pressed(event) with
  // keys that do not choose words.
  constructor(box, { chosen, pressed }) {
    this.box = box;
    this.chosen = chosen;
    this.words = [];
    this.clear();
    box.addEventListener("keydown", (event) => { if (!this.move(event)) pressed(event); });
    box.addEventListener("blur", () => box.removeAttribute("aria-activedescendant"));
    box.addEventListener("pointerdown", (event) => this.take(event));
    box.addEventListener("pointermove", (event) => this.drag(event));
    box.addEventListener("pointerup", (event) => this.release(event));
    box.addEventListener("pointercancel", () => { this.held = false; });
  }

  show(text, label) {
    this.words = listWords(text);
    this.points = [...text];
    this.anchor = this.head = null;
    this.held = false;
    const parts = [];
    let at = 0;
    this.words.forEach((word, number) => {
      parts.push(this.makePart("sa-gap", at, word.start), this.makeWord(word, number));
      at = word.end;
    });
    parts.push(this.makePart("sa-gap", at, this.points.length));
    this.box.replaceChildren(...parts.filter((each) => each.textContent));
    this.box.setAttribute("aria-label", label);
    this.draw();
  }

  makePart(name, start, end) {
    const part = document.createElement("span");
    part.className = name;
    part.textContent = this.points.slice(start, end).join("");
    Object.assign(part.dataset, { start, end, own: "" });
    return part;
  }

  makeWord(word, number) {
    const part = this.makePart("sa-word", word.start, word.end);
    part.id = `sa-word-${number}`;
    part.dataset.number = number;
    part.setAttribute("role", "option");
    return part;
  }

  // Marks stretches of the text: slots, proposed ones apart from sure ones.
  mark(slots) {
    for (const part of this.box.children) {
      const start = Number(part.dataset.start);
      const end = Number(part.dataset.end);
      const within = part.classList.contains("sa-gap")
        ? (each) => each.start <= start && end <= each.end
        : (each) => each.start < end && start < each.end;
      const own = slots.filter(within);
      part.classList.toggle("sa-marked", own.length > 0);
      part.classList.toggle("sa-proposed", own.length > 0 && own.every((each) => !each.sure));
      part.title = own.map((each) => each.slot).join(", ");
    }
  }

  // The stretch that is chosen; null for none.
  get span() {
    if (this.head === null) return null;
    const [first, last] = [Math.min(this.anchor, this.head), Math.max(this.anchor, this.head)];
    return { start: this.words[first].start, end: this.words[last].end };
  }

  text({ start, end }) { return this.points.slice(start, end).join(""); }

  clear() {
    this.anchor = this.head = null;
    this.draw();
  }

  choose(anchor, head) {
    this.anchor = anchor;
    this.head = head;
    this.draw();
  }

  draw() {
    const span = this.span;
    for (const part of this.box.children) {
      const inside = span !== null && span.start <= Number(part.dataset.start) && Number(part.dataset.end) <= span.end;
      part.classList.toggle("sa-chosen", inside);
      if (part.dataset.number !== undefined) part.setAttribute("aria-selected", String(inside));
    }
    if (this.head === null) this.box.removeAttribute("aria-activedescendant");
    else this.box.setAttribute("aria-activedescendant", `sa-word-${this.head}`);
  }

  // Moves the choice by a key; says whether the key was one that does.
  move(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !this.words.length) return false;
    const last = this.words.length - 1;
    const at = this.head;
    const places = {
      ArrowRight: at === null ? 0 : Math.min(last, at + 1),
      ArrowLeft: at === null ? last : Math.max(0, at - 1),
      Home: 0,
      End: last,
    };
    if (event.key === "Escape" && at !== null) this.clear();
    else if (event.key in places) {
      const head = places[event.key];
      this.choose(event.shiftKey && at !== null ? this.anchor : head, head);
    } else return false;
    event.preventDefault();
    return true;
  }

  find(event) {
    const part = document.elementFromPoint(event.clientX, event.clientY)?.closest(".sa-word");
    return part && this.box.contains(part) ? Number(part.dataset.number) : null;
  }

  take(event) {
    const number = this.find(event);
    if (event.button !== 0 || number === null) return;
    // A second tap beyond what is chosen extends it: fingers that drag scroll the page.
    const longer = this.head !== null && (event.shiftKey || event.pointerType === "touch");
    this.choose(longer ? this.anchor : number, number);
    this.held = true;
    this.box.focus({ preventScroll: true });
    event.preventDefault();
  }

  drag(event) {
    const number = this.held ? this.find(event) : null;
    if (number !== null && number !== this.head) this.choose(this.anchor, number);
  }

  release(event) {
    if (!this.held) return;
    this.held = false;
    this.chosen(this.span, event.pointerType);
  }
}
