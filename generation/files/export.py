"""Export approved replies: rows in IntentCONANv2's columns, supervised pairs, and preference pairs for training.

Rows are in the order of their ids. The split is drawn from a hash of the post, so all replies to a post are in the same
split and a second download gives the same split.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from annotation.domain.choices import Stage
from annotation.domain.claim_checks import SourceCard
from annotation.domain.columns.evidence import FACE, facts_of
from annotation.domain.columns.items import INJECTED
from annotation.models import Project
from generation.counterspeech.claims import Claims, claims_of, counting_cards
from generation.domain.counterspeech.collection_figures import post_edit_rate
from generation.domain.counterspeech.explanations import COLUMN, Explanation
from generation.domain.counterspeech.instructions import Wording, reply_instruction
from generation.domain.counterspeech.intentconan import CONAN as CONAN_2019
from generation.domain.counterspeech.intents import Intent, read_intent
from generation.domain.counterspeech.registers import cn_type
from generation.domain.counterspeech.states import ReplyState
from generation.domain.counterspeech.training_splits import SPLITS, split_of
from generation.domain.counterspeech.writers import Writer
from generation.domain.tokens import plain, tokens
from generation.domain.word_diff import changes, share_kept
from generation.files.reply_types import ReleasedClaim, ReplyJson
from generation.methods.counterspeech.score import digest
from generation.models import Candidate, Claim, Exemplar, Explanations, Reply
from vocabulary.answers import answer

CONAN = ("id", "hatespeech", "csType", "counterspeech", *COLUMN.values())
"""The columns of IntentCONANv2, in its order."""
TRAINING = ("pairs", "preferences")
"""The files that models are trained on: replies to samples are in them only where that is asked for."""


def released(project: Project) -> QuerySet[Reply]:
    """Return the replies that are exported: approved ones whose item is not excluded."""
    rows = Reply.objects.filter(exchange__project=project, state=ReplyState.APPROVED)
    return (
        rows.exclude(exchange__item__stage=Stage.EXCLUDED)
        .select_related("exchange__item", "candidate", "author", "approver")
        .prefetch_related("exchange__explanations", "exchange__first_steps", "claims__decided_by")
        .order_by("pk")
    )


def replies(project: Project) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each reply (`reply_row`)."""
    cards = bound_cards(project)
    return (reply_row(reply, cards) for reply in released(project).iterator(chunk_size=500))


def bound_cards(project: Project) -> dict[UUID, SourceCard]:
    """Return the cards of evidence that count, of those that claims of approved replies rest on."""
    bound = Claim.objects.filter(reply__exchange__project=project, reply__state=ReplyState.APPROVED)
    return counting_cards(bound.values_list("card", flat=True))


def reply_row(reply: Reply, cards: Mapping[UUID, SourceCard] | None = None) -> ReplyJson:
    """Return the row of a reply: IntentCONANv2's columns, then its origin and what a person changed.

    People appear under their pseudonyms, times as dates. `cards`: the evidence that its claims rest on (`bound_cards`).
    """
    version, exchange, source = _explanations(reply), reply.exchange, reply.candidate
    explanations = version.by_name() if version else {}
    return answer(
        ReplyJson,
        reply,
        id=str(reply.public_id),
        hatespeech=_hate(reply),
        csType=Intent(reply.intent).cs_type,
        counterspeech=reply.text,
        **{COLUMN[name]: explanations.get(name, "") for name in Explanation},
        target_group=exchange.target_group or None,
        theme=exchange.theme or None,
        first_step=_first_step(reply),
        split=split_of(_hate(reply)),
        item=exchange.item,
        picture_description=exchange.description or None,
        approved_on=reply.approved_at.date().isoformat() if reply.approved_at else None,
        **_origin(reply, source),
        minutes=round(reply.writing_seconds / 60, 2) if reply.writing_seconds else None,
        **_scores(reply),
        claims=claim_rows(claims_of(reply, cards)),
        injected=exchange.injected,
    )


