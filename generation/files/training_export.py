"""Write what a model is trained on (CoARL, phases 1 to 3) as files: `docs/coarl.md` lists their columns.

Replies are approved ones alone. `scores.jsonl` and `preferences.jsonl` also hold what models wrote and nobody approved:
they train critics, never the writer.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db.models import Q, QuerySet

from annotation.domain.choices import Stage
from annotation.domain.columns.items import INJECTED
from annotation.models import Project, record
from annotation.pages.csv_response import csv_of_dicts
from generation.domain.counterspeech.instructions import Wording, explain_instruction, reply_instruction
from generation.domain.counterspeech.intents import Intent, read_intent
from generation.domain.counterspeech.training_splits import leaks, splits_of
from generation.domain.event_verbs import GenerationVerb
from generation.files import export
from generation.methods.counterspeech.score import digest
from generation.models import Candidate, Exchange, Reply

WARNING = "Holds posts that are hateful, upsetting or both, and replies that quote them. Made to study and answer them."
MANIFEST = "manifest.json"
_CONAN = (*export.CONAN, "split", INJECTED)


@dataclass(frozen=True)
class TrainingPosts:
    """The posts that are written, with their splits and what every row says about them."""

    project: Project
    by_key: Mapping[int, Exchange]
    split_by_statement: Mapping[str, str]
    splits_by: str
    """`hash` of the post, or `release`: the parts that a release gave to its items."""
    left_out: int = 0
    """How many posts of a release are not written, because it withholds what they say."""
    samples_left_out: int = 0
    """How many samples are not written, because nobody asked for them."""

    @property
    def warning(self) -> str:
        """The project's content warning in one line, or our own."""
        return " ".join(self.project.content_warning.split()) or WARNING

    def split(self, exchange: Exchange) -> str:
        """Return the split of a post."""
        return self.split_by_statement[_statement(exchange)]

    def marks(self, key: int) -> dict[str, str | bool | None]:
        """Return the last columns of each row of a post."""
        item = self.by_key[key].item
        return {
            INJECTED: self.by_key[key].injected,
            "item": item.external_id if item else None,
            "licence": (item.licence or self.project.licence or None) if item else None,
            "split": self.split(self.by_key[key]),
            "warning": self.warning,
        }


def write_training_files(project: Project, folder: Path, *, injected: bool = False) -> dict[str, Any]:
    """Write the files into a new or empty folder, with the samples too if `injected`.

    Return the manifest that is written beside them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    posts = posts_of(project, injected=injected)
    files = training_files(posts)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    record(GenerationVerb.COUNTERSPEECH_EXPORTED, project=project, actor=None, file="training")
    manifest: dict[str, Any] = json.loads(files[MANIFEST])
    return manifest


def posts_of(
    project: Project, only: Mapping[int, str | None] | None = None, *, left_out: int = 0, injected: bool = False
) -> TrainingPosts:
    """Return the posts of a project that somebody worked on, and that stand in it; samples only if `injected`.

    `only`: the keys of the exchanges to take, each with its split, or None where the hash of the post decides.
    """
    worked_on = Q(explanations__isnull=False) | Q(candidates__isnull=False) | Q(replies__isnull=False)
    exchanges = {
        exchange.pk: exchange
        for exchange in _exchanges(project).filter(worked_on).distinct()
        if only is None or exchange.pk in only
    }
    samples = {key for key, exchange in exchanges.items() if exchange.injected and not injected}
    exchanges = {key: exchange for key, exchange in exchanges.items() if key not in samples}
    parts = ((_statement(exchange), (only or {}).get(key)) for key, exchange in exchanges.items())
    stated = [(statement, part) for statement, part in parts if part is not None]
    statements = sorted({_statement(exchange) for exchange in exchanges.values()})
    split_by_statement = dict(zip(statements, splits_of(statements, stated), strict=True))
    by = "release" if stated else "hash"
    return TrainingPosts(project, exchanges, split_by_statement, by, left_out, len(samples))


def training_files(posts: TrainingPosts) -> dict[str, bytes]:
    """Return the files by their names: rows, IntentCONANv2's table, README, and the manifest last."""
    rows = {
        "explanations.jsonl": list(_explanation_rows(posts)),
        "replies.jsonl": list(_reply_rows(posts)),
        "preferences.jsonl": list(_preference_rows(posts)),
        "scores.jsonl": list(_score_rows(posts)),
    }
    files = {name: b"".join(export.jsonl_lines(lines)) for name, lines in rows.items()}
    files["conan.csv"] = _conan(posts)
    manifest = _manifest(posts, rows, files)
    return files | {
        "README.md": _card(manifest).encode(),
        MANIFEST: (json.dumps(manifest, ensure_ascii=False, indent=2) + "\n").encode(),
    }


def _exchanges(project: Project) -> QuerySet[Exchange]:
    rows = Exchange.objects.filter(project=project).exclude(item__stage=Stage.EXCLUDED)
    return rows.select_related("item__category").prefetch_related("explanations").order_by("pk")


def _statement(exchange: Exchange) -> str:
    return exchange.hate or exchange.description


def _explanation_rows(posts: TrainingPosts) -> Iterator[dict[str, Any]]:
    """Yield a row for each explanation of the newest version of every post: up to seven a post."""
    for key, exchange in posts.by_key.items():
        statement = _statement(exchange)
        for version in exchange.explanations.all()[:1]:
            for explanation, text in version.by_name().items():
                yield {
                    "id": f"{exchange.public_id}/{explanation}",
                    "post": str(exchange.public_id),
                    "task": explanation.value,
                    "instruction": explain_instruction(explanation, statement),
                    "short_instruction": explain_instruction(explanation, statement, Wording.SHORT),
                    "statement": statement,
                    "target": text,
                    "written_by": "person" if version.author_id else "model",
                    "model": version.model or None,
                    "category": _category(exchange, posts.project),
                    **posts.marks(key),
                }


