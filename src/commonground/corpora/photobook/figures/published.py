"""Where the published numbers of PhotoBook stand, and reasons that several of them share."""

from __future__ import annotations

_SITE = "dmg-photobook/dmg-photobook.github.io@f6cccaa"

SITE_DATASET = f"{_SITE} dataset.html"
SITE_ANALYSIS = f"{_SITE} analysis_full.html"
SITE_CHAINS = f"{_SITE} reference_chains.html"
WORKERS = "dmg-photobook/photobook_dataset@cf01f08 worker_data.pickle, made by ACL_Analysis.ipynb"
ROUNDS = (
    "dmg-photobook/photobook_dataset@cf01f08 game_statistics.pickle, made by ACL_Analysis.ipynb"
)

FOUR_GAMES = "2,502 games were released; the site speaks of 2,506 here and of 2,502 elsewhere."
OTHER_GAMES = (
    "The site counts four games more and 36 agents fewer than were released; its numbers come "
    "from another state of the data."
)
