"""The faults that were found in a corpus: by rule, and every place of one rule."""

from __future__ import annotations

import msgspec

from commonground.errors import unknown_name
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.parts.paging import Paging, cut_page
from commonground.explorer.sections import Section
from commonground.store.findings import FoundPlace, RuleCount, count_findings, rules_of

PLACES = 100
"""Places of a page."""

RUN = 20
"""Pages whose places are asked for at once."""

_NAMES = FoundPlace.__struct_fields__
_QUERY = f"""
    SELECT {", ".join(_NAMES)} FROM findings WHERE corpus = ? AND code = ?
    ORDER BY source_file, length(source_path), source_path, message LIMIT {RUN * PLACES} OFFSET ?
"""


class RulePlaces(msgspec.Struct, frozen=True, kw_only=True):
    """The places of one rule.

    Attributes:
        why: what it means for anyone who uses the data; empty where the rule is no longer known.
    """

    rule: RuleCount
    why: str
    advice: str
    paging: Paging
    places: list[FoundPlace]


class FindingsPage(msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a corpus.

    Attributes:
        unit: what a dialogue of the corpus is called.
        checked: whether the corpus's rules were run at import.
        rules: those that do not hold somewhere, errors first, then by count.
        chosen: the places of one of them; None where none is asked for.
    """

    corpus: str
    title: str
    unit: str
    checked: bool
    rules: list[RuleCount]
    chosen: RulePlaces | None

    @property
    def paging(self) -> Paging | None:
        """Which part of the places is listed; None where none are."""
        return self.chosen.paging if self.chosen else None


def build_findings_page(opened: OpenCorpus, *, code: str = "", page: int = 1) -> FindingsPage:
    """Lists the rules that do not hold, and the places of one.

    Args:
        code: of a rule; empty for none.
        page: of the places of that rule, from 1.

    Raises:
        UsageError: nothing was found of that code, or there is no such page.
    """
    manifest = opened.entry.manifest
    rules = list_rules(opened)
    if not code:
        cut_page(0, page, PLACES)  # there is only the first
    return FindingsPage(
        corpus=opened.name,
        title=manifest.title,
        unit=manifest.unit,
        checked=opened.corpus.manifest.checked,
        rules=rules,
        chosen=_choose(opened, rules, code, page) if code else None,
    )


def list_rules(opened: OpenCorpus) -> list[RuleCount]:
    """Counts the findings of a corpus by rule, errors first, then by count."""
    return opened.remember("rules", lambda: count_findings(opened.corpus.database, opened.name))


def _choose(opened: OpenCorpus, rules: list[RuleCount], code: str, page: int) -> RulePlaces:
    counted = {each.code: each for each in rules}
    # Typed by hand, in an address or in a query.
    code = code if code in counted else code.upper()
    if code not in counted:
        raise unknown_name("finding with the code", code, counted, f"in {opened.name}")
    paging = cut_page(counted[code].count, page, PLACES)
    rule = rules_of([opened.name]).get(code)
    return RulePlaces(
        rule=counted[code],
        why=rule.why if rule else "",
        advice=rule.advice if rule else "",
        paging=paging,
        places=_list_places(opened, code, page),
    )


def _list_places(opened: OpenCorpus, code: str, page: int) -> list[FoundPlace]:
    """Returns the places of one page; those of the pages beside it are asked for with them."""
    # Sorting all places costs the same for one page as for 20, and readers go on to the next page.
    run, within = divmod(page - 1, RUN)
    rows = opened.remember(
        ("places", code, run),
        lambda: opened.corpus.rows(_QUERY, [opened.name, code, run * RUN * PLACES]),
    )
    mine = rows[within * PLACES : (within + 1) * PLACES]
    return [FoundPlace(**dict(zip(_NAMES, row, strict=True))) for row in mine]


SECTION = Section(
    name="findings",
    title="Findings",
    place=1,
    build=build_findings_page,
    parameters=("code", "page"),
    list_files=lambda opened: ({"code": each.code} for each in list_rules(opened)),
)
