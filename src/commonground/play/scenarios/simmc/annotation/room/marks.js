// The acts of a draft with what hangs on them. A proposal has a dashed edge; on it Enter accepts and
// Delete drops, and so do its two buttons.
import { listMarks } from "/static/draft.js";
import { drawAct } from "/static/ontology.js";

export class Marks {
  // accepted(mark), dropped(mark) and edited(mark, frame) are called for marks that are proposed,
  // any, and sure; activated(number) where another act gets what is marked next.
  constructor(box, texts, handlers) {
    this.box = box;
    this.texts = texts;
    this.handlers = handlers;
    this.buttons = new Map();
  }

  // name(mark) gives the words for what a slot or a link of a draft stands for.
  show(draft, name) {
    const held = [...this.buttons].find(([, button]) => button === document.activeElement);
    this.buttons.clear();
    this.name = name;
    this.box.replaceChildren(...draft.map((frame, number) => this.makeFrame(frame, number)));
    this.order = listMarks(draft);
    if (held) this.focus(held[0]);
  }

  // Shows which of several acts gets what is marked next.
  point(active) {
    const frames = [...this.box.children];
    frames.forEach((frame, number) => {
      const isActive = number === active && frames.length > 1;
      frame.classList.toggle("sa-active", isActive);
      if (isActive) frame.setAttribute("aria-current", "true");
      else frame.removeAttribute("aria-current");
    });
  }

  makeFrame(frame, number) {
    const box = document.createElement("div");
    box.className = "sa-frame";
    box.setAttribute("role", "listitem");
    const marks = [frame.act, ...frame.slots, ...frame.things].map((mark) => this.makeMark(mark, frame));
    box.append(...marks);
    box.addEventListener("focusin", () => this.handlers.activated(number));
    return box;
  }

  makeMark(mark, frame) {
    const box = document.createElement("span");
    const kind = mark === frame.act ? "sa-act" : "slot" in mark ? "sa-slot" : "sa-link";
    box.className = `sa-mark ${kind}${mark.sure ? "" : " sa-proposed"}`;
    const main = this.makeButton("sa-main", ...(mark === frame.act ? drawAct(mark.name) : this.name(mark)));
    const said = main.textContent;
    if (mark === frame.act) main.firstChild.title = mark.name;
    if (!mark.sure) main.setAttribute("aria-label", this.texts.proposed.replace("{mark}", () => said));
    main.onclick = () => (mark.sure ? this.handlers.edited(mark, frame) : this.handlers.accepted(mark));
    main.onkeydown = (event) => this.press(event, mark);
    const drop = this.makeButton("sa-drop", "×");
    drop.firstChild.dataset.own = "";
    drop.setAttribute("aria-label", this.texts.drop.replace("{mark}", () => said));
    drop.onclick = () => this.handlers.dropped(mark);
    box.append(main, drop);
    this.buttons.set(mark, main);
    return box;
  }

  makeButton(name, ...parts) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = name;
    const text = document.createElement("span");
    text.dataset.own = "";
    text.append(...parts);
    button.append(text);
    return button;
  }

  press(event, mark) {
    if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.handlers.dropped(mark);
    }
  }

  // The mark that a proposal that was just decided gives the focus to: the next one, from there on.
  next(mark) {
    const at = this.order.indexOf(mark);
    return [...this.order.slice(at + 1), ...this.order.slice(0, at)].find((each) => !each.sure) || null;
  }

  // Moves the focus to a mark; says whether it is there.
  focus(mark) {
    const button = this.buttons.get(mark);
    if (button) button.focus();
    return Boolean(button);
  }
}
