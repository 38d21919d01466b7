"""The catalogues of the interface's languages, and the texts that pages and code mark for translation."""

import ast
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(settings.BASE_DIR)
LOCALES = ("ko", "zh_Hans")
WAITING = "locale/untranslated.txt"
_LINE = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d)\])? (".*")$')


@dataclass
class Entry:
    """One text of a catalogue; `plural` is empty where it has none, `said` its translations by plural form."""

    flags: str = ""
    context: str = ""
    text: str = ""
    plural: str = ""
    said: dict[int, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        return self.context, self.text

    def add(self, part: str, form: int, piece: str) -> None:
        if part == "msgstr":
            self.said[form] = self.said.get(form, "") + piece
        else:
            name = {"msgctxt": "context", "msgid": "text", "msgid_plural": "plural"}[part]
            setattr(self, name, getattr(self, name) + piece)


def catalogue(locale: str) -> list[Entry]:
    """The entries of a .po file, its header first."""
    path = ROOT / "locale" / locale / "LC_MESSAGES" / "django.po"
    return [_entry(block) for block in path.read_text("utf-8").split("\n\n") if "msgid" in block]


def waiting() -> set[str]:
    """Texts that may stay in English until somebody translates them: each is named, so that none is forgotten."""
    lines = (ROOT / WAITING).read_text("utf-8").splitlines()
    return {json.loads(line) for line in lines if line and not line.startswith("#")}


def translated(locale: str) -> list[Entry]:
    """The entries of a catalogue without its header, and without those that wait."""
    texts = waiting()
    return [entry for entry in catalogue(locale)[1:] if entry.text not in texts]


def _entry(block: str) -> Entry:
    entry, part, form = Entry(), "", 0
    for line in block.splitlines():
        if line.startswith("#"):
            entry.flags += line if line.startswith("#,") else ""
        elif found := _LINE.match(line):
            part, form = found[1], int(found[2] or 0)
            entry.add(part, form, ast.literal_eval(found[3]))
        else:
            entry.add(part, form, ast.literal_eval(line))
    return entry


def untranslated(texts: Iterable[str]) -> str:
    """What to do about texts without a translation."""
    listed = "\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
    return (
        f"Not translated:\n{listed}\nRun make messages, write the Korean and the Chinese into locale/*/LC_MESSAGES/"
        f"django.po, and run it again. If you speak neither language, add the lines above to {WAITING}."
    )


def marked_texts() -> Iterator[tuple[str, str]]:
    """Context and text of everything that pages and code mark."""
    for page in sorted((ROOT / "templates").rglob("*.html")):
        yield from marked_in_page(page)
    for folder in ("annotation", "config", "generation", "moderation", "providers", "runs"):
        for source in sorted((ROOT / folder).rglob("*.py")):
            yield from marked_in_code(source)


def marked_in_page(page: Path) -> Iterator[tuple[str, str]]:
    """Context and text of what a template marks."""
    return _texts(templatize(page.read_text("utf-8")))


def marked_in_code(source: Path) -> Iterator[tuple[str, str]]:
    """Context and text of what a module marks."""
    return _texts_of_code(source.read_text("utf-8"))


_STRING = r"""u?("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')"""


def _texts(templatized: str) -> Iterator[tuple[str, str]]:
    """The texts of the calls that Django makes of a template's tags."""
    for call in re.finditer(r"\b(_|gettext|ngettext|pgettext|npgettext)\(", templatized):
        has_context = call[1] in ("pgettext", "npgettext")
        found = re.match(rf"{_STRING}\s*,\s*{_STRING}" if has_context else _STRING, templatized[call.end() :])
        if found:
            parts = [ast.literal_eval(part) for part in found.groups()]
            yield (parts[0], parts[1]) if has_context else ("", parts[0])


def _texts_of_code(source: str) -> Iterator[tuple[str, str]]:
    plain = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
    with_context = {"pgettext", "pgettext_lazy", "npgettext", "npgettext_lazy"}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in plain | with_context:
            texts = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            if node.func.id in with_context and len(texts) > 1:
                yield texts[0], texts[1]
            elif node.func.id in plain and texts and texts[0]:
                yield "", texts[0]
