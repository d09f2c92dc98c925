// Tries what the study needs in this browser, and tells the server. Nothing is shown unless something
// does not work; then that is said in words, in place of the page.
const data = JSON.parse(document.getElementById("device-data").textContent);
const box = document.getElementById("device");
const LONGEST_MS = 10_000;
const KEY = "commonground device check";

function within(promise) {
  return Promise.race([promise, new Promise((_, fail) => setTimeout(() => fail(new Error("late")), LONGEST_MS))]);
}

// A picture counts as drawn when something of it is on a canvas.
async function draws(address) {
  const picture = new Image();
  // Not one that the browser has kept from the last try.
  picture.src = `${address}?try=${Date.now()}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 8;
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0, 8, 8);
  if (!context.getImageData(0, 0, 8, 8).data.some((each) => each > 0)) throw new Error("blank");
}

// The time from a hello to the welcome, through the very line that the study goes over.
function measureLine() {
  return new Promise((done, fail) => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/talk`);
    let began = 0;
    socket.onopen = () => {
      began = performance.now();
      socket.send(JSON.stringify({ hello: { token: data.token, last_seq: 0 } }));
    };
    socket.onmessage = () => {
      done(Math.round(performance.now() - began));
      socket.close(4000);
    };
    socket.onerror = socket.onclose = () => fail(new Error("no line"));
  });
}

function keeps() {
  localStorage.setItem(KEY, "1");
  const kept = localStorage.getItem(KEY) === "1";
  localStorage.removeItem(KEY);
  return kept && navigator.cookieEnabled;
}

async function check() {
  const failed = [];
  const tell = { width_px: document.documentElement.clientWidth, pictures: data.pictures.length };
  const attempt = async (name, job) => {
    try {
      if (await within(job()) === false) failed.push(name);
    } catch {
      failed.push(name);
    }
  };
  await Promise.all([
    attempt("pictures", () => Promise.all(data.pictures.map(draws))),
    attempt("line", async () => { tell.line_ms = await measureLine(); }),
  ]);
  await attempt("storage", async () => keeps());
  if (tell.width_px < data.width_px) failed.push("width");
  if (data.sound && !window.AudioContext) failed.push("sound");
  await report(failed, tell);
}

async function report(failed, tell) {
  for (const item of box.querySelectorAll("[data-fault]")) item.hidden = !failed.includes(item.dataset.fault);
  for (const other of box.parentElement.children) if (other !== box) other.hidden = failed.length > 0;
  box.hidden = failed.length === 0;
  if (failed.length) box.focus();
  const body = new URLSearchParams({ failed: failed.join(" "), ...tell });
  try {
    // Who leaves at once must not take back what is told.
    await fetch(`/p/${data.token}/device`, { method: "POST", body, keepalive: true });
  } catch {
    // Without a line nobody can be told; the page says so.
  }
}

document.getElementById("device-again").onclick = check;
check();
