"""What Windows lacks is blocked: reading, SQL, checks, exports and the explorer do without.

The tests run on Linux, with what a system of another kind has not taken out of every process. The
lock library is replaced, as it has a part of its own for each system.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path, PureWindowsPath

import pytest

from commonground.errors import UsageError
from commonground.files.remote import is_remote
from commonground.printing import make_visible

BLOCKING = """
# Other packages have parts of their own for each system, and choose them when they are loaded.
import asyncio, concurrent.futures.process, ctypes, multiprocessing, os, random, sys, tempfile
import types, uuid
import duckdb, numpy, PIL.Image, pyarrow.parquet, starlette.testclient, uvicorn, websockets

for name in ("fcntl", "grp", "posix_ipc", "pwd", "resource", "termios", "tty", "pty"):
    sys.modules[name] = None
locks = types.ModuleType("portalocker")
class LockFlags:
    SHARED = EXCLUSIVE = NON_BLOCKING = 0
locks.LockFlags, locks.lock = LockFlags, lambda file, flags: None
locks.AlreadyLocked = locks.LockException = type("LockException", (Exception,), {})
sys.modules["portalocker"] = locks
for name in (
    "O_NONBLOCK", "O_DIRECTORY", "O_NOFOLLOW", "fchmod", "getuid", "geteuid", "getgid", "killpg",
    "register_at_fork", "sched_getaffinity", "setsid", "sysconf",
):
    delattr(os, name)
multiprocessing.get_all_start_methods = lambda: ["spawn"]

load = ctypes.CDLL.__init__
def load_named(self, name, *rest, **options):
    if name is None:
        raise TypeError("argument of type 'NoneType' is not iterable")
    load(self, name, *rest, **options)
ctypes.CDLL.__init__ = load_named

import commonground.files.locks, commonground.files.outputs, commonground.files.work_folders
class Named(types.ModuleType):
    name = "nt"
    def __getattr__(self, attribute):
        return getattr(os, attribute)
for module in ("locks", "outputs", "work_folders"):
    sys.modules[f"commonground.files.{module}"].os = Named("os")
import shutil
shutil._use_fd_functions = False
opened = os.open
def open_file(path, flags, *rest, **options):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied")
    return opened(path, flags, *rest, **options)
os.open = open_file
"""


@pytest.fixture
def run(tmp_path: Path) -> object:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "blocking.py").write_text(BLOCKING, encoding="utf-8")

    def call(code: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", f"import blocking\n{code}"],
            cwd=tmp_path,
            env={
                **os.environ,
                "PYTHONPATH": str(tmp_path),
                "COMMONGROUND_STORE": "store",
                # Without locks, other commands of this user would tidy up meanwhile.
                "HOME": str(tmp_path / "home"),
                "XDG_CACHE_HOME": str(tmp_path / "home"),
                "TMPDIR": str(tmp_path / "tmp"),
            },
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return call


def test_reading_checks_sql_exports_and_the_explorer_need_no_posix(run, tmp_path) -> None:  # type: ignore[no-untyped-def]
    said = run("""
import commonground as cg
from pathlib import Path

for name in ("photobook", "taskmaster3"):
    cg.simulate(name, name, dialogues=2, seed=1)
cg.import_files("photobook", "photobook", images="photobook/images")
cg.import_files("taskmaster3", "taskmaster3")
print("read", [each.dialogue_id for each in cg.load("photobook")])
print("sql", cg.sql("select count(*) as n from dialogues").to_pylist())
print("check", len(cg.check("photobook").sheet().rows))
for name in ("csv", "hf", "chat", "native", "parquet", "convokit", "croissant"):
    cg.export(name, f"out-{name}", corpus="photobook")
    cg.export(name, f"out-{name}", corpus="photobook")
print("again", sorted(each.name for each in Path().glob("out-*")))

from starlette.testclient import TestClient
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server.app import create_app
from commonground.explorer.static_site.writing import write_site
from commonground.store.opening import open_store

corpora = OpenCorpora(open_store())
client = TestClient(create_app(corpora), base_url="http://127.0.0.1")
paths = ("/", "/photobook/", "/photobook/0", "/sql")
print("pages", [client.get(path).status_code for path in paths])
print("site", write_site(corpora, Path("site"), dialogues="1", jobs=1).dialogues)
cg.import_files("photobook", "photobook", images="photobook/images", replace=True)
print("games", cg.play("photobook", "played", games=1).played.complete)
print("left", sorted(each.name for each in Path().iterdir() if each.name.startswith(".")))
""")
    assert said.splitlines() == [
        "read ['0', '1']",
        "sql [{'n': 4}]",
        said.splitlines()[2],
        "again ['out-chat', 'out-convokit', 'out-croissant', 'out-csv', 'out-hf', 'out-native', "
        "'out-parquet']",
        "pages [200, 200, 200, 200]",
        "site 2",
        "games 1",
        "left []",
    ]
    locks = [path for path in tmp_path.rglob(".lock") if "store" not in path.parts]
    assert locks == []  # what is locked in the place of a folder is no part of what is written


def test_what_needs_posix_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from commonground.engines import processes

    processes.require_posix("`collect rehearse`")
    monkeypatch.setattr("os.name", "nt")
    with pytest.raises(UsageError, match="`collect rehearse` needs Linux or macOS"):
        processes.require_posix("`collect rehearse`")


def test_paths_of_drives_are_paths_and_are_shown_as_they_are() -> None:
    path = PureWindowsPath(r"C:\data\x\new")
    assert not is_remote(path)  # type: ignore[arg-type]
    assert make_visible(f"{path} is not there.") == r"C:\data\x\new is not there."


def test_images_of_a_corpus_may_be_on_a_drive(monkeypatch: pytest.MonkeyPatch) -> None:
    from commonground.explorer.server.serving import parse_images

    monkeypatch.setattr(Path, "is_dir", lambda _self: True)
    assert parse_images((r"photobook=D:\pictures=all",)) == {"photobook": Path(r"D:\pictures=all")}


def test_an_earlier_python_is_told_what_is_needed() -> None:
    code = (
        "import collections, sys\n"
        "sys.version_info = collections.namedtuple('V', 'major minor micro')(3, 10, 1)\n"
        "import commonground"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "commonground needs Python 3.11 or later; this is Python 3.10." in done.stderr
