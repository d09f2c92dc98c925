"""Another player, in a file of its own."""

from __future__ import annotations

from commonground.corpora.toy.scenario.greeting import Mute

from commonground.play.player import PlayerKind

PLAYER = PlayerKind("mute", "Never says a word.", lambda seat: Mute())
