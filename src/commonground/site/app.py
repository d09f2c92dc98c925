"""The explorer as a web application: routes to pages, and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from commonground.errors import CommongroundError, StoreError, UsageError
from commonground.site.corpora import (
    CorporaPlan,
    OpenCorpora,
    OpenCorpus,
    Reloader,
    is_outdated,
)
from commonground.site.dialogue import (
    DrawnDialogue,
    draw_indexed,
    draw_stored,
    join_native,
    list_native,
    render_dialogue,
    render_talk,
)
from commonground.site.indexing import IndexMaker, Step
from commonground.site.kept_figures import FigureDrawer
from commonground.site.links import ServerLinks
from commonground.site.pages.browse import build_browse_page
from commonground.site.pages.chain import build_argument_chain, build_object_chain
from commonground.site.pages.compare import SIDES, build_compare_page
from commonground.site.pages.corpora import build_corpora_page
from commonground.site.pages.dialogue import NativeRecord
from commonground.site.pages.figures import (
    build_comparisons_page,
    build_figures_page,
    build_figures_so_far,
    draw_charts,
    draw_comparisons,
    figures_style,
    print_kept,
)
from commonground.site.pages.findings import build_findings_page
from commonground.site.pages.paging import near_pages
from commonground.site.pages.problem import build_problem_page
from commonground.site.pages.results import ResultQuery, build_results_page
from commonground.site.pages.search_all import build_search_page
from commonground.site.pages.sql import build_sql_page, draw_sql
from commonground.site.pages.unindexed import build_unindexed_page
from commonground.site.rendering import STATIC, Shell, find_view, render_page
from commonground.site.results.runs import ResultFiles
from commonground.site.results.showing import Answered, find_answered
from commonground.stats.paper import Paper
from commonground.store.pictures import Missing
from commonground.web.addresses import decode_id, encode_id
from commonground.web.dispatch import Dispatcher, Endpoint
from commonground.web.guard import Guard, Rules
from commonground.web.headers import AddHeaders, compress, page_headers
from commonground.web.workers import Worker, WorkerPool

HEADERS = {
    **page_headers(),
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
LINKS = ServerLinks()
JSON_ENDING = ".json"
LONGEST_NUMBER = 9
"""Digits of the longest page number that is read."""

_STATIC_FILES = frozenset(path.name for path in STATIC.iterdir() if path.is_file())
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def create_app(
    corpora: OpenCorpora,
    rules: Rules | None = None,
    *,
    workers: WorkerPool | None = None,
    in_threads: bool = True,
    drawer: FigureDrawer | None = None,
    indexes: IndexMaker | None = None,
) -> ASGIApp:
    """Makes the application for some corpora.

    Args:
        corpora: those that it shows.
        rules: who may talk to it; None for everybody.
        workers: processes that make its pages; None where it makes them itself.
        in_threads: whether it makes them in threads, to answer other requests meanwhile.
        drawer: draws figures meanwhile; None where pages of figures wait for them.
        indexes: makes indexes meanwhile; None where pages wait for them.

    Raises:
        CommongroundError: the file of results cannot be read.
    """
    dispatcher = Dispatcher(lambda: corpora.by_name, workers, in_threads=in_threads)
    application = Starlette(
        routes=_routes(dispatcher, drawer, indexes),
        exception_handlers={
            CommongroundError: _explain,
            HTTPException: _explain_http,
            Exception: _explain_bug,
        },
    )
    application.state.corpora = corpora
    application.state.indexes = indexes
    application.state.results = ResultFiles.open(corpora.results) if corpora.results else None
    if not in_threads:
        return application  # the process that listens adds the headers
    # Outside: compressing writes into the headers, of which those that are kept are no copy.
    return compress(AddHeaders(Guard(application, rules) if rules else application, HEADERS))


def open_worker(plan: CorporaPlan) -> Worker:
    """Opens the corpora in a process of its own, to make pages for the one that listens.

    Raises:
        StoreError: there is no store, or a corpus is gone.
    """
    corpora = OpenCorpora.from_plan(plan)
    for each in corpora:
        # What is wrong with a corpus is said on its pages.
        with suppress(CommongroundError):
            each.warm_up()
    reloader = Reloader(corpora, makes_index=False)
    return Worker(create_app(corpora, in_threads=False), reloader.look)


def _routes(
    dispatcher: Dispatcher, drawer: FigureDrawer | None, indexes: IndexMaker | None
) -> list[Route]:
    both: list[tuple[str, str, Callable[[Request], Response]]] = [
        ("/", "/index.json", _corpora),
        ("/results", "/results.json", _results),
        ("/figures", "/figures.json", _comparisons),
        ("/search", "/search.json", _search),
        ("/sql", "/sql.json", _sql),
        ("/{corpus}/", "/{corpus}/browse.json", _browse),
        ("/{corpus}/findings", "/{corpus}/findings.json", _findings),
        ("/{corpus}/figures", "/{corpus}/figures.json", _figures),
        ("/{corpus}/chain", "/{corpus}/chain.json", _chain),
        ("/{corpus}/compare", "/{corpus}/compare.json", _compare),
        ("/{corpus}/d/{dialogue}", "/{corpus}/d/{dialogue}.json", _dialogue),
    ]
    # The file of results may be written again at any time.
    made = [dispatcher.route(endpoint, keeps=endpoint is not _results) for _, _, endpoint in both]
    if indexes is not None:
        made = [
            _unless_indexed(indexes, page, _UNINDEXED.get(endpoint))
            for page, (_, _, endpoint) in zip(made, both, strict=True)
        ]
    native: Callable[..., Any] = _native
    if indexes is not None:
        native = _unless_indexed(indexes, dispatcher.route(_native), _native_unindexed)
    twins = [Route(path, page) for (_, path, _), page in zip(both, made, strict=True)]
    pages = [Route(path, page) for (path, _, _), page in zip(both, made, strict=True)]
    if drawer is not None:
        figures = made[[endpoint for _, _, endpoint in both].index(_figures)]
        pages.insert(0, Route("/{corpus}/figures", _while_drawn(drawer, figures, indexes)))
    return [
        Route("/indexing.json", _indexing),
        Route("/static/figures.css", _figures_style),
        Route("/static/{name}", _static),
        Route("/{corpus}/view.css", _style),
        Route("/{corpus}/picture/{name}", _picture),
        Route("/{corpus}/d/{dialogue}/native.json", native),
        Route("/{corpus}/figures/{figure}", dispatcher.route(_printed)),
        *twins,
        *pages,
        Route("/{corpus}", _to_browse),
    ]


def _corpora(request: Request) -> Response:
    page = build_corpora_page(corpora_of(request))
    return answer_page(request, "corpora.html", page, twin="/index.json")


def _search(request: Request) -> Response:
    query = request.query_params.get("q", "").strip()
    page = build_search_page(corpora_of(request), query=query)
    return answer_page(request, "search.html", page, twin="/search.json")


def _sql(request: Request) -> Response:
    asked = request.query_params
    query = asked.get("q", "").strip().replace("\r\n", "\n")
    page = build_sql_page(corpora_of(request), query, asked.get("chart", ""))
    status = 400 if page.error else 200
    if wants_json(request):
        return answer_json(page, status)
    shell = make_shell(request, twin="/sql.json" if query else None)
    return HTMLResponse(render_page("sql.html", shell, page=page, chart=draw_sql(page)), status)


def _browse(request: Request) -> Response:
    opened, asked = corpus_of(request), request.query_params
    page = build_browse_page(
        opened,
        query=asked.get("q", "").strip(),
        tab=asked.get("tab") or "dialogues",
        sort=asked.get("sort", ""),
        page=page_number(request),
        columns=[name for each in asked.getlist("columns") for name in each.split(",") if name],
        density=asked.get("density", ""),
    )
    twin = f"/{encode_id(opened.name)}/browse.json"
    return answer_page(request, "browse.html", page, twin=twin, corpus=opened.name)


def _findings(request: Request) -> Response:
    opened = corpus_of(request)
    code = request.query_params.get("code", "")
    page = build_findings_page(opened, code=code, page=page_number(request))
    twin = f"/{encode_id(opened.name)}/findings.json"
    return answer_page(request, "findings.html", page, twin=twin, corpus=opened.name)


def _figures(request: Request) -> Response:
    opened = corpus_of(request)
    charts = {} if wants_json(request) else draw_charts(opened, LINKS)
    page = build_figures_page(opened)
    twin = f"/{encode_id(opened.name)}/figures.json"
    return answer_page(request, "figures.html", page, twin=twin, corpus=opened.name, charts=charts)


def _chain(request: Request) -> Response:
    opened, asked = corpus_of(request), request.query_params
    number = page_number(request)
    if "object" in asked:
        page = build_object_chain(opened, asked["object"], page=number)
    elif "argument" in asked:
        page = build_argument_chain(opened, asked["argument"], asked.get("value"), page=number)
    else:
        raise UsageError("The address names nothing to follow.", "Add ?object= or ?argument=")
    twin = f"/{encode_id(opened.name)}/chain.json"
    return answer_page(request, "chain.html", page, twin=twin, corpus=opened.name)


def _compare(request: Request) -> Response:
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
        twin=f"/{encode_id(opened.name)}/compare.json",
        corpus=opened.name,
        talks=[render_talk(each, shell, side) for each, side in sides],
        has_style=find_view(opened.name, "page.css") is not None,
    )


def _printed(request: Request) -> Response:
    opened, asked = corpus_of(request), request.query_params
    name, ending = decode_id(request.path_params["figure"]), asked.get("format", "pdf")
    wanted = {
        "columns": int(asked["columns"]) if asked.get("columns", "").isdecimal() else 1,
        "background": asked.get("background", "white"),
        "font": asked.get("font", "sans"),
        "title": asked.get("title") == "yes",
    }
    try:
        paper = msgspec.convert(wanted, Paper)
    except msgspec.ValidationError as error:
        raise UsageError(f"The figure cannot be drawn so: {error}.", "Use the menu.") from error
    made = print_kept(opened, name, paper, ending)
    file = f"{encode_id(opened.name)}-{encode_id(name)}.{ending}"
    headers = {"content-disposition": f'attachment; filename="{file}"'}
    return Response(made.data, media_type=made.media_type, headers=headers)


def _while_drawn(
    drawer: FigureDrawer, page: Callable[..., Any], indexes: IndexMaker | None
) -> Callable[..., Any]:
    """Returns an endpoint that says that figures are being drawn, until they are."""

    async def answer(request: Request) -> Response:
        opened = corpus_of(request)
        # They are kept beside the index, and drawn once that is there.
        waits = indexes is not None and indexes.is_at_work(opened.name)
        if not waits and not drawer.is_at_work(opened):
            answered: Response = await page(request)
            return answered
        return await run_in_threadpool(_figures_so_far, request, opened)

    return answer


def _figures_so_far(request: Request, opened: OpenCorpus) -> Response:
    # Where the index is still to be made, nothing can lie beside it.
    page = None if indexing_of(request) else build_figures_so_far(opened, LINKS)
    shell = make_shell(request, opened.name)
    if page is None:
        text = render_page("waiting.html", shell, title=opened.entry.manifest.title)
    else:
        # Cleaned by the process that drew them.
        charts = {name: Markup(svg) for name, svg in page.drawn.items()}  # noqa: S704
        text = render_page("figures.html", shell, page=page, charts=charts)
    return HTMLResponse(text, headers={"cache-control": "no-store"})


# While an index is made: what the tables alone can say.


def _unless_indexed(
    indexes: IndexMaker, page: Callable[..., Any], instead: Endpoint | None
) -> Callable[..., Any]:
    """Returns an endpoint that does without an index until that is made.

    Args:
        indexes: makes it.
        page: the endpoint that needs it.
        instead: the one that does not; None where the page needs no index at all.
    """

    async def answer(request: Request) -> Response:
        name = request.path_params.get("corpus")
        waits = bool(indexes.steps()) if name is None else indexes.is_at_work(decode_id(name))
        if waits and instead is not None:
            return await run_in_threadpool(instead, request)
        answered: Response = await page(request)
        return answered

    return answer


def _indexing(request: Request) -> Response:
    return answer_json(indexing_of(request))


def _browse_unindexed(request: Request) -> Response:
    opened = corpus_of(request)
    if wants_json(request):
        advice = "Ask again in a moment: search and lists need it."
        error = StoreError(f"The index of {opened.name} is being made.", advice)
        return _problem(request, error, 503)
    query = request.query_params.get("q", "").strip()
    page = build_unindexed_page(opened, query=query, page=page_number(request))
    shell, near = make_shell(request, opened.name), near_pages(page.paging)
    text = render_page("unindexed.html", shell, page=page, near=near)
    return HTMLResponse(text, headers={"cache-control": "no-store"})


def _dialogue_unindexed(request: Request) -> Response:
    return _answer_dialogue(request, _drawn_unindexed(request))


def _native_unindexed(request: Request) -> Response:
    return _answer_native(request, _drawn_unindexed(request).page.native)


def _drawn_unindexed(request: Request) -> DrawnDialogue:
    return draw_stored(corpus_of(request).corpus, decode_id(request.path_params["dialogue"]))


def _results_unindexed(request: Request) -> Response:
    _results_of(request)
    return _all_unindexed(request)


def _all_unindexed(request: Request) -> Response:
    shell = make_shell(request)
    text = render_page("unindexed.html", shell, page=None, near=[])
    return HTMLResponse(text, headers={"cache-control": "no-store"})


def _comparisons(request: Request) -> Response:
    corpora = corpora_of(request)
    page = build_comparisons_page(corpora)
    charts = {} if wants_json(request) else draw_comparisons(corpora)
    return answer_page(request, "figures.html", page, twin="/figures.json", charts=charts)


def _figures_style(_request: Request) -> Response:
    return Response(figures_style(), media_type="text/css")


def _results(request: Request) -> Response:
    files, asked = _results_of(request), request.query_params
    names = [name for name in ResultQuery.__struct_fields__ if name != "page"]
    given = {name: asked[name].strip() for name in names if asked.get(name, "").strip()}
    query = ResultQuery(**given, page=page_number(request))
    page = build_results_page(corpora_of(request), files, query)
    return answer_page(request, "results.html", page, twin="/results.json")


def _results_of(request: Request) -> ResultFiles:
    file: ResultFiles | None = request.app.state.results
    if file is None:
        advice = "Start with: commonground serve --results FILE (of evaluate --per-instance FILE)"
        raise UsageError("There is no file of results.", advice)
    return file


def _dialogue(request: Request) -> Response:
    opened, asked = corpus_of(request), request.query_params
    drawn = draw_indexed(
        opened,
        opened.ordinal(decode_id(request.path_params["dialogue"])),
        query=asked.get("q", "").strip(),
        sort=asked.get("sort", ""),
        with_native=wants_json(request),
    )
    run, answered = asked.get("answers", ""), None
    if run:
        files = _results_of(request)
        known, beside = drawn.page.dialogue_id, asked.get("beside", "")
        answered = find_answered(opened, files, known, run, beside)
    return _answer_dialogue(request, drawn, answered)


def _answer_dialogue(
    request: Request, drawn: DrawnDialogue, answered: Answered | None = None
) -> Response:
    opened = corpus_of(request)
    if wants_json(request):
        told = {"page": drawn.page, "view": drawn.view}
        return answer_json(told | ({"answered": answered} if answered else {}))
    path = f"/{encode_id(opened.name)}/d/{request.path_params['dialogue']}"
    shell, href = make_shell(request, opened.name, twin=f"{path}.json"), f"{path}/native.json"
    return HTMLResponse(render_dialogue(drawn, shell, native_href=href, answered=answered))


def _native(request: Request) -> Response:
    opened = corpus_of(request)
    ordinal = opened.ordinal(decode_id(request.path_params["dialogue"]))
    return _answer_native(request, list_native(opened, ordinal))


def _answer_native(request: Request, records: Sequence[NativeRecord]) -> Response:
    opened = corpus_of(request)
    text = join_native(records, ",\n")
    name = f"{encode_id(opened.name)}-{request.path_params['dialogue'][:100]}.json"
    # Of two encoded ids, which hold nothing that could end the quotation marks.
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)


def _picture(request: Request) -> Response:
    opened = corpus_of(request)
    found = opened.pictures.find(decode_id(request.path_params["name"]))
    if isinstance(found, Missing):
        raise UsageError(f"There is no such picture in {opened.name}.", f"It is {found.reason}.")
    return _file(found.path, found.media_type, kept_s=86_400)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC_FILES:
        raise UsageError(f"There is no file {name!r} here.")
    return _file(STATIC / name, _MEDIA_TYPES.get(Path(name).suffix, "text/plain"))


def _style(request: Request) -> Response:
    opened = corpus_of(request)
    path = find_view(opened.name, "page.css")
    if path is None:
        raise UsageError(f"{opened.name} has no styles of its own.")
    return _file(path, "text/css")


def _file(path: Path, media_type: str, kept_s: int = 0) -> Response:
    kept = f"private, max-age={kept_s}" if kept_s else "no-cache"
    return FileResponse(path, media_type=media_type, headers={"cache-control": kept})


def _to_browse(request: Request) -> Response:
    return RedirectResponse(f"/{encode_id(corpus_of(request).name)}/")


def _explain(request: Request, error: Exception) -> Response:
    assert isinstance(error, CommongroundError)  # noqa: S101 - registered for it
    about_query = "q" in request.query_params or "page" in request.query_params
    if isinstance(error, StoreError) and _is_reloading(request):
        advice = "Open it again in a moment: the explorer is getting ready to show the new one."
        return _problem(request, StoreError("The corpus was just imported again.", advice), 503)
    missing = isinstance(error, UsageError) and not about_query
    status = 404 if missing else 400 if isinstance(error, UsageError) else 500
    return _problem(request, error, status)


def _is_reloading(request: Request) -> bool:
    with suppress(CommongroundError, KeyError):
        return is_outdated(corpus_of(request))
    return any(is_outdated(each) for each in corpora_of(request))


def _explain_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for it
    advice = "Check the address, or go back to the list of corpora."
    return _problem(request, UsageError(f"{error.detail}.", advice), error.status_code)


def _explain_bug(request: Request, _error: Exception) -> Response:
    # The server prints where it happened.
    advice = "This is a bug in commonground; what it printed in the terminal helps to mend it."
    return _problem(request, CommongroundError("The page could not be made.", advice), 500)


def _problem(request: Request, error: CommongroundError, status: int) -> Response:
    asked = request.query_params.get("q", "").strip()
    page = build_problem_page(error, status, request.url.path, asked)
    if wants_json(request):
        return answer_json(page, status)
    corpus = None
    with suppress(CommongroundError, KeyError):
        corpus = corpus_of(request).name
    shell = make_shell(request, corpus)
    return HTMLResponse(render_page("problem.html", shell, page=page), status)


_UNINDEXED: dict[Endpoint, Endpoint] = {
    _browse: _browse_unindexed,
    _dialogue: _dialogue_unindexed,
    _results: _results_unindexed,
    _search: _all_unindexed,
    _chain: _all_unindexed,
    _compare: _all_unindexed,
}
"""What answers instead while an index is made; other pages need none."""


# From a request to the parameters of a page, and from a page to an answer.


def corpora_of(request: Request) -> OpenCorpora:
    """Returns the corpora that the application serves."""
    corpora: OpenCorpora = request.app.state.corpora
    return corpora


def indexing_of(request: Request) -> dict[str, Step]:
    """Returns how far the indexes are that are being made, by corpus."""
    indexes: IndexMaker | None = getattr(request.app.state, "indexes", None)
    return indexes.steps() if indexes is not None else {}


def corpus_of(request: Request) -> OpenCorpus:
    """Returns the corpus that the address names.

    Raises:
        UsageError: it is not there.
    """
    return corpora_of(request).get(decode_id(request.path_params["corpus"]))


def page_number(request: Request) -> int:
    """Returns the ``page`` of the address; 1 where it names none.

    Raises:
        UsageError: it is no number.
    """
    text = request.query_params.get("page") or "1"
    # ``isdigit`` alone takes superscripts, at which ``int`` fails.
    if not text.isascii() or not text.isdigit() or len(text) > LONGEST_NUMBER:
        raise UsageError(f"{text[:40]!r} is not a page.", "Pages are numbers from 1.")
    return int(text)


def wants_json(request: Request) -> bool:
    """Tells whether the address is that of a page's JSON twin."""
    return request.url.path.endswith(JSON_ENDING)


