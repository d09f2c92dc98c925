"""Simple ways to find the next response, without and with the persona of its author."""

from __future__ import annotations

from commonground.corpora.mpchat.baselines.methods import make_baselines
from commonground.corpora.mpchat.baselines.sides import Side, read_message

BASELINES = make_baselines(Side("mpchat/nrp", ("context",), "personas", read_message))
