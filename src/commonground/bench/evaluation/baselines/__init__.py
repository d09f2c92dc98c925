"""Baselines: finds them, trains them, saves them, answers with them, and scores the answers.

- :mod:`.methods`: the baselines of each task, as the corpora declare them.
- :mod:`.jobs`: from what a user asks for to baselines that are ready to run.
- :mod:`.protocols`, :mod:`.answering`, :mod:`.selecting`: which instances one learns from, which it
  answers, and what of them it sees.
- :mod:`.run`: learns, answers, writes the answers, and has them scored.
- :mod:`.models`, :mod:`.results`: models as files, and what came of a run.
"""
