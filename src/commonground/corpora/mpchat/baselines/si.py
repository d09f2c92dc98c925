"""Simple ways to find the author of a message by persona, without and with the thread before."""

from __future__ import annotations

from commonground.corpora.mpchat.baselines.methods import make_baselines
from commonground.corpora.mpchat.baselines.sides import Side, read_persona

BASELINES = make_baselines(Side("mpchat/si", ("response",), "context", read_persona))
