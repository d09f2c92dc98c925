"""What every scenario must offer, whichever corpus it belongs to."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from commonground.files.dividing import decode_raw, divide_document
from commonground.play.player import Seat
from commonground.play.scenario import Act, Refusal, Scenario
from commonground.play.scenarios import get_scenario, iterate_scenarios
from commonground.play.schema_player import RANDOM
from commonground.play.session import play, replay_acts
from commonground.play.sessions import play_sessions, seat_players
from commonground.play.sessions.session_logs import LOG_NAME, SessionLog
from commonground.store.identify import identify_documents

NAMES = tuple(scenario.name for scenario in iterate_scenarios())
SESSIONS = 4


class Table:
    """A scenario, sessions that scripts played by it, and what they wrote."""

    def __init__(self, name: str, folder: Path) -> None:
        found = get_scenario(name)
        self.entry = found.corpus if found.has_corpus else None
        self.scenario: Scenario[Any, Any] = found.rules
        self.folder = folder
        seats = seat_players(found, {})
        self.played = play_sessions(found, seats, folder, sessions=SESSIONS, seed=2)
        lines = (folder / LOG_NAME).read_bytes().splitlines()
        self.logs = [msgspec.json.decode(line, type=SessionLog) for line in lines]

    def states(self, log: SessionLog) -> Iterator[tuple[Any, Act]]:
        """Yields each state of a session with the act that came next."""
        state = self.scenario.start(msgspec.convert(log.material, self.scenario.material), log.seed)
        for act in log.acts:
            yield state, act
            state = self.scenario.apply(state, act)


@pytest.fixture(scope="module", params=NAMES)
def table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Table:
    return Table(request.param, tmp_path_factory.mktemp(request.param))


def test_scripts_play_to_the_end(table: Table) -> None:
    # Where material is handed out, there may be nothing left for a last session.
    assert 0 < table.played.complete == table.played.sessions <= SESSIONS
    assert table.played.stuck == []
    assert not table.played.rejected


def test_what_was_played_is_in_the_released_format(table: Table) -> None:
    if table.entry is None:
        pytest.skip("its records are of no corpus")
    identified = identify_documents(table.entry, [table.folder])
    ours = ("images/", "extra/")
    names = {each.name for each in identified.left_alone}
    left = {each for each in names if not any(folder in each for folder in ours)}
    assert left == {LOG_NAME}
    for document, fmt in identified.known:
        for raw in divide_document(document.name, document.read(), fmt).records:
            assert decode_raw(document.name, raw, fmt).findings == []


def test_material_seed_and_acts_give_the_state_again(table: Table) -> None:
    for log in table.logs:
        material = msgspec.convert(log.material, table.scenario.material)
        state = replay_acts(table.scenario, material, log.seed, log.acts)
        assert table.scenario.is_over(state)
        assert table.scenario.is_complete(state)


def test_views_are_plain_json_with_what_every_page_needs(table: Table) -> None:
    for state, _ in table.states(table.logs[0]):
        for role in table.scenario.roles:
            view = table.scenario.view(state, role)
            assert json.loads(json.dumps(view)) == view
            assert {"round", "phase", "chat"} <= view.keys()


def test_what_a_player_does_is_allowed_and_fits_its_schema(table: Table) -> None:
    for state, act in table.states(table.logs[0]):
        assert act.type in table.scenario.act_types
        if act.role is None:
            continue
        allowed = {each.type: each.payload for each in table.scenario.allowed(state, act.role)}
        jsonschema.Draft202012Validator(allowed[act.type]).validate(act.payload)


def test_what_the_schemas_say_is_enough_to_play_to_the_end(table: Table) -> None:
    rules = table.scenario
    for seed in range(8):
        material = msgspec.convert(table.logs[seed % len(table.logs)].material, rules.material)
        players = {role: RANDOM.enter(Seat(role, material, seed)) for role in rules.roles}
        session = play(rules, material, seed, players)
        assert rules.is_complete(session.state)
        refused = {each.refusal.code for each in session.rejected}
        assert refused.isdisjoint({"unknown_type", "wrong_role", "bad_payload", "over"})
        state = rules.start(material, seed)
        for act in session.acts:
            if act.role is not None:
                allowed = {each.type: each.payload for each in rules.allowed(state, act.role)}
                jsonschema.Draft202012Validator(allowed[act.type]).validate(act.payload)
            state = rules.apply(state, act)


def test_nothing_that_is_sent_makes_the_rules_fail(table: Table) -> None:
    scenario = table.scenario
    payloads: list[Any] = [{}, {"text": None}, {"text": ["x"]}, {"image": 7, "label": {}}]
    for state, act in list(table.states(table.logs[0]))[::7]:
        for kind in (*scenario.act_types, "nobody.knows"):
            for role in (*scenario.roles, "nobody", None):
                for payload in payloads:
                    result = scenario.apply(state, Act(kind, role, payload, act.at_us))
                    if isinstance(result, Refusal):
                        assert result.code in scenario.refusals


def test_nothing_is_allowed_after_the_end(table: Table) -> None:
    log = table.logs[0]
    material = msgspec.convert(log.material, table.scenario.material)
    state = replay_acts(table.scenario, material, log.seed, log.acts)
    for role in table.scenario.roles:
        assert list(table.scenario.allowed(state, role)) == []
    assert list(table.scenario.timers(state)) == []
    late = msgspec.structs.replace(log.acts[-1], at_us=log.acts[-1].at_us + 1)
    assert isinstance(table.scenario.apply(state, late), Refusal)
