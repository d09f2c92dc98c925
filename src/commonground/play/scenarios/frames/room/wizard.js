// The wizard's page: what to do next, tabs where there is little room, keys that lead to each part,
// and the question at the end. Its parts are in modules of their own.
import { openComposer } from "/static/composer.js";
import { openFrames } from "/static/frames.js";
import { findSuggestions, findWords, joinFacts, openNotes } from "/static/notes.js";
import { element, fill, keepDraft, reveal, texts } from "/static/parts.js";
import { openSearch } from "/static/search.js";

const KEYS = { F2: "notes", F4: "search", F8: "chat" };

// What the parts of the page share: the game as the last view has it, and the message's field.
class Desk {
  constructor(act) {
    this.act = act;
    this.game = null;
    this.field = element("text");
    this.leftOut = new Set(); // slots that are suggested wrongly, for as long as the words are the last
  }

  take(game) {
    if (this.game?.heard !== game.heard) this.leftOut.clear();
    this.game = game;
  }

  // Whose words can be annotated now: the user's until the wizard has begun its own message.
  get whose() {
    const { heard, draft, answered } = this.game;
    return heard !== null && draft.length === 0 && !answered ? "user" : "wizard";
  }

  get suggestions() { return findSuggestions(this.game, this.leftOut); }

  // Whether the value of a slot is yes or no.
  isFlag(slot) { return this.game.flags.includes(slot); }

  // Begins something to say: makes the gesture, and puts words for it into the message.
  say(type, payload, words) {
    this.act(type, payload);
    if (words) this.insert(words);
  }

  // Tells facts: in the act that was begun last, where that tells of the same frame.
  tell(args) {
    const joined = joinFacts(this.game.draft.at(-1), args);
    const words = findWords({ name: "inform", args }, joined !== null);
    if (joined !== null) this.act("frames.undo", { of: "wizard", note: this.game.draft.length });
    this.say("frames.act", { of: "wizard", name: "inform", args: joined || args }, words);
  }

  insert(words) {
    const before = this.field.value.trim();
    if (this.holds(words)) return;
    this.write(before ? `${before} ${words}` : words);
  }

  remove(words) {
    if (words && this.holds(words)) this.write(this.field.value.replace(words, "").replace(/ {2,}/g, " ").trim());
  }

  holds(words) {
    return this.field.value.toLowerCase().includes(words.toLowerCase());
  }

  write(text) {
    this.field.value = text;
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  show(tab) {
    if (document.body.dataset.tab !== tab) element("main").scrollTop = 0;
    document.body.dataset.tab = tab;
    for (const each of document.querySelectorAll("[data-tab][aria-pressed]")) {
      each.setAttribute("aria-pressed", String(each.dataset.tab === tab));
    }
  }
}

export function sitAsWizard(act) {
  const desk = new Desk(act);
  keepDraft();
  element("fr-wizard").hidden = false;
  element("fr-tabs").hidden = false;
  const parts = [openSearch(desk), openNotes(desk), openComposer(desk), openFrames(desk)];
  desk.redraw = () => parts.forEach((part) => part.draw(desk.game));
  listen(desk, parts);
  desk.show("chat");
  return (game) => {
    desk.take(game);
    drawState(game, desk);
    drawCounts(game, desk.suggestions.length);
    for (const part of parts) part.draw(game);
  };
}

function listen(desk, [search, notes]) {
  const goTo = {
    chat: () => desk.field.focus(),
    search: () => search.focus(),
    notes: () => notes.focus(),
  };
  for (const each of element("fr-tabs").children) each.onclick = () => desk.show(each.dataset.tab);
  document.addEventListener("keydown", (event) => {
    const tab = KEYS[event.key];
    if (!tab || document.querySelector("dialog[open]")) return;
    event.preventDefault();
    desk.show(tab);
    goTo[tab]();
  });
  element("fr-success").addEventListener("submit", (event) => {
    event.preventDefault();
    desk.act("frames.survey", { success: event.submitter.value === "yes" });
  });
}

function drawState(game, desk) {
  const step = findStep(game, desk.suggestions.length > 0);
  element("fr-title").textContent = texts[`wizard.title.${step}`] || "";
  element("fr-hint").textContent = fill(texts[`wizard.hint.${step}`] || "", { n: game.most_turns - game.turns });
  const over = game.phase === "survey" || game.phase === "over";
  element("write").toggleAttribute("inert", over);
  element("fr-form").toggleAttribute("inert", game.phase !== "chat");
  if (reveal("fr-success", game.phase === "survey" && !game.answered)) {
    desk.show("notes");
    element("fr-success").scrollIntoView({ block: "nearest" });
    element("fr-title").focus();
  }
}

// What is to be done next, the first that is not done.
function findStep(game, suggests) {
  if (game.phase !== "chat") return game.phase === "survey" && game.answered ? "answered" : game.phase;
  if (game.heard === null) return "wait";
  if (game.draft.length > 0) return "send";
  return suggests || game.notes.length === 0 ? "note" : "answer";
}

function drawCounts(game, suggested) {
  const counts = { notes: suggested, search: 0, chat: game.draft.length };
  for (const each of element("fr-tabs").children) {
    const count = counts[each.dataset.tab];
    each.querySelector(".fr-count").textContent = count ? String(count) : "";
  }
}
