"""What to propose for an utterance that somebody is to label.

Of what a user says, opinions, requests and the words that fill them are read sentence by sentence;
the assistant's action says what was understood. The patterns stand in ``proposals.toml``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import msgspec

from commonground.corpora.simmc.native import simmc1
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.annotation.known import (
    PLACE,
    KnownThing,
    find_places,
    find_values,
)
from commonground.play.scenarios.simmc.annotation.labels import (
    THINGS,
    ActLabel,
    Label,
    Side,
    SlotSpan,
)


def asked_for(call: simmc1.ApiCall | None) -> list[str]:
    """Returns the attributes that the assistant specified; none where its call is not known."""
    given = (call.action_supervision if call else None) or {}
    given = given.get("args", given) or {}
    found = given.get("attributes") or given.get("matches") or []
    return [found] if isinstance(found, str) else list(found)


@cache
def _patterns(section: str) -> dict[str, re.Pattern[str]]:
    """Returns the patterns of a section of ``proposals.toml``, most of them of whole words."""
    found = load_beside(__file__, "proposals.toml", dict[str, dict[str, list[str]]])[section]
    form = "{}" if section in ("exact", "contrasts") else r"(?<![\w'])(?:{})(?![\w'])"
    return {
        name: re.compile(form.format("|".join(words)), re.IGNORECASE)
        for name, words in found.items()
    }


def name_attributes(text: str) -> set[str]:
    """Returns the attributes that a text names, such as ``price``."""
    return {name for name, each in _patterns("attributes").items() if each.search(text)}


_STYLES = {"skirt": "skirtStyle", "dress": "dressStyle", "sweater": "sweaterStyle"}
_STYLES |= {"coat": "jacketStyle", "jacket": "jacketStyle"}
_CONTRASTED = {"price", "customerRating", "brand", "dimensions", "material", "info"}
_REACTED_TO = ("price", "customerRating", "availableSizes")


# Words that point at what is in view without naming it.
_DEICTIC = re.compile(r"\b(?:this|that|these|those|it)(?: (?:one|ones))?\b", re.IGNORECASE)
_ASSISTANT_ACTS = {
    **dict.fromkeys(
        (
            *("SearchDatabase", "SearchMemory", "SearchFurniture", "NavigateCarousel"),
            "FocusOnFurniture",
        ),
        "DA:INFORM:GET:{thing}",
    ),
    "Rotate": "DA:CONFIRM:ROTATE:{thing}",
    "AddToCart": "DA:CONFIRM:ADD_TO_CART:{thing}",
}


def propose(
    text: str,
    side: Side,
    domain: str,
    known: Iterable[KnownThing],
    call: simmc1.ApiCall | None,
    before: simmc1.ApiCall | None = None,
) -> Label:
    """Proposes a label from the words, from what is known, and from what the assistant did.

    For the assistant, spans are values of facts, as whole words, and words that point; the acts
    are those that usually come with the action of the round. What a user says is taken sentence by
    sentence: opinions first, then what the action answers; see ``proposals.toml``.

    Args:
        call: what the assistant did in the round; None where that is not known.
        before: what it did in the round before; None where there is none, or it is not known.
    """
    things = list(known)
    if side == "user":
        return Reading(text, THINGS.get(domain, "OBJECT"), things, call, before).label()
    pointing = [*_points(text, things)]
    values = [*find_values(text, things)]
    objects = [number for _, numbers in pointing for number in numbers]
    objects = objects or [number for _, numbers in values for number in numbers]
    slots = sorted({slot for slot, _ in [*pointing, *values]}, key=lambda each: each.start)
    acts = _answer_acts(THINGS.get(domain, "OBJECT"), call)
    about = tuple(dict.fromkeys(objects))
    # The words fill the first act only: the same stretch twice would be two annotations.
    return tuple(
        ActLabel(act, about, tuple(slots) if not at else ()) for at, act in enumerate(acts)
    )


def _answer_acts(thing: str, call: simmc1.ApiCall | None) -> list[str]:
    name = "None" if call is None else call.action
    if name == "SpecifyInfo":
        return [f"DA:INFORM:GET:{thing}.{each}" for each in asked_for(call) or ["info"]]
    return [_ASSISTANT_ACTS.get(name, "ERR:CHITCHAT").format(thing=thing)]


def _points(text: str, things: Sequence[KnownThing]) -> Iterator[tuple[SlotSpan, tuple[int, ...]]]:
    """Yields words that point, each with the things in view that they point at."""
    for match in PLACE.finditer(text):
        yield SlotSpan("attentionOn", *match.span()), find_places(match[0], things)
    for match in _DEICTIC.finditer(text):
        numbers = tuple(each.number for each in things if each.place == "focus")
        yield SlotSpan("attentionOn", *match.span()), numbers


class _Draft(msgspec.Struct):
    """An act under way, with the number of the sentence that does it."""

    act: str
    sentence: int
    asked: tuple[str, ...] = ()
    objects: tuple[int, ...] = ()
    slots: list[SlotSpan] = msgspec.field(default_factory=list)


class Reading:
    """What can be read in an utterance of a user.

    Args:
        thing: what acts call the things of the domain.
        known: the things that the user knows, and those that the answer brings into view.
        call: what the assistant did in the round; None where that is not known.
        before: what it did in the round before; None where there is none, or it is not known.
    """

    def __init__(
        self,
        text: str,
        thing: str,
        known: Sequence[KnownThing],
        call: simmc1.ApiCall | None,
        before: simmc1.ApiCall | None = None,
    ) -> None:
        self.text, self.thing, self.known = text, thing, known
        self.action = "None" if call is None else call.action
        self.asked = asked_for(call)
        told = before is not None and before.action == "SpecifyInfo"
        self.told = asked_for(before) if told else []
        self.words, self.exact = _patterns("words"), _patterns("exact")
        self.attributes = _patterns("attributes")
        self.values = _patterns("slots")
        self.sentences = [*_divide(text)]
        self._is_search = self.action not in ("None", "AddToCart", "Rotate", "SpecifyInfo")

    def label(self) -> Label:
        """Returns the acts with their things and slots."""
        drafts = [*self._opinions(), *self._requests()]
        taken = {each.sentence for each in drafts}
        drafts += [each for each in self._sizes() if each.sentence not in taken]
        if not drafts:
            drafts = [_Draft("ERR:CHITCHAT", 0)]
        for draft in drafts:
            draft.objects = self._objects(draft)
            draft.slots += self._asked_words(draft)
        for span in self._spans():
            self._place(span, drafts)
        return tuple(self._frame(each) for each in drafts)

    def _frame(self, draft: _Draft) -> ActLabel:
        slots = tuple(sorted(draft.slots, key=lambda each: each.start))
        # A sentence of several; a single one is the whole utterance.
        start, end = self.sentences[draft.sentence]
        within = len(self.sentences) > 1 and all(
            start <= each.start and each.end <= end for each in slots
        )
        return ActLabel(draft.act, draft.objects, slots, (start, end) if within else None)

    def _said(self, number: int) -> str:
        start, end = self.sentences[number]
        return self.text[start:end]

    # Acts

    def _opinions(self) -> Iterator[_Draft]:
        words = self.words
        for number in range(len(self.sentences)):
            said = self._said(number)
            if said.endswith("?") or words["keep"].search(said) or not words["about"].search(said):
                continue
            if words["dislikes"].search(said):
                verb = "DISPREFER"
            elif words["likes"].search(said) and not words["wishes"].search(said):
                verb = "PREFER"
            else:
                continue
            named = [name for name, each in self.attributes.items() if each.search(said)]
            if named[:1] == ["style"]:
                named = [self._style()]
            if not named and number == 0 and not self.words["thing"].search(said):
                # A reaction to what was just told, such as "That's great!" to a price.
                named = [name for name in self.told if name in _REACTED_TO]
            attribute = "".join(f".{each}" for each in named[:1])
            yield _Draft(f"DA:INFORM:{verb}:{self.thing}{attribute}", number)

    def _requests(self) -> Iterator[_Draft]:
        words, text = self.words, self.text
        asks = bool(self.asked) or self.action == "SpecifyInfo"
        is_search = self._is_search and not asks
        if self.action == "AddToCart" or (words["cart"].search(text) and (is_search or asks)):
            yield _Draft(f"DA:REQUEST:ADD_TO_CART:{self.thing}", self._find(words["buy"]))
        if self.action == "Rotate":
            yield _Draft(f"DA:REQUEST:ROTATE:{self.thing}", len(self.sentences) - 1)
        elif asks:
            yield from self._questions()
        elif is_search:
            yield self._search()
        elif self.action == "None":
            yield from self._unanswered()

    def _compare(self) -> Iterator[_Draft]:
        """Yields what sets things against each other, such as "Which is cheaper?"."""
        words = self.words
        for number in range(len(self.sentences)):
            said = self._said(number)
            found = words["contrast"].search(said)
            # "Anything cheaper than this?" asks for another one.
            if found is None or words["wished"].search(said):
                continue
            if said.endswith("?") or found[0].lower().startswith(("compar", "diff")):
                named = name_attributes(said) & _CONTRASTED
                if not named:
                    contrasts = _patterns("contrasts").items()
                    named = {name for name, each in contrasts if each.search(said)}
                if "size" in named and self.thing != "CLOTHING":
                    named = {"dimensions"}
                attribute = named.pop() if len(named) == 1 else "info" if named else ""
                dotted = f".{attribute}" if attribute else ""
                draft = _Draft(f"DA:REQUEST:COMPARE:{self.thing}{dotted}", number)
                others = [*self.exact["other"].finditer(self.text, *self.sentences[number])]
                draft.slots += [SlotSpan("comp", *each.span()) for each in others[-1:]]
                yield draft

    def _unanswered(self) -> Iterator[_Draft]:
        """Yields what a user wants in a round in which the assistant only answers."""
        words, text = self.words, self.text
        if compared := [*self._compare()]:
            yield from compared[:1]
            return
        if words["keep"].search(text) or (words["bye"].search(text) and "?" not in text):
            return
        if len(text.split()) < 3 and words["agree"].match(text):
            yield _Draft(f"DA:CONFIRM:GET:{self.thing}", 0)
        elif (words["show"].search(text) and "?" in text) or words["narrow"].search(text):
            yield self._search()
        elif len(text.split()) < 8 and words["size"].search(text):
            yield _Draft(f"DA:INFORM:REFINE:{self.thing}.size", 0)

    def _sizes(self) -> Iterator[_Draft]:
        """Yields what users say of the size that they wear."""
        for number in range(len(self.sentences)):
            said = self._said(number)
            if self._sized(number) and self.exact["wears"].search(said) and not said.endswith("?"):
                yield _Draft(f"DA:INFORM:REFINE:{self.thing}.size", number)

    def _questions(self) -> Iterator[_Draft]:
        places: dict[int, list[str]] = {}
        for name in self.asked or ["info"]:
            places.setdefault(self._find_question(name), []).append(name)
        for number, names in sorted(places.items()):
            if "availableSizes" in names and self._sized(number):
                names.remove("availableSizes")
                yield _Draft(f"DA:ASK:CHECK:{self.thing}.availableSizes", number)
            # Several attributes of one question are one act; what they are fills its slots.
            if len(names) > 1:
                yield _Draft(f"DA:ASK:GET:{self.thing}.info", number, asked=tuple(names))
            elif names:
                verb = "CHECK" if self._checks(names[0], number) else "GET"
                yield _Draft(f"DA:ASK:{verb}:{self.thing}.{names[0]}", number)

    def _find_question(self, name: str) -> int:
        """Returns the sentence that asks for an attribute: one that names it, or the last."""
        every = range(len(self.sentences))
        places = [n for n in every if "?" in self._said(n)] or [every[-1]]
        pattern = self.attributes.get(name)
        named = [n for n in places if pattern and pattern.search(self._said(n))]
        sized = [n for n in places if name == "availableSizes" and self._sized(n)]
        return (sized or named or places)[-1]

    def _sized(self, number: int) -> bool:
        said = self._said(number)
        return bool(self.exact["my_size"].search(said)) or any(
            len(each[0]) > 1 or each[0].isupper() for each in self.words["size"].finditer(said)
        )

    def _checks(self, name: str, number: int) -> bool:
        said = self._said(number)
        if (
            name in ("info", "customerRating")
            or not self.words["check"].match(said)
            or self.words["open"].search(said)
        ):
            return False
        values = self.values.get(name)
        return values is None or bool(values.search(said) or self.exact["degree"].search(said))

    def _search(self) -> _Draft:
        number = self._find(self.words["show"])
        said = self._said(number)
        if len(self.text.split()) < 5 and self.words["agree"].match(self.text):
            return _Draft(f"DA:CONFIRM:GET:{self.thing}", number)
        attribute = self._narrows(said)
        if not attribute and self._sized(number) and not self.words["show"].search(said):
            attribute = "size"
        act = (
            f"INFORM:REFINE:{self.thing}.{attribute}" if attribute else f"REQUEST:GET:{self.thing}"
        )
        return _Draft(f"DA:{act}", number)

    def _narrows(self, said: str) -> str:
        """Returns the attribute by which a wish is narrowed; nothing where it is a new one."""
        if self.exact["other_color"].search(said):
            return "color"
        narrows = self.words["narrow"].search(said) and not self.exact["anew"].search(said)
        if not narrows and not self.words["compare"].search(said):
            return ""
        names = ("price", "color", "pattern", "hemLength", "embellishment", "clothingCategory")
        found = [name for name in names if self.values[name].search(said)]
        if "color" not in found and self.attributes["color"].search(said):
            found.append("color")
        if self.words["size"].search(said) or self.exact["my_size"].search(said):
            found.append("size")
        return found[0] if len(found) == 1 else "info" if found else ""

    def _find(self, pattern: re.Pattern[str]) -> int:
        """Returns the last sentence with such words; the last of all where none has them."""
        found = [n for n in range(len(self.sentences)) if pattern.search(self._said(n))]
        return (found or [len(self.sentences) - 1])[-1]

    # Things

    def _objects(self, draft: _Draft) -> tuple[int, ...]:
        sized = draft.act.endswith(":REFINE:" + self.thing + ".size") and not self._is_search
        unbound = ("ERR", "DA:REQUEST:GET", "DA:CONFIRM", "DA:INFORM:REFINE")
        if draft.act.startswith(unbound) and not sized:
            return find_places(self.text, self.known)
        said = self._said(draft.sentence)
        if placed := find_places(said, self.known):
            return placed
        brought = tuple(each.number for each in self.known if each.place == "answer")
        seen = tuple(each.number for each in self.known if each.place == "focus")
        if ":COMPARE" in draft.act:
            row = [each.number for each in self.known if each.place not in ("", "answer")]
            if len(row) > 1:
                return tuple(row)
            others = [each.number for each in self.known if each.number not in seen]
            meant = [each.number for each in self.known if self._fits(each, said)]
            return tuple(dict.fromkeys([*seen, *(meant or others[-1:])]))
        elsewhere = self.action in ("SearchMemory", "SearchDatabase") and draft.act.startswith(
            "DA:ASK"
        )
        if elsewhere or self.exact["situation"].search(said):
            named = [each for each in self.known if not each.place and self._fits(each, said)]
            return brought or tuple(each.number for each in named[-1:])
        return seen

    def _fits(self, thing: KnownThing, said: str) -> bool:
        colors = [match[0].lower() for match in self.values["color"].finditer(said)]
        have = str(thing.facts.get("color", "")).lower()
        return bool(colors) and all(each in have for each in colors)

    # Slots

    def _style(self) -> str:
        """Returns what the style of what is in view is called."""
        if self.thing != "CLOTHING":
            return "decorStyle"
        kinds = [str(each.facts.get("type", "")) for each in self.known if each.place == "focus"]
        return _STYLES.get(kinds[-1] if kinds else "", "clothingStyle")

    def _asked_words(self, draft: _Draft) -> Iterator[SlotSpan]:
        for name in draft.asked:
            pattern = _patterns("asked").get(name)
            match = pattern and pattern.search(self.text, self.sentences[draft.sentence][0])
            if match:
                yield SlotSpan(name, *match.span())
        start = self.sentences[draft.sentence][0]
        if ":PREFER" in draft.act and (match := self.exact["that"].match(self.text, start)):
            yield SlotSpan("attentionOn", *match.span(1))

    def _spans(self) -> Iterator[SlotSpan]:
        text, exact, found = self.text, self.exact, []
        found += [SlotSpan("attentionOn", *each.span()) for each in exact["this"].finditer(text)]
        if self.thing != "CLOTHING":
            found += [SlotSpan("attentionOn", *each.span()) for each in PLACE.finditer(text)]
        for each in exact["my_size"].finditer(text):
            if not exact["own_size"].search(text, 0, each.end()):
                found.append(SlotSpan("size", *each.span(1)))
        for name, pattern in self.values.items():
            found += [SlotSpan(name, *each.span()) for each in pattern.finditer(text)]
        letters = {each.start(2): each for each in exact["letter_size"].finditer(text)}
        for each in self.words["size"].finditer(text):
            if each.start() in letters:
                found.append(SlotSpan("size_1", *letters[each.start()].span(1)))
                found.append(SlotSpan("alphabeticSize", *each.span()))
            elif len(each[0]) > 1 or each[0].isupper():
                found.append(SlotSpan("size", *each.span()))
        found += [slot for slot, _ in find_values(text, self.known) if slot.slot == "brand"]
        found += [SlotSpan("amount", *each.span()) for each in exact["amount"].finditer(text)]
        style = self._style()
        found += [SlotSpan(style, *each.span()) for each in exact["similar"].finditer(text)]
        situations = [*exact["situation"].finditer(text)]
        if not situations:
            # Without a word for seeing, the time stands for it, as in "the red one from before".
            timed = [each for each in found if each.slot == "situationTime"]
            found = [each for each in found if each not in timed]
            found += [
                SlotSpan("SITUATION_1", each.start, each.end)
                for each in timed
                if exact["from"].search(text[: each.end], max(0, each.start - 5))
            ]
        for each in exact["from"].finditer(text):
            before = list(exact["kind"].finditer(text, 0, each.start()))[-1:]
            found += [SlotSpan("theme", *kind.span()) for kind in before]
        for each in situations:
            found += [SlotSpan("agent", *each.span(1)), SlotSpan("SITUATION_1", *each.span(2))]
            before = list(exact["kind"].finditer(text, 0, each.start()))[-1:]
            found += [SlotSpan("theme", *kind.span()) for kind in before]
        return iter(found)

    def _has_sizes(self, draft: _Draft, span: SlotSpan) -> bool:
        """Says whether a size is one that things are made in, and not one that somebody wears."""
        if "REQUEST:GET" in draft.act or ":REFINE" in draft.act:
            # "Skirts in my size" are for somebody of that size.
            is_mine = self.text[span.start : span.end].lower() == "my"
            made_in = self.exact["made_in"].search(self.text, 0, span.start)
            return not is_mine and made_in is not None
        return "DISPREFER" in draft.act or "ASK:GET" in draft.act

    def _place(self, span: SlotSpan, drafts: list[_Draft]) -> None:
        number = next(n for n, (start, end) in enumerate(self.sentences) if span.start < end)
        mine = [each for each in drafts if each.sentence == number] or drafts[-1:]
        draft = mine[-1]
        if draft.act.startswith("ERR"):
            return
        name = span.slot
        checks = [each for each in mine if ":CHECK" in each.act]
        if name in ("size_1", "alphabeticSize") and checks:
            name = "size" if name == "alphabeticSize" else ""
        if name == "size":
            asks = [each for each in mine if ":PREFER" not in each.act]
            draft = (checks or asks or mine)[-1]
            name = (
                "check"
                if checks
                else ("availableSizes" if self._has_sizes(draft, span) else "size")
            )
        elif checks and checks[-1].act.endswith(f".{name}"):
            draft, name = checks[-1], "check"
        if not name or any(each.slot == name and each.start == span.start for each in draft.slots):
            return
        if (
            name.endswith("Style")
            and "REQUEST:GET" not in draft.act
            and self.text[span.start : span.end].lower() == "similar"
        ):
            return
        counts = "ADD_TO_CART" in draft.act or ":COMPARE" in draft.act
        if name == "amount" and not counts:
            return
        if name == "theme" and ":COMPARE" in draft.act:
            return  # what is compared with has its slot already
        draft.slots.append(SlotSpan(name, span.start, span.end))


def _divide(text: str) -> Iterator[tuple[int, int]]:
    """Yields the sentences of a text, and the sides of a "but", without spaces around them."""
    cuts = sorted(
        {
            0,
            len(text),
            *(m.end() for m in re.finditer(r"[.?!;]+(?=\s|$)", text)),
            *(m.start() for m in _patterns("exact")["but"].finditer(text)),
        }
    )
    for start, end in itertools.pairwise(cuts):
        part = text[start:end]
        if part.strip():
            yield start + len(part) - len(part.lstrip()), start + len(part.rstrip())
    if not text.strip():
        yield 0, len(text)
