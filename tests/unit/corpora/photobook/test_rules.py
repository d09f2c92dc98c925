from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.corpora.photobook.planting import (
    LATER,
    context_of,
    examine,
    find,
    put,
    rename,
    tidy,
)
from tests.unit.corpora.photobook.samples import simulated_game

from commonground.corpora import get_corpus
from commonground.corpora.photobook.convert import Context
from commonground.corpora.photobook.native import Domain, Game, Round
from commonground.findings import Examined, Place

PLANTS: dict[str, tuple[Callable[[Game], object], str, set[str]]] = {}
"""For each code: how to break a game, the place, and codes that cannot but fire with it."""


def plant(
    code: str, path: str, also: str = ""
) -> Callable[[Callable[[Game], object]], Callable[[Game], object]]:
    def keep(breaking: Callable[[Game], object]) -> Callable[[Game], object]:
        codes = {f"CG-PHOTOBOOK-{each}" for each in also.split()}
        PLANTS[f"CG-PHOTOBOOK-{code}"] = (breaking, path, codes)
        return breaking

    return keep


def unmarked(each: Round) -> str:
    pairs = zip(each.images.A, each.highlighted.A, strict=True)
    return next(image for image, flag in pairs if not flag)


@plant("002", ".agent_labels")
def swap_labels(game: Game) -> None:
    game.agent_labels.reverse()
    game.agent_ids.reverse()


@plant("003", ".agent_ids")
def play_alone(game: Game) -> None:
    game.agent_ids[1] = game.agent_ids[0]
    for each in game.rounds:
        for message in each.messages:
            message.agent_id = game.agent_ids[0]


@plant("004", ".start_time")
def start_on_the_second(game: Game) -> None:
    game.start_time = "2024-05-06T07:08:09"


@plant("005", ".rounds")
def count_from_zero(game: Game) -> None:
    game.rounds[0].round_nr, game.rounds[1].round_nr = 2, 1


@plant("006", ".domain_id")
def move_to_another_domain(game: Game) -> None:
    game.domain_id += 2


@plant("007", ".game_id")
def leave_the_splits(game: Game) -> None:
    game.game_id = 99


@plant("008", ".feedback.A")
def grade_too_well(game: Game) -> None:
    game.feedback.A = "col:9<&>partner_u:5<&>self_u:5<&>text:ok"
    last = game.rounds[4].messages
    last[find(game.rounds[4], "usr_feedback")].message = f"<usr_feedback> {game.feedback.A}"


@plant("009", ".feedback.B")
def change_the_feedback(game: Game) -> None:
    game.feedback.B = "col:1<&>partner_u:1<&>self_u:1<&>text:another"


@plant("010", ".feedback.A")
def mask_the_questionnaire(game: Game) -> None:
    answers = "col:4<&>partner_u:5<&>self_u:5<&>text:"
    game.feedback.A = f"{answers}fungames"
    index = find(game.rounds[4], "usr_feedback")
    game.rounds[4].messages[index].message = f"<usr_feedback> {answers} fun g*mes"


@plant("011", ".feedback.A")
def break_the_line(game: Game) -> None:
    game.feedback.A = f"{game.feedback.A}\n"


@plant("012", ".feedback.B")
def answer_for_the_partner(game: Game) -> None:
    messages = game.rounds[4].messages
    mine, other = (messages[find(game.rounds[4], "usr_feedback", s)] for s in "AB")
    other.speaker, other.agent_id, other.message = "A", mine.agent_id, mine.message
    game.feedback.B = None


@plant("020", ".rounds[0].images.A", "026")
def show_one_twice(game: Game) -> None:
    images, common = game.rounds[0].images.A, game.rounds[0].common
    gone = next(i for i in images if i not in common and i not in highlighted(game.rounds[0]))
    images[images.index(gone)] = next(i for i in images if i != gone)


def highlighted(each: Round) -> list[str]:
    return [i for i, flag in zip(each.images.A, each.highlighted.A, strict=True) if flag]


@plant("021", ".rounds[2].highlighted.B")
def add_a_flag(game: Game) -> None:
    game.rounds[2].highlighted.B.append(False)


@plant("022", ".rounds[0].images.A[0]")
def change_the_ending(game: Game) -> None:
    image = game.rounds[0].images.A[0]
    rename(game, image, image.replace(".jpg", ".png"))


@plant("023", ".rounds[0].images.A[3]")
def change_the_folder(game: Game) -> None:
    image = game.rounds[0].images.A[3]
    rename(game, image, "a_b/" + image.partition("/")[2])


@plant("024", ".rounds", "026")
def show_a_thirteenth(game: Game) -> None:
    image = game.rounds[0].images.A[0]
    rename(game, image, image.replace("_0000", "_1111"), range(1))


@plant("025", ".rounds[1].common")
def forget_a_common_one(game: Game) -> None:
    game.rounds[1].common.pop()


@plant("026", ".rounds")
def follow_the_other_schedule(game: Game) -> None:
    game.domain_id += 1


@plant("030", ".rounds[0].messages[1].agent_id")
def speak_as_another(game: Game) -> None:
    game.rounds[0].messages[1].agent_id = 77_777


