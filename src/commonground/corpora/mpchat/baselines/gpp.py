"""Simple ways to find the persona element of a message, without and with the author's others."""

from __future__ import annotations

from commonground.corpora.mpchat.baselines.methods import make_baselines
from commonground.corpora.mpchat.baselines.sides import Side, read_element

BASELINES = make_baselines(Side("mpchat/gpp", ("response", "context"), "personas", read_element))
