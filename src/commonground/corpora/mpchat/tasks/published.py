"""Published results for the three tasks of MPChat.

What a model sees is said as on the authors' slides: the context, with persona images, persona
sentences, or both. Numbers are means over the authors' runs, in percent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from commonground.task import Published

_SLIDES = "ahnjaewoo/MPCHAT@b462d2d assets/acl2023_mpchat_slides.pdf, slide"
_SAME = "yes: the released test candidates, scored by the same code"

_INPUTS = ("context", "persona images", "persona sentences", "persona")

_NRP_TEXT = (
    ("IR baseline, text only", 10.69, 18.06),
    ("SBERT, text only, zero-shot", 35.67, 45.75),
    ("SBERT, text only", 51.32, 64.76),
    ("CLIP+CLIP, context image, zero-shot", 39.38, 54.06),
    ("CLIP+CLIP, context image", 40.85, 54.32),
)
_NRP = {
    "SBERT+ViT": ((57.7, 69.39), (58.55, 70.17), (64.32, 74.3), (65.29, 75.08)),
    "SBERT+CLIP": ((59.68, 70.99), (60.3, 71.47), (64.32, 74.33), (65.43, 75.19)),
    "CLIP+CLIP": ((69.11, 78.22), (69.87, 78.85), (72.13, 80.72), (72.65, 81.12)),
}
_GPP_BEFORE = {
    "SBERT+ViT": ((70.91, 79.26), (70.7, 79.17), (73.87, 81.41), (74.43, 82.05)),
    "SBERT+CLIP": ((70.98, 79.28), (70.63, 79.22), (74.06, 81.52), (74.69, 82.24)),
    "CLIP+CLIP": ((78.85, 85.96), (82.02, 88.31), (80.69, 87.28), (82.32, 88.52)),
}
"""The message is not seen."""
_GPP_AFTER = {
    "SBERT+ViT": ((95.06, 97.12), (95.16, 97.21), (94.86, 97.09), (95.75, 97.58)),
    "SBERT+CLIP": ((94.99, 97.06), (94.91, 97.04), (94.92, 97.13), (95.55, 97.48)),
    "CLIP+CLIP": ((93.56, 96.21), (94.62, 96.86), (94.43, 96.79), (94.79, 96.94)),
}
"""The message is seen."""
_SI_TEXT = (("SBERT, text only", 56.47, 67.92),)
_SI = {
    "SBERT+ViT": ((19.56, 35.84), (56.87, 68.33), (57.28, 68.86)),
    "SBERT+CLIP": ((25.71, 42.47), (56.63, 68.15), (57.24, 68.69)),
    "CLIP+CLIP": ((44.27, 59.04), (59.89, 70.87), (62.17, 73.08)),
}

_Pairs = tuple[tuple[float, float], ...]


def _entry(system: str, recall: float, mrr: float, slide: int) -> Published:
    return Published(
        system=system,
        split="test",
        values={
            "recall@1": round(recall / 100, 4),
            "mrr": round(mrr / 100, 4),
        },
        source=f"{_SLIDES} {slide}",
        comparable=_SAME,
    )


def _list_models(
    table: Mapping[str, _Pairs], inputs: tuple[str, ...], slide: int, seen: str = ""
) -> Iterator[Published]:
    for model, pairs in table.items():
        for what, (recall, mrr) in zip(inputs, pairs, strict=True):
            yield _entry(f"{model}, {what}{seen}", recall, mrr, slide)


NRP = (
    *(_entry(*row, 14) for row in _NRP_TEXT),
    *_list_models(_NRP, _INPUTS, 14),
)
GPP = (
    *_list_models(_GPP_BEFORE, _INPUTS, 15, ", message not seen"),
    *_list_models(_GPP_AFTER, _INPUTS, 15, ", message seen"),
)
SI = (
    *(_entry(*row, 16) for row in _SI_TEXT),
    *_list_models(_SI, _INPUTS[1:], 16),
)
