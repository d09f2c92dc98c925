// The line to the server. It holds the view, sends acts until each is answered, and comes back
// by itself; an act that is sent again has the same id, so that it counts once.

const data = JSON.parse(document.getElementById("data").textContent);
export const texts = data.texts;
export const pictures = data.pictures;
// How many sessions one person may have.
export const sessions = data.sessions;

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 1000;

export class Line {
  // Handlers: shown(view); state(name) with "open", "cut", "stuck" or "superseded"; warned(code);
  // answered(id, act, refusal), where a null refusal means that the act counts.
  constructor(stage, handlers) {
    this.stage = stage;
    this.handlers = handlers;
    this.view = null;
    this.seq = 0;
    this.pending = new Map();
    this.wait = FIRST_WAIT_MS;
    this.ended = false;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = this.socket = new WebSocket(`${scheme}://${location.host}/talk`);
    socket.onopen = () => this.tell("hello", { token: data.token, last_seq: this.seq });
    socket.onmessage = (message) => {
      if (socket !== this.socket || this.ended) return;
      const [[kind, fields]] = Object.entries(JSON.parse(message.data));
      this.take(kind, fields);
    };
    socket.onclose = (closing) => {
      if (socket !== this.socket || this.ended) return;
      // Somebody whom the server does not know any more finds out by a new page why.
      if (closing.code === 4401) return this.renew();
      this.handlers.state("cut");
      setTimeout(() => this.open(), this.wait);
      // Longer each time, so that a server that comes back is not met by everybody at once.
      this.wait = Math.min(this.wait * 1.6, LONGEST_WAIT_MS);
    };
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
    else if (kind === "stage" || kind === "ended") this.renew();
  }

  begin(fields) {
    this.wait = FIRST_WAIT_MS;
    this.seq = fields.seq;
    this.view = fields.view;
    this.offset = fields.server_time / 1000 - Date.now();
    if (fields.view.stage !== this.stage) return this.renew();
    this.handlers.state("open");
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

  // Sends an act until it is answered; returns its id.
  act(type, payload) {
    // Pages that come without https have no randomUUID.
    const id = Array.from(crypto.getRandomValues(new Uint32Array(4)), (each) => each.toString(36)).join("");
    const act = { client_msg_id: id, type, payload, round: this.view.game.round, at_ms: Date.now() };
    this.pending.set(id, act);
    this.tell("act", act);
    return id;
  }

  answer(id, refusal) {
    const act = this.pending.get(id);
    this.pending.delete(id);
    if (act) this.handlers.answered(id, act, refusal);
  }

  tell(kind, fields) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ [kind]: fields }));
  }

  // What the server's clock says now, in milliseconds.
  now() { return Date.now() + (this.offset || 0); }

  renew() {
    if (this.ended) return;
    this.ended = true;
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
export function offerReturn() {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = texts.take_over;
  button.onclick = () => location.reload();
  document.getElementById("banner").append(" ", button);
}