def _origin(reply: Reply, source: Candidate | None) -> dict[str, Any]:
    """Return what a model had written, and what a person changed of it."""
    if source is None:
        unknown = ("model", "trained", "mode", "asked_for", "prompt_digest", "run", "model_text", "kept")
        return dict.fromkeys((*unknown, "post_edit_rate")) | {"written_by": Writer.PERSON, "exemplars": 0, "edits": []}
    return {
        "model": source.model,
        "written_by": source.writer,
        "trained": source.trained,
        "mode": source.mode,
        "asked_for": source.asked_for,
        "prompt_digest": source.prompt_digest,
        "run": str(source.run_id),
        "exemplars": len(source.exemplars),
        "model_text": source.text,
        "kept": round(share_kept(source.text, reply.text), 4),
        "post_edit_rate": _rounded(post_edit_rate(source.text, reply.text)),
        "edits": [change for change in changes(source.text, reply.text) if change.kind != "same"],
    }


def claim_rows(claims: Claims) -> list[ReleasedClaim]:
    """Return the claims of a reply as they stand now: sentence, state, and the page that this rests on."""
    return [
        answer(
            ReleasedClaim,
            claim,
            source=(claim.card.url if claim.card.is_link else claim.card.title) if claim.card else None,
            **_face(claim.card),
            read_on=claim.card.fetched_at.date().isoformat() if claim.card else None,
            reason=claim.row.reason or None if claim.row and not claim.lapsed else None,
        )
        for claim in claims.stated
    ]


def _face(card: SourceCard | None) -> dict[str, Any]:
    """Return what the page states of itself; null is "not said", or no page."""
    facts = facts_of(card) if card else None
    return {column.name: column.value(facts) if facts else None for column in FACE}


def conan(project: Project, *, imported: bool = False) -> Iterator[dict[str, Any]]:
    """Yield approved replies in CONAN's own columns, and whether the post is a sample.

    With `imported` the imported examples follow, as their file had them. Who wrote a reply is in no column.
    """
    for reply in released(project).iterator(chunk_size=500):
        yield {
            "cn_id": str(reply.public_id),
            "hateSpeech": _hate(reply),
            "counterSpeech": reply.text,
            "hsType": reply.exchange.target_group,
            "hsSubType": reply.exchange.theme,
            "cnType": cn_type(reply.registers, Intent(reply.intent)),
            INJECTED: reply.exchange.injected,
        }
    rows = Exemplar.objects.filter(project=project, reply=None).order_by("pk") if imported else Exemplar.objects.none()
    for row in rows.iterator(chunk_size=500):
        yield {
            "cn_id": row.external_id,
            "hateSpeech": row.hate,
            "counterSpeech": row.text,
            "hsType": row.hs_type,
            "hsSubType": row.hs_sub_type,
            "cnType": row.cn_type or cn_type(row.registers, Intent(row.intent)),
            INJECTED: False,
        }


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
            INJECTED: row[INJECTED],
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
            INJECTED: reply.exchange.injected,
        }


FILES: Mapping[str, Callable[[Project], Iterator[Mapping[str, Any]]]] = {
    "replies": replies,
    "pairs": pairs,
    "preferences": preferences,
    "conan": conan,
}
COLUMNS_OF_TABLES: Mapping[str, tuple[str, ...]] = {"replies": (*CONAN, INJECTED), "conan": (*CONAN_2019, INJECTED)}
"""The files that are also tables (CSV), with their columns."""


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
    for reply in released(project).iterator(chunk_size=500):
        row = reply_row(reply, {})
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
    """Return the post's own target group; of a post that names none, what its explanation says."""
    group = row["target_group"] or " ".join(row["targetGroup"].split()).rstrip(".")
    return group[:80] or "–"


def _hate(reply: Reply) -> str:
    return reply.exchange.hate or reply.exchange.description


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 4)


def _first_step(reply: Reply) -> str | None:
    """Return the first step in force, from the rows that were fetched with the replies."""
    return next((step.choice for step in reply.exchange.first_steps.all()), None)


def _explanations(reply: Reply) -> Explanations | None:
    """Return the newest explanations at the time of approval, which the approver could see."""
    versions = sorted(reply.exchange.explanations.all(), key=lambda row: -row.number)
    at = reply.approved_at
    return next((row for row in versions if at is None or row.created_at <= at), versions[0] if versions else None)