def make_shell(request: Request, corpus: str | None = None, *, twin: str | None = None) -> Shell:
    """Gathers what every page needs.

    Args:
        request: the request.
        corpus: corpus of the page; None for pages of none.
        twin: path of the page as JSON, without parameters; None where it has none.
    """
    corpora = corpora_of(request)
    if twin is not None and request.url.query:
        twin = f"{twin}?{request.url.query}"
    return Shell(
        links=LINKS,
        corpora=corpora.names,
        corpus=corpus,
        pictures=corpora.pictures,
        query=request.query_params.get("q", ""),
        twin=twin,
        has_results=bool(corpora.results),
        sections=corpora.get(corpus).sections if corpus else (),
        indexing={
            name: step.percent
            for name, step in indexing_of(request).items()
            if corpus in (None, name)
        },
    )


def answer_json(value: Any, status: int = 200) -> Response:
    """Answers with a record as JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def answer_page(
    request: Request,
    template: str,
    page: Any,
    *,
    twin: str,
    corpus: str | None = None,
    **values: Any,
) -> Response:
    """Answers with a page, as HTML or JSON as the address asks.

    Args:
        request: the request.
        template: template of the page.
        page: its data.
        twin: path of its JSON.
        corpus: its corpus; None for pages of none.
        values: what its template needs besides.
    """
    if wants_json(request):
        return answer_json(page)
    near = near_pages(getattr(page, "paging", None))
    shell = make_shell(request, corpus, twin=twin)
    return HTMLResponse(render_page(template, shell, page=page, near=near, **values))
