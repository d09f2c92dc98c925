"""A small database and chats about it, short to write, for the tests of the rules."""

from __future__ import annotations

from functools import cache
from typing import Any

from commonground.corpora.frames.native import Frame, FramesDialogue, Moment
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.frames.game.state import FramesState
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.travel.cards import TaskCard
from commonground.play.scenarios.frames.travel.database import (
    Catalogue,
    Deal,
    Lodging,
    read_moment,
)

ELM = Lodging("Elm House", "Brook", "Nowhere", "3.5 star hotel", 8.1, ("FREE_WIFI",), ("park",))
OAK = Lodging("Oak Inn", "Beck", "Nowhere", "2.0 star hotel", 0, (), ("heart", "theater"))


def at(day: int, hour: int = 8) -> int:
    """A time in September 2016, in minutes since 1970."""
    return read_moment(Moment(year=2016, month=9, day=day, hour=hour, min=0))


def deal(hotel: int, day: int, price: float, seat: Any = "ECONOMY", days: int = 6) -> Deal:
    return Deal(hotel, "Arden", seat, at(day), 180, at(day + days), 200, days, price)


DEALS = (
    deal(0, 3, 812.5),
    deal(0, 5, 640.25, "BUSINESS"),
    deal(1, 4, 700.0),
    deal(0, 12, 1200.0, days=10),
)
CARD = TaskCard(
    id="1-1",
    template="strict",
    text="Go to Brook.",
    wishes={"or_city": "Arden", "dst_city": "Brook"},
    places=("Beck",),
)


@cache
def material() -> FramesMaterial:
    return FramesMaterial((CARD,), Catalogue((ELM, OAK), DEALS))


class Chat:
    """A session under way; each act comes a second after the one before."""

    def __init__(self) -> None:
        self.state: FramesState = SCENARIO.start(material(), 1)
        self.now_us = 1_471_000_000_000_000
        self.accepted: list[Act] = []

    def act(self, role: str | None, kind: str, /, **payload: Any) -> str:
        """Tries an act; returns the code of its refusal, or an empty text."""
        self.now_us += 1_000_000
        act = Act(kind, role, payload, self.now_us)
        result = SCENARIO.apply(self.state, act)
        if isinstance(result, Refusal):
            return result.code
        self.state = result
        self.accepted.append(act)
        return ""

    def user(self, text: str) -> str:
        return self.act("user", "chat.message", text=text)

    def wizard(self, text: str) -> str:
        return self.act("wizard", "chat.message", text=text)

    def note(self, name: str, *args: dict[str, Any], of: str = "user") -> str:
        return self.act("wizard", "frames.act", of=of, name=name, args=list(args))

    def search(self, **query: Any) -> str:
        return self.act("wizard", "frames.search", **{"NUM_ADULTS": "1", **query})

    def offer(self, row: int = 1, *tell: str, **more: Any) -> str:
        told = list(tell or ("name", "price"))
        payload = {"search": len(self.state.searches), "row": row, "tell": told, **more}
        return self.act("wizard", "frames.offer", **payload)

    def switch(self, frame: int, *slots: dict[str, Any]) -> str:
        return self.act("wizard", "frames.frame_switch", frame=frame, slots=list(slots))

    def frame(self, number: int) -> Frame:
        return self.state.book.frame(number)

    def held(self, number: int) -> dict[str, Any]:
        return self.state.book.held(number)

    def close(self) -> None:
        """Ends the chat and answers both surveys."""
        assert self.act("user", "frames.end") == ""
        assert self.act("user", "frames.survey", rating=4) == ""
        assert self.act("wizard", "frames.survey", success=True) == ""

    def record(self) -> FramesDialogue:
        """Returns the released form, as session 0 of agents 1 and 2."""
        (dialogue,) = SCENARIO.finish(self.state, Sitting(0, {"user": 1, "wizard": 2}))
        return dialogue


def slot(key: str, *value: Any) -> dict[str, Any]:
    """A slot of an act; without a value it is asked for."""
    return {"key": key, "val": value[0]} if value else {"key": key}


def ref(*frames: int, relation: str = "ref", notes: tuple[dict[str, Any], ...] = ()) -> Any:
    """An argument that refers to frames, each by the same slots."""
    each = [{"frame": n, "annotations": list(notes), "fromrange": False} for n in frames]
    return {"key": relation, "val": each}


def offered() -> Chat:
    """A chat in which Elm House was offered to somebody who wants to go to Brook, as frame 2."""
    chat = Chat()
    codes = [
        chat.user("Hi, to Brook from Arden please, after September 2nd"),
        chat.note("inform", slot("dst_city", "Brook"), slot("or_city", "Arden")),
        chat.note("inform", slot("str_date", "September 2nd")),
        chat.search(DESTINATION_CITY="brook"),
        chat.offer(2),
        chat.wizard("Elm House for 812.50USD?"),
    ]
    assert codes == [""] * 6
    return chat
