"""ConvoKit on the same messages, where it is installed in an environment of its own.

``COMMONGROUND_CONVOKIT`` names that environment's Python; ``make bench`` sets it up.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.imports import import_run
from benchmarks.measure import Line, best_of, python, run_process
from benchmarks.startup import COUNT

BUILD = """
import glob, json, sys, time
from convokit import Corpus, Speaker, Utterance
began = time.perf_counter()
speakers, utterances = {}, []
for path in sorted(glob.glob(sys.argv[1] + '/*.json')):
    with open(path, encoding='utf-8') as file:
        game = json.load(file)
    first = None
    for page in game['rounds']:
        for message in page['messages']:
            agent = str(message['agent_id'])
            speaker = speakers.setdefault(agent, Speaker(id=agent))
            name = f"{game['game_id']}_{len(utterances)}"
            first = first or name
            utterances.append(Utterance(
                id=name, speaker=speaker, conversation_id=first, reply_to=None,
                timestamp=message['timestamp'], text=message['message'],
                meta={'turn': message['turn'], 'round': page['round_nr']}))
corpus = Corpus(utterances=utterances)
print(time.perf_counter() - began)
corpus.dump('photobook', base_path=sys.argv[2])
"""
LOAD = """
import collections, sys
from convokit import Corpus
corpus = Corpus(filename=sys.argv[1] + '/photobook')
print(collections.Counter(u.speaker.id for u in corpus.iter_utterances()).most_common(1))
"""


def run() -> list[Line]:
    other, data = os.environ.get("COMMONGROUND_CONVOKIT"), os.environ.get("COMMONGROUND_DATA")
    if not other or not data:
        return []
    from commonground.corpora import get_corpus
    from commonground.store.importing import import_corpus

    logs = Path(data) / "photobook/logs"
    with tempfile.TemporaryDirectory() as folder:
        built = run_process([other, "-c", BUILD, str(logs), folder])
        loaded = run_process([other, "-c", LOAD, folder])
        _tables, ours, peak = import_run("photobook", [logs])
        import_corpus(get_corpus("photobook"), [logs], store=Path(folder) / "store")
        counted = best_of(lambda: run_process(python(COUNT, f"{folder}/store")), 5)
    theirs = next(
        float(line) for line in built.output.splitlines() if line.replace(".", "", 1).isdigit()
    )
    return [
        Line(
            "import PhotoBook with its index, against ConvoKit building a Corpus of the messages",
            f"{ours:.2f} s, {peak:.0f} MB",
            f"ConvoKit {theirs:.2f} s, {built.peak_mb:.0f} MB",
            theirs / ours,
            "at least 4 times faster, under 450 MB",
            theirs >= 4 * ours and peak < 450,
        ),
        Line(
            "open and count, whole process, against ConvoKit loading its dump",
            f"{counted:.2f} s",
            f"ConvoKit {loaded.seconds:.2f} s, {loaded.peak_mb:.0f} MB",
            loaded.seconds / counted,
            "at least 20 times faster, under 0.4 s",
            loaded.seconds >= 20 * counted and counted < 0.4,
        ),
    ]