@plant("031", ".rounds[1].messages[2].turn")
def miscount_the_turn(game: Game) -> None:
    game.rounds[1].messages[2].turn += 1


@plant("032", ".rounds[0].messages[3].timestamp")
def drop_a_digit(game: Game) -> None:
    message = game.rounds[0].messages[3]
    message.timestamp = message.timestamp[:-1]


@plant("033", ".rounds[0].messages[3].timestamp")
def stop_the_clock(game: Game) -> None:
    messages = game.rounds[0].messages
    messages[3].timestamp = messages[2].timestamp


@plant("034", ".rounds[0].messages[4].timestamp")
def go_away(game: Game) -> None:
    tidy(game, lambda event: LATER + 1_000_000 if event == 4 else 1_500_000)


@plant("035", ".rounds[0].messages[0].message")
def invent_a_tag(game: Game) -> None:
    game.rounds[0].messages[0].message = "<wave> hi"


@plant("036", ".rounds[1].messages", "050 054 060 063")
def say_nothing_at_all(game: Game) -> None:
    game.rounds[1].messages.clear()


def say(text: str) -> Callable[[Game], None]:
    def breaking(game: Game) -> None:
        game.rounds[0].messages[1].message = text

    return breaking


for number, text, company in (
    ("037", "is it COCO_train2014_000000123456?", ""),
    ("040", "the gla*ses", ""),
    ("041", "x" * 99, ""),
    ("042", "x" * 100, ""),
    ("043", "a\tb", ""),
    ("044", "  ", "045 046"),
    ("045", "hello ", ""),
    ("046", "two  spaces", ""),
    ("047", "a\\b", ""),
    ("048", "love it <3", ""),
    ("049", "it’s here", ""),
):
    plant(number, ".rounds[0].messages[1].message", company)(say(text))


@plant("050", ".rounds[0].score.A")
def take_a_point(game: Game) -> None:
    game.rounds[0].score.A -= 1


@plant("051", ".rounds[0].score.A", "050")
def give_a_fourth_point(game: Game) -> None:
    game.rounds[0].score.A = 4


@plant("052", ".rounds[0].messages[3].message")
def mark_the_partners(game: Game) -> None:
    each = game.rounds[0]
    image = next(i for i in each.images.B if i not in each.common)
    put(game, 0, 3, "A", f"<selection> <dif> {image}")


@plant("053", ".rounds[0].messages[3].message")
def mark_an_idle_one(game: Game) -> None:
    put(game, 0, 3, "A", f"<selection> <com> {unmarked(game.rounds[0])}")


@plant("054", ".rounds[0].highlighted.A", "061")
def never_mark(game: Game) -> None:
    each = game.rounds[0]
    text = each.messages.pop(find(each, "selection")).message
    each.score.A -= ("<com>" in text) == (text[18:] in each.common)
    tidy(game)


@plant("055", ".rounds[0].messages[*].message")
def mark_again(game: Game) -> None:
    each = game.rounds[0]
    index = find(each, "selection")
    put(game, 0, index + 1, "A", each.messages[index].message)


@plant("056", ".rounds[0].messages[*].message")
def change_the_mind(game: Game) -> None:
    each = game.rounds[0]
    index = find(each, "selection")
    text = each.messages[index].message
    other = text.replace("<com>", "<dif>") if "<com>" in text else text.replace("<dif>", "<com>")
    put(game, 0, index, "A", other)


@plant("057", ".rounds[0].messages[*].message", "055")
def mark_after_all(game: Game) -> None:
    each = game.rounds[0]
    text = each.messages[find(each, "selection")].message
    put(game, 0, find(each, "feedback") + 1, "A", text)


@plant("060", ".rounds[4].messages")
def never_submit(game: Game) -> None:
    each = game.rounds[4]
    each.messages.pop(find(each, "feedback"))
    tidy(game)


@plant("061", ".rounds[4].messages[*].message", "057")
def submit_two(game: Game) -> None:
    messages = game.rounds[4].messages
    last = max(i for i, m in enumerate(messages) if m.speaker == "A" and "<sel" in m.message)
    messages.insert(find(game.rounds[4], "feedback"), messages.pop(last))
    tidy(game)


@plant("062", ".rounds[0].messages[*].message")
def submit_twice(game: Game) -> None:
    put(game, 0, find(game.rounds[0], "feedback") + 1, "A", "<feedback>")


@plant("063", ".rounds[0].messages")
def stay(game: Game) -> None:
    game.rounds[0].messages.pop(find(game.rounds[0], "next_round"))
    tidy(game)


@plant("064", ".rounds[0].messages[*].message")
def go_on_twice(game: Game) -> None:
    put(game, 0, len(game.rounds[0].messages), "A", "<next_round>")


@plant("065", ".rounds[1].messages[0].message", "068")
def go_on_at_once(game: Game) -> None:
    each = game.rounds[1]
    each.messages.insert(0, each.messages.pop(find(each, "next_round")))
    tidy(game)


@plant("066", ".rounds[4].messages[*].message")
def go_on_in_the_end(game: Game) -> None:
    put(game, 4, len(game.rounds[4].messages), "A", "<next_round>")


