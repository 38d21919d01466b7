"""What people ask of a release: the items, the parts of them that are included, the formats, and the split."""

from collections.abc import Collection
from typing import Annotated

from django.db.models import Q, QuerySet
from pydantic import BeforeValidator, Field, PlainSerializer

from annotation.domain.choices import Level, Reason, Source, Stage
from annotation.domain.columns.column import When, among, names_of
from annotation.domain.columns.items import ITEMS
from annotation.domain.releases.columns import ReleaseFormat, Scope
from annotation.domain.releases.splits import MAX_SEED, Shares
from annotation.models import Item, Project
from vocabulary.refusals import gettext_noop as _
from vocabulary.requests import Asked, Limit, Optional, Request, RequestSection, Several

MAX_TOPICS = 1000
"""The maximum number of topics."""
MAX_LICENCES = 100

SPLIT = RequestSection(_("How the split is made"))
WHICH = RequestSection(_("Which items"))
INCLUDED = RequestSection(_("What is included"))

_LEVELS = {
    Level.PERFECT: _("perfect: all equal"),
    Level.STRONG: _("strong: all hateful, kinds differ"),
    Level.WEAK: _("weak: a majority"),
    Level.NONE: _("none: no majority, settled by a reviewer"),
}
_SOURCES = {
    Source.CONSENSUS: _("decided by the annotators"),
    Source.ADJUDICATED: _("decided by a reviewer"),
    Source.IMPORTED: _("came with the data"),
}
_SCOPES = {
    Scope.GOLD: _("gold"),
    Scope.CLOSED: _("all fully labelled items, with votes and the reason they are not gold"),
}
_FORMATS = {
    ReleaseFormat.CSV: _("CSV for spreadsheets"),
    ReleaseFormat.CSV_PLAIN: _("CSV for programs: a spreadsheet may run its cells as formulas"),
    ReleaseFormat.PARQUET: _("Parquet, pictures inside"),
    ReleaseFormat.IMAGEFOLDER: "ImageFolder (Hugging Face)",
    ReleaseFormat.WEBDATASET: _("WebDataset (tar shards)"),
    ReleaseFormat.HVLI: _("H-VLI JSON"),
    ReleaseFormat.LABEL_STUDIO: "Label Studio JSON",
    ReleaseFormat.ANNOTATORS: _("long table, a row for each label"),
    ReleaseFormat.COARL: _("counterspeech to train a writer (CoARL)"),
}


class Splitting(Request):
    """Division of a release into train, dev and test."""

    lacks_first = _("Say how to split the items, such as 80/10/10.")

    shares: Annotated[
        Shares,
        BeforeValidator(lambda given: Shares.read(given) if isinstance(given, str) else given),
        PlainSerializer(str),
        Asked(
            _("Train, dev and test"),
            _(
                "Such as 80/10/10; empty: no split."
                " Posts with the same or nearly the same text or picture stay together."
            ),
            name="splits",
            option="train, dev and test; what is alike is never parted",
            metavar="80/10/10",
            body="Shares like 80/10/10; empty: the release is not divided.",
            longest=40,
            read=Shares.read_whole,
        ),
    ]
    seed: Annotated[
        int,
        Field(ge=0, le=MAX_SEED),
        Asked(
            _("Seed of the split"),
            _("Of posts that have no part yet, and of all where they are divided anew."),
            SPLIT,
            option="of the splits: for posts that have no part yet",
        ),
    ] = 0
    topics: Annotated[
        int,
        Field(ge=0, le=MAX_TOPICS),
        Asked(
            _("Topics never parted"),
            _("Texts are grouped into this number of topics by their embeddings; empty: topics play no part."),
            SPLIT,
            option="so many topics of the texts are never parted",
        ),
    ] = 0
    """The number of topics; texts of one topic stay in one part. 0: topics are not used."""
    anew: Annotated[
        bool,
        Asked(
            _("Divide anew"),
            _("Else posts keep their part of the latest divided release, so that no test post is trained on."),
            SPLIT,
            name="divide_anew",
            option="without the parts of the latest divided release",
        ),
    ] = False
    """Whether the parts of the latest divided release do not hold."""
    frozen: Optional = ""
    """The public id of a split list to use; empty: none."""


