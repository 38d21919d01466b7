"""Counts of a release, computed from the rows that are written."""

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from annotation.domain.choices import Difficulty, Level, Modality, Source
from annotation.domain.columns.items import EVIDENCE
from annotation.domain.patterns import PATTERNS
from annotation.domain.questions.released_answers import ANSWERS, VERSIONS
from annotation.domain.releases.columns import QUESTION_COLUMN, gold_codes
from annotation.domain.releases.languages import language_of, languages_of

_FEW = 5
"""The minimum number of people for a figure about people."""


@dataclass
class ReleaseCounts:
    """Counts of items, labels and people, and the models behind the priors.

    `imported`: the pseudonyms of annotators who came with the data.
    """

    imported: Container[str] = ()
    items: int = 0
    labels: int = 0
    labelled_elsewhere: int = 0
    withheld: int = 0
    injected: int = 0
    evidence: Counter[str] = field(default_factory=Counter)
    """Cards of evidence, and the items that have some."""
    readers: Counter[str] = field(default_factory=Counter)
    people: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    gold: Counter[str] = field(default_factory=Counter)
    levels: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    patterns: Counter[str] = field(default_factory=Counter)
    difficulties: Counter[str] = field(default_factory=Counter)
    stages: Counter[str] = field(default_factory=Counter)
    licences: Counter[str] = field(default_factory=Counter)
    guidelines: Counter[str] = field(default_factory=Counter)
    models: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    asked: dict[tuple[str, int], Counter[str]] = field(default_factory=dict)
    """Labels by further question and version: how many were asked, and how many answered."""

    def add(self, row: dict[str, Any]) -> None:
        self.items += 1
        self.labels += len(row["labels"])
        self.labelled_elsewhere += any(label["annotator"] in self.imported for label in row["labels"])
        self.withheld += bool(row.get("withheld"))
        self.injected += bool(row.get("injected"))
        cards = row.get(EVIDENCE) or ()
        self.evidence.update(items=int(bool(cards)), cards=len(cards))
        if row.get("picture_text_reader"):
            self.readers[row["picture_text_reader"]] += 1
        if row["text"]:
            self.texts += 1
            self.languages.update(filter(None, [language_of(row["text"])]))
        self.people.update([label["annotator"] for label in row["labels"]])
        if QUESTION_COLUMN in row:
            self._count_answers(row["labels"])
        self.gold.update(map(str, gold_codes(row)))
        self.levels[row["level"] or "imported"] += 1
        self.sources[row["source"] or "undecided"] += 1
        self.patterns[row["pattern"] or "undefined"] += 1
        if row["difficulty"]:
            self.difficulties[row["difficulty"]] += 1
        if "stage" in row:
            self.stages[row["excluded_for"] or row["stage"]] += 1
        if row["licence"]:
            self.licences[row["licence"]] += 1
        if row["guideline_version"]:
            self.guidelines[str(row["guideline_version"])] += 1
        for modality in Modality:
            if row[f"{modality}_model"]:
                digest = row[f"{modality}_prompt_digest"] or ""
                self.models[modality.value, row[f"{modality}_model"], digest] += 1

    def _count_answers(self, labels: Iterable[Mapping[str, Any]]) -> None:
        for label in labels:
            for code, version in label[VERSIONS].items():
                if version is not None:
                    counted = self.asked.setdefault((code, version), Counter())
                    counted["asked"] += 1
                    counted["answers"] += label[ANSWERS][code] is not None

    def as_json(self, pictures: int) -> dict[str, Any]:
        """Return the counts for the manifest; parts that the release does not have are omitted."""
        extra: dict[str, Any] = {"stages": dict(sorted(self.stages.items()))} if self.stages else {}
        if self.withheld:
            extra["withheld"] = self.withheld
        if self.injected:
            extra["injected"] = self.injected
        if self.evidence["items"]:
            extra["evidence"] = dict(self.evidence)
        if self.readers:
            extra["picture_readers"] = dict(sorted(self.readers.items()))
        if self.licences:
            extra["licences"] = dict(sorted(self.licences.items()))
        if self.languages:
            extra["languages"] = languages_of(self.languages)
        if came_along := sum(name in self.imported for name in self.people):
            extra["annotators_imported"] = came_along
            extra["items_with_imported_labels"] = self.labelled_elsewhere
        return extra | {
            "items": self.items,
            "labels": self.labels,
            "texts": self.texts,
            "pictures": pictures,
            "annotators": len(self.people),
            "gold": dict(sorted(self.gold.items())),
            "levels": {level.value: self.levels[level.value] for level in Level},
            "sources": {source.value: self.sources[source.value] for source in Source},
            "patterns": {pattern: self.patterns[pattern] for pattern in PATTERNS},
            "difficulties": {difficulty.value: self.difficulties[difficulty.value] for difficulty in Difficulty},
            "undefined": self.patterns["undefined"],
        }

    def models_as_json(self) -> dict[str, Any]:
        """Return the priors' models with prompt digests, the guideline versions, and the labels per person."""
        enough = len(self.people) >= _FEW
        return {
            "priors": [
                {"modality": modality, "model": model, "prompt_digest": digest or None, "items": n}
                for (modality, model, digest), n in sorted(self.models.items())
            ],
            "guidelines": dict(sorted(self.guidelines.items(), key=lambda pair: int(pair[0]))),
            "labels_a_person": {
                "least": min(self.people.values()),
                "median": median(self.people.values()),
                "most": max(self.people.values()),
            }
            if enough
            else None,
        }
