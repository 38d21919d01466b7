"""Evaluate candidates against human replies from a file: the table of CoARL's section 6.1.

There is one row for each way of writing. That is a model, trained or not, with a prompt (zero-shot or with examples,
with or without explanations, or a plain instruction), the number N of candidates, and the terms of the reward that
chose among them. Samples that models wrote have rows of their own. Only the best candidate of each post and
intent counts, because best of N would use that one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np

from annotation.domain.columns.items import INJECTED
from annotation.models import Project
from generation.domain.counterspeech import reference_metrics
from generation.domain.counterspeech.intentconan import BadRow, Row, read_rows
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.writers import Writer, WriterMode, writer_of
from generation.domain.tokens import plain
from generation.models import Candidate
from providers import wiring
from providers.messages import ProviderError
from providers.vendors import bertscore
from providers.vendors.embeddings import Embedder
from runs.spending.embedding_budget import charged_to_project

_EXPLAINED = ", explained"
COLUMNS = ("R1", "R2", "RL", "M", "BS", "CS", "CS (TF-IDF)", "CA", "PC", "AQ", "T", "R")
_NAMED = {"rouge1": "R1", "rouge2": "R2", "rougeL": "RL", "meteor": "M", "tfidf": "CS (TF-IDF)"}


@dataclass(frozen=True, order=True)
class Way:
    """One way of writing, as the settings of a candidate say it.

    `candidates` is N, 0 if that is not known. `without` are the parts of the reward that were switched off. `injected`:
    the posts are samples, which are counted apart.
    """

    model: str
    trained: str
    prompt: str
    candidates: int
    without: tuple[str, ...]
    injected: bool = False

    @property
    def writer(self) -> Writer:
        """The kind of writer."""
        return writer_of(self.model, self.trained)

    @property
    def chosen_by(self) -> str:
        """What chose one of N: the reward, perhaps without a part of it; nothing where N is 1."""
        if self.candidates == 1:
            return "nothing"
        return f"R without {', '.join(self.without)}" if self.without else "R"

    @property
    def ablations(self) -> list[str]:
        """The rows of the paper's ablation that this way stands for; none for a model whose training decides them.

        By prompting, the choice of one in N stands for reinforcement, so that N = 1 is the row without it.
        """
        if self.writer is Writer.TRAINED:
            return []
        parts = () if self.candidates == 1 else self.without
        return [
            *(["−RL"] if self.candidates == 1 else []),
            *(["−explanations"] if not self.prompt.endswith(_EXPLAINED) else []),
            *(f"−{part}" for part in parts),
        ]


@dataclass
class Chosen:
    """The chosen replies of one way of writing, with their references."""

    way: Way
    replies: list[tuple[Candidate, Sequence[str]]] = field(default_factory=list)


@dataclass(frozen=True)
class Table:
    """The evaluation: one row for each way of writing.

    `notes` say what could not be measured and why; `unmatched` counts rows of the file without a candidate.
    """

    rows: Sequence[Mapping[str, Any]]
    notes: Sequence[str]
    references: int
    unmatched: int
    errors: Sequence[BadRow]


def evaluate(
    project: Project, content: bytes, name: str, mapping: Mapping[str, str] | None = None, *, language: str = "en"
) -> Table:
    """Measure the project's candidates against the replies of a file. Texts are embedded at the project's expense.

    A row of the file belongs to the item with its id, or else to the post with the same text, and to its intent.
    `language` is that of the replies; BERTScore chooses its model by it. Raises BadFile, and ProviderError or Refused
    if the embedding fails.
    """
    file_rows = list(read_rows(content, name, mapping))
    rows, errors = (
        [row for row in file_rows if isinstance(row, Row)],
        [row for row in file_rows if isinstance(row, BadRow)],
    )
    references = _by_post(rows)
    ways = _ways(project, references)
    matched = {
        key for way in ways for candidate, _replies in way.replies for key in _keys(candidate) if key in references
    }
    unmatched = sum(1 for row in rows if not {(row.id, row.intent), (plain(row.hate), row.intent)} & matched)
    embedder = charged_to_project(project.public_id, wiring.embedder())
    measured, notes = [_measured(way, embedder) for way in ways], [*_notes(), *_own_judges(ways)]
    try:
        for row, way in zip(measured, ways, strict=True):
            row["BS"] = _by_meaning(way, language)
    except ProviderError as fault:  # a missing extra leaves only its own column empty
        notes.append(str(fault))
    return Table(measured, notes, len(rows), unmatched, errors)


def _by_post(rows: Iterable[Row]) -> dict[tuple[str, str], list[str]]:
    """Return the human replies by (id, intent) and by (text, intent)."""
    replies: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        intent = str(row.intent)
        for key in ((row.id, intent), (plain(row.hate), intent)):
            replies.setdefault(key, []).append(row.text)
    return replies


def _keys(candidate: Candidate) -> list[tuple[str, str]]:
    item = candidate.exchange.item
    own = [(plain(candidate.exchange.hate), candidate.intent)]
    return [(item.external_id, candidate.intent), *own] if item else own


def _ways(project: Project, references: Mapping[tuple[str, str], Sequence[str]]) -> list[Chosen]:
    rows = Candidate.objects.filter(exchange__project=project).select_related("exchange__item").order_by("pk")
    newest: dict[tuple[Any, ...], Candidate] = {}
    for row in rows:
        if row.rank == 1:
            newest[(row.exchange_id, row.intent, way_of(row))] = row  # of several runs of one way the newest counts
    ways: dict[Way, Chosen] = {}
    for row in newest.values():
        if replies := next((references[key] for key in _keys(row) if key in references), None):
            way = way_of(row)
            ways.setdefault(way, Chosen(way)).replies.append((row, replies))
    return [ways[way] for way in sorted(ways)]


def way_of(row: Candidate) -> Way:
    """Return the way in which a candidate was written and chosen, from its stored settings."""
    shots = "few-shot" if row.exemplars else "zero-shot"
    explained = _EXPLAINED if row.explanations_id else ", unexplained"
    weights = row.settings.get("terms", {})
    off = tuple(name.upper() for name in ("pc", "aq", "t") if weights.get(name) == 0)
    prompt = "plain instruction" if row.mode is WriterMode.PLAIN else f"{shots}{explained}"
    return Way(row.model, row.trained, prompt, row.asked_for or 0, off, row.exchange.injected)


def _measured(chosen: Chosen, embedder: Embedder) -> dict[str, Any]:
    texts = [candidate.text for candidate, _replies in chosen.replies]
    references = [replies for _candidate, replies in chosen.replies]
    by_words = [reference_metrics.best(replies, text) for text, replies in zip(texts, references, strict=True)]
    measured: dict[str, float | None] = dict.fromkeys(COLUMNS)
    for name, column in _NAMED.items():
        measured[column] = _mean([scores.get(name) for scores in by_words])
    measured["CS"] = _mean(_cosines(embedder, references, texts))
    rows = [candidate for candidate, _replies in chosen.replies]
    measured["CA"] = _mean([None if row.conforms is None else float(row.conforms) for row in rows])
    for column, part in (("PC", "pc"), ("AQ", "aq"), ("T", "t"), ("R", "reward")):
        measured[column] = _mean([getattr(row, part) for row in rows])
    intents = {intent.value: sum(row.intent == intent for row in rows) for intent in Intent}
    way = chosen.way
    named = {
        "model": way.model,
        "written_by": way.writer,
        "trained": way.trained,
        "prompt": way.prompt,
        "candidates": way.candidates or None,
        "chosen_by": way.chosen_by,
        "ablations": way.ablations,
        INJECTED: way.injected,
        "replies": len(rows),
        "intents": intents,
    }
    return {**named, **measured}


def _by_meaning(chosen: Chosen, language: str) -> float | None:
    """Return the mean BERTScore. Raises ProviderError if it cannot be computed."""
    replies = [row.text for row, _references in chosen.replies]
    return _mean(bertscore.f1([references for _row, references in chosen.replies], replies, language))


def _cosines(embedder: Embedder, references: Sequence[Sequence[str]], texts: Sequence[str]) -> list[float]:
    """Return for each reply its highest cosine with a reference, by the site's embedding; one number per reply."""
    flat = [reference for replies in references for reference in replies]
    vectors = embedder.embed([*texts, *flat])
    own, theirs = vectors[: len(texts)], vectors[len(texts) :]
    cosines, start = [], 0
    for place, replies in enumerate(references):
        cosines.append(float(np.max(theirs[start : start + len(replies)] @ own[place])))
        start += len(replies)
    return cosines


def _mean(values: Sequence[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return fmean(numbers) if numbers else None


def _own_judges(ways: Iterable[Chosen]) -> list[str]:
    """Return a note for each model that judged replies which it wrote itself."""
    rows = (row for chosen in ways for row, _references in chosen.replies)
    models = dict.fromkeys(row.model for row in rows if row.settings.get("judged_by_writer"))
    return [f"{model}: the same model wrote and judged, so its PC, AQ, T and CA are its own view." for model in models]


def _notes() -> list[str]:
    notes = [
        f"CS is the cosine by the embedding {wiring.embedder().name}; CS (TF-IDF) is fitted on each pair.",
        "M matches equal words and equal stems, no synonyms: the word net it would need is no part of any package.",
        "CA is the share whose intent a critic named that was not told it; PC, AQ and T are the critics' means.",
    ]
    if reference_metrics.missing:
        notes.append(reference_metrics.missing)
    return notes