class Selection(Request):
    """The items of a release, and what it includes about them and about the annotators."""

    groups = (SPLIT, WHICH, INCLUDED)

    levels: Annotated[
        Limit[Level],
        Asked(
            _("Only these levels"),
            _("None ticked: all levels, and items that came without votes."),
            WHICH,
            words=_LEVELS,
            option="only these: {choices}",
        ),
    ] = ()
    sources: Annotated[
        Limit[Source],
        Asked(
            _("Only these sources"),
            _("None ticked: all sources."),
            WHICH,
            words=_SOURCES,
            option="only these: {choices}",
        ),
    ] = ()
    notes: Annotated[
        bool,
        Asked(
            _("With the notes of annotators"),
            _("Free text may reveal who wrote it: read the notes before you release them."),
            INCLUDED,
            last=True,
            option="with the annotators' notes (read them first)",
        ),
    ] = False
    fresh_pseudonyms: Annotated[
        bool,
        Asked(
            _("With new pseudonyms"),
            _("Nobody can match annotators with those of other releases of this project."),
            INCLUDED,
            last=True,
            option="names that cannot be matched with other releases",
        ),
    ] = False
    scope: Annotated[
        Scope, Asked(_("Items"), words=_SCOPES, radio=True, option="closed: with votes, and what is no gold")
    ] = Scope.GOLD
    formats: Annotated[
        Several[ReleaseFormat],
        Asked(
            _("Formats beside JSON lines"),
            words=_FORMATS,
            ticked=(ReleaseFormat.CSV, ReleaseFormat.PARQUET),
            option="beside JSONL: {choices}; none: JSONL only",
        ),
    ] = (ReleaseFormat.CSV,)
    """The formats in addition to JSONL, which is always included."""
    media: Annotated[
        bool,
        Asked(
            _("Without picture files"),
            _("Only their SHA-256 is released."),
            INCLUDED,
            option="hashes in place of pictures",
        ),
    ] = True
    texts: Annotated[
        bool,
        Asked(
            _("Without texts"),
            _(
                "Only their SHA-256 is released;"
                " explanations, rationales and notes, which quote them, are left out too."
            ),
            INCLUDED,
            option="hashes in place of texts and what quotes them",
        ),
    ] = True
    """Whether to include the texts and their quotations: explanations, rationales, notes."""
    picture_texts: Annotated[
        bool,
        Asked(
            _("Without the words read in pictures"),
            _("They are released with the name of their reader, and left out wherever texts are left out."),
            INCLUDED,
            option="without the words read in pictures",
        ),
    ] = True
    """Whether to include the words that were read in pictures; they are withheld where texts are."""
    evidence: Annotated[
        bool,
        Asked(
            _("With the evidence"),
            _(
                "The pages on which verdicts of models and decisions of reviewers are based, with address, publisher,"
                " dates and passages. Struck cards stay away."
            ),
            INCLUDED,
            last=True,
            option="with the pages on which verdicts and decisions are based",
        ),
    ] = False
    people: Annotated[
        bool,
        Asked(
            _("With what came in about annotators"),
            _("Columns such as age or country, by pseudonym. Rare values may tell who somebody is."),
            INCLUDED,
            last=True,
            option="with what came in about annotators, by pseudonym (rare values may tell who somebody is)",
        ),
    ] = False
    licences: Annotated[
        Limit[str],
        Asked(
            _("Only these licences"),
            _("None ticked: all licences, and items that name none."),
            WHICH,
            option="only items under these",
            metavar="LICENCE",
            longest=200,
            most=MAX_LICENCES,
        ),
    ] = ()
    """The licences to include, as written in items."""
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

    def columns(self, there: Collection[When]) -> tuple[str, ...]:
        """Return the columns of the rows. `there`: what the items of the project have, or withhold."""
        chosen = {
            When.CLOSED: self.scope is Scope.CLOSED,
            When.WITHHELD: When.WITHHELD in there or not (self.media and self.texts),
            When.SPLIT: self.split is not None,
            When.EVIDENCE: self.evidence,
            When.PEOPLE: self.people and When.PEOPLE in there,
            When.WORDS: When.WORDS in there and self.picture_texts,
        }
        return names_of(among(ITEMS, {when for when in When if chosen.get(when, when in there)}))
