"""read_page URL|FILE: what the agent would read of a page."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.antihateagent.page_windows import page_number
from moderation.domain.antihateagent.relevance import relevant_windows
from providers import wiring_web
from providers.http.fetch import PAGES, FetchedPage, FetchLimits, media_type_of
from providers.search import steps

_ENDINGS = {
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".xhtml": "application/xhtml+xml",
}


class Command(JsonCommand):
    help = (
        "Show what AntiHateAgent would read of a page, or the fault for which it would read nothing. A URL is fetched "
        "by the guarded fetcher; a file is read as if it had come with the content type, and nothing is fetched."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("page", metavar="URL|FILE")
        parser.add_argument(
            "--content-type",
            default="",
            metavar="TYPE",
            help="of a file, as a server would send it: 'text/html; charset=euc-kr'; default: by its ending",
        )
        parser.add_argument(
            "--about", default="", metavar="TEXT", help="a post: show the parts nearest to it, best first"
        )
        parser.add_argument(
            "--windows", type=int, default=InvestigationOptions().windows, help="how many parts (1 to 8)"
        )

    def answer(self, **options: Any) -> dict[str, Any]:
        if not 1 <= options["windows"] <= 8:
            raise CommandError("--windows takes a number from 1 to 8.")
        read = self._read(options["page"], options["content_type"])
        value = {
            name: read[name]
            for name in ("url", "type", "encoding", "language", "title", "text", "cut", "code", "fault")
        }
        if options["about"]:
            chosen = relevant_windows(read["text"], options["windows"], options["about"])
            value["windows"] = [
                {"start": part.start, "page": page_number(read["text"], part.start) or None, "text": part.text}
                for part in chosen
            ]
        return value

    def _read(self, page: str, content_type: str) -> dict[str, Any]:
        if "://" in page:
            if content_type:
                raise CommandError("--content-type is for files; a server says itself what it sends.")
            return steps.fetch(wiring_web.page_fetcher(), page)
        return steps.read_answer(_received(Path(page), content_type), "").model_dump(mode="json")


def _received(path: Path, content_type: str) -> FetchedPage:
    """Return a file as the fetcher would have received it, cut where the fetcher cuts.

    Raises CommandError if there is no such file, or its type is not read.
    """
    media_type, charset = media_type_of(content_type or _ENDINGS.get(path.suffix.lower(), "text/html"))
    if media_type not in PAGES:
        raise CommandError(f"{media_type[:60]!r} is not a type that is read. These are: {', '.join(PAGES)}.")
    limits = FetchLimits()
    try:
        with path.open("rb") as file:
            start = file.read(5)
            size = limits.pdf_size if start == b"%PDF-" else limits.size
            content = start + file.read(size - len(start) + 1)
    except OSError as fault:
        raise CommandError(
            f"{path} cannot be read: {fault.strerror}. A page of the web begins with http:// or https://."
        ) from None
    return FetchedPage(str(path), media_type, charset, content[:size], len(content) > size)
