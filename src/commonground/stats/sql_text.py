"""SQL of figures as people read it."""

from __future__ import annotations

import re

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_BEGINS = re.compile(
    r"(WITH|SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|QUALIFY|WINDOW|UNION|EXCEPT|VALUES)\b"
    r"|((LEFT|RIGHT|INNER|CROSS|FULL|SEMI|ANTI|ASOF|POSITIONAL) )?JOIN\b|\w+ AS (\w+ )?\(|\)"
)
_INDENT = " " * 4


def tidy_sql(query: str) -> str:
    """Indents a query by its parentheses, since queries are put together from several texts.

    Lines stay as they are; one that goes on with a clause stands a step further in.
    """
    lines, depth = [], 0
    for line in query.strip().splitlines():
        text = line.strip()
        plain = _QUOTED.sub("", text)
        closed = len(plain) - len(plain.lstrip(")"))
        level = depth - closed + (not _BEGINS.match(plain))
        lines.append(_INDENT * max(0, level) + text)
        depth += plain.count("(") - plain.count(")")
    return "\n".join(lines)
