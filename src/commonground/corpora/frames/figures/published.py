"""Where the published numbers of Frames stand."""

from __future__ import annotations

PAPER = "El Asri et al. 2017, SIGdial, abstract"
PAGE = "Frames Dataset, project page of Microsoft Research, overview"
SUMMARY = "felicitywang/TFMTL tasks/dialogue/Maluuba_Frames/README.md, basic stats"
