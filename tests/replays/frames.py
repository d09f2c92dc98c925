"""Released dialogues taken apart into gestures and played again by the rules.

The dialogue acts of a turn become the gestures by which a wizard would have noted them. What the
frames hold after them is compared with the released snapshot; what differs is listed and put right
by editing gestures, so that one difference does not make others. Acts that the rules refuse are
listed, and noted all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from commonground.corpora.frames.convert.packages import match_offer, package_id
from commonground.corpora.frames.native import (
    FORMATS,
    Author,
    DialogueAct,
    Frame,
    FramesDialogue,
    InfoValue,
    Package,
    Search,
    Turn,
    read_time,
)
from commonground.corpora.frames.vocabulary import MARKS
from commonground.errors import FormatError
from commonground.files.dividing import decode_raw, divide_document
from commonground.findings import shorten
from commonground.play.scenario import Act, Refusal, Replay, ReplayDifference
from commonground.play.scenarios.frames.game import frame_book as books
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.state import (
    FramesState,
    Noted,
    Setting,
    WizardSearch,
    add_message,
    add_note,
    replace,
)
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.release import build_turn
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.travel.cards import TaskCard
from commonground.play.scenarios.frames.travel.database import (
    Catalogue,
    Lodging,
    TravelDatabase,
    make_deal,
)
from commonground.records import UNSET, UnsetType
from tests.replays import Comparer

_DIALOGUES = FORMATS[0]

_COMPARED = (
    *("snapshots", "edited", "parents", "active", "values", "questions"),
    *("acts", "texts", "packages", "offers"),
)
"""What is compared: whole snapshots by gestures of acts alone, and after edits; frames' parents and
the active frame; the values and the open questions of each frame; each turn's acts and text;
whether each package that was found fits its query, and each offer a package.
"""

_REASONS = {
    "active": "Another frame is active than the acts of the turn say.",
    "acts": "The acts of the turn would be written in another way.",
    "already_active": "A switch to the frame that was active already.",
    "bad_query": "The form was not filled in with numbers; the rules ask for them.",
    "bad_slot": "The words of a reference stand outside it.",
    "bad_value": 'A yes-or-no slot has the text "-1".',
    "comparison": "The annotators closed an open comparison sooner or later than the rules do.",
    "negated": "The frame holds the value as ruled out, or the rules do, and not the other.",
    "no_rating": "The rating is not a whole number.",
    "not_in_text": "The value of an act is not in the user's words.",
    "not_said": "The value of an act is not in the wizard's words.",
    "nothing_new": "A new frame although no act gives it a value.",
    "offers": "No package that was found fits what the offer says, or several do.",
    "order": "The result is not in order of price.",
    "packages": "The package does not fit the query: other cities for unknown ones, other dates.",
    "parents": "The user's new frame does not come from the first one.",
    "question": "The annotators closed a yes-or-no question sooner or later than the rules do.",
    "mark": "The annotators seldom marked requests for more, and marked other frames.",
    "repeated": "The frame holds a value, or a question, as often as it was said.",
    "request": "The annotators closed a request sooner or later than the rules do.",
    "switch_form": "A switch that names several frames, or none.",
    "text": "The text has white space at an end.",
    "time_order": "A search by its own clock is not between the turns.",
    "too_long": "The text is longer than a message may be.",
    "too_many_turns": "The chat has more turns than it may have.",
    "unprintable": "The text has a line break.",
    "value": "The frame holds another value: another spelling, or what the annotators made of it.",
    "value_extra": "The rules put a value into a frame that the annotators did not, or keep one.",
    "value_missing": "The annotators put a value into a frame that no act says.",
}


def replay_file(name: str, data: bytes) -> Replay:
    """Plays every dialogue of a file again.

    Args:
        name: of the file, for the list of differences.
        data: its bytes.

    Raises:
        FormatError: it is no file of dialogues; the message says where.
    """
    division = divide_document(name, data, _DIALOGUES)
    if division.findings:
        first = division.findings[0]
        raise FormatError(f"{name}: {first.source_path or '$'}: {first.message}")
    found = Replay()
    for number, raw in enumerate(division.records):
        read = decode_raw(name, raw, _DIALOGUES)
        if read.record is None:
            bad = read.findings[0]
            raise FormatError(f"{name}: {bad.source_path or '$'}: {bad.message}")
        found += _Dialogue(name, f"$[{number}]", read.record).replay()
    return found


class _Dialogue:
    """A released dialogue on its way through the rules, and what came out otherwise so far."""

    def __init__(self, name: str, path: str, record: FramesDialogue) -> None:
        self._name = name
        self._path = path
        self._record = record
        self._differences: list[ReplayDifference] = []
        self._compared = dict.fromkeys(_COMPARED, 0)
        self._equal = dict.fromkeys(_COMPARED, 0)
        self._acts = 0
        self._shown: dict[str, Package] = {}
        # Neither card nor database was released: what searches found comes from the record.
        card = TaskCard("released", "strict", "", {})
        self._state = FramesState(Setting(FramesMaterial((card,), Catalogue((), ())), card, 0))

    def replay(self) -> Replay:
        """Plays it and compares each turn."""
        for number, turn in enumerate(self._record.turns):
            path = f".turns[{number}]"
            if turn.author == "user":
                self._play_user(path, turn)
            else:
                self._play_wizard(path, turn)
            self._compare_turn(path, turn)
        self._end()
        return Replay(1, self._acts, self._compared, self._equal, self._differences)

    def _differ(self, path: str, code: str, expected: object, found: object) -> None:
        place = self._path + path
        self._differences.append(
            ReplayDifference(self._name, place, code, shorten(expected), shorten(found))
        )

    def _count(self, name: str, *, equal: bool) -> None:
        self._compared[name] += 1
        self._equal[name] += equal

    def _try(
        self, path: str, kind: str, role: str, payload: dict[str, Any], at_us: int | None = None
    ) -> bool:
        """Does something by the rules; where they refuse it, lists why and returns false.

        Args:
            path: of what is done, in the record.
            kind: type of the act.
            role: who does it.
            payload: of the act.
            at_us: when; None for right after what was done before.
        """
        self._acts += 1
        next_us = (self._state.last_us or 0) + 1
        act = Act(kind, role, payload, next_us if at_us is None else at_us)
        found = SCENARIO.apply(self._state, act)
        # 701 searches have a time outside their turn: listed, and made right after the act before.
        if isinstance(found, Refusal) and found.code == "time_order":
            self._differ(path, "time_order", f"{next_us} or later", act.at_us)
            found = SCENARIO.apply(self._state, msgspec.structs.replace(act, at_us=next_us))
        if isinstance(found, Refusal):
            self._differ(path, found.code, "refused", payload)
            return False
        self._state = found
        return True

    def _overrule(self, of: Author, act: DialogueAct | None, book: Book) -> None:
        """Notes something whatever the rules say."""
        self._state = add_note(self._state, of, Noted(act, book))

    def _play_user(self, path: str, turn: Turn) -> None:
        """Plays a turn of the user: its words, where they go, and what they say there."""
        self._write(path, turn)
        acts = [(f"{path}.labels.acts[{n}]", act) for n, act in enumerate(turn.labels.acts)]
        for where, act in acts:
            if act.name == "switch_frame":
                self._switch(where, act)
        # First where the turn leads: what it says goes into the frame that is active then.
        opening = self._open_frame(path, turn)
        self._compare_active(path, turn.author, turn.labels.active_frame)
        for where, act in acts:
            if act.name != "switch_frame" and act is not opening:
                self._note(where, "user", act)
        self._compare_frames(path, turn)

    def _play_wizard(self, path: str, turn: Turn) -> None:
        """Plays a turn of the wizard: its searches, its gestures, and then its words."""
        if turn.db is not UNSET:
            pairs = zip(turn.db.search, turn.db.result, strict=False)
            for index, (search, packages) in enumerate(pairs):
                self._search(f"{path}.db", index, search, packages)
        for number, act in enumerate(turn.labels.acts):
            where = f"{path}.labels.acts[{number}]"
            if books.created_by(act) is None:
                self._note(where, "wizard", act)
            else:
                self._offer(where, act)
        self._compare_active(path, turn.author, turn.labels.active_frame)
        self._compare_frames(path, turn)
        self._write(path, turn)

    def _write(self, path: str, turn: Turn) -> None:
        at_us, message = round((read_time(turn.timestamp, 1000) or 0) * 1_000), {"text": turn.text}
        begun = self._state.draft
        if self._try(f"{path}.text", "chat.message", turn.author, message, at_us):
            self._keep_words(f"{path}.text", begun)
        else:
            at_us = max(at_us, (self._state.last_us or 0) + 1)
            state = add_message(self._state, turn.author, turn.text, at_us)
            self._state = replace(state, last_us=at_us, first_us=state.first_us or at_us)

    def _keep_words(self, path: str, begun: tuple[Noted, ...]) -> None:
        """Has the acts of a message as released, where the rules took the words of the message."""
        *runs, last = self._state.runs
        if begun and last.notes != begun:
            self._differ(path, "not_said", "the values of its acts", "other forms of them")
            self._state = replace(self._state, runs=(*runs, replace(last, notes=begun)))

    def _note(self, path: str, of: Author, act: DialogueAct) -> None:
        payload = {"of": of, "name": act.name, "args": msgspec.to_builtins(act.args)}
        if not self._try(path, "frames.act", "wizard", payload):
            self._overrule(of, act, books.carry(self._state.book, of, act))

    def _switch(self, path: str, act: DialogueAct) -> None:
        references = [r for arg in act.args if isinstance(arg.val, list) for r in arg.val]
        if len(act.args) == len(references) == 1:
            slots = msgspec.to_builtins(references[0].annotations)
            frame, fromrange = references[0].frame, references[0].fromrange
            payload = {"frame": frame, "slots": slots, "fromrange": fromrange}
            if self._try(path, "frames.frame_switch", "wizard", payload):
                return
        else:
            self._differ(path, "switch_form", "one frame", msgspec.to_builtins(act.args))
        book = self._state.book
        target = references[0].frame if references else book.active
        self._overrule("user", act, books.activate(book, target))

    def _open_frame(self, path: str, turn: Turn) -> DialogueAct | None:
        """Makes the new frame of a user's turn; returns the act by which it is made."""
        frames = turn.labels.frames
        if len(frames) <= len(self._state.book.frames):
            return None
        for number, act in enumerate(turn.labels.acts):
            if act.name == "inform" and any(isinstance(s.val, str | bool) for s in act.args):
                payload = {"of": "user", "args": msgspec.to_builtins(act.args)}
                where = f"{path}.labels.acts[{number}]"
                if self._try(where, "frames.frame_new", "wizard", payload):
                    return act
        self._differ(f"{path}.labels.frames", "nothing_new", "an act that says why", len(frames))
        book = books.add_frame(self._state.book, books.ROOT)
        self._overrule("user", None, books.activate(book, len(frames)))
        return None

    def _offer(self, path: str, act: DialogueAct) -> None:
        """Makes the frame of an offer or a suggestion.

        Offers of the time were typed, not made of rows: they are noted with the slots that they
        have, and it is compared whether a package fits them.
        """
        args = [arg for arg in act.args if arg.key != "id"]
        if act.name == "suggest":
            payload = {"of": "wizard", "args": msgspec.to_builtins(args)}
            if self._try(path, "frames.frame_new", "wizard", payload):
                return
        else:
            fits = match_offer(act.args, self._shown) is not None
            self._count("offers", equal=fits)
            if not fits:
                self._differ(path, "offers", "a package", msgspec.to_builtins(args))
        book = self._state.book
        parent = (books.frames_of(act) or [book.active])[0]
        said = [slot.key for slot in books.bare_slots(act)]
        book = books.add_frame(book, parent, said)
        self._overrule("wizard", act, books.carry(book, "wizard", act))

    def _search(self, path: str, index: int, search: Search, packages: list[Package]) -> None:
        """Searches, and puts the released result in the place of ours."""
        form = msgspec.to_builtins(search)
        # Searches are timed in seconds, turns in milliseconds.
        at_us = round(form.pop("timestamp") * 1_000_000)
        # The rules put it in themselves, and refuse who names it; so with the time.
        form.pop("RESULT_LIMIT", None)
        where = f"{path}.search[{index}]"
        if self._try(where, "frames.search", "wizard", form, at_us):
            self._compare_packages(f"{path}.result[{index}]", search, packages)
            before = self._state.searches[:-1]
        else:
            before = self._state.searches
            # What the rules did not take waits for the wizard's message all the same.
            self._state = replace(self._state, waiting=self._state.waiting + 1)
        found = WizardSearch(search, tuple(packages), {})
        self._state = replace(self._state, searches=(*before, found))
        self._shown.update((package_id(package), package) for package in packages)

    def _compare_packages(self, path: str, search: Search, packages: list[Package]) -> None:
        prices = [package.price for package in packages]
        if prices != sorted(prices):
            self._differ(path, "order", "the cheapest first", prices)
        # The database was never released: whether a result fits is asked of the result alone.
        fitting = {package_id(each) for each in _find_fitting(search, packages)}
        for number, package in enumerate(packages):
            fits = package_id(package) in fitting
            self._count("packages", equal=fits)
            if not fits:
                query = msgspec.to_builtins(search)
                self._differ(f"{path}[{number}]", "packages", query, _sum_up(package))

    def _compare_active(self, path: str, of: Author, active: int) -> None:
        book = self._state.book
        self._count("active", equal=book.active == active)
        if book.active != active:
            self._differ(f"{path}.labels.active_frame", "active", book.active, active)
            self._overrule(of, None, books.activate(book, active))

    def _compare_frames(self, path: str, turn: Turn) -> None:
        """Compares the frames after a turn, and edits them to be as released."""
        before = len(self._differences)
        edits = [
            edit
            for ours, theirs in zip(self._state.book.frames, turn.labels.frames, strict=False)
            for edit in self._compare_frame(f"{path}.labels.frames", ours, theirs)
        ]
        self._count("snapshots", equal=len(self._differences) == before)
        for kind, payload in edits:
            self._try(path, kind, "wizard", {"of": turn.author, **payload})
        released = tuple(turn.labels.frames)
        # Compared once more: some edits are refused, and one difference must not make others.
        same = self._state.book.frames == released
        self._count("edited", equal=same)
        if not same:
            book = Book(released, turn.labels.active_frame)
            self._overrule(turn.author, None, book)

    def _compare_frame(self, path: str, ours: Frame, theirs: Frame) -> list[Edit]:
        """Compares a frame; returns the gestures that make ours like the released one."""
        path = f"{path}[{ours.frame_id - 1}]"
        self._count("parents", equal=ours.frame_parent_id == theirs.frame_parent_id)
        if ours.frame_parent_id != theirs.frame_parent_id:
            place = f"{path}.frame_parent_id"
            self._differ(place, "parents", ours.frame_parent_id, theirs.frame_parent_id)
        self._count("values", equal=ours.info == theirs.info)
        edits: list[Edit] = []
        for slot in {**ours.info, **theirs.info}:
            mine, their = ours.info.get(slot, []), theirs.info.get(slot, [])
            if mine != their:
                code = _explain_values(slot, mine, their)
                self._differ(f"{path}.info.{slot}", code, _show(mine), _show(their))
                values = msgspec.to_builtins(their)
                payload = {"frame": ours.frame_id, "slot": slot, "values": values}
                edits.append(("frames.slot", payload))
        for field, (kind, code) in _QUESTIONS.items():
            mine, their = getattr(ours, field), getattr(theirs, field)
            self._count("questions", equal=mine == their)
            if mine != their:
                # Equal but for how often something stands there. Not as sets, since records have no
                # hash.
                same = all(each in their for each in mine) and all(each in mine for each in their)
                expected, found = msgspec.to_builtins(mine), msgspec.to_builtins(their)
                self._differ(f"{path}.{field}", "repeated" if same else code, expected, found)
                edits += _ask_again(kind, ours.frame_id, mine, their)
        return edits

    def _compare_turn(self, path: str, turn: Turn) -> None:
        """Compares what the turn says and does."""
        made = build_turn(self._state.runs[-1])
        self._count("texts", equal=made.text == turn.text)
        if made.text != turn.text:
            self._differ(f"{path}.text", "text", made.text, turn.text)
        ours, theirs = made.labels, turn.labels
        same = _sorted(ours.acts) == _sorted(theirs.acts) and _sorted(
            ours.acts_without_refs
        ) == _sorted(theirs.acts_without_refs)
        self._count("acts", equal=same)
        if not same:
            found = [msgspec.to_builtins(each) for each in theirs.acts]
            self._differ(f"{path}.labels.acts", "acts", msgspec.to_builtins(ours.acts), found)

    def _end(self) -> None:
        """Ends the chat and answers the surveys."""
        labels = self._record.labels
        if self._state.runs:
            self._try("", "frames.end", "user", {})
            if labels.userSurveyRating is not None:
                rating = {"rating": labels.userSurveyRating}
                self._try(".labels.userSurveyRating", "frames.survey", "user", rating)
            success = {"success": labels.wizardSurveyTaskSuccessful}
            where = ".labels.wizardSurveyTaskSuccessful"
            self._try(where, "frames.survey", "wizard", success)


