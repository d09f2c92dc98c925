// Gives the page of a study a socket without a server: what the page sends goes to the rules, which
// Python plays here, and what a server would send comes back.
import { python } from "./python.js";

const element = (id) => document.getElementById(id);
const random = crypto.getRandomValues(new Uint32Array(1))[0];
const seed = Number(new URLSearchParams(location.search).get("seed") ?? random);

async function begin() {
  const [material, solo] = await Promise.all([
    fetch(new URL("material.json", import.meta.url)).then((answer) => answer.text()),
    python.then((loaded) => loaded.pyimport("solo")),
  ]);
  return solo.begin(material, seed, Date.now());
}

class LocalSocket {
  static OPEN = 1;

  constructor() {
    this.readyState = 0;
    begin().then((game) => {
      this.game = game;
      this.readyState = LocalSocket.OPEN;
      this.onopen();
    }, (error) => {
      element("banner").textContent = element("demo-words").dataset.failed;
      throw error;
    });
  }

  send(text) {
    this.deliver(this.game.receive(text, Date.now()));
  }

  deliver(messages) {
    for (const message of JSON.parse(messages)) this.onmessage({ data: JSON.stringify(message) });
    clearTimeout(this.waking);
    if (this.game.is_over()) return this.end();
    const rest = this.game.rest_ms();
    if (rest !== undefined) this.waking = setTimeout(() => this.deliver(this.game.wake(Date.now())), rest);
  }

  // Shows the end once, with the log as the authors of PhotoBook release logs.
  end() {
    const dialog = element("demo-over");
    if (dialog.open) return;
    const log = this.game.log();
    element("demo-log").href = URL.createObjectURL(new Blob([log.data.toJs()], { type: "application/json" }));
    element("demo-log").download = log.path.split("/").pop();
    dialog.showModal();
  }

  close() { clearTimeout(this.waking); }
}

globalThis.WebSocket = LocalSocket;
// Who leaves goes to the front page; there is no server that would have to know.
document.addEventListener("submit", (event) => {
  if (event.target.method !== "post" || event.submitter?.formMethod === "dialog") return;
  event.preventDefault();
  location.href = "../index.html";
});
element("banner").hidden = false;
element("banner").textContent = element("demo-words").dataset.loading;
await import("./room.js");
