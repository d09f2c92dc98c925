// A draft: what the label of an utterance may become. Each mark of it, an act, a slot or a thing,
// is sure, or a proposal that somebody has yet to accept or drop. Saving accepts what is left.

export function makeDraft(frames, sure) {
  return frames.map((frame) => ({
    act: { name: frame.act, sure },
    span: frame.span || null,
    slots: frame.slots.map((slot) => ({ ...slot, sure })),
    things: frame.objects.map((number) => ({ number, sure })),
  }));
}

export function toFrames(draft) {
  return draft.map((frame) => ({
    act: frame.act.name,
    objects: frame.things.map((each) => each.number),
    span: frame.span || null,
    slots: frame.slots.map(({ slot, start, end }) => ({ slot, start, end })),
  }));
}

export function newFrame(act) {
  return { act: { name: act, sure: true }, span: null, slots: [], things: [] };
}

// All marks of a draft, frame by frame, in the order in which they stand on the page.
export function listMarks(draft) {
  return draft.flatMap((frame) => [frame.act, ...frame.slots, ...frame.things]);
}

export function addSlot(frame, slot, { start, end }) {
  const same = (each) => each.slot === slot && each.start === start && each.end === end;
  frame.slots = [...frame.slots.filter((each) => !same(each)), { slot, start, end, sure: true }]
    .sort((one, other) => one.start - other.start || one.end - other.end);
}

// A thing that is not linked gets a link, a proposed link becomes sure, a sure one goes.
export function toggleThing(frame, number) {
  const link = frame.things.find((each) => each.number === number);
  if (!link) frame.things.push({ number, sure: true });
  else if (!link.sure) link.sure = true;
  else frame.things = frame.things.filter((each) => each !== link);
}

// Takes a mark out of the draft; with an act goes all that hangs on it.
export function dropMark(draft, mark) {
  for (const frame of draft) {
    frame.slots = frame.slots.filter((each) => each !== mark);
    frame.things = frame.things.filter((each) => each !== mark);
  }
  return draft.filter((frame) => frame.act !== mark);
}

// Drafts outlive a page that is loaded anew, as long as the browser keeps them.

export function storeDrafts(dialogue, drafts) {
  try {
    sessionStorage.setItem(`drafts ${dialogue}`, JSON.stringify([...drafts]));
  } catch { /* A browser without such a place loses no label, only a draft. */ }
}

export function readDrafts(dialogue) {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(`drafts ${dialogue}`) || "[]"));
  } catch {
    return new Map();
  }
}
