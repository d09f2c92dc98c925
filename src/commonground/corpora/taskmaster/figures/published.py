"""Where the published numbers of Taskmaster stand, and reasons that several of them share."""

from __future__ import annotations

_REPOSITORY = "google-research-datasets/Taskmaster@d92cb6a"

README_1 = f"{_REPOSITORY} TM-1-2019/README.md"
README_2 = f"{_REPOSITORY} TM-2-2020/README.md"
README_3 = f"{_REPOSITORY} TM-3-2020/README.md"
README_4 = f"{_REPOSITORY} TM-4-2024/README.md"
CARD_1 = "google-research-datasets/taskmaster1 dataset card, one_person_dialogs"
CONVLAB_3 = "ConvLab/ConvLab-3 data/unified_datasets/tm3/README.md, all"

IMPORTED = "Only what was imported is counted, and that was not every released file."
