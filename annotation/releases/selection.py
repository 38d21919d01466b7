"""Selection of a release: the items, the parts of them that are included, the formats, and the split."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from annotation.domain.choices import Level, Reason, Source, Stage
from annotation.domain.releases.columns import ReleaseFormat, Scope, columns_of
from annotation.domain.releases.splits import Shares
from annotation.models import Item, Project

MAX_TOPICS = 1000
"""The maximum number of topics."""


@dataclass(frozen=True)
class Splitting:
    """Division of a release into train, dev and test."""

    shares: Shares
    seed: int = 0
    topics: int = 0
    """The number of topics; texts of one topic stay in one part. 0: topics are not used."""
    frozen: str = ""
    """The public id of a split list to use; empty: none."""

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Splitting":
        return cls(Shares.read(value["shares"]), value["seed"], value["topics"], value["frozen"] or "")

    def as_json(self) -> dict[str, Any]:
        return {"shares": str(self.shares), "seed": self.seed, "topics": self.topics, "frozen": self.frozen or None}


@dataclass(frozen=True)
class Selection:
    """The items of a release, and what it includes about them and about the annotators."""

    levels: tuple[Level, ...] = ()
    """The levels to include; empty: every level, and items without one."""
    sources: tuple[Source, ...] = ()
    """The sources to include; empty: every source."""
    notes: bool = False
    """Whether to include annotators' notes: free text, which may reveal who they are."""
    fresh_pseudonyms: bool = False
    """Whether to use pseudonyms that nobody can match with those of other releases of the project."""
    scope: Scope = Scope.GOLD
    formats: tuple[ReleaseFormat, ...] = (ReleaseFormat.CSV,)
    """The formats in addition to JSONL, which is always included."""
    media: bool = True
    """Whether to include the pictures."""
    texts: bool = True
    """Whether to include the texts and their quotations: explanations, rationales, notes."""
    picture_texts: bool = True
    """Whether to include the words that were read in pictures; they are withheld where texts are."""
    licences: tuple[str, ...] = ()
    """The licences to include, as written in items; empty: all."""
    split: Splitting | None = None

    def items(self, project: Project) -> QuerySet[Item]:
        chosen = Q(project=project) & self._standing()
        if self.levels:
            chosen &= Q(level__in=self.levels)
        if self.sources:
            chosen &= Q(category_source__in=self.sources)
        if self.licences:
            allowed = Q(licence__in=self.licences)
            if project.licence in self.licences:  # the project's licence applies to items without one
                allowed |= Q(licence="")
            chosen &= allowed
        return Item.objects.filter(chosen)

    def _standing(self) -> Q:
        if self.scope is Scope.GOLD:
            return Q(stage=Stage.GOLD)
        closed = Q(stage__in=(Stage.DISPUTED, Stage.EXCLUDED), closed_at__isnull=False)
        removed = Q(excluded_for__in=(Reason.REPORTED, Reason.WITHDRAWN))
        return Q(stage=Stage.GOLD) | closed & (Q(excluded_for__isnull=True) | ~removed)

    def columns(
        self,
        withholding: bool,
        injected: bool = False,
        words: bool = False,
        questions: bool = False,
        several: bool = False,
    ) -> tuple[str, ...]:
        """Return the columns of the rows.

        `withholding`: licences of the project withhold content. `injected`: some items were made for the project.
        `words`: the pictures of some items were read. `questions`: the project asks further questions. `several`:
        answers may name several categories.
        """
        hashes, split = withholding or not (self.media and self.texts), self.split is not None
        words = words and self.picture_texts
        return columns_of(self.scope, hashes, split, injected, words, questions, several)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Selection":
        """Read what `as_json` wrote; options that older versions did not have keep their old meaning."""
        return cls(
            levels=tuple(Level(level) for level in value["levels"] or ()),
            sources=tuple(Source(source) for source in value["sources"] or ()),
            notes=value["notes"],
            fresh_pseudonyms=value["fresh_pseudonyms"],
            scope=Scope(value.get("scope", Scope.GOLD)),
            formats=tuple(ReleaseFormat(option) for option in value.get("formats", (ReleaseFormat.CSV,))),
            media=value.get("media", True),
            texts=value.get("texts", True),
            picture_texts=value.get("picture_texts", True),
            licences=tuple(value.get("licences") or ()),
            split=Splitting.from_json(value["split"]) if value.get("split") else None,
        )

    def as_json(self) -> dict[str, Any]:
        return {
            "levels": [level.value for level in self.levels] or None,
            "sources": [source.value for source in self.sources] or None,
            "notes": self.notes,
            "fresh_pseudonyms": self.fresh_pseudonyms,
            "scope": self.scope.value,
            "formats": [option.value for option in self.formats],
            "media": self.media,
            "texts": self.texts,
            "picture_texts": self.picture_texts,
            "licences": list(self.licences) or None,
            "split": self.split.as_json() if self.split else None,
        }
