"""Read training files: the folders of `manage.py export_training`, and tables in IntentCONANv2's columns.

Splits are drawn anew over all sources together, so that a post of one and its near-duplicate in another stand in the
same split. For a single folder that gives the splits which stand in it. The parts of a release that was split are kept,
and what is nearly the same as a post of them follows it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generation.coarl.settings_file import DataSettings
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.instructions import explain_instruction, reply_instruction
from generation.domain.counterspeech.intentconan import BadFile, BadRow, Row, read_rows
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.training_splits import SPLITS, leaks, splits_of
from generation.domain.tokens import plain


class BadData(ValueError):
    """The training files cannot be used; the message says why."""


@dataclass(frozen=True)
class Example:
    """An instruction and its answer. `task` is an explanation or an intent; `post` is the statement alone."""

    post: str
    task: str
    instruction: str
    target: str
    split: str


@dataclass(frozen=True)
class Scored:
    """A text and what critics said about it; None where no critic did."""

    post: str
    text: str
    pc: float | None
    aq: float | None
    t: float | None
    intent: str | None
    split: str


@dataclass(frozen=True)
class Preferred:
    """Two replies to a post, of which a person preferred the first."""

    post: str
    chosen: str
    rejected: str
    split: str


@dataclass
class TrainingData:
    """All rows, and the lines that could not be used."""

    explanations: list[Example] = field(default_factory=list)
    replies: list[Example] = field(default_factory=list)
    scores: list[Scored] = field(default_factory=list)
    preferences: list[Preferred] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def posts(self, split: str) -> list[str]:
        """Return the posts of a split, each once, in the order of the files."""
        rows = (*self.replies, *self.explanations)
        return list(dict.fromkeys(row.post for row in rows if row.split == split))


@dataclass(frozen=True)
class _Source:
    """Rows of one source before the splits are drawn: (kind, post, other values)."""

    rows: Sequence[tuple[str, str, Mapping[str, Any]]]
    warnings: Sequence[str] = ()
    refused: Sequence[str] = ()
    stated: Sequence[tuple[str, str]] = ()
    """The split of each post, where a release was split."""


def load(settings: DataSettings) -> TrainingData:
    """Return all rows of the sources. Raises BadData if a source cannot be read or holds nothing to learn from."""
    sources = [_folder(path) for path in settings.folders]
    sources += [_table(path, settings.columns) for path in settings.tables]
    rows = [row for source in sources for row in source.rows]
    if not rows:
        raise BadData("The training files hold no row: name a folder of export_training, or a table, under [data].")
    posts = [post for _kind, post, _values in rows]
    splits = splits_of(posts, [pair for source in sources for pair in source.stated])
    if cut := leaks(posts, splits):
        raise BadData(f"Posts that are nearly the same stand in different splits: {cut[0][0][:60]!r}.")
    found = TrainingData(
        warnings=list(dict.fromkeys(warning for source in sources for warning in source.warnings)),
        refused=[line for source in sources for line in source.refused],
    )
    for (kind, post, values), split in zip(rows, splits, strict=True):
        _add(found, kind, post, values, split, settings)
    found.explanations = list(dict.fromkeys(found.explanations))  # a table repeats them in every row of a post
    found.replies = list(dict.fromkeys(found.replies))
    return found


def prompts(data: TrainingData, split: str, settings: DataSettings) -> list[Example]:
    """Return an instruction for every post of the split and every intent, without an answer."""
    return [
        Example(post, intent.value, reply_instruction(intent, post, settings.wording), "", split)
        for post in data.posts(split)
        for intent in Intent
    ]


def _add(
    data: TrainingData, kind: str, post: str, values: Mapping[str, Any], split: str, settings: DataSettings
) -> None:
    match kind:
        case "explanation":
            asked = explain_instruction(Explanation(values["task"]), post, settings.wording)
            data.explanations.append(Example(post, values["task"], asked, values["target"], split))
        case "reply":
            asked = reply_instruction(Intent(values["intent"]), post, settings.wording)
            data.replies.append(Example(post, values["intent"], asked, values["target"], split))
        case "score":
            pc, aq, t = (values[name] for name in ("pc", "aq", "t"))
            data.scores.append(Scored(post, values["text"], pc, aq, t, values["seen_intent"], split))
        case _:
            data.preferences.append(Preferred(post, values["chosen"], values["rejected"], split))


def _folder(path: Path) -> _Source:
    manifest = path / "manifest.json"
    if not manifest.is_file():
        raise BadData(f"{path} is no finished export: it has no manifest.json. Of a release it is the folder coarl/.")
    kinds = {"explanations": "explanation", "replies": "reply", "scores": "score", "preferences": "preference"}
    try:
        rows = [
            (kind, str(row["statement"]), row)
            for name, kind in kinds.items()
            for row in _lines(path / f"{name}.jsonl")
        ]  # fmt: skip
        about = json.loads(manifest.read_text(encoding="utf-8"))
        stated = rows if about.get("splits_by") == "release" else []
        return _Source(rows, [str(about["warning"])], stated=[(post, _split(row)) for _kind, post, row in stated])
    except (OSError, ValueError, KeyError, TypeError) as fault:
        raise BadData(f"{path} cannot be read: {fault!r}.") from None


def _split(row: Mapping[str, Any]) -> str:
    return SPLITS[SPLITS.index(row["split"])]


def _lines(file: Path) -> Iterator[Any]:
    return (json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line.strip())


def _table(path: Path, columns: Mapping[str, str]) -> _Source:
    rows: list[tuple[str, str, Mapping[str, Any]]] = []
    refused: list[str] = []
    try:
        for row in read_rows(path.read_bytes(), path.name, columns):
            if isinstance(row, BadRow):
                refused.append(f"{path.name}, line {row.line}: {row.reason}")
            else:
                rows += _rows_of(row)
    except (OSError, BadFile) as fault:
        raise BadData(f"{path} cannot be read: {fault}") from None
    return _Source(rows, refused=refused)


def _rows_of(row: Row) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    if row.intent is not None:
        yield "reply", row.hate, {"intent": row.intent.value, "target": row.text}
    for task, text in row.explanations.items():
        yield "explanation", row.hate, {"task": task, "target": text}


def references(data: TrainingData, split: str) -> dict[tuple[str, str], list[str]]:
    """Return people's replies of a split by post and intent; posts that differ in form alone are one."""
    found: dict[tuple[str, str], list[str]] = {}
    first_form: dict[str, str] = {}
    for row in data.replies:
        if row.split == split:
            post = first_form.setdefault(plain(row.post), row.post)
            found.setdefault((post, row.task), []).append(row.target)
    return found
