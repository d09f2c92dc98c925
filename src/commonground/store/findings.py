"""What was found in a store, by rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from commonground.corpora import find_corpus, iterate_corpora
from commonground.errors import unknown_name
from commonground.files.faults import GENERIC_RULES
from commonground.findings import SEVERITIES, Finding, Rule, Severity
from commonground.printing import Sheet, Tabled, list_severities
from commonground.store.sql.query import Database


class RuleCount(msgspec.Struct, frozen=True, kw_only=True):
    """How often one rule does not hold in one corpus.

    Attributes:
        corpus: name of the corpus.
        code: code of the rule.
        severity: severity of the rule.
        title: the fault in one sentence.
        count: number of places.
        dialogues: number of dialogues with at least one.
        released: places in the released files as counted, the corpus's errata; None where that
            is not known.
        new: places beyond those; None where the released number is not known.
        example: the first place.
    """

    corpus: str
    code: str
    severity: Severity
    title: str
    count: int
    dialogues: int
    released: int | None
    new: int | None
    example: FoundPlace


class FoundPlace(msgspec.Struct, frozen=True, kw_only=True):
    """One place where a rule does not hold.

    Attributes:
        source_file: as of a :class:`~commonground.findings.Finding`, like the rest.
        source_path: JSON path, or ``line N``.
        dialogue_id: the dialogue it concerns; None where it concerns none.
        event: number of the event; None where it concerns none.
        message: one sentence.
        expected: what should stand there; None where it goes without saying.
        found: what stands there; None where nothing does.
    """

    source_file: str | None
    source_path: str | None
    dialogue_id: str | None
    event: int | None
    message: str
    expected: str | None
    found: str | None

    def where(self) -> str:
        """Writes file and path as one text."""
        return " ".join(filter(None, (self.source_file, self.source_path))) or "the whole"


class Checked(Tabled, msgspec.Struct, frozen=True, kw_only=True):
    """What was found in a corpus.

    Attributes:
        corpus: name of the corpus.
        counts: how often each rule does not hold, errors first; none for a rule that holds.
        findings: every place, in order of file and path.
    """

    corpus: str
    counts: list[RuleCount]
    findings: list[Finding]

    @property
    def errors(self) -> int:
        """Number of findings of severity ``error``."""
        return sum(each.count for each in self.counts if each.severity == "error")

    def places(self, code: str) -> list[Finding]:
        """Returns the findings of one rule, such as ``CG-FRAMES-007``.

        Raises:
            UsageError: there is no such rule.
        """
        wanted = find_rule(code).code
        return [each for each in self.findings if each.code == wanted]

    def sheet(self) -> Sheet:
        """Returns a line for each rule that does not hold."""
        number: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
        for each in self.counts:
            number[each.severity] += each.count
        rows = [
            (
                each.code,
                each.severity,
                f"{each.count:,}",
                "" if each.released is None else f"{each.released:,}",
                "" if each.new is None else f"{each.new:,}",
                each.title,
            )
            for each in self.counts
        ]
        return Sheet(
            title=f"{self.corpus}: {list_severities(number)}",
            columns=("code", "severity", "count", "released", "new", "what"),
            rows=rows,
            right=frozenset({"count", "released", "new"}),
        )


_PLACE = FoundPlace.__struct_fields__


def rules_of(corpora: Iterable[str]) -> dict[str, Rule]:
    """Returns the generic rules and those of some corpora, by code."""
    rules = {rule.code: rule for rule in GENERIC_RULES}
    for name in corpora:
        rules.update({rule.code: rule for rule in find_corpus(name).rules()})
    return rules


def find_rule(code: str) -> Rule:
    """Returns the rule of a code.

    Raises:
        UsageError: there is none.
    """
    rules = rules_of(entry.name for entry in iterate_corpora())
    if code.upper() not in rules:
        raise unknown_name("finding code", code, rules)
    return rules[code.upper()]


def count_findings(database: Database, corpus: str | None = None) -> list[RuleCount]:
    """Counts findings by rule, errors first, then by count.

    Args:
        database: the store.
        corpus: only of this corpus; None for all.
    """
    # Both parameters are the corpus, null for all; the first place comes as a struct.
    place = ", ".join(f"'{name}': {name}" for name in _PLACE)
    query = f"""
        SELECT corpus, code, severity, count(*) AS places, count(DISTINCT dialogue_id),
               first({{{place}}} ORDER BY source_file, length(source_path), source_path)
        FROM findings WHERE ?::VARCHAR IS NULL OR corpus = ?
        GROUP BY corpus, code, severity
    """
    rows = database.rows(query, [corpus, corpus])
    known = {name: rules_of([name]) for name in {row[0] for row in rows}}
    counts = [_rule_count(row, known[row[0]]) for row in rows]
    order = {severity: i for i, severity in enumerate(SEVERITIES)}
    return sorted(counts, key=lambda c: (c.corpus, order[c.severity], -c.count, c.code))


def _rule_count(row: tuple[Any, ...], rules: Mapping[str, Rule]) -> RuleCount:
    corpus, code, severity, count, dialogues, example = row
    rule = rules.get(code)
    place = FoundPlace(**example)
    released = rule.known if rule else None
    return RuleCount(
        corpus=corpus,
        code=code,
        severity=severity,
        title=rule.title if rule else place.message,
        count=count,
        dialogues=dialogues,
        released=released,
        new=None if released is None else max(0, count - released),
        example=place,
    )


def list_places(
    database: Database, code: str, corpus: str | None = None, limit: int | None = None
) -> Iterator[FoundPlace]:
    """Yields the places where one rule does not hold, in order of file and path.

    Args:
        database: of a store, or of files that were only checked.
        code: of the rule, such as ``CG-PHOTOBOOK-003``.
        corpus: name of a corpus; None for all there are.
        limit: how many places at most; None for all there are.
    """
    query = f"SELECT {', '.join(_PLACE)} FROM findings"
    query += " WHERE code = ? AND (?::VARCHAR IS NULL OR corpus = ?)"
    # Shorter paths first, so that ``[9]`` comes before ``[10]``.
    query += " ORDER BY source_file, length(source_path), source_path"
    if limit is not None:
        query += f" LIMIT {limit:d}"
    for row in database.rows(query, [code, corpus, corpus]):
        yield FoundPlace(**dict(zip(_PLACE, row, strict=True)))


def list_checked(corpus: str, database: Database) -> Checked:
    """Returns all that was found in a corpus.

    Args:
        corpus: name of the corpus.
        database: of a store that has it, or of files that were only checked.
    """
    names = Finding.__struct_fields__
    query = f"SELECT {', '.join(names)} FROM findings WHERE corpus = ?"
    query += " ORDER BY source_file, length(source_path), source_path"
    found = [
        Finding(**dict(zip(names, row, strict=True))) for row in database.rows(query, [corpus])
    ]
    return Checked(corpus=corpus, counts=count_findings(database, corpus), findings=found)
