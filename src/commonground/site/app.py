"""The explorer as a web application: routes to pages, and what every answer carries."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from commonground.errors import CommongroundError, StoreError, UsageError
from commonground.site.dialogues import draw_dialogue, render_dialogue
from commonground.site.drawings import figures_style
from commonground.site.library import Library
from commonground.site.links import decode_id, encode_id
from commonground.site.making import Maker, PageMaker
from commonground.site.neighbours import find_neighbours, list_native
from commonground.site.pages.browse import build_browse_page
from commonground.site.pages.corpora import build_corpora_page
from commonground.site.pages.figures import (
    build_comparisons_page,
    build_figures_page,
    draw_charts,
    draw_comparisons,
)
from commonground.site.pages.findings import build_findings_page
from commonground.site.pages.problem import build_problem_page
from commonground.site.pages.results import ResultFile, build_results_page
from commonground.site.rendering import CONTENT_SECURITY_POLICY, STATIC, find_view, render_page
from commonground.site.renewing import is_outdated
from commonground.site.requests import (
    LINKS,
    answer_json,
    answer_page,
    library_of,
    make_shell,
    page_number,
    shelf_of,
    wants_json,
)
from commonground.store.pictures import Missing
from commonground.web.guard import Guard, Rules
from commonground.web.headers import AddHeaders

HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_STATIC_FILES = frozenset(path.name for path in STATIC.iterdir() if path.is_file())
_MEDIA_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def create_app(
    library: Library,
    rules: Rules | None = None,
    *,
    crew: PageMaker | None = None,
    in_threads: bool = True,
) -> ASGIApp:
    """Makes the application for some corpora.

    Args:
        library: the corpora.
        rules: who may talk to it; null for everybody.
        crew: processes that make its pages; null where it makes them itself.
        in_threads: whether it makes them in threads, to answer other requests meanwhile.

    Raises:
        CommongroundError: the file of results cannot be read.
    """
    application = Starlette(
        routes=_routes(Maker(library, crew, in_threads=in_threads)),
        exception_handlers={
            CommongroundError: _explain,
            HTTPException: _explain_http,
            Exception: _explain_bug,
        },
    )
    application.state.library = library
    application.state.results = ResultFile(library.results) if library.results else None
    if not in_threads:
        return application  # the process that listens adds the headers
    return AddHeaders(Guard(application, rules) if rules else application, HEADERS)


def _routes(maker: Maker) -> list[Route]:
    both: list[tuple[str, str, Callable[[Request], Response]]] = [
        ("/", "/index.json", _corpora),
        ("/results", "/results.json", _results),
        ("/figures", "/figures.json", _comparisons),
        ("/{corpus}/", "/{corpus}/browse.json", _browse),
        ("/{corpus}/findings", "/{corpus}/findings.json", _findings),
        ("/{corpus}/figures", "/{corpus}/figures.json", _figures),
        ("/{corpus}/d/{dialogue}", "/{corpus}/d/{dialogue}.json", _dialogue),
    ]
    # The file of results may be written again at any time.
    made = [maker.run(endpoint, keeps=endpoint is not _results) for _, _, endpoint in both]
    twins = [Route(path, page) for (_, path, _), page in zip(both, made, strict=True)]
    pages = [Route(path, page) for (path, _, _), page in zip(both, made, strict=True)]
    return [
        Route("/static/figures.css", _figures_style),
        Route("/static/{name}", _static),
        Route("/{corpus}/view.css", _style),
        Route("/{corpus}/picture/{name}", _picture),
        Route("/{corpus}/d/{dialogue}/native.json", _native),
        *twins,
        *pages,
        Route("/{corpus}", _to_browse),
    ]


def _corpora(request: Request) -> Response:
    page = build_corpora_page(library_of(request))
    return answer_page(request, "corpora.html", page, twin="/index.json")


def _browse(request: Request) -> Response:
    shelf, asked = shelf_of(request), request.query_params
    page = build_browse_page(
        shelf,
        query=asked.get("q", "").strip(),
        tab=asked.get("tab") or "dialogues",
        sort=asked.get("sort", ""),
        page=page_number(request),
    )
    twin = f"/{encode_id(shelf.name)}/browse.json"
    return answer_page(
        request, "browse.html", page, twin=twin, corpus=shelf.name, paging=page.paging
    )


def _findings(request: Request) -> Response:
    shelf = shelf_of(request)
    code = request.query_params.get("code", "")
    page = build_findings_page(shelf, code=code, page=page_number(request))
    return answer_page(
        request,
        "findings.html",
        page,
        twin=f"/{encode_id(shelf.name)}/findings.json",
        corpus=shelf.name,
        paging=page.chosen.paging if page.chosen else None,
    )


def _figures(request: Request) -> Response:
    shelf = shelf_of(request)
    charts = {} if wants_json(request) else draw_charts(shelf, LINKS)
    page = build_figures_page(shelf)
    twin = f"/{encode_id(shelf.name)}/figures.json"
    return answer_page(request, "figures.html", page, twin=twin, corpus=shelf.name, charts=charts)


def _comparisons(request: Request) -> Response:
    library = library_of(request)
    page = build_comparisons_page(library)
    charts = {} if wants_json(request) else draw_comparisons(library)
    return answer_page(request, "figures.html", page, twin="/figures.json", charts=charts)


def _figures_style(_request: Request) -> Response:
    return Response(figures_style(), media_type="text/css")


def _results(request: Request) -> Response:
    file: ResultFile | None = request.app.state.results
    if file is None:
        advice = "Start with: commonground serve --results FILE (of evaluate --per-instance FILE)"
        raise UsageError("There is no file of results.", advice)
    only = request.query_params.get("only") or "all"
    page = build_results_page(library_of(request), file, only=only, page=page_number(request))
    return answer_page(request, "results.html", page, twin="/results.json", paging=page.paging)


def _dialogue(request: Request) -> Response:
    shelf, asked = shelf_of(request), request.query_params
    ordinal = shelf.ordinal(decode_id(request.path_params["dialogue"]))
    blocks = shelf.open().blocks
    drawn = draw_dialogue(
        shelf.name,
        blocks.dialogue(ordinal),
        findings=blocks.findings(ordinal),
        native=list_native(shelf, ordinal) if wants_json(request) else (),
        neighbours=find_neighbours(
            shelf, ordinal, asked.get("q", "").strip(), asked.get("sort", "")
        ),
    )
    if wants_json(request):
        return answer_json({"page": drawn.page, "view": drawn.view})
    path = f"/{encode_id(shelf.name)}/d/{request.path_params['dialogue']}"
    shell = make_shell(request, shelf.name, twin=f"{path}.json")
    return HTMLResponse(render_dialogue(drawn, shell, native_href=f"{path}/native.json"))


def _native(request: Request) -> Response:
    shelf = shelf_of(request)
    ordinal = shelf.ordinal(decode_id(request.path_params["dialogue"]))
    records = [each.json for each in list_native(shelf, ordinal)]
    text = records[0] if len(records) == 1 else "[" + ",\n".join(records) + "]"
    name = f"{encode_id(shelf.name)}-{request.path_params['dialogue'][:100]}.json"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="application/json", headers=headers)


def _picture(request: Request) -> Response:
    shelf = shelf_of(request)
    found = shelf.pictures.find(decode_id(request.path_params["name"]))
    if isinstance(found, Missing):
        raise UsageError(f"There is no such picture in {shelf.name}.", f"It is {found.reason}.")
    return _file(found.path, found.media_type, kept_s=86_400)


def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in _STATIC_FILES:
        raise UsageError(f"There is no file {name!r} here.")
    return _file(STATIC / name, _MEDIA_TYPES.get(Path(name).suffix, "text/plain"))


def _style(request: Request) -> Response:
    shelf = shelf_of(request)
    path = find_view(shelf.name, "page.css")
    if path is None:
        raise UsageError(f"{shelf.name} has no styles of its own.")
    return _file(path, "text/css")


def _file(path: Path, media_type: str, kept_s: int = 0) -> Response:
    kept = f"private, max-age={kept_s}" if kept_s else "no-cache"
    return FileResponse(path, media_type=media_type, headers={"cache-control": kept})


def _to_browse(request: Request) -> Response:
    return RedirectResponse(f"/{encode_id(shelf_of(request).name)}/")


def _explain(request: Request, error: Exception) -> Response:
    assert isinstance(error, CommongroundError)  # noqa: S101 - registered for it
    about_query = "q" in request.query_params or "page" in request.query_params
    if isinstance(error, StoreError) and _is_renewed(request):
        advice = "Open it again in a moment: the explorer is getting ready to show the new one."
        return _problem(request, StoreError("The corpus was just imported again.", advice), 503)
    missing = isinstance(error, UsageError) and not about_query
    status = 404 if missing else 400 if isinstance(error, UsageError) else 500
    return _problem(request, error, status)


def _is_renewed(request: Request) -> bool:
    with suppress(CommongroundError, KeyError):
        return is_outdated(shelf_of(request))
    return any(is_outdated(shelf) for shelf in library_of(request).shelves.values())


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
        corpus = shelf_of(request).name
    shell = make_shell(request, corpus)
    return HTMLResponse(render_page("problem.html", shell, page=page), status)
