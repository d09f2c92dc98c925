// What the researcher sees of a seat beside its place in the game: nothing, unless the scenario's
// room has a file of this name. drawSeat(game, picture) gives elements; picture(name) is where
// a picture of the study lies.

export function drawSeat() {
  return [];
}
