"""Approved replies as data: rows in the columns of IntentCONANv2, supervised pairs, preference pairs for training.

Rows come in the order of their ids, and a split is drawn from a hash of the post, so that all replies to a post stand
in one split and a second download says the same.
"""

import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from django.db.models import QuerySet

from annotation.domain.choices import Stage
from annotation.domain.csv_cells import neutralized
from annotation.models import Project
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.states import ReplyState
from generation.domain.tokens import plain, tokens
from generation.domain.word_diff import changes, share_kept
from generation.models import Candidate, Explanations, Reply

CONAN = ("id", "hatespeech", "csType", "counterspeech", *COLUMN.values())
"""The columns of IntentCONANv2, in its order."""

SPLITS = ("train", "validation", "test")
_BOUNDS = (("train", 70), ("validation", 80), ("test", 100))  # about 70, 10 and 20 of a hundred, as in the paper


class Sink(Protocol):
    """Something that takes text."""

    def write(self, text: str, /) -> Any: ...


def split_of(hate: str) -> str:
    """The split of all replies to this post."""
    drawn = int(hashlib.sha256(plain(hate).encode()).hexdigest()[:8], 16) % 100
    return next(name for name, bound in _BOUNDS if drawn < bound)


def released(project: Project) -> QuerySet[Reply]:
    """The replies that are data: approved, and their post was not taken out."""
    rows = Reply.objects.filter(exchange__project=project, state=ReplyState.APPROVED)
    return (
        rows.exclude(exchange__item__stage=Stage.EXCLUDED)
        .select_related("exchange__item", "candidate", "author", "approver")
        .prefetch_related("exchange__explanations")
        .order_by("pk")
    )


def replies(project: Project) -> Iterator[dict[str, Any]]:
    """A row a reply: IntentCONANv2's columns, then where it comes from and what a person changed.

    People appear by pseudonym, moments as dates.
    """
    for reply in released(project).iterator(chunk_size=500):
        version = _explanations(reply)
        source = reply.candidate
        yield {
            "id": str(reply.public_id),
            "hatespeech": _hate(reply),
            "csType": Intent(reply.intent).cs_type,
            "counterspeech": reply.text,
            **{COLUMN[each]: getattr(version, each) if version else "" for each in Explanation},
            "split": split_of(_hate(reply)),
            "item": reply.exchange.item.external_id if reply.exchange.item else None,
            "picture_description": reply.exchange.description or None,
            "author": reply.author.pseudonym,
            "approver": reply.approver.pseudonym if reply.approver else None,
            "approved_on": reply.approved_at.date().isoformat() if reply.approved_at else None,
            "model": source.model if source else None,
            "prompt_digest": source.prompt_digest if source else None,
            "run": str(source.run_id) if source else None,
            "exemplars": len(source.exemplars) if source else 0,
            "model_text": source.text if source else None,
            "kept": round(share_kept(source.text, reply.text), 4) if source else None,
            "edits": [{"kind": each.kind, "text": each.text} for each in changes(source.text, reply.text)
                      if each.kind != "same"] if source else [],
            "pc": reply.pc,
            "aq": reply.aq,
            "t": reply.t,
            "reward": reply.reward,
            "seen_intent": reply.seen_intent or None,
            "flags": reply.flags,
            "override_reason": reply.override_reason or None,
        }  # fmt: skip


def pairs(project: Project) -> Iterator[dict[str, Any]]:
    """Supervised pairs: an instruction in our own words, and the approved reply."""
    for row in replies(project):
        yield {
            "id": row["id"],
            "prompt": f"Write a {row['csType'].lower()} reply that speaks against this post:\n{row['hatespeech']}",
            "completion": row["counterspeech"],
            "intent": row["csType"],
            "split": row["split"],
        }


def preferences(project: Project) -> Iterator[dict[str, Any]]:
    """Preference pairs: an approved reply over each candidate of the same post and intent that was not taken.

    A candidate that only repeats the approved words is no alternative. Rewards stand beside both.
    """
    for reply in released(project).iterator(chunk_size=500):
        others = Candidate.objects.filter(exchange=reply.exchange, intent=reply.intent).order_by("pk")
        hate = _hate(reply)
        for other in others:
            if plain(other.text) == plain(reply.text):
                continue
            yield {
                "id": f"{reply.public_id}/{other.public_id}",
                "prompt": f"Write a {reply.intent} reply that speaks against this post:\n{hate}",
                "chosen": reply.text,
                "rejected": other.text,
                "chosen_reward": reply.reward,
                "rejected_reward": other.reward,
                "chosen_by": "person",
                "edited_from_rejected": other.pk == reply.candidate_id,
                "intent": Intent(reply.intent).cs_type,
                "rejected_model": other.model,
                "split": split_of(hate),
            }


FILES: Mapping[str, Callable[[Project], Iterator[dict[str, Any]]]] = {
    "replies": replies,
    "pairs": pairs,
    "preferences": preferences,
}


def write_jsonl(rows: Iterator[dict[str, Any]], sink: Sink) -> int:
    """Write a line a row; answers how many."""
    count = 0
    for row in rows:
        sink.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
        count += 1
    return count


def write_csv(rows: Iterator[dict[str, Any]], sink: Sink) -> int:
    """Write the columns of IntentCONANv2 as CSV, cells that a spreadsheet would run made harmless; answers how many."""
    writer = csv.DictWriter(sink, CONAN, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    count = 0
    for row in rows:
        writer.writerow({name: neutralized(value) if isinstance(value, str) else value for name, value in row.items()})
        count += 1
    return count


def figures(project: Project) -> dict[str, Any]:
    """What the dataset page shows: target group × intent, mean tokens by intent, splits, how much people changed."""
    table: dict[str, dict[str, int]] = {}
    lengths: dict[str, list[int]] = {intent.cs_type: [] for intent in Intent}
    splits: dict[str, int] = dict.fromkeys(SPLITS, 0)
    kept: list[float] = []
    for row in replies(project):
        group = _group(row)
        table.setdefault(group, dict.fromkeys(lengths, 0))[row["csType"]] += 1
        lengths[row["csType"]].append(len(tokens(row["counterspeech"])))
        splits[row["split"]] += 1
        if row["kept"] is not None:
            kept.append(row["kept"])
    return {
        "count": sum(splits.values()),
        "groups": [{"group": group, "counts": counts, "total": sum(counts.values())}
                   for group, counts in sorted(table.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))],
        "totals": {name: len(found) for name, found in lengths.items()},
        "mean_tokens": {name: sum(found) / len(found) if found else None for name, found in lengths.items()},
        "splits": splits,
        "kept": sum(kept) / len(kept) if kept else None,
    }  # fmt: skip


def _group(row: Mapping[str, Any]) -> str:
    said = " ".join(row["targetGroup"].split()).rstrip(".")
    return said[:80] if said else "–"


def _hate(reply: Reply) -> str:
    return reply.exchange.hate or reply.exchange.description


def _explanations(reply: Reply) -> Explanations | None:
    """The newest version at the time of approval: what the approver had beside it."""
    versions = sorted(reply.exchange.explanations.all(), key=lambda row: -row.number)
    at = reply.approved_at
    return next((row for row in versions if at is None or row.created_at <= at), versions[0] if versions else None)
