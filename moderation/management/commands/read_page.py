"""read_page URL|FILE: what the agent would read of a page."""

import mimetypes
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.management.json_command import JsonCommand
from moderation.domain.antihateagent.actions import InvestigationOptions
from moderation.domain.antihateagent.doubts import doubts_of, rated_claim
from moderation.domain.antihateagent.page_windows import page_number
from moderation.domain.antihateagent.passages import find_quote, sentence_of
from moderation.domain.antihateagent.relevance import relevant_windows
from providers import wiring_web
from providers.http.fetch import FetchedPage, FetchLimits, media_type_of, require_read
from providers.http.safe_urls import FetchFault
from providers.search import steps

_ENDINGS = {
    ".pdf": "application/pdf",
    ".txt": "text/plain",
    ".md": "text/markdown",
    ".xhtml": "application/xhtml+xml",
}
_TYPES = mimetypes.MimeTypes()
"""Python's own list, whatever the machine has beside it; the type of an ending that is in neither is looked at."""


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
            help="of a file, as a server would send it: 'text/html; charset=euc-kr'; default: by ending or beginning",
        )
        parser.add_argument(
            "--quote",
            default="",
            metavar="TEXT",
            help="a quotation: whether it stands on the page in whole words and numbers, and in which sentence",
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
            for name in ("url", "type", "encoding", "language", "title", "text", "comments_at", "cut", "code", "fault")
        }
        value["source"] = read["source"] | {name: read[name] or None for name in ("language", "fetched_at")}
        if options["quote"]:
            value |= _quoted(read, options["quote"])
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
        try:
            return steps.read_answer(_received(Path(page), content_type), "").model_dump(mode="json")
        except FetchFault as fault:
            return steps.FetchAnswer(url=page, code=fault.code, fault=fault.sentence).model_dump(mode="json")


def _quoted(read: Mapping[str, Any], quote: str) -> dict[str, Any]:
    """Return whether a quotation is on the page, the passage as it stands there, its sentence, and what to mind."""
    text = read["text"]
    span = find_quote(quote, text)
    if span is None:
        return {"found": False, "passage": None, "sentence": None, "doubts": []}
    whole = sentence_of(text, span)
    doubts = doubts_of(text, span, comments_at=read["comments_at"], rated_claim=rated_claim(read["source"]))
    passage, sentence = text[span.start : span.end], text[whole.start : whole.end]
    return {"found": True, "passage": passage, "sentence": sentence, "doubts": list(doubts)}


def _received(path: Path, content_type: str) -> FetchedPage:
    """Return a file as the fetcher would have received it, cut where the fetcher cuts.

    Raises CommandError if there is no such file, FetchFault if its type is not read.
    """
    ending = path.suffix.lower()
    media_type, charset = media_type_of(content_type or _ENDINGS.get(ending) or _TYPES.types_map[True].get(ending, ""))
    limits = FetchLimits()
    try:
        with path.open("rb") as file:
            start = file.read(5)
            size = limits.pdf_size if start == b"%PDF-" else limits.size
            content = start + file.read(size - len(start) + 1)
    except (OSError, ValueError) as fault:  # a name with a NUL is a ValueError
        reason = fault.strerror if isinstance(fault, OSError) else "that is no name of a file"
        named = ascii(str(path)[:200])[1:-1] if "\0" in str(path) else str(path)[:200]
        raise CommandError(
            f"{named} cannot be read: {reason}; a page of the web begins with http:// or https://."
        ) from None
    require_read(media_type)
    return FetchedPage(str(path), media_type, charset, content[:size], len(content) > size)
