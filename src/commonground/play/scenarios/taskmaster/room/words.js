// A text cut into words and labelled stretches. Places are code points, as in the record, which
// are not what JavaScript counts.

// Emoji can be marked as words can; joiners hold words of many scripts together, and emoji.
const WORD = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}%]/u;
const JOINT = /['’.:&/\u200c\u200d-]/;

// Returns the pieces of a text in order, each with start, end and text: a stretch has its mark,
// a word is a word, and what lies between is neither.
export function cutText(text, marks) {
  const points = [...text];
  const stretches = [...marks].sort((one, other) => one.start - other.start).map((mark) => ({ start: mark.start, end: mark.end, mark }));
  const free = findWords(points)
    .filter(([start, end]) => !stretches.some((each) => start < each.end && each.start < end))
    .map(([start, end]) => ({ start, end, word: true }));
  const pieces = [];
  let at = 0;
  for (const each of [...stretches, ...free].sort((one, other) => one.start - other.start)) {
    if (each.start < at) continue; // two marks that overlap are shown as the first of them
    if (at < each.start) pieces.push({ start: at, end: each.start });
    pieces.push(each);
    at = each.end;
  }
  if (at < points.length) pieces.push({ start: at, end: points.length });
  return pieces.map((each) => ({ ...each, text: points.slice(each.start, each.end).join("") }));
}

function findWords(points) {
  const words = [];
  const inside = (at) => WORD.test(points[at] ?? "") || (JOINT.test(points[at] ?? "") && WORD.test(points[at + 1] ?? ""));
  for (let at = 0; at < points.length; at += 1) {
    if (!WORD.test(points[at])) continue;
    const start = at;
    while (inside(at)) at += 1;
    words.push([start, at]);
  }
  return words;
}

// The part of a text between two places.
export const slice = (text, start, end) => [...text].slice(start, end).join("");
