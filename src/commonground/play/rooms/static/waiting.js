// The waiting room: how long one has waited; when a partner is found, that one is there.
import { Line, fill, offerReturn, readyMs, show, texts } from "/static/line.js";

const CHIME_MS = 400;
const REMIND_MS = 10_000;
const BLINK_MS = 1000;
const element = (id) => document.getElementById(id);
const title = document.title;
let view = null;
let audio = null;
let reminding = null;
let blinking = null;

const line = new Line(["waiting", "ready"], {
  shown(next) {
    const before = view;
    view = next;
    const found = view.stage === "ready";
    element("found").hidden = !found;
    element("wait").hidden = found;
    if (found) drawFound(before);
    else drawWait(before);
  },
  state(name) {
    const text = name === "open" ? "" : texts[name];
    for (const id of ["banner", "ready-banner"]) show(id, text);
    element("ready").disabled = name !== "open";
    if (name === "superseded") for (const id of ["banner", "ready-banner"]) offerReturn(id);
  },
  warned() {},
  answered() {},
  leaving(go) {
    const fetched = view && view.stage === "ready";
    callBack();
    if (fetched) return go();
    document.title = texts.ready;
    const sounds = chime();
    return setTimeout(go, sounds ? CHIME_MS : 0);
  },
});

function drawWait(before) {
  callBack();
  if (before && before.stage === "ready") element("again").hidden = false;
  // Its text is in the page, with what is paid.
  element("offer").hidden = !view.offered;
  const pays = element("leave-pays");
  if (pays) pays.hidden = view.offered;
  element("leave-paid").hidden = !view.offered;
  element("leave").hidden = view.offered;
}

function drawFound(before) {
  element("ready").hidden = view.ready;
  element("found-lead").hidden = view.ready;
  element("left").hidden = view.ready;
  element("ready-said").hidden = !view.ready;
  if (view.ready) callBack();
  else if (!before || before.stage !== "ready") callUp();
}

// Calls whoever waits: by the title, a sound, a notification where that is wished.
function callUp() {
  callBack();
  let on = true;
  blinking = setInterval(() => {
    document.title = on ? title : texts.ready;
    on = !on;
  }, BLINK_MS);
  document.title = texts.ready;
  chime();
  reminding = setInterval(chime, REMIND_MS);
  notify();
  element("ready").focus();
}

function callBack() {
  clearInterval(reminding);
  clearInterval(blinking);
  document.title = title;
}

element("ready").onclick = () => line.tell("ready", {});

// The sound. Browsers play none before a click on the page; one that was made there counts on.

function openAudio() {
  audio ??= new AudioContext();
  if (audio.state === "suspended") audio.resume().then(hintSound, () => {});
  hintSound();
}

function hintSound() {
  element("sound-hint").hidden = !element("sound").checked || (audio !== null && audio.state === "running");
}

for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, openAudio);
element("sound").addEventListener("change", hintSound);
if (navigator.userActivation?.hasBeenActive) openAudio();
else hintSound();

function chime() {
  if (!element("sound").checked || !audio || audio.state !== "running") return false;
  [660, 880].forEach((hertz, number) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const at = audio.currentTime + number * 0.18;
    tone.frequency.value = hertz;
    volume.gain.value = 0.08;
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.16);
  });
  return true;
}

// The notification: the browser is asked only when the box is ticked.

const notice = element("notice");
if ("Notification" in window && window.isSecureContext) {
  element("notice-row").hidden = false;
  notice.checked = Notification.permission === "granted";
  notice.addEventListener("change", async () => {
    if (notice.checked) notice.checked = await Notification.requestPermission() === "granted";
    element("notice-hint").hidden = Notification.permission !== "denied";
  });
}

function notify() {
  if (!notice.checked || !document.hidden) return;
  try {
    const shown = new Notification(texts.ready, { body: title, tag: "ready" });
    shown.onclick = () => { window.focus(); shown.close(); };
  } catch {
    // Phones show notifications of installed pages only; the sound and the title are left.
  }
}

setInterval(() => {
  if (view === null) return;
  const seconds = Math.max(0, Math.floor((line.now() - view.since_us / 1000) / 1000));
  if (view.stage === "ready") {
    element("left").textContent = fill(texts.ready_left, { n: Math.max(0, Math.ceil(readyMs / 1000) - seconds) });
    return;
  }
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  element("waited").textContent = texts.waited.replace("{time}", time);
}, 1000);