def _find_fitting(search: Search, packages: list[Package]) -> list[Package]:
    """Returns those of some packages that fit a query."""
    # The released prices are those of the whole party.
    query = replace(search, NUM_ADULTS="1", NUM_CHILDREN=UNSET)
    return TravelDatabase(gather_catalogue(packages)).search(query) if packages else []


def _sum_up(package: Package) -> str:
    trip, hotel = package.trip, package.hotel
    days = " to ".join(
        f"{at.year}-{at.month:02}-{at.day:02}"
        for at in (trip.leaving.departure, trip.returning.departure)
    )
    return f"{trip.or_city} to {hotel.dst_city}, {days}, {package.price}"


def _explain_values(slot: str, ours: list[InfoValue], theirs: list[InfoValue]) -> str:
    """Returns the code of a difference between the values of a slot."""
    if ours and theirs and all(e in theirs for e in ours) and all(e in ours for e in theirs):
        return "repeated"
    if slot in MARKS:
        return "mark"
    if not ours:
        return "value_missing"
    if not theirs:
        return "value_extra"
    return "negated" if {_text(e) for e in ours} == {_text(e) for e in theirs} else "value"


def _text(value: InfoValue) -> str:
    return str(value.val)


def _show(values: list[InfoValue]) -> str:
    return ", ".join(f"{'not ' if each.negated else ''}{each.val}" for each in values) or "nothing"


