"""Every address of the explorer: from a request to the page or file that answers it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response

from commonground.errors import UsageError
from commonground.explorer.dialogue import (
    draw_indexed,
    join_native,
    list_native,
    render_dialogue,
    render_talk,
)
from commonground.explorer.pages.browse import build_browse_page
from commonground.explorer.pages.chain import build_argument_chain, build_object_chain
from commonground.explorer.pages.compare import SIDES, build_compare_page
from commonground.explorer.pages.corpora import build_corpora_page
from commonground.explorer.pages.figures import (
    build_comparisons_page,
    draw_comparisons,
    figures_style,
    find_kept,
    print_kept,
)
from commonground.explorer.pages.found import show_code, write_found
from commonground.explorer.pages.results import ResultQuery, build_results_page
from commonground.explorer.pages.search_all import build_search_page
from commonground.explorer.pages.sql import build_sql_page
from commonground.explorer.rendering.environment import STATIC, find_view, render_page
from commonground.explorer.results.runs import ResultFiles
from commonground.explorer.results.showing import find_answered
from commonground.explorer.sections import Section
from commonground.explorer.server.answering import (
    LINKS,
    NotThereError,
    answer_json,
    answer_page,
    choice_of,
    corpora_of,
    corpus_of,
    make_shell,
    named_by_path,
    ordinal_of,
    page_number,
    wants_json,
)
from commonground.explorer.server.querying import AnsweredQuery, QueryPool, answer_query
from commonground.explorer.web.addresses import decode_id, encode_id
from commonground.figures.drawing.paper import Paper
from commonground.store.pictures import Missing
from commonground.store.sql.limits import LimitError

_STATIC_FILES = frozenset(path.name for path in STATIC.iterdir() if path.is_file())

_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def show_corpora(request: Request) -> Response:
    """Shows the corpora of the store, the home page."""
    page = build_corpora_page(corpora_of(request))
    return answer_page(request, "corpora.html", page)


def show_search(request: Request) -> Response:
    """Shows what a query finds in all corpora."""
    query = request.query_params.get("q", "").strip()
    page = build_search_page(corpora_of(request), query=query)
    return answer_page(request, "search.html", page)


async def show_sql(request: Request) -> Response:
    """Shows a query in SQL and the table or chart that it gives.

    Where the application has a pool for queries, they run there; else like pages.
    """
    # Forms send line breaks so, whatever was typed.
    query = request.query_params.get("q", "").strip().replace("\r\n", "\n")
    chart = choice_of(request, "chart", ("", "bar", "line"))
    queries: QueryPool | None = request.app.state.queries
    if queries is None:
        answered = await run_in_threadpool(answer_query, corpora_of(request), query, chart)
    elif query:
        answered = await _run_apart(request, queries, query, chart)
    else:
        # Anyone who opens the page asks something soon.
        await run_in_threadpool(queries.prepare)
        answered = await run_in_threadpool(answer_query, corpora_of(request), "", chart)
    return await run_in_threadpool(_answer_sql, request, answered)


async def _run_apart(request: Request, queries: QueryPool, query: str, chart: str) -> AnsweredQuery:
    try:
        return await queries.run(query, chart)
    except LimitError as error:
        show = partial(build_sql_page, corpora_of(request), query, chart, ended=error)
        return AnsweredQuery(await run_in_threadpool(show), None)


def _answer_sql(request: Request, answered: AnsweredQuery) -> Response:
    page = answered.page
    status = 400 if page.error else 200
    if wants_json(request):
        return answer_json(page, status)
    shell = make_shell(request, twin="/sql.json" if page.asked else None)
    return HTMLResponse(render_page("sql.html", shell, page=page, chart=answered.drawing), status)


def show_list(request: Request) -> Response:
    """Shows the dialogues, turns or pictures of a corpus that a query finds."""
    opened, asked = corpus_of(request), request.query_params
    page = build_browse_page(
        opened,
        query=asked.get("q", "").strip(),
        tab=asked.get("tab") or "dialogues",
        sort=asked.get("sort", ""),
        page=page_number(request),
        columns=[name for each in asked.getlist("columns") for name in each.split(",") if name],
        density=choice_of(request, "density", ("", "dense")),
    )
    code = None if wants_json(request) else show_code(opened, page.query)
    return answer_page(request, "browse.html", page, code=code)


def send_found(request: Request) -> Response:
    """Sends what a query finds as a file: CSV, JSON Lines or ids."""
    asked = request.query_params
    query, sort = asked.get("q", "").strip(), asked.get("sort", "")
    file = write_found(corpus_of(request), query, sort, asked.get("form", "csv"))
    headers = {"content-disposition": f'attachment; filename="{file.name}"'}
    return Response(file.text, media_type=file.media_type, headers=headers)


def show_notes(request: Request) -> Response:
    """Shows the page of stars and notes, which the browser alone keeps."""
    return HTMLResponse(render_page("notes.html", make_shell(request), section="notes"))


def show_section(section: Section, request: Request) -> Response:
    """Shows a page of a corpus that its navigation leads to."""
    opened, asked = corpus_of(request), request.query_params
    given: dict[str, Any] = {name: asked.get(name, "") for name in section.parameters}
    if "page" in given:
        given["page"] = page_number(request)
    drawn = section.draw(opened, LINKS) if section.draw and not wants_json(request) else {}
    page = section.build(opened, **given)
    return answer_page(request, f"{section.name}.html", page, **drawn)


def show_chain(request: Request) -> Response:
    """Shows one object or argument through all dialogues of a corpus."""
    opened, asked = corpus_of(request), request.query_params
    number = page_number(request)
    if "object" in asked:
        page = build_object_chain(opened, asked["object"], page=number)
    elif "argument" in asked:
        page = build_argument_chain(opened, asked["argument"], asked.get("value"), page=number)
    else:
        raise UsageError("The address names nothing to follow.", "Add ?object= or ?argument=")
    return answer_page(request, "chain.html", page)


def show_compared(request: Request) -> Response:
    """Shows two dialogues side by side."""
    opened = corpus_of(request)
    asked = [each.strip() for each in request.query_params.getlist("dialogue") if each.strip()]
    drawn = [
        draw_indexed(opened, opened.ordinal(each), with_native=False) for each in asked[:SIDES]
    ]
    manifest = opened.entry.manifest
    pages = [each.page for each in drawn]
    page = build_compare_page(opened.name, manifest.title, manifest.unit, pages)
    shell = make_shell(request, opened.name)
    sides = [] if wants_json(request) else list(zip(drawn, ("left", "right"), strict=False))
    return answer_page(
        request,
        "compare.html",
        page,
        talks=[render_talk(each, shell, side) for each, side in sides],
        has_style=find_view(opened.name, "page.css") is not None,
    )


def send_figure(request: Request) -> Response:
    """Sends a figure for a paper, or its numbers."""
    opened, asked = corpus_of(request), request.query_params
    name, ending = decode_id(request.path_params["figure"]), asked.get("format", "pdf")
    wanted = {
        "columns": choice_of(request, "columns", ("1", "2")),
        "background": choice_of(request, "background", ("white", "transparent")),
        "font": choice_of(request, "font", ("sans", "serif")),
        "title": choice_of(request, "title", ("no", "yes")) == "yes",
    }
    # Not strict, since the number is text in an address.
    paper = msgspec.convert(wanted, Paper, strict=False)
    with named_by_path():
        find_kept(opened, name)
    made = print_kept(opened, name, paper, ending)
    file = f"{encode_id(opened.name)}-{encode_id(name)}.{ending}"
    headers = {"content-disposition": f'attachment; filename="{file}"'}
    return Response(made.data, media_type=made.media_type, headers=headers)


def show_comparisons(request: Request) -> Response:
    """Shows the figures that set all corpora side by side."""
    corpora = corpora_of(request)
    with named_by_path():
        page = build_comparisons_page(corpora)
    charts = {} if wants_json(request) else draw_comparisons(corpora)
    return answer_page(request, "figures.html", page, charts=charts)


def send_figures_style(_request: Request) -> Response:
    """Sends the styles that charts are drawn with."""
    return Response(figures_style(), media_type="text/css")


def show_results(request: Request) -> Response:
    """Shows scored instances of one run, or of two that are compared."""
    with named_by_path():
        files = results_of(request)
    asked = request.query_params
    names = [name for name in ResultQuery.__struct_fields__ if name != "page"]
    given = {name: asked[name].strip() for name in names if asked.get(name, "").strip()}
    query = ResultQuery(**given, page=page_number(request))
    page = build_results_page(corpora_of(request), files, query)
    return answer_page(request, "results.html", page)


def results_of(request: Request) -> ResultFiles:
    """Returns the files of results that the application shows.

    Raises:
        UsageError: there are none.
    """
    file: ResultFiles | None = request.app.state.results
    if file is None:
        advice = "Start with: commonground serve --results FILE (of evaluate --per-instance FILE)"
        raise UsageError("There is no file of results.", advice)
    return file


def show_dialogue(request: Request) -> Response:
    """Shows a dialogue, with a run's answers where the address names one."""
    opened, asked = corpus_of(request), request.query_params
    drawn = draw_indexed(
        opened,
        ordinal_of(request),
        query=asked.get("q", "").strip(),
        sort=asked.get("sort", ""),
        with_native=wants_json(request),
    )
    run, answered = asked.get("answers", ""), None
    if run:
        files = results_of(request)
        known, beside = drawn.page.dialogue_id, asked.get("beside", "")
        answered = find_answered(opened, files, known, run, beside)
    if wants_json(request):
        answer = {"page": drawn.page, "view": drawn.view}
        return answer_json(answer | ({"answered": answered} if answered else {}))
    path = f"/{encode_id(opened.name)}/d/{request.path_params['dialogue']}"
    shell, href = make_shell(request, opened.name, twin=f"{path}.json"), f"{path}/native.json"
    return HTMLResponse(render_dialogue(drawn, shell, native_href=href, answered=answered))


