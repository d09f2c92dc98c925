// One line at a time, and a button for each mood.
import { begin } from "/static/rooms.js";

const texts = JSON.parse(document.getElementById("toy-texts").textContent);

const act = begin((view) => {
  const game = view.game;
  document.getElementById("toy-place").textContent =
    texts.place.replace("{n}", game.number).replace("{of}", game.of);
  document.getElementById("toy-line").textContent = `${game.who}: ${game.says}`;
});

for (const button of document.querySelectorAll("[data-mood]")) {
  button.onclick = () => act("toy.label", { mood: button.dataset.mood });
}
