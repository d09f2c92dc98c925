"""What must hold in Frames, each rule with its code; the checks stand in a module per subject."""

from commonground.corpora.frames.rules_acts import *  # noqa: F403
from commonground.corpora.frames.rules_frames import *  # noqa: F403
from commonground.corpora.frames.rules_info import *  # noqa: F403
from commonground.corpora.frames.rules_references import *  # noqa: F403
from commonground.corpora.frames.rules_results import *  # noqa: F403
from commonground.corpora.frames.rules_searches import *  # noqa: F403
from commonground.corpora.frames.rules_texts import *  # noqa: F403
from commonground.corpora.frames.rules_turns import *  # noqa: F403
