"""Published results for the three tasks of MPChat.

What a model sees is said as on the authors' slides: the context, with persona images, persona
sentences, or both. A line has recall at 1 and mean reciprocal rank as printed there, in percent:
the mean over the authors' runs, its deviation, and asterisks, which no legend explains; their
poster calls what a whole persona adds statistically significant.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from commonground.task import Published

_SLIDES = "ahnjaewoo/MPCHAT@b462d2d assets/acl2023_mpchat_slides.pdf, slide"
_SAME = "yes: the released test candidates, scored by the same code"
_PRINTED = re.compile(r"(?P<value>[0-9.]+)(?:±(?P<deviation>[0-9.]+))?(?P<mark>\**)")

_INPUTS = ("context", "persona images", "persona sentences", "persona")

_NRP_TEXT = {
    "IR baseline, text only": "10.69 18.06",
    "SBERT, text only, zero-shot": "35.67 45.75",
    "SBERT, text only": "51.32±1.32 64.76±0.92",
    "CLIP+CLIP, context image, zero-shot": "39.38 54.06",
    "CLIP+CLIP, context image": "40.85±0.64 54.32±0.3",
}
_NRP = {
    "SBERT+ViT": (
        "57.7±0.71 69.39±0.4",
        "58.55±0.7 70.17±0.45",
        "64.32±0.64 74.3±0.45",
        "65.29±0.66** 75.08±0.43**",
    ),
    "SBERT+CLIP": (
        "59.68±0.7 70.99±0.49",
        "60.3±0.5 71.47±0.27",
        "64.32±0.75 74.33±0.57",
        "65.43±0.42** 75.19±0.32**",
    ),
    "CLIP+CLIP": (
        "69.11±0.74 78.22±0.49",
        "69.87±0.4 78.85±0.27",
        "72.13±0.61 80.72±0.38",
        "72.65±0.38* 81.12±0.26*",
    ),
}
_GPP_BEFORE = {
    "SBERT+ViT": (
        "70.91±0.7 79.26±0.47",
        "70.7±0.9 79.17±0.57",
        "73.87±0.65 81.41±0.34",
        "74.43±0.64* 82.05±0.39**",
    ),
    "SBERT+CLIP": (
        "70.98±0.94 79.28±0.56",
        "70.63±1.03 79.22±0.71",
        "74.06±0.68 81.52±0.42",
        "74.69±0.62* 82.24±0.41**",
    ),
    "CLIP+CLIP": (
        "78.85±1.04 85.96±0.67",
        "82.02±0.89 88.31±0.58",
        "80.69±0.8 87.28±0.55",
        "82.32±0.75 88.52±0.46",
    ),
}
"""The message is not seen."""
_GPP_AFTER = {
    "SBERT+ViT": (
        "95.06±0.32 97.12±0.17",
        "95.16±0.55 97.21±0.29",
        "94.86±1.35 97.09±0.78",
        "95.75±0.53** 97.58±0.3**",
    ),
    "SBERT+CLIP": (
        "94.99±0.55 97.06±0.31",
        "94.91±0.44 97.04±0.24",
        "94.92±0.42 97.13±0.26",
        "95.55±0.58* 97.48±0.32**",
    ),
    "CLIP+CLIP": (
        "93.56±0.56 96.21±0.37",
        "94.62±0.48 96.86±0.32",
        "94.43±0.45 96.79±0.23",
        "94.79±0.5 96.94±0.28",
    ),
}
"""The message is seen."""
_SI_TEXT = {"SBERT, text only": "56.47±0.58 67.92±0.52"}
_SI = {
    "SBERT+ViT": ("19.56±0.64 35.84±0.45", "56.87±0.6 68.33±0.37", "57.28±0.44 68.86±0.3**"),
    "SBERT+CLIP": ("25.71±0.49 42.47±0.34", "56.63±0.66 68.15±0.42", "57.24±0.63* 68.69±0.39**"),
    "CLIP+CLIP": ("44.27±0.66 59.04±0.35", "59.89±0.71 70.87±0.53", "62.17±0.56** 73.08±0.35**"),
}


def _entry(system: str, line: str, slide: int) -> Published:
    values, deviations, marks = {}, {}, {}
    for name, printed in zip(("recall@1", "mrr"), line.split(), strict=True):
        found = _PRINTED.fullmatch(printed)
        assert found, line  # noqa: S101 - the lines stand above
        values[name] = round(float(found["value"]) / 100, 4)
        if found["deviation"]:
            deviations[name] = round(float(found["deviation"]) / 100, 4)
        if found["mark"]:
            marks[name] = found["mark"]
    return Published(
        system=system,
        split="test",
        values=values,
        deviations=deviations,
        marks=marks,
        source=f"{_SLIDES} {slide}; ± and asterisks as printed there, without a legend",
        comparable=_SAME,
    )


def _list_models(
    table: Mapping[str, tuple[str, ...]], inputs: tuple[str, ...], slide: int, seen: str = ""
) -> Iterator[Published]:
    for model, lines in table.items():
        for what, line in zip(inputs, lines, strict=True):
            yield _entry(f"{model}, {what}{seen}", line, slide)


NRP = (
    *(_entry(system, line, 14) for system, line in _NRP_TEXT.items()),
    *_list_models(_NRP, _INPUTS, 14),
)
GPP = (
    *_list_models(_GPP_BEFORE, _INPUTS, 15, ", message not seen"),
    *_list_models(_GPP_AFTER, _INPUTS, 15, ", message seen"),
)
SI = (
    *(_entry(system, line, 16) for system, line in _SI_TEXT.items()),
    *_list_models(_SI, _INPUTS[1:], 16),
)
