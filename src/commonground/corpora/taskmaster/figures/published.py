"""Where the published numbers of Taskmaster stand, and reasons that several of them share."""

from __future__ import annotations

_REPOSITORY = "google-research-datasets/Taskmaster@d92cb6a"

README_1 = f"{_REPOSITORY} TM-1-2019/README.md"
README_2 = f"{_REPOSITORY} TM-2-2020/README.md"
README_3 = f"{_REPOSITORY} TM-3-2020/README.md"
README_4 = f"{_REPOSITORY} TM-4-2024/README.md"
CARD_1 = "google-research-datasets/taskmaster1 dataset card, one_person_dialogs"
_CONVLAB = "ConvLab/ConvLab-3@2a168fc data/unified_datasets"
CONVLAB_1 = f"{_CONVLAB}/tm1/README.md, all"
CONVLAB_2 = f"{_CONVLAB}/tm2/README.md, all"
CONVLAB_3 = f"{_CONVLAB}/tm3/README.md, all"
_PARLAI = "facebookresearch/ParlAI@a29567f"
PARLAI_1 = f"{_PARLAI} parlai/tasks/taskmaster/test, episodes of SystemTeacher"
PARLAI_2 = f"{_PARLAI} parlai/tasks/taskmaster2/test, episodes"
PARLAI_3 = f"{_PARLAI} parlai/tasks/taskmaster3/test, episodes of SystemTeacher"

IMPORTED = "Only what was imported is counted, and that was not every released file."
MERGED = "ConvLab-3 merges the utterances of one side in a row, and leaves dialogues out."
LEFT_OUT = "ConvLab-3 leaves out dialogues that are empty or have one speaker only."