@plant("067", ".rounds[4].messages[*].message")
def chat_on(game: Game) -> None:
    put(game, 4, len(game.rounds[4].messages), "B", "bye")


@plant("068", ".rounds[0].messages[*].message", "067")
def chat_on_the_next_page(game: Game) -> None:
    put(game, 0, len(game.rounds[0].messages), "B", "my first one is")


@plant("069", ".rounds[2].messages")
def guess(game: Game) -> None:
    each = game.rounds[2]
    each.messages = [m for m in each.messages if m.message.startswith("<")]
    tidy(game)


@plant("070", ".rounds[2].messages")
def talk_to_oneself(game: Game) -> None:
    for message in game.rounds[2].messages:
        if not message.message.startswith("<"):
            message.speaker, message.agent_id = "A", game.agent_ids[0]


@plant("071", ".rounds[0].messages[0].message")
def mark_before_talking(game: Game) -> None:
    each = game.rounds[0]
    each.messages.insert(0, each.messages.pop(find(each, "selection")))
    tidy(game)


@plant("072", ".rounds[3].messages[*].message")
def answer_early(game: Game) -> None:
    last = game.rounds[4]
    game.rounds[3].messages.append(last.messages.pop(find(last, "usr_feedback")))
    tidy(game)


def test_clean_data_is_silent() -> None:
    assert examine(simulated_game()) == []


@pytest.mark.parametrize("code", PLANTS)
def test_each_planted_fault_is_found(code: str) -> None:
    breaking, path, company = PLANTS[code]
    game = simulated_game()
    context = context_of(game)
    breaking(game)
    findings = examine(game, context)
    assert {each.code for each in findings} == {code} | company
    places = {each.source_path or "" for each in findings if each.code == code}
    start, star, _ = f"${path}".partition("*]")
    assert any(place.startswith(start) if star else place == start for place in places), places


def test_a_file_name_is_compared() -> None:
    (finding,) = examine(simulated_game(), name="logs/0_1_2_3.json")
    assert finding.code == "CG-PHOTOBOOK-001"
    assert finding.found == "0_1_2_3.json"


def check(code: str, record: object, context: Context) -> list[Place]:
    rule = next(r for r in get_corpus("photobook").rules() if r.code == code)
    assert rule.check is not None
    return list(rule.check(record, Examined(None, context, "data")))


def test_a_game_over_midnight_is_in_order() -> None:
    game = simulated_game()
    for message in game.rounds[4].messages:
        message.timestamp = f"1 day, {message.timestamp[1:]}"
    found = {place.code for place in examine(game, context_of(game))}
    assert "CG-PHOTOBOOK-033" not in found
    assert {"CG-PHOTOBOOK-032", "CG-PHOTOBOOK-034"} <= found


def test_an_id_in_two_splits_is_found() -> None:
    context = Context({0: ["train"], 1: ["train", "val"], 2: ["dev"]})
    (place,) = check("CG-PHOTOBOOK-013", 1, context)
    assert place.found == "1, in train, val"
    assert check("CG-PHOTOBOOK-013", 2, context) == []
    assert [check("CG-PHOTOBOOK-014", game, context) for game in range(3)] == [[], [], []]


def test_a_gap_in_the_splits_is_found() -> None:
    context = Context({0: ["train"], 1: ["train"], 4: ["dev"], 5: ["dev"]})
    (place,) = check("CG-PHOTOBOOK-014", 5, context)
    assert (place.expected, place.found) == ("the ids [2, 3], too", "5")
    assert check("CG-PHOTOBOOK-014", 4, context) == []


def test_a_domain_of_two_folders_is_found() -> None:
    line = Domain(domain_id=3, folder="sun_sea")
    assert check("CG-PHOTOBOOK-015", line, Context(folder_of={3: "sun_sea"})) == []
    (place,) = check("CG-PHOTOBOOK-015", line, Context(folder_of={3: "sun_owl"}))
    assert place.expected == "3: sun_owl"


def test_without_side_files_their_rules_are_silent() -> None:
    assert examine(simulated_game(), Context()) == []


def test_every_rule_has_a_planted_fault() -> None:
    apart = {f"CG-PHOTOBOOK-{number}" for number in ("001", "013", "014", "015")}
    assert set(PLANTS) | apart == {rule.code for rule in get_corpus("photobook").rules()}


def test_places_name_the_event() -> None:
    game = simulated_game()
    game.rounds[1].messages[2].turn += 1
    (finding,) = examine(game)
    assert finding.event == len(game.rounds[0].messages) + 2


@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_incomplete_games_are_examined_too(rounds: int) -> None:
    game = simulated_game()
    del game.rounds[rounds:]
    assert "CG-PHOTOBOOK-005" in {finding.code for finding in examine(game)}


def test_a_speaker_who_is_no_player_is_told_in_plain_words() -> None:
    game = simulated_game()
    game.rounds[0].messages[0].speaker = "C"
    (finding,) = [each for each in examine(game) if each.code == "CG-PHOTOBOOK-030"]
    assert finding.expected == "an agent of the game"
