// What the researcher sees of a seat in a shop: what its page shows, with what is in focus marked.
import { make } from "/static/researcher.js";
import { describe, portray } from "/static/drawing.js";

export function drawSeat(game, picture) {
  const rows = [listFocus(game), game.memory, game.database, game.screen && listScreen(game.screen), game.scene];
  return rows.filter((each) => each && each.length).map((each) => make(
    "div", { class: "pictures" }, ...each.map((thing) => drawThing(thing, picture)),
  ));
}

function listFocus(game) {
  return game.focus ? [{ ...game.focus, marked: true }] : [];
}

function listScreen(screen) {
  return screen.focus ? [{ ...screen.focus, marked: true }] : screen.row;
}

function drawThing(thing, picture) {
  return make("figure", { "data-own": "", ...(thing.marked ? { class: "target" } : {}) }, portray(thing, picture, describe(thing)),
    make("figcaption", {}, describe(thing)));
}
