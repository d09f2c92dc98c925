"""Small threads written by hand, as JSON, in the forms that the description shows."""

from __future__ import annotations

from typing import Any

LOAF = {
    "id": "aaa111",
    "subreddit": "breadheads",
    "url": "https://images.example/loaf.jpg",
    "score": 5,
    "author": "rye_anna",
    "created_utcs": 1500000000.0,
    "permalink": "/r/breadheads/comments/aaa111/my_first_loaf",
    "title": "my first loaf",
    "direct_url": "https://images.example/loaf.jpg",
    "file_name": "aaa111_loaf.jpg",
}
SHED = {
    "id": "bbb222",
    "subreddit": "sheds",
    "url": "https://posts.example/gallery/bbb222",
    "score": -1,
    "author": "rye_anna",
    "created_utc": 1510000000,
    "permalink": "/r/sheds/comments/bbb222/a_shed",
    "title": "a shed I painted green",
    "direct_url": "https://images.example/shed.png",
    "file_name": "bbb222_shed.png",
}
BOAT = {
    "id": "ccc333",
    "author": "oar_ben",
    "title": "my boat",
    "file_name": "ccc333_boat.jpg",
}
AGREED = {"label_overall": "E", "label_per_worker": [["W1", 1], ["W2", 0], ["W3", 1]]}
DENIED = {"label_overall": "(strong) I", "label_per_worker": [["W1", 0], ["W2", 0], ["W3", 0]]}

_THREAD: dict[str, Any] = {
    "subreddit": "gardens",
    "messages": ["look at my fence", "which green is that?", "the same as on my shed"],
    "message_ids": ["ddd444", "geee555", "gfff666"],
    "main_author": "rye_anna",
    "authors": ["rye_anna", "[deleted]", "rye_anna"],
    "created_utcs": [1600000000.0, 1600000060.0, 1600000180.5],
    "has_image": True,
    "all_personas": [LOAF, SHED],
    "direct_url": "https://images.example/fence.jpg",
    "file_name": "ddd444_fence.jpg",
}


def nrp_thread() -> dict[str, Any]:
    """Makes a thread of ``mpchat_nrp.json``, with two candidate responses for brevity."""
    return _THREAD | {
        "grounded_personas": [[], [], [SHED | AGREED]],
        "ungrounded_personas": [[], [], [LOAF | DENIED]],
        "candidate_personas": [SHED],
        "nrp_candidate_responses": [[], [], ["the same as on my shed", "no idea"]],
    }


def gpp_thread() -> dict[str, Any]:
    """Makes a thread of ``mpchat_gpp.json``, with two ranked elements."""
    return _THREAD | {
        "gpp_grounded_persona": [None, None, SHED],
        "gpp_candidate_personas": [[], [], [LOAF]],
        "gpp_candidate_authors_candidate_personas": [[], [], [SHED, BOAT]],
    }


def si_thread() -> dict[str, Any]:
    """Makes a thread of ``mpchat_si.json`` without an image, with two ranked authors."""
    thread = _THREAD | {
        "has_image": False,
        "direct_url": None,
        "si_main_author_candidate_personas": [SHED, LOAF],
        "si_candidate_authors_candidate_personas": [[SHED, LOAF], [BOAT]],
    }
    del thread["file_name"]
    return thread
