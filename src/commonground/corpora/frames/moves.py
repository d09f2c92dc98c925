"""The moves of a simulated dialogue once offers are on the table."""

from __future__ import annotations

from commonground.corpora.frames.facts import said_of
from commonground.corpora.frames.native import Annotation, Package, Slot
from commonground.corpora.frames.session import Part, Session, do, refer, slots
from commonground.corpora.frames.wording import ORDINALS, normalise, say

Offers = dict[int, Package]
"""Packages by the frames that offer them."""


def switch(session: Session, offers: Offers, frame: int) -> list[Part]:
    """Makes a frame active, with the user's words for it; nothing where it is active."""
    if session.book.active == frame:
        return []
    rng, hotel = session.rng, offers[frame].hotel
    order = list(offers).index(frame)
    if order < len(ORDINALS) and rng.random() < 0.3:
        note = Annotation(key="ref_anaphora", val=ORDINALS[order])
        text = say(rng, "switch_order", ref_anaphora=ORDINALS[order])
    else:
        note = Annotation(key="name", val=hotel.name)
        text = say(rng, "switch_name", name=hotel.name)
    session.book.active = frame
    reference = refer(frame, note, fromrange=rng.random() < 0.1)
    return [do(text, "switch_frame", Slot(key="ref", val=[reference]))]


def ask(session: Session, offers: Offers, frame: int) -> None:
    """The user asks for a fact of an offer, and the wizard gives it."""
    rng, said = session.rng, said_of(offers[frame])
    slot = rng.choice([each for each in ("gst_rating", "seat", "duration") if each in said])
    parts = switch(session, offers, frame)
    session.book.ask(frame, "user", slot)
    session.user(*parts, do(say(rng, f"ask_{slot}"), "request", Slot(key=slot)))
    session.book.put(frame, slot, said[slot])
    text = say(rng, f"tell_{slot}", **{slot: said[slot]})
    session.wizard(do(text, "inform", Slot(key=slot, val=said[slot])))


def confirm(session: Session, offers: Offers, frame: int) -> None:
    """The user asks whether an offer has something, and the wizard says yes or no."""
    rng, hotel = session.rng, offers[frame].hotel
    slot, there = rng.choice(
        (("wifi", "FREE_WIFI" in hotel.amenities), ("park", "park" in hotel.vicinity))
    )
    parts = switch(session, offers, frame)
    session.book.ask_whether(frame, "user", slot, True)
    session.user(*parts, do(say(rng, f"confirm_{slot}"), "confirm", Slot(key=slot, val=True)))
    session.book.put(frame, slot, there)
    reference = Slot(key="ref", val=[refer(frame)])
    session.wizard(
        do(say(rng, "yes" if there else "no"), "affirm" if there else "negate", reference),
        do(say(rng, f"tell_{'' if there else 'no_'}{slot}"), "inform", Slot(key=slot, val=there)),
    )


def compare(session: Session, offers: Offers, frames: list[int]) -> None:
    """The user asks for the cheaper of two offers, and the wizard reads out their prices."""
    rng = session.rng
    first, second = (refer(frame, Annotation(key="price")) for frame in frames)
    second.annotations[0].val = None
    session.book.compare(frames, ["price"])
    request = Slot(key="ref", val=[first, second])
    session.user(do(say(rng, "compare"), "request_compare", request))
    parts = []
    for frame in frames:
        said = said_of(offers[frame])
        notes = [Annotation(key=key, val=said[key]) for key in ("name", "price")]
        text = say(rng, "tell_price", name=said["name"], price=said["price"])
        parts.append(do(text, "inform", Slot(key="read", val=[refer(frame, *notes)])))
    session.wizard(*parts)


def tell_more(session: Session, offers: Offers, frame: int) -> None:
    """The user wants to hear more of an offer; the wizard notes it down in its frame."""
    rng, said = session.rng, said_of(offers[frame])
    session.book.put(frame, "MOREINFO", True)
    session.user(do(say(rng, "moreinfo"), "moreinfo", Slot(key="ref", val=[refer(frame)])))
    parts = []
    for slot in ("duration", "seat"):
        session.book.put(frame, slot, said[slot])
        note = Annotation(key=slot, val=said[slot])
        text = say(rng, f"tell_{slot}", **{slot: said[slot]})
        parts.append(do(text, "inform", Slot(key="write", val=[refer(frame, note)])))
    session.wizard(*parts)


def reject(session: Session, offers: Offers, frame: int) -> None:
    """The user turns an offer down and asks for others; a user turn only."""
    rng, name = session.rng, offers[frame].hotel.name
    session.book.put(frame, "REJECTED", True)
    session.book.put(session.book.active, "REQUEST_ALTS", True)
    reference = refer(frame, Annotation(key="name", val=name))
    session.user(
        do(say(rng, "reject", name=name), "negate", Slot(key="ref", val=[reference])),
        do(say(rng, "alternatives"), "request_alts"),
    )


def offer(session: Session, package: Package) -> tuple[int, list[Part]]:
    """Makes the frame of an offer; returns its number and the wizard's words."""
    rng, book, said = session.rng, session.book, said_of(package)
    told = ["dst_city", "name", "category", "price"]
    words = {slot: said[slot] for slot in told}
    text = [say(rng, "offer", **words)]
    if rng.random() < 0.6:
        flight = {slot: said[slot] for slot in ("str_date", "end_date", "seat")}
        text.append(say(rng, "offer_flight", **flight))
        words |= flight
    values: dict[str, str | bool] = dict(words)
    if "FREE_BREAKFAST" in package.hotel.amenities and rng.random() < 0.5:
        text.append(say(rng, "perks"))
        values["breakfast"] = True
    facts = {k: normalise(k, v) if isinstance(v, str) else v for k, v in values.items()}
    parent = book.active
    frame = book.offer(parent, facts)
    args = slots(values)
    if book.held(parent).get("dst_city") == said["dst_city"] and rng.random() < 0.3:
        note = Annotation(key="dst_city", val=said["dst_city"])
        args[0] = Slot(key="ref", val=[refer(parent, note)])
    args.append(Slot(key="id", val=frame))
    return frame, [do(" ".join(text), "offer", *args)]