def send_native(request: Request) -> Response:
    """Sends the released records of a dialogue."""
    opened = corpus_of(request)
    text = join_native(list_native(opened, ordinal_of(request)), ",\n")
    name = f"{encode_id(opened.name)}-{request.path_params['dialogue'][:100]}.json"
    # Of two encoded ids, which hold nothing that could end the quotation marks.
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)


def send_picture(request: Request) -> Response:
    """Sends a picture of a corpus by its name.

    Raises:
        NotThereError: it is not there, or no picture.
    """
    opened = corpus_of(request)
    found = opened.pictures.find(decode_id(request.path_params["name"]))
    if isinstance(found, Missing):
        raise NotThereError(f"There is no such picture in {opened.name}.", f"It is {found.reason}.")
    return _file(found.path, found.media_type, kept_s=86_400)


def send_static(request: Request) -> Response:
    """Sends a script, style or drawing of the explorer itself."""
    name = request.path_params["name"]
    # Looked up, not joined to a folder: no name can lead out of it.
    if name not in _STATIC_FILES:
        raise NotThereError(f"There is no file {name!r} here.")
    return _file(STATIC / name, _MEDIA_TYPES.get(Path(name).suffix, "text/plain"))


def send_style(request: Request) -> Response:
    """Sends the styles that a corpus has for its pages."""
    opened = corpus_of(request)
    path = find_view(opened.name, "page.css")
    if path is None:
        raise NotThereError(f"{opened.name} has no styles of its own.")
    return _file(path, "text/css")


def _file(path: Path, media_type: str, kept_s: int = 0) -> Response:
    kept = f"private, max-age={kept_s}" if kept_s else "no-cache"
    return FileResponse(path, media_type=media_type, headers={"cache-control": kept})


def go_to_list(request: Request) -> Response:
    """Leads from the bare name of a corpus to its list."""
    return RedirectResponse(f"/{encode_id(corpus_of(request).name)}/")


def go_to_dialogue(request: Request) -> Response:
    """Leads from the bare id of a dialogue, as somebody types it, to its page.

    Raises:
        NotThereError: there is none of that id.
    """
    opened, known = corpus_of(request), request.path_params["dialogue"]
    with named_by_path():
        opened.ordinal(known)
    return RedirectResponse(f"/{encode_id(opened.name)}/d/{encode_id(known)}")
