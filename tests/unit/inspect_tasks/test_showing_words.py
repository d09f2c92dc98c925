"""Options that nothing has are refused in words."""

from __future__ import annotations

import pytest
from inspect_ai._util.error import PrerequisiteError
from inspect_ai._util.registry import registry_create


@pytest.mark.parametrize(
    ("solver", "options", "words"),
    [
        ("baseline", {"methd": "linear"}, "missing a required argument: 'method'"),
        ("baseline", {"method": "linear", "sore": "x"}, "unexpected keyword argument 'sore'"),
        ("predictions", {}, "Its options are: file, store."),
    ],
)
def test_options_of_solvers_are_refused_in_words(
    solver: str, options: dict[str, str], words: str
) -> None:
    with pytest.raises(PrerequisiteError) as refused:
        registry_create("solver", f"commonground/{solver}", **options)
    assert words in str(refused.value)
