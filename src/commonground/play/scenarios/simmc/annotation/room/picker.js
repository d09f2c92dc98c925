// Search as you type: a field, and below it what fits best. Arrows choose, Enter takes, Escape ends.

const MOST = 8;

export class Picker {
  // closed() is called when it closes, whether something was taken or not.
  constructor(element, closed) {
    this.box = element("sa-picker");
    this.asks = element("sa-asks");
    this.field = element("sa-query");
    this.list = element("sa-options");
    this.none = element("sa-none");
    this.closed = closed;
    this.options = [];
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.press(event));
    element("sa-cancel").onclick = () => this.close();
    // Whoever presses an option keeps the focus in the field.
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  get open() { return !this.box.hidden; }

  // Asks for one of some things: find(query) lists those that fit as {value, parts, gloss};
  // take(value) gets the one that was taken.
  ask({ text, typed = "", find, take, focus = true }) {
    this.asks.textContent = text;
    this.find = find;
    this.take = take;
    this.field.value = typed;
    this.box.hidden = false;
    this.look();
    if (focus) this.field.focus();
  }

  close() {
    if (!this.open) return;
    this.box.hidden = true;
    this.closed();
  }

  look() {
    this.options = this.find(this.field.value.trim()).slice(0, MOST);
    this.at = 0;
    this.list.replaceChildren(...this.options.map((option, number) => this.make(option, number)));
    this.none.hidden = this.options.length > 0;
    this.draw();
  }

  make(option, number) {
    const item = document.createElement("li");
    item.id = `sa-option-${number}`;
    item.setAttribute("role", "option");
    const name = document.createElement("span");
    name.dataset.own = "";
    name.append(...option.parts);
    item.append(name);
    if (option.gloss) {
      const gloss = document.createElement("span");
      gloss.className = "soft small";
      gloss.textContent = option.gloss;
      item.append(gloss);
    }
    item.onclick = () => this.finish(option);
    return item;
  }

  draw() {
    [...this.list.children].forEach((item, number) => item.setAttribute("aria-selected", String(number === this.at)));
    const chosen = this.list.children[this.at];
    if (chosen) this.field.setAttribute("aria-activedescendant", chosen.id);
    else this.field.removeAttribute("aria-activedescendant");
  }

  press(event) {
    const count = this.options.length;
    if (event.key === "ArrowDown" && count) this.at = (this.at + 1) % count;
    else if (event.key === "ArrowUp" && count) this.at = (this.at + count - 1) % count;
    else if (event.key === "Enter" && count) this.finish(this.options[this.at]);
    else if (event.key === "Escape") this.close();
    else if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation();
    if (this.open) this.draw();
  }

  finish(option) {
    const take = this.take;
    this.close();
    take(option.value);
  }
}
