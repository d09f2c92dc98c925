"""Recruiting platforms as studies meet them: how they send people, and how they take them back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlencode, urlsplit

from commonground.play.collect.identities import Identity


class Page(HTMLParser):
    """The links and the forms of a page.

    Args:
        html: of the page.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[tuple[str, str, dict[str, str]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        if tag == "a":
            self.links.append(values["href"])
        elif tag == "form":
            self.forms.append((values.get("method", "get"), values.get("action", ""), {}))
        elif tag == "input" and self.forms and "name" in values:
            self.forms[-1][2][values["name"]] = values.get("value", "")


class Prolific:
    """Prolific: fills people's ids into the address of a study, and knows them by codes.

    Args:
        address: of the study, with the placeholders that Prolific puts ids in.
        codes: the completion codes that the study was set up with, by what they stand for.
    """

    def __init__(self, address: str, codes: Mapping[str, str]) -> None:
        self._address = address
        self._meanings = {code: name for name, code in codes.items()}
        self.submissions: dict[str, str] = {}

    def send(self, person: str) -> str:
        """Returns the address that somebody is sent to, below the server's."""
        ids = {"PROLIFIC_PID": person, "STUDY_ID": "study1", "SESSION_ID": f"session-{person}"}
        filled = re.sub(r"\{\{%(\w+)%\}\}", lambda found: ids[found[1]], self._address)
        return "/?" + filled.partition("/?")[2]

    @staticmethod
    def identify(number: int) -> Identity:
        """Makes who somebody is to the study."""
        return Identity("prolific", f"pro{number}", {"STUDY_ID": "s", "SESSION_ID": f"se{number}"})

    def take_back(self, page: Page) -> str:
        """Follows the link back as a browser does; returns what the code stands for."""
        (link,) = (each for each in page.links if "prolific" in each)
        parts = urlsplit(link)
        assert (parts.scheme, parts.netloc) == ("https", "app.prolific.com")
        assert parts.path == "/submissions/complete"
        (code,) = parse_qs(parts.query)["cc"]
        return self._meanings[code]


class Turk:
    """Mechanical Turk: shows a task to look at, hands it out, and takes a form for it."""

    HOST = "https://workersandbox.mturk.com"

    def __init__(self) -> None:
        self.assigned: set[str] = set()
        self.submitted: dict[str, str] = {}

    def preview(self) -> str:
        """Returns the address of the task for somebody who has not accepted it."""
        return "/?" + urlencode({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "H1"})

    def accept(self, worker: str) -> str:
        """Gives the task to a worker; returns its address for that worker."""
        assignment = f"assignment-{worker}"
        self.assigned.add(assignment)
        ids = {"assignmentId": assignment, "hitId": "H1", "workerId": worker}
        return "/?" + urlencode({**ids, "turkSubmitTo": self.HOST})

    def identify(self, number: int) -> Identity:
        """Has a worker accept the task, and makes who that is to the study."""
        worker = f"worker{number}"
        self.accept(worker)
        details = {"assignmentId": f"assignment-{worker}", "hitId": "H1", "turkSubmitTo": self.HOST}
        return Identity("mturk", worker, details)

    def take_back(self, page: Page) -> str:
        """Sends the form as a browser does; returns its code."""
        (form,) = (each for each in page.forms if each[1].startswith("https:"))
        return self.take_form(*form)

    def take_form(self, method: str, action: str, fields: Mapping[str, str]) -> str:
        """Takes an assignment, once, if its form is as the platform demands.

        Raises:
            AssertionError: it is not.
        """
        assert (method.lower(), action) == ("post", f"{self.HOST}/mturk/externalSubmit")
        assignment = fields["assignmentId"]
        assert assignment in self.assigned
        assert assignment not in self.submitted
        # A form with nothing but the assignment is not taken.
        (code,) = (value for name, value in fields.items() if name != "assignmentId")
        self.submitted[assignment] = code
        return code
