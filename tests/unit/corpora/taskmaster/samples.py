"""Small invented records, one of each generation, and what the tests do with them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from commonground.corpora.taskmaster.convert import Context, convert
from commonground.corpora.taskmaster.native.dialogues import (
    CoffeeDialogue,
    PlainDialogue,
    TicketDialogue,
)
from commonground.files.reading import Where
from commonground.model import Dialogue


def segment(text: str, part: str, *labels: str) -> dict[str, Any]:
    start = text.index(part)
    names = [{"name": label} for label in labels]
    end = start + len(part)
    return {"start_index": start, "end_index": end, "text": part, "annotations": names}


# C a f é SPACE N o i r: "Noir" is at 5 in code points, at 6 in UTF-8 bytes.
PIZZA_TEXT = "Café Noir, two big ones"
PLAIN: dict[str, Any] = {
    "conversation_id": "dlg-plain",
    "instruction_id": "pizza-ordering-7",
    "utterances": [
        {"index": 0, "speaker": "ASSISTANT", "text": "Hello?"},
        {
            "index": 1,
            "speaker": "USER",
            "text": PIZZA_TEXT,
            "segments": [
                segment(PIZZA_TEXT, "Noir", "pizza_ordering.name.store.accept", "other"),
                segment(PIZZA_TEXT, "Noir, two", "pizza_ordering.num"),
            ],
        },
    ],
}

TICKET_TEXT = "A drama in Köln?"
TICKETS: dict[str, Any] = {
    "conversation_id": "dlg-tickets",
    "vertical": "Movie Tickets",
    "scenario": "Open",
    "instructions": "Buy a ticket.",
    "utterances": [
        {
            "index": 0,
            "speaker": "user",
            "text": TICKET_TEXT,
            "segments": [segment(TICKET_TEXT, "Köln", "location")],
            "apis": [
                {
                    "name": "find_movies",
                    "index": 0,
                    "args": {"location": "Köln"},
                    "response": {"name.movie_1": "Nebel"},
                }
            ],
        },
        {"index": 1, "speaker": "assistant", "text": "Wait."},
        {"index": 2, "speaker": "assistant", "text": "Nebel."},
    ],
}


def notes(number: int, name: str, request: str | None, response: str) -> list[dict[str, str]]:
    call, back = f"api_call_{number}", f"api_response_{number}"
    parts = [("api_call", name, call), ("request", request, call)]
    parts += [("api_response", name, back), ("response", response, back)]
    return [{"name": n, "value": v, "context": c} for n, v, c in parts if v is not None]


COFFEE_TEXT = "a té with ice"
COFFEE: dict[str, Any] = {
    "conversation_id": "dlg-coffee",
    "vertical": "Coffee",
    "scenario": "Plain",
    "instructions": None,
    "utterances": [
        {
            "index": 0,
            "speaker": "user",
            "text": COFFEE_TEXT,
            "segments": [
                segment(COFFEE_TEXT, "ice", "request")
                | {"start_index": "10", "end_index": "13", "annotator_id": "GENERATED"}
            ],
            "annotations": [
                *notes(0, "get_menu_items", '{"query": "té"}', '{"menu_items":[]}'),
                *notes(1, "show_menu", None, '{"success":true}'),
                *notes(2, "get_addons", '{"query": ""ice""}', '{"addons":'),
            ],
        },
        {"index": 1, "speaker": "assistant", "text": "OK", "segments": [], "annotations": []},
    ],
}

TYPES: dict[str, Any] = {
    "dialogs1": PlainDialogue,
    "dialogs2": PlainDialogue,
    "dialogs3": TicketDialogue,
    "dialogs4": CoffeeDialogue,
}


def copy(record: dict[str, Any]) -> dict[str, Any]:
    copied: dict[str, Any] = json.loads(json.dumps(record))
    return copied


def convert_sample(
    record: dict[str, Any],
    fmt: str,
    document: str = "x.json",
    context: Context | None = None,
) -> Dialogue:
    typed = msgspec.convert(record, TYPES[fmt])
    return convert(typed, Where(document, "$[0]", fmt), context or Context())
