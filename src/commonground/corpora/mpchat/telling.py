"""Writes simulated conversations as records of the three tasks."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec

from commonground.corpora.mpchat import wording
from commonground.corpora.mpchat.native import (
    MAX_PERSONAS,
    GppThread,
    LabelledPersona,
    NrpThread,
    Persona,
    SiThread,
    Task,
    Thread,
)
from commonground.corpora.mpchat.threads import (
    Conversation,
    Turn,
    invent_responses,
    label_persona,
    message_id,
    sample_authors,
    with_whole_time,
)
from commonground.corpora.mpchat.world import World
from commonground.records import UNSET


def tell_thread(world: World, conversation: Conversation, task: Task, split: str) -> Thread:
    """Writes a conversation as a record of one task; only val and test have candidates."""
    rng = Random(f"{world.seed}/{task}/{conversation.number}")
    ranked = split != "train"
    if task == "nrp":
        return _tell_nrp(rng, world, conversation, ranked)
    if task == "gpp":
        return _tell_gpp(rng, world, conversation, ranked)
    return _tell_si(rng, world, conversation, ranked)


def _shared_fields(rng: Random, conversation: Conversation, turns: list[Turn]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "subreddit": conversation.craft.subreddit,
        "messages": [turn.text for turn in turns],
        "message_ids": [turn.native_id for turn in turns],
        "main_author": conversation.main.name,
        "authors": [turn.author for turn in turns],
        "created_utcs": [turn.created for turn in turns],
        "has_image": conversation.scene is not None,
        "all_personas": list(conversation.main.personas),
    }
    if conversation.scene is not None or rng.random() < 0.5:
        fields["direct_url"] = conversation.address
        fields["file_name"] = conversation.file_name
    return fields


def _candidate_personas(conversation: Conversation) -> list[Persona]:
    """Returns the main author's candidate elements; those that workers saw say it by the time."""
    seen = {each for turn in conversation.turns for each in (*turn.grounded, *turn.ungrounded)}
    personas = conversation.main.personas
    return [
        with_whole_time(personas[each]) if each in seen else personas[each]
        for each in conversation.chosen
    ]


def _tell_nrp(rng: Random, world: World, conversation: Conversation, ranked: bool) -> NrpThread:
    turns = _extend(rng, world, conversation)
    main = conversation.main
    responses = [
        invent_responses(rng, world, conversation.number, turn.text)
        if ranked and turn.author == main.name
        else []
        for turn in turns
    ]
    return NrpThread(
        **_shared_fields(rng, conversation, turns),
        grounded_personas=[
            [label_persona(rng, main.personas[each], entailed=True) for each in turn.grounded]
            for turn in turns
        ],
        ungrounded_personas=[
            [label_persona(rng, main.personas[each], entailed=False) for each in turn.ungrounded]
            for turn in turns
        ],
        candidate_personas=_candidate_personas(conversation),
        nrp_candidate_responses=responses if ranked else UNSET,
    )


def _extend(rng: Random, world: World, conversation: Conversation) -> list[Turn]:
    """Lets somebody else have the last word now and then."""
    turns = conversation.turns
    if rng.random() < 0.7:
        return turns
    native_id = message_id(world.seed, conversation.number, len(turns))
    text = wording.closing(rng, conversation.craft)
    return [*turns, Turn(native_id, turns[-2].author, text, turns[-1].created + 600)]


def _tell_gpp(rng: Random, world: World, conversation: Conversation, ranked: bool) -> GppThread:
    personas, turns = conversation.main.personas, conversation.turns
    right = [with_whole_time(personas[t.grounded[0]]) if t.grounded else None for t in turns]
    candidates = [
        [personas[each] for each in conversation.chosen if each not in turn.grounded]
        if turn.grounded
        else []
        for turn in turns
    ]
    return GppThread(
        **_shared_fields(rng, conversation, turns),
        gpp_grounded_persona=[
            None if gold is None else LabelledPersona(**msgspec.structs.asdict(gold))
            for gold in right
        ],
        gpp_candidate_personas=candidates,
        gpp_candidate_authors_candidate_personas=(
            [_rank_elements(rng, world, conversation, gold) for gold in right] if ranked else UNSET
        ),
    )


def _rank_elements(
    rng: Random, world: World, conversation: Conversation, gold: Persona | None
) -> list[Persona]:
    if gold is None:
        return []
    others = sample_authors(rng, world, conversation.number)
    return [gold, *(rng.choice(author.personas) for author in others)]


def _tell_si(rng: Random, world: World, conversation: Conversation, ranked: bool) -> SiThread:
    mine = _candidate_personas(conversation)
    others = sample_authors(rng, world, conversation.number) if ranked else []
    return SiThread(
        **_shared_fields(rng, conversation, conversation.turns),
        si_main_author_candidate_personas=mine,
        si_candidate_authors_candidate_personas=(
            [mine, *(list(author.personas[:MAX_PERSONAS]) for author in others)]
            if ranked
            else UNSET
        ),
    )
