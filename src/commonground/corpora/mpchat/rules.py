"""The rules of MPChat. No count is known: no released file was at hand."""

from __future__ import annotations

from commonground.corpora.mpchat import rules_gpp, rules_nrp, rules_persona, rules_si, rules_thread
from commonground.corpora.mpchat.codes import gather_rules

globals().update(
    (each.code, each)
    for each in gather_rules(rules_thread, rules_persona, rules_nrp, rules_gpp, rules_si)
)
