// Names that are close to one nobody knows, as Python's difflib and commonground/errors.py find
// them: the static site's search gives the advice that the server gives.
"use strict";
(() => {
  // The longest run that two lists of characters share, the first one where several are as long.
  const longestRun = (a, b) => {
    let best = { length: 0, a: 0, b: 0 }, before = [];
    a.forEach((character, i) => {
      const here = [];
      b.forEach((other, j) => {
        if (character !== other) return;
        const length = here[j] = (before[j - 1] ?? 0) + 1;
        if (length > best.length) best = { length, a: i - length + 1, b: j - length + 1 };
      });
      before = here;
    });
    return best;
  };
  const countShared = (a, b) => {
    const run = longestRun(a, b);
    if (!run.length) return 0;
    const left = countShared(a.slice(0, run.a), b.slice(0, run.b));
    return left + run.length + countShared(a.slice(run.a + run.length), b.slice(run.b + run.length));
  };
  const likeness = (a, b) => {
    const one = [...a], other = [...b], length = one.length + other.length;
    return length ? (2 * countShared(one, other)) / length : 1;
  };
  const CLOSE = 0.6;
  const findClose = (name, known) => known
    .map((each) => [likeness(each, name), each])
    .filter(([score]) => score >= CLOSE)
    // Of equal likeness the last in the alphabet first, as difflib gives them.
    .sort(([a, first], [b, second]) => b - a || (first < second ? 1 : -1))
    .slice(0, 3)
    .map(([, each]) => each);

  const MOST = 40;
  const list = (names) => {
    const more = names.length > MOST ? ` and ${(names.length - MOST).toLocaleString("en")} more` : "";
    return `There are: ${names.slice(0, MOST).join(", ")}${more}.`;
  };
  window.adviseName = (name, known) => {
    const close = findClose(name, known);
    return close.length ? `Did you mean ${close.join(" or ")}?` : list(known);
  };
})();
