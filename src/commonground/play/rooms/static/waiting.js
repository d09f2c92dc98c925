// The waiting room: how long one has waited, and off to the game when somebody comes.
import { Line, offerReturn, show, texts } from "/static/line.js";

const CHIME_MS = 400;
const sound = document.getElementById("sound");
let since = null;

const line = new Line("waiting", {
  shown(view) {
    since = view.since_us / 1000;
    show("offer", view.offered);
    document.getElementById("leave-paid").hidden = !view.offered;
    document.getElementById("leave").hidden = view.offered;
  },
  state(name) {
    show("banner", name === "open" ? "" : texts[name]);
    if (name === "superseded") offerReturn();
  },
  warned() {},
  answered() {},
  leaving(go) {
    document.title = texts.ready;
    if (sound.checked) chime();
    setTimeout(go, sound.checked ? CHIME_MS : 0);
  },
});

function chime() {
  // Allowed since the box for the sound was clicked: browsers play nothing before a click.
  const audio = new AudioContext();
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
}

setInterval(() => {
  if (since === null) return;
  const seconds = Math.max(0, Math.floor((line.now() - since) / 1000));
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  document.getElementById("waited").textContent = texts.waited.replace("{time}", time);
}, 1000);
