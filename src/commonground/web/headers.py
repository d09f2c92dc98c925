"""Headers that every answer of a server carries, whatever gave it."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class AddHeaders:
    """Adds headers to every answer, refusals and errors included.

    Args:
        app: that answers.
        headers: by name.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._added = [(key.encode(), value.encode()) for key, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._added]
            await send(message)

        await self._app(scope, receive, send_with if scope["type"] == "http" else send)
