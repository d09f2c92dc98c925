from __future__ import annotations

import pytest
from tests.unit.corpora.simmc.shelf import Shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf("simmc", tmp_path_factory.mktemp("simmc"))


@pytest.fixture(scope="session")
def shelf2(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    return Shelf("simmc2", tmp_path_factory.mktemp("simmc2"))