Edit = tuple[str, dict[str, Any]]
"""A type of act, and its payload without whose words it is about."""

_QUESTIONS = {
    "requests": ("request", "request"),
    "binary_questions": ("binary", "question"),
    "compare_requests": ("compare", "comparison"),
}
"""Where a frame has open questions: their kind in gestures, and the code of a difference."""


def _ask_again(kind: str, frame: int, ours: list[Any], theirs: list[Any]) -> list[Edit]:
    """Returns the gestures that close all open questions of a kind, and open the released ones."""
    # All are closed and asked again, since their order is compared as well.
    changes = [(each, False) for each in reversed(ours)] + [(each, True) for each in theirs]
    edits: list[Edit] = []
    for question, is_open in changes:
        keys = question.keys if kind == "compare" else [question.key]
        payload = {"frame": frame, "kind": kind, "by": question.author, "keys": keys}
        payload["open"] = is_open
        if kind == "binary":
            payload["value"] = question.value
        edits.append(("frames.question", payload))
    return edits


def _sorted(acts: Sequence[DialogueAct] | UnsetType) -> list[bytes]:
    """Returns acts as text, in an order that does not depend on theirs or that of their slots."""
    if acts is UNSET:
        return []
    return sorted(
        msgspec.json.encode([act.name, sorted(msgspec.json.encode(arg) for arg in act.args)])
        for act in acts
    )


REPLAY = Comparer(
    reasons=_REASONS,
    replay=replay_file,
)


def gather_catalogue(packages: Iterable[Package]) -> Catalogue:
    """Returns a database of packages that are known to be sound.

    Raises:
        ValueError: a departure is no date.
    """
    hotels: dict[Lodging, int] = {}
    deals = []
    for package in packages:
        hotel, deal = make_deal(package)
        number = hotels.setdefault(hotel, len(hotels))
        deals.append(msgspec.structs.replace(deal, hotel=number))
    return Catalogue(tuple(hotels), tuple(deals))
