"""What the pages of participants and those of the researcher have in common."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from commonground.play.rooms.desk import Desk
from commonground.play.rooms.rendering import PICTURE_TYPES, ROOM_TYPES, Rooms


class Pages:
    """Answers requests with pages and the files that belong to them."""

    def __init__(self, rooms: Rooms, desk: Desk) -> None:
        self.rooms = rooms
        self.desk = desk

    async def picture(self, request: Request) -> Response:
        """Sends a picture that the study plays with."""
        path = self.rooms.find_picture(request.path_params["path"])
        if path is None:
            raise HTTPException(404)
        kept = {"cache-control": "private, max-age=86400"}
        return FileResponse(path, media_type=PICTURE_TYPES[path.suffix.lower()], headers=kept)

    async def static(self, request: Request) -> Response:
        """Sends a script, a style or a drawing."""
        path = self.rooms.files.get(request.path_params["name"])
        if path is None:
            raise HTTPException(404)
        kept = {"cache-control": "no-cache"}
        return FileResponse(path, media_type=ROOM_TYPES[path.suffix], headers=kept)

    def choose_language(self, request: Request) -> str:
        """Returns the language of a page: what its address asks for, else what the browser does."""
        wanted = request.query_params.get("lang", "")
        return self.rooms.choose_language(wanted, request.headers.get("accept-language", ""))

    def send_page(
        self, template: str, language: str, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """Sends a page that no browser keeps, since it shows a state that is soon over."""
        page = self.rooms.render(template, language, **values)
        return HTMLResponse(page, status, headers={"cache-control": "no-store"})


async def read_body(request: Request, most: int) -> bytes:
    """Returns what a request brings.

    Raises:
        HTTPException: it is more than so many bytes.
    """
    data = b""
    async for part in request.stream():
        data += part
        if len(data) > most:
            raise HTTPException(413)
    return data