def _replies(posts: TrainingPosts) -> Iterator[Reply]:
    """Yield the approved replies to the posts."""
    approved = export.released(posts.project).iterator(chunk_size=500)
    return (reply for reply in approved if reply.exchange_id in posts.by_key)


def _reply_rows(posts: TrainingPosts) -> Iterator[dict[str, Any]]:
    cards = export.bound_cards(posts.project)
    for reply in _replies(posts):
        row = export.reply_row(reply, cards)
        statement, intent = row["hatespeech"], read_intent(row["csType"])
        yield {
            "id": row["id"],
            "intent": intent.value,
            "instruction": reply_instruction(intent, statement),
            "short_instruction": reply_instruction(intent, statement, Wording.SHORT),
            "statement": statement,
            "target": row["counterspeech"],
            "model": row["model"],
            "kept": row["kept"],
            "seen_intent": row["seen_intent"],
            "claims": row["claims"],
            **posts.marks(reply.exchange_id),
        }


def _preference_rows(posts: TrainingPosts) -> Iterator[dict[str, Any]]:
    for reply in _replies(posts):
        for row in export.preference_rows(reply):
            yield {**row, "statement": _statement(reply.exchange), **posts.marks(reply.exchange_id)}


def _score_rows(posts: TrainingPosts) -> Iterator[dict[str, Any]]:
    """Yield a row for each text that critics scored: candidates, and replies whose scores are about their text."""
    for scored in _scored(posts):
        yield {
            "id": str(scored.public_id),
            "intent": Intent(scored.intent).value,
            "statement": _statement(posts.by_key[scored.exchange_id]),
            "text": scored.text,
            "pc": scored.pc,
            "aq": scored.aq,
            "t": scored.t,
            "seen_intent": scored.seen_intent or None,
            "critics": {part: critic.get("model") for part, critic in scored.critics.items()},
            "kind": "reply" if isinstance(scored, Reply) else "candidate",
            **posts.marks(scored.exchange_id),
        }


def _scored(posts: TrainingPosts) -> Iterator[Candidate | Reply]:
    candidates = Candidate.objects.filter(exchange__project=posts.project).order_by("pk").iterator(chunk_size=2000)
    rows: Iterable[Candidate | Reply] = (row for row in candidates if row.exchange_id in posts.by_key)
    for row in (*rows, *_replies(posts)):
        if isinstance(row, Reply) and row.scored_sha256 != digest(row.text):
            continue  # it was edited after critics had read it
        if any(value is not None for value in (row.pc, row.aq, row.t)):
            yield row


def _category(exchange: Exchange, project: Project) -> str | None:
    """Return the name of the final category, or of all with `;` between them. Returns None if none is decided."""
    item = exchange.item
    if item is None or item.stage != Stage.GOLD:
        return None
    return ";".join(project.categories_by_code[code].name for code in item.codes) or None


def _conan(posts: TrainingPosts) -> bytes:
    """Return the approved replies in IntentCONANv2's columns, with the split of the post."""
    rows = (export.reply_row(reply, {}) | {"split": posts.split(reply.exchange)} for reply in _replies(posts))
    return b"".join(csv_of_dicts(_CONAN, rows))


def _manifest(
    posts: TrainingPosts, rows: Mapping[str, list[dict[str, Any]]], files: Mapping[str, bytes]
) -> dict[str, Any]:
    splits = posts.split_by_statement
    return {
        "project": posts.project.slug,
        "warning": posts.warning,
        "posts": len(splits),
        "left_out": posts.left_out,
        INJECTED: sum(exchange.injected for exchange in posts.by_key.values()),
        "injected_left_out": posts.samples_left_out,
        "splits_by": posts.splits_by,
        "splits": dict(Counter(splits.values())),
        "leaks": len(leaks(list(splits), list(splits.values()))),
        "rows": {name: {"all": len(lines), **Counter(row["split"] for row in lines)} for name, lines in rows.items()},
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }


def _card(manifest: Mapping[str, Any]) -> str:
    rows = "\n".join(
        f"| `{name}` | {counts['all']} | {counts.get('train', 0)} | {counts.get('validation', 0)} "
        f"| {counts.get('test', 0)} |"
        for name, counts in manifest["rows"].items()
    )
    return (
        f"# Training files of {manifest['project']}\n\n**Content warning.** {manifest['warning']}\n\n"
        f"{manifest['posts']} posts. Posts that are nearly the same stand in one split "
        f"({manifest['leaks']} pairs do not). Posts left out, because the release withholds what they say: "
        f"{manifest['left_out']}. Samples that a model wrote for the project: {manifest[INJECTED]} in the files "
        f"(`injected` is true in their rows), {manifest['injected_left_out']} left out (`export_training --injected` "
        "takes them).\n\n"
        f"| file | rows | train | validation | test |\n| --- | --- | --- | --- | --- |\n{rows}\n\n"
        "`replies.jsonl` and `conan.csv` hold approved replies alone. `scores.jsonl` and `preferences.jsonl` hold "
        "what models wrote too: they train critics, never the writer. `manifest.json` has the SHA-256 of each file.\n"
    )
