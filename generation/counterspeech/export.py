"""Export approved replies: rows in IntentCONANv2's columns, supervised pairs, and preference pairs for training.

Rows are in the order of their ids. The split is drawn from a hash of the post, so all replies to a post are in the same
split and a second download gives the same split.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from annotation.domain.choices import Stage
from annotation.models import Project
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.instructions import Wording, reply_instruction
from generation.domain.counterspeech.intents import Intent, read_intent
from generation.domain.counterspeech.states import ReplyState
from generation.domain.counterspeech.training_splits import SPLITS, split_of
from generation.domain.counterspeech.writers import Writer
from generation.domain.tokens import plain, tokens
from generation.domain.word_diff import changes, share_kept
from generation.methods.counterspeech.score import digest
from generation.models import Candidate, Explanations, Reply

CONAN = ("id", "hatespeech", "csType", "counterspeech", *COLUMN.values())
"""The columns of IntentCONANv2, in its order."""


def released(project: Project) -> QuerySet[Reply]:
    """Return the replies that are exported: approved ones whose item is not excluded."""
    rows = Reply.objects.filter(exchange__project=project, state=ReplyState.APPROVED)
    return (
        rows.exclude(exchange__item__stage=Stage.EXCLUDED)
        .select_related("exchange__item", "candidate", "author", "approver")
        .prefetch_related("exchange__explanations")
        .order_by("pk")
    )


def replies(project: Project) -> Iterator[dict[str, Any]]:
    """Yield a row for each reply (`reply_row`)."""
    return map(reply_row, released(project).iterator(chunk_size=500))


def reply_row(reply: Reply) -> dict[str, Any]:
    """Return the row of a reply: IntentCONANv2's columns, then its origin and what a person changed.

    People appear under their pseudonyms, times as dates.
    """
    version = _explanations(reply)
    explanations = version.by_name() if version else {}
    source = reply.candidate
    return {
        "id": str(reply.public_id),
        "hatespeech": _hate(reply),
        "csType": Intent(reply.intent).cs_type,
        "counterspeech": reply.text,
        **{COLUMN[name]: explanations.get(name, "") for name in Explanation},
        "split": split_of(_hate(reply)),
        "item": reply.exchange.item.external_id if reply.exchange.item else None,
        "picture_description": reply.exchange.description or None,
        "author": reply.author.pseudonym,
        "approver": reply.approver.pseudonym if reply.approver else None,
        "approved_on": reply.approved_at.date().isoformat() if reply.approved_at else None,
        "model": source.model if source else None,
        "written_by": source.writer if source else Writer.PERSON,
        "trained": source.trained if source else None,
        "mode": source.mode if source else None,
        "asked_for": source.asked_for if source else None,
        "prompt_digest": source.prompt_digest if source else None,
        "run": str(source.run_id) if source else None,
        "exemplars": len(source.exemplars) if source else 0,
        "model_text": source.text if source else None,
        "kept": round(share_kept(source.text, reply.text), 4) if source else None,
        "edits": [{"kind": change.kind, "text": change.text} for change in changes(source.text, reply.text)
                  if change.kind != "same"] if source else [],
        **_scores(reply),
        "flags": reply.flags,
        "override_reason": reply.override_reason or None,
    }  # fmt: skip


def pairs(project: Project) -> Iterator[dict[str, Any]]:
    """Yield supervised pairs: an instruction, and the approved reply.

    `prompt` is short; `instruction` asks what the paper's Table 5 asks, in our own words.
    """
    for row in replies(project):
        yield {
            "id": row["id"],
            "prompt": reply_instruction(read_intent(row["csType"]), row["hatespeech"], Wording.SHORT),
            "instruction": reply_instruction(read_intent(row["csType"]), row["hatespeech"]),
            "completion": row["counterspeech"],
            "intent": row["csType"],
            "split": row["split"],
        }


def preferences(project: Project) -> Iterator[dict[str, Any]]:
    """Yield preference pairs of all replies (`preference_rows`)."""
    for reply in released(project).iterator(chunk_size=500):
        yield from preference_rows(reply)


def preference_rows(reply: Reply) -> Iterator[dict[str, Any]]:
    """Yield an approved reply as preferred to each other candidate of the same post and intent.

    A candidate with the same text as the approved reply is left out. The rewards of both are included.
    """
    hate = _hate(reply)
    for other in Candidate.objects.filter(exchange=reply.exchange, intent=reply.intent).order_by("pk"):
        if plain(other.text) == plain(reply.text):
            continue
        yield {
            "id": f"{reply.public_id}/{other.public_id}",
            "prompt": reply_instruction(Intent(reply.intent), hate, Wording.SHORT),
            "instruction": reply_instruction(Intent(reply.intent), hate),
            "chosen": reply.text,
            "rejected": other.text,
            "chosen_reward": _scores(reply)["reward"],
            "rejected_reward": other.reward,
            "chosen_by": "person",
            "edited_from_rejected": other.pk == reply.candidate_id,
            "intent": Intent(reply.intent).cs_type,
            "rejected_model": other.model,
            "rejected_written_by": other.writer,
            "split": split_of(hate),
        }


FILES: Mapping[str, Callable[[Project], Iterator[dict[str, Any]]]] = {
    "replies": replies,
    "pairs": pairs,
    "preferences": preferences,
}


def jsonl_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[bytes]:
    """Yield one JSON line per row."""
    return (json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n" for row in rows)


def figures(project: Project) -> dict[str, Any]:
    """Return the figures of the dataset page.

    They are the table of target groups and intents, mean tokens by intent, splits, and the share of the model's text
    that people kept (0 to 1).
    """
    table: dict[str, dict[str, int]] = {}
    lengths: dict[str, list[int]] = {intent.cs_type: [] for intent in Intent}
    splits: dict[str, int] = dict.fromkeys(SPLITS, 0)
    shares_kept: list[float] = []
    for row in replies(project):
        group = _group(row)
        table.setdefault(group, dict.fromkeys(lengths, 0))[row["csType"]] += 1
        lengths[row["csType"]].append(len(tokens(row["counterspeech"])))
        splits[row["split"]] += 1
        if row["kept"] is not None:
            shares_kept.append(row["kept"])
    return {
        "count": sum(splits.values()),
        "groups": [{"group": group, "counts": counts, "total": sum(counts.values())}
                   for group, counts in sorted(table.items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))],
        "totals": {name: len(counts) for name, counts in lengths.items()},
        "mean_tokens": {name: sum(counts) / len(counts) if counts else None for name, counts in lengths.items()},
        "splits": splits,
        "kept": sum(shares_kept) / len(shares_kept) if shares_kept else None,
    }  # fmt: skip


def _scores(reply: Reply) -> dict[str, Any]:
    """Return what critics said of the reply's text; nothing where it was edited after they had read it."""
    names = ("pc", "aq", "t", "reward", "seen_intent")
    is_read = reply.scored_sha256 == digest(reply.text)
    return {name: (getattr(reply, name) if is_read and getattr(reply, name) != "" else None) for name in names}


def _group(row: Mapping[str, Any]) -> str:
    group = " ".join(row["targetGroup"].split()).rstrip(".")
    return group[:80] if group else "–"


def _hate(reply: Reply) -> str:
    return reply.exchange.hate or reply.exchange.description


def _explanations(reply: Reply) -> Explanations | None:
    """Return the newest explanations at the time of approval, which the approver could see."""
    versions = sorted(reply.exchange.explanations.all(), key=lambda row: -row.number)
    at = reply.approved_at
    return next((row for row in versions if at is None or row.created_at <= at), versions[0] if versions else None)
