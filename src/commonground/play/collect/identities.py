"""Who the pseudonyms are: a file of its own, which is never shared and can be deleted.

Pseudonyms, links and receipts are all made from one secret of the study, so that a person who
comes back has the same ones, and nobody can make them up.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from commonground.errors import StoreError

_TABLES = """
CREATE TABLE IF NOT EXISTS secret (value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS identities (
  participant TEXT PRIMARY KEY,
  platform TEXT NOT NULL,
  platform_id TEXT NOT NULL,
  details TEXT NOT NULL
);
"""


class Identity(msgspec.Struct, frozen=True):
    """Who somebody is to a recruiting platform.

    Attributes:
        platform: ``plain``, ``prolific``, ``sona`` or ``mturk``.
        details: what else the platform said, such as ids of its study and its session.
    """

    platform: str
    platform_id: str
    details: dict[str, str] = {}


class Identities:
    """The file of who the pseudonyms are; it is made where it is missing.

    Raises:
        StoreError: it cannot be written, or is damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._connection = sqlite3.connect(path, check_same_thread=False, timeout=5)
            # SQLite only marks what is deleted as free, unless it is told to overwrite it.
            self._connection.execute("PRAGMA secure_delete = ON")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_TABLES)
            path.chmod(0o600)
            row = self._connection.execute("SELECT value FROM secret").fetchone()
            if row is None:
                row = (secrets.token_hex(32),)
                with self._connection as connection:
                    connection.execute("INSERT INTO secret VALUES (?)", row)
            self._secret = bytes.fromhex(row[0])
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{path} cannot be used: {error}.") from error

    @property
    def study(self) -> str:
        """The name of the study, which tells it from all others and says nothing of it."""
        return self._derive("study", "", 12)

    def pseudonym(self, identity: Identity) -> str:
        """Returns a person's pseudonym; without an id of a platform a new one each time."""
        name = identity.platform_id or secrets.token_hex(16)
        # Keyed, so that anyone who knows ids of a platform cannot work out who is who in the log.
        return "p" + self._derive("person", f"{identity.platform}\n{name}", 12)

    def remember(self, pid: str, identity: Identity) -> None:
        """Notes who somebody is; a later address with other details counts.

        Raises:
            StoreError: the file cannot be written.
        """
        details = msgspec.json.encode(identity.details).decode()
        row = (pid, identity.platform, identity.platform_id, details)
        with self._explained(), self._connection as connection:
            connection.execute("REPLACE INTO identities VALUES (?, ?, ?, ?)", row)

    def find(self, pid: str) -> Identity | None:
        """Returns who somebody is; None where nothing is known."""
        asked = "SELECT platform, platform_id, details FROM identities WHERE participant = ?"
        with self._explained():
            row = self._connection.execute(asked, (pid,)).fetchone()
        if row is None:
            return None
        return Identity(row[0], row[1], msgspec.json.decode(row[2]))

    def list_all(self) -> dict[str, Identity]:
        """Returns who everybody is, by pseudonym."""
        asked = "SELECT participant, platform, platform_id, details FROM identities"
        with self._explained():
            return {
                pid: Identity(platform, platform_id, msgspec.json.decode(details))
                for pid, platform, platform_id, details in self._connection.execute(asked)
            }

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"{self.path} cannot be used: {error}.", "Is another program using it?"
            ) from error

    def find_pseudonyms(self, name: str) -> list[str]:
        """Returns the pseudonyms of the one who has a name: a platform's, or a pseudonym itself."""
        asked = "SELECT participant FROM identities WHERE ? IN (participant, platform_id)"
        with self._explained():
            return [row[0] for row in self._connection.execute(asked, (name,))]

    def forget(self, pid: str) -> None:
        """Deletes who somebody is, from the file's free pages, too.

        Raises:
            StoreError: the file cannot be written.
        """
        with self._explained():
            with self._connection as connection:
                connection.execute("DELETE FROM identities WHERE participant = ?", (pid,))
            self._connection.execute("VACUUM")

    def backup(self, path: Path) -> None:
        """Copies the file while it is used."""
        with closing(sqlite3.connect(path)) as copy:
            self._connection.backup(copy)
        path.chmod(0o600)

    def token(self, pid: str) -> str:
        """Returns the part of a person's address that only that person has."""
        return f"{pid}-{self._derive('token', pid, 26)}"

    def read_token(self, token: str) -> str | None:
        """Returns whose token this is; None where it is nobody's."""
        pid = token.partition("-")[0]
        # As bytes, since `compare_digest` takes texts in ASCII only, and anybody can type an
        # address. How long it takes does not tell how much of a token was right.
        given, right = token.encode("utf-8", "replace"), self.token(pid).encode()
        return pid if hmac.compare_digest(given, right) else None

    def receipt(self, pid: str) -> str:
        """Returns a person's own code, which shows that the person took part."""
        return self._derive("receipt", pid, 8).upper()

    def bonus_key(self, submission: str, purpose: str) -> str:
        """Returns by what a bonus is known again, which tells nothing of whose it is."""
        return self._derive("bonus", f"{submission}\n{purpose}", 20)

    def browser(self, mark: str) -> str:
        """Returns by what the study knows a browser, which tells nothing of what that keeps."""
        return "b" + self._derive("browser", mark, 12)

    def link_key(self, name: str) -> str:
        """Returns what a link has beside a name, so that only its reader can be that person."""
        return self._derive("link", name, 20)

    def is_link_key(self, name: str, key: str) -> bool:
        """Says whether a key is that of a name."""
        return hmac.compare_digest(key.encode("utf-8", "replace"), self.link_key(name).encode())

    def is_receipt(self, pid: str, given: str) -> bool:
        """Says whether somebody's receipt was given, in any case of letters."""
        code = "".join(given.split()).upper().encode("utf-8", "replace")
        return hmac.compare_digest(code, self.receipt(pid).encode())

    def close(self) -> None:
        """Closes the file; nobody can be looked up or added after that."""
        self._connection.close()

    def _derive(self, purpose: str, text: str, length: int) -> str:
        # With its purpose: a receipt, which people hand on, tells nothing of the token.
        digest = hmac.digest(self._secret, f"{purpose}\n{text}".encode(), hashlib.sha256)
        # Letters and digits only, which go into addresses and can be read out; 26 of them are 130
        # bits.
        return base64.b32encode(digest).decode().lower()[:length]
