// The line to the server. It holds the view, sends acts until each is answered, and comes back
// by itself; an act that is sent again has the same id, so that it counts once.

const data = JSON.parse(document.getElementById("data").textContent);
export const texts = data.texts;
export const pictures = data.pictures;
// How long somebody has to say that they are there when a partner was found.
export const readyMs = data.ready_ms;
// How many sessions one person may have.
export const sessions = data.sessions;

// Puts values in place of names in {braces}.
export function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

// What somebody wrote in a session and what was not answered yet, kept in the browser: it outlives
// the page, and another tab that takes over sends it. It is gone when the session is.
const KEY = `commonground ${data.token}`;
const NOTHING = { number: null, draft: "", acts: [] };

export function readKept() {
  try {
    return { ...NOTHING, ...JSON.parse(localStorage.getItem(KEY)) };
  } catch {
    return NOTHING;
  }
}

export function keep(kept) {
  try {
    if (kept === null) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing loses it with the page.
  }
}

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5000;
// The server says something with each heartbeat. A line on which nothing is heard for so long is
// dead, though neither side was told: a cable was pulled, or a laptop changed its network.
const DEAD_AFTER_MS = 2.5 * data.heartbeat_ms;
// Tells the server that this page makes way for the next one: nobody has left.
const MAKES_WAY = 4000;

export class Line {
  // Handlers: shown(view); state(name) with "open", "cut", "stuck" or "superseded"; warned(code);
  // answered(id, act, refusal), where a null refusal means that the act counts.
  constructor(stages, handlers) {
    this.stages = stages;
    this.handlers = handlers;
    this.view = null;
    this.seq = 0;
    this.pending = new Map();
    this.wait = FIRST_WAIT_MS;
    this.ended = false;
    // A network has come back: there is no need to wait for the next try.
    addEventListener("online", () => { if (this.retry) this.open(); });
    // Another tab could not send something: it had been taken over by this one.
    addEventListener("storage", (event) => {
      if (event.key !== KEY || this.ended || !this.view) return;
      for (const act of this.adopt()) this.tell("act", act);
    });
    this.open();
  }

  open() {
    clearTimeout(this.retry);
    this.retry = null;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = this.socket = new WebSocket(`${scheme}://${location.host}/talk`);
    this.listen();
    socket.onopen = () => this.tell("hello", { token: data.token, last_seq: this.seq });
    socket.onmessage = (message) => {
      if (socket !== this.socket || this.ended) return;
      this.listen();
      const [[kind, fields]] = Object.entries(JSON.parse(message.data));
      this.take(kind, fields);
    };
    socket.onclose = (closing) => {
      if (socket !== this.socket || this.ended) return;
      // Somebody whom the server does not know any more finds out by a new page why.
      if (closing.code === 4401) return this.renew();
      this.lose();
    };
  }

  // Counts anew for how long nothing was heard.
  listen() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      if (this.ended) return;
      const dead = this.socket;
      this.lose();
      dead.close();
    }, DEAD_AFTER_MS);
  }

  lose() {
    clearTimeout(this.silence);
    // What still comes on this line counts no more; acts that wait go out on the next one.
    this.socket = null;
    this.handlers.state("cut");
    this.retry = setTimeout(() => this.open(), this.wait);
    // Longer each time and not the same for everybody, so that a server that comes back is not met
    // by all at once.
    this.wait = Math.min(this.wait * (1.4 + 0.4 * Math.random()), LONGEST_WAIT_MS);
  }

  take(kind, fields) {
    if (kind === "ping") this.tell("pong", {});
    else if (kind === "welcome") this.begin(fields);
    else if (kind === "event") this.change(fields);
    else if (kind === "ack") this.answer(fields.client_msg_id, null);
    else if (kind === "reject") this.answer(fields.client_msg_id, fields);
    else if (kind === "warning") this.handlers.warned(fields.code);
    else if (kind === "stuck") this.handlers.state(fields.on ? "stuck" : "open");
    else if (kind === "superseded") { this.ended = true; this.handlers.state("superseded"); }
    else if (kind === "stage" || kind === "ended") {
      keep(null);
      this.renew();
    }
  }

  begin(fields) {
    this.wait = FIRST_WAIT_MS;
    this.seq = fields.seq;
    this.view = fields.view;
    this.offset = fields.server_time / 1000 - Date.now();
    if (!this.stages.includes(fields.view.stage)) return this.renew();
    this.handlers.state("open");
    this.adopt();
    this.handlers.shown(this.view);
    // What was not answered before the line was cut; the server knows by its id whether it counted.
    for (const act of this.pending.values()) this.tell("act", act);
  }

  change(fields) {
    this.seq = fields.seq;
    for (const [path, value] of Object.entries(fields.set || {})) {
      const [owner, key] = this.find(path);
      owner[key] = value;
    }
    for (const [path, added] of Object.entries(fields.append || {})) {
      const [owner, key] = this.find(path);
      owner[key] = owner[key].concat(added);
    }
    this.handlers.shown(this.view);
  }

  find(path) {
    const dot = path.indexOf(".");
    return dot < 0 ? [this.view, path] : [this.view[path.slice(0, dot)], path.slice(dot + 1)];
  }

  // Sends an act until it is answered; returns its id. back: the number of the session before, where
  // it changes what was made of that one.
  act(type, payload, back) {
    // Pages that come without https have no randomUUID.
    const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join("");
    const act = { client_msg_id: id, type, payload, round: this.view.game.round, at_ms: Date.now() };
    if (back !== undefined) act.back = back;
    this.pending.set(id, act);
    // Messages only: a mark that was made in another tab may be an older one.
    if (type === "chat.message") this.keepActs((acts) => [...acts, act]);
    this.tell("act", act);
    return id;
  }

  answer(id, refusal) {
    const act = this.pending.get(id);
    this.pending.delete(id);
    if (act?.type === "chat.message") this.keepActs((acts) => acts.filter((each) => each.client_msg_id !== id));
    if (act) this.handlers.answered(id, act, refusal);
  }

  keepActs(change) {
    const kept = readKept();
    const here = kept.number === this.view.number ? kept : NOTHING;
    keep({ ...here, number: this.view.number, acts: change(here.acts) });
  }

  // Takes over what another tab of this session, or this one before, sent without an answer; the
  // server knows by its id whether it counted. Returns what is new here.
  adopt() {
    const kept = readKept();
    if (kept.number === null || kept.number !== this.view.number) return [];
    const fresh = kept.acts.filter((act) => !this.pending.has(act.client_msg_id));
    for (const act of fresh) this.pending.set(act.client_msg_id, act);
    return fresh;
  }

  tell(kind, fields) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ [kind]: fields }));
  }

  // What the server's clock says now, in milliseconds.
  now() { return Date.now() + (this.offset || 0); }

  // The time of day of something in the server's microseconds, by the clock of whoever reads it.
  timeOf(atUs) {
    const at = new Date(atUs / 1000 - (this.offset || 0));
    return at.toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
  }

  renew() {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.silence);
    this.socket?.close(MAKES_WAY);
    (this.handlers.leaving || ((go) => go()))(() => location.reload());
  }
}

// Shows an element with a text, or as it is where the text is true; hides it for anything else.
export function show(id, text) {
  const element = document.getElementById(id);
  element.hidden = !text;
  if (text && text !== true && element.textContent !== text) element.textContent = text;
}

// Beside what says that another tab took over, offers to go on in this one.
export function offerReturn(id = "banner") {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = texts.take_over;
  button.onclick = () => location.reload();
  document.getElementById(id).append(" ", button);
}
