"""The file of a study's material."""

from pathlib import Path

import msgspec
import pytest

from commonground.errors import FormatError, SourceError
from commonground.play.collect.setup.stock import Stock, encode_stock, read_stock
from commonground.play.scenario import MaterialSource
from commonground.play.scenarios import get_scenario


class Shop(msgspec.Struct, frozen=True):
    pictures: tuple[str, ...]


class Piece(msgspec.Struct, frozen=True, rename={"task": "Task"}):
    task: str
    shop: Shop
    hint: str = "be kind"


SHOP = Shop(("sofa/1.png", "sofa/2.PNG", "sofa.txt"))
PIECES = [Piece("buy a sofa", SHOP), Piece("see photo.jpg", SHOP)]


def source(met: bool = False) -> MaterialSource:
    def name(piece: Piece) -> frozenset[str]:
        return frozenset((piece.task,))

    return MaterialSource("", lambda *_: PIECES, lambda _: PIECES, met=name if met else None)


def read(folder: Path, data: bytes) -> Stock:
    path = folder / "material.json"
    path.write_bytes(data)
    return read_stock(path, Piece, source())


def test_what_all_pieces_have_is_kept_once(tmp_path: Path) -> None:
    data = encode_stock(PIECES)
    assert data.count(b"sofa/1.png") == 1
    stock = read(tmp_path, data)
    assert stock.pieces == PIECES
    assert stock.pieces[0].shop is stock.pieces[1].shop
    assert stock.pictures == {"sofa/1.png", "sofa/2.PNG", "see photo.jpg"}


class Response(msgspec.Struct, frozen=True):
    number: int
    thread: list[str]


def test_what_some_pieces_have_is_kept_once_and_the_same_object(tmp_path: Path) -> None:
    threads = [["a.png", "b"], ["c"]]
    pieces = [Response(n, list(threads[n % 2])) for n in range(6)]
    data = encode_stock(pieces)
    assert data.count(b"a.png") == 1
    path = tmp_path / "material.json"
    path.write_bytes(data)
    stock = read_stock(path, Response, source())
    assert stock.pieces == pieces
    assert stock.pieces[0].thread is stock.pieces[2].thread
    assert stock.pictures == {"a.png"}
    path.write_bytes(data.replace(b'"thread":1', b'"thread":7'))
    with pytest.raises(FormatError, match=r"material\.json"):
        read_stock(path, Response, source())


def test_names_of_pictures_are_found_whatever_is_around_them(tmp_path: Path) -> None:
    names = ['über "x".jpg', "a\\b.PNG", "c.jpg.txt", ".gif", 'quote".webp']
    pieces = [Response(n, [name, "plain"]) for n, name in enumerate(names)]
    path = tmp_path / "material.json"
    path.write_bytes(encode_stock(pieces))
    found = read_stock(path, Response, source()).pictures
    assert {names[0], names[1], names[3], names[4]} <= found
    assert names[2] not in found


def test_a_single_piece_and_an_old_list_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, encode_stock(PIECES[:1])).pieces == PIECES[:1]
    assert read(tmp_path, msgspec.json.encode(PIECES)).pieces == PIECES


def test_pieces_differ_unless_the_scenario_names_what_was_met() -> None:
    assert Stock(PIECES, source()).met == [{"0"}, {"1"}]
    assert Stock(PIECES, source(met=True)).met == [{"buy a sofa"}, {"see photo.jpg"}]


def test_photobook_names_its_images() -> None:
    found = get_scenario("photobook").material_source()
    (piece, *_) = found.invent(1, 0)
    assert found.met is not None
    assert len(found.met(piece)) == 12


@pytest.mark.parametrize(
    "data", [b"", b"{", b"3", b'{"pieces": []}', b"[]", b'{"pieces": [{"Task": 3}]}', b"[{}]"]
)
def test_other_files_are_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError, match=r"material\.json"):
        read(tmp_path, data)
    with pytest.raises(SourceError, match=r"none\.json"):
        read_stock(tmp_path / "none.json", Piece, source())
