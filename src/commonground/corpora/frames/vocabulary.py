"""The closed vocabularies of Frames, as they are in the released file."""

from __future__ import annotations

ACTS: dict[str, frozenset[str]] = {
    "user": frozenset(
        [
            "affirm",
            "confirm",
            "goodbye",
            "greeting",
            "inform",
            "moreinfo",
            "negate",
            "request",
            "request_alts",
            "request_compare",
            "switch_frame",
            "thankyou",
        ]
    ),
    "wizard": frozenset(
        [
            "affirm",
            "canthelp",
            "confirm",
            "goodbye",
            "greeting",
            "hearmore",
            "inform",
            "negate",
            "no_result",
            "offer",
            "reject",
            "request",
            "sorry",
            "suggest",
            "thankyou",
            "you_are_welcome",
        ]
    ),
}
"""Dialogue acts by author."""

REFERENCES = frozenset({"ref", "read", "write"})
"""Slots whose value is a list of references to frames."""

FLAGS = frozenset(
    [
        "airport",
        "amenities",
        "beach",
        "breakfast",
        "budget_ok",
        "cathedral",
        "downtown",
        "dst_city_ok",
        "end_date_ok",
        "flex",
        "gym",
        "intent_ok",
        "mall",
        "market",
        "museum",
        "n_adults_ok",
        "palace",
        "park",
        "parking",
        "seat_ok",
        "shopping",
        "spa",
        "str_date_ok",
        "theatre",
        "university",
        "vicinity",
        "wifi",
    ]
)
"""Slots whose value is yes or no."""

TEXTS = frozenset(
    [
        "action",
        "arr_time_dst",
        "arr_time_or",
        "budget",
        "category",
        "count",
        "count_amenities",
        "count_category",
        "count_dst_city",
        "count_name",
        "count_seat",
        "dep_time_dst",
        "dep_time_or",
        "dst_city",
        "duration",
        "end_date",
        "gst_rating",
        "impl_anaphora",
        "intent",
        "max_duration",
        "min_duration",
        "n_adults",
        "n_children",
        "name",
        "or_city",
        "price",
        "ref_anaphora",
        "seat",
        "str_date",
    ]
)
"""Slots whose value is a text."""

SLOTS = FLAGS | TEXTS
"""Slots that acts, references and frames may have."""

MARKS = frozenset({"HEARMORE", "MOREINFO", "NO_RESULT", "REJECTED", "REQUEST_ALTS"})
"""Slots that only the ``info`` of a frame has; they record what happened to the frame."""

LABELS = frozenset({"action", "intent"})
"""Slots whose value is a label and not a stretch of the text."""

SEATS = frozenset({"ECONOMY", "BUSINESS"})

AMENITIES = frozenset({"FREE_BREAKFAST", "FREE_PARKING", "FREE_WIFI", "SPA"})

VICINITY = frozenset(
    [
        "airport",
        "beach",
        "cathedral",
        "heart",
        "mall",
        "market",
        "museum",
        "palace",
        "park",
        "shopping",
        "theater",
        "university",
    ]
)

DONT_CARE = "-1"
"""Value that says that any will do."""

MOST_PACKAGES = 10
"""Packages that a search found at most."""
