"""What the API answers and takes, as serializers: every field is listed, nothing else is read."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.utils import html

from annotation.api.request_base import BoundedDict, BoundedList, LineField
from annotation.domain.answer import FIRST_OF_CATEGORIES, Answer, BadAnswer, Correction, read_seconds
from annotation.domain.categories import CATEGORY_LIMIT
from annotation.domain.category_sets import as_stored
from annotation.domain.choices import Modality
from annotation.domain.columns.column import TEXT
from annotation.domain.columns.items import INJECTED, ITEMS, is_injected
from annotation.domain.formats.kept_columns import in_order
from annotation.domain.glossary.disguises import How
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.glossary import entries
from annotation.models import Adjudication, Category, Dispute, Item, Label, PictureText, Prior, Project, Release
from annotation.picture_text.texts import reading_of, texts_of
from annotation.review.queue import may_see_intent

_HIDDEN: dict[str, Any] = {
    column.name: type(column.kind)() if isinstance(column.kind, list | dict) else "" if column.kind == TEXT else None
    for column in ITEMS
    if column.hidden
}
"""What stands in place of what would tell whoever may still be asked for their own view."""


def _code(field: str) -> serializers.IntegerField:
    """Return the code of the category in a field; null where there is none."""
    return serializers.IntegerField(source=f"{field}.code", default=None, read_only=True, allow_null=True)


def _codes() -> serializers.ListField:
    """Return the field of codes where rows name several categories."""
    return BoundedList(
        child=serializers.IntegerField(),
        read_only=True,
        help_text="The codes of all categories, sorted, where there are several; else empty.",
    )


class CategoryShape(serializers.ModelSerializer[Category]):
    """A category of a project."""

    class Meta:
        model = Category
        fields = ("code", "name", "hateful", "definition", "key", "place", "colour", "retired_at")


class ProjectShape(serializers.ModelSerializer[Project]):
    """A project as any of its members may see it."""

    categories = CategoryShape(many=True, read_only=True)
    roles = serializers.SerializerMethodField(help_text="The roles of the caller.")

    class Meta:
        model = Project
        fields = (
            "slug",
            "name",
            "description",
            "seats",
            "is_open",
            "prior_display",
            "prompt_set",
            "choose",
            "categories",
            "roles",
        )

    def get_roles(self, project: Project) -> list[str]:
        """Return the roles of the caller."""
        return [str(role) for role in self.context["memberships"][project.pk].roles]


class PriorShape(serializers.ModelSerializer[Prior]):
    """What a model said about the text or the picture alone."""

    category = _code("category")

    class Meta:
        model = Prior
        fields = (
            "modality", "state", "reason", "category", "hateful", "explanation", "severity", "model", "created_at",
        )  # fmt: skip


class BlindPriorShape(serializers.ModelSerializer[Prior]):
    """A prior as an annotator may see it."""

    category = _code("category")

    class Meta:
        model = Prior
        fields = ("modality", "category", "hateful", "explanation", "model")


class DisputeShape(serializers.ModelSerializer[Dispute]):
    """Why an item is or was disputed, from when to when."""

    class Meta:
        model = Dispute
        fields = ("reason", "round", "opened_at", "settled_at")


class AdjudicationShape(serializers.ModelSerializer[Adjudication]):
    """What a reviewer decided about an item."""

    category = _code("category")
    categories = _codes()

    class Meta:
        model = Adjudication
        fields = ("ruling", "category", "categories", "rationale", "round", "created_at")


class ItemShape(serializers.ModelSerializer[Item]):
    """An item as reviewers and admins see it."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    category = _code("category")
    categories = _codes()
    intended = _code("intended")
    intended_categories = _codes()
    source_of_category = serializers.CharField(source="category_source", read_only=True, allow_null=True)
    extra = serializers.SerializerMethodField(help_text="Columns of its file that the site does not know.")
    injected = serializers.SerializerMethodField(help_text="Whether a model wrote it as a sample; for admins.")

    class Meta:
        model = Item
        fields: tuple[str, ...] = (
            "id", "external_id", "text", "picture_missing", "batch", "source", "licence", "target_group", "stage",
            "round", "seats", "version", "level", "category", "categories", "hateful", "source_of_category", "aligned",
            "intended", "intended_categories", "intended_hateful", "pattern", "difficulty", "excluded_for",
            "created_at", "closed_at", "gold_at", "extra", "injected",
        )  # fmt: skip

    def get_extra(self, item: Item) -> dict[str, Any]:
        """Return the kept columns in the order of the alphabet."""
        return in_order(item.extra)

    def get_injected(self, item: Item) -> bool | None:
        """Return whether the item is a sample. Returns None for whoever does not administer the project."""
        return is_injected(item.provenance) if self.context["membership"].administers else None

    def to_representation(self, item: Item) -> dict[str, Any]:
        """Return the item, without what would tell whoever may still be asked for their own view."""
        shown: dict[str, Any] = super().to_representation(item)
        if not may_see_intent(item, self.context["membership"]):
            shown |= _HIDDEN | {INJECTED: None}
        return shown


class FoundTermShape(serializers.Serializer[dict[str, Any]]):
    """An approved term of the glossary that a post contains: where, how it is written, and how sure that is."""

    term = serializers.CharField()
    start = serializers.IntegerField()
    end = serializers.IntegerField()
    how = serializers.ChoiceField(choices=[str(how) for how in How])
    sureness = serializers.FloatField()
    in_picture = serializers.BooleanField(help_text="Whether it stands in the words of the picture, not in the text.")


class PictureLineShape(serializers.Serializer[dict[str, Any]]):
    """A line of words in a picture: its place as shares of width and height (left, top, right, bottom)."""

    text = serializers.CharField()
    box = BoundedList(child=serializers.FloatField(), allow_null=True)
    confidence = serializers.FloatField(allow_null=True)


class PictureTextShape(serializers.ModelSerializer[PictureText]):
    """The words that were read in a picture, and who read them; an empty text says that there are none."""

    lines = PictureLineShape(many=True, read_only=True)

    class Meta:
        model = PictureText
        fields = ("state", "reason", "text", "lines", "confidence", "language", "reader", "created_at")


class WholeItemShape(ItemShape):
    """An item with its priors, disputes and decisions."""

    priors = serializers.SerializerMethodField(help_text="The current priors.")
    picture_text = serializers.SerializerMethodField(help_text="The words in the picture; null if nobody read it.")
    glossary = serializers.SerializerMethodField(
        help_text="The approved terms of the glossary in text and picture, how each is written and how sure that is."
    )
    disputes = DisputeShape(many=True, read_only=True)
    adjudications = AdjudicationShape(many=True, read_only=True)

    class Meta(ItemShape.Meta):
        fields: tuple[str, ...] = (
            *ItemShape.Meta.fields,
            "priors",
            "picture_text",
            "glossary",
            "disputes",
            "adjudications",
        )

    @extend_schema_field(PriorShape(many=True))
    def get_priors(self, item: Item) -> list[dict[str, Any]]:
        """Return the current priors."""
        current = [prior for prior in item.priors.all() if prior.current]
        return list(PriorShape(current, many=True).data)

    @extend_schema_field(PictureTextShape(allow_null=True))
    def get_picture_text(self, item: Item) -> dict[str, Any] | None:
        """Return the words in the picture."""
        reading = reading_of(item)
        return PictureTextShape(reading).data if reading else None

    @extend_schema_field(FoundTermShape(many=True))
    def get_glossary(self, item: Item) -> list[dict[str, Any]]:
        """Return the approved terms of the glossary in the item, with how each is written and how sure that is."""
        found_terms = entries.found_in_item(item.project, texts_of(item))
        return [term.as_json() | {"in_picture": term.in_picture} for term in found_terms]


class CorrectionShape(serializers.Serializer[Correction]):
    """What somebody holds against a prior: another category, or only hateful or not."""

    modality = serializers.ChoiceField(choices=[str(modality) for modality in Modality])
    category = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0, max_value=32767)
    hateful = serializers.BooleanField(required=False, allow_null=True, default=None)


class AnswerShape(serializers.Serializer[Answer]):
    """An annotator's answer. `categories` names one or several, where the project takes several."""

    category = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0, max_value=32767)
    categories = BoundedList(
        child=serializers.IntegerField(min_value=0, max_value=32767), default=list, max_length=CATEGORY_LIMIT
    )
    not_sure = serializers.BooleanField(default=False)
    low_quality = serializers.BooleanField(default=False)
    target_group = LineField(default="", allow_blank=True, max_length=200, trim_whitespace=False)
    note = serializers.CharField(default="", allow_blank=True, max_length=NOTE_LIMIT, trim_whitespace=False)
    challenges = CorrectionShape(many=True, default=list)

    def answer(self) -> Answer:
        """Return the validated fields as a value. Raises BadAnswer if the category is not the first of several."""
        fields = self.validated_data
        corrections = tuple(
            Correction(Modality(challenge["modality"]), challenge["category"], challenge["hateful"])
            for challenge in fields["challenges"]
        )
        codes = sorted(set(fields["categories"]))
        if codes and fields["category"] not in (None, codes[0]):
            raise BadAnswer("contradiction", FIRST_OF_CATEGORIES, "categories")
        return Answer(
            category=codes[0] if codes else fields["category"],
            categories=tuple(as_stored(codes)),
            not_sure=fields["not_sure"],
            low_quality=fields["low_quality"],
            target_group=fields["target_group"],
            note=fields["note"],
            corrections=corrections,
        )


class SecondsField(serializers.FloatField):
    """The working time that a client counted, in seconds. A form can send it only as text."""

    def to_internal_value(self, data: Any) -> Any:
        """Return the number. Raises BadAnswer, which the view answers with its own status."""
        if isinstance(data, str) and html.is_html_input(self.root.initial_data):
            with suppress(ValueError):
                data = float(data)
        return read_seconds(data)


class WholeAnswerShape(AnswerShape):
    """An answer with its answers to further questions; `key` is made by the client, once per answer."""

    key = serializers.UUIDField()
    answers = BoundedDict(
        default=dict,
        help_text="By code of the question: the value, or {version, value} where an earlier version was answered.",
    )

    def answer(self) -> Answer:
        """Return the validated fields as a value."""
        return replace(super().answer(), answers=self.validated_data["answers"])


class SubmissionShape(WholeAnswerShape):
    """An answer on its way to a seat."""

    seconds = SecondsField(
        required=False,
        allow_null=True,
        default=None,
        min_value=0,
        help_text="The working time that the client counted. Stored as sent, up to the time since the seat was held.",
    )


class CorrectedShape(WholeAnswerShape):
    """A corrected answer."""


class SkipShape(serializers.Serializer[Any]):
    """Why an item is skipped, if the annotator says so."""

    reason = serializers.CharField(default="", allow_blank=True, max_length=500)


class ReportShape(serializers.Serializer[Any]):
    """What is illegal about an item, if the annotator says so."""

    note = serializers.CharField(default="", allow_blank=True, max_length=2000)


class StoredAnswerShape(serializers.Serializer[dict[str, Any]]):
    """What was answered to one version of a question."""

    version = serializers.IntegerField()
    value = serializers.JSONField()


class LabelShape(serializers.ModelSerializer[Label]):
    """A label of the caller."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    item = serializers.UUIDField(source="item.public_id", read_only=True)
    category = _code("category")
    categories = _codes()
    challenges = CorrectionShape(many=True, read_only=True)
    answers = BoundedDict(
        child=StoredAnswerShape(), read_only=True, help_text="Every further question that was asked; null was skipped."
    )

    class Meta:
        model = Label
        fields: tuple[str, ...] = (
            "id", "item", "revision", "category", "categories", "not_sure", "low_quality", "target_group", "note",
            "challenges", "answers", "seconds", "created_at",
        )  # fmt: skip


class PassageShape(serializers.Serializer[dict[str, Any]]):
    """A passage that somebody marked and named before the import, [start, end) in code points."""

    start = serializers.IntegerField()
    end = serializers.IntegerField()
    name = serializers.CharField()


class GivenLabelShape(LabelShape):
    """A label with the pseudonym of who gave it, for admins."""

    external_id = serializers.CharField(source="item.external_id", read_only=True)
    annotator = serializers.CharField(source="annotator.pseudonym", read_only=True)
    passages = PassageShape(many=True, read_only=True, allow_null=True)

    class Meta(LabelShape.Meta):
        fields = (*LabelShape.Meta.fields, "external_id", "annotator", "passages")


class ReleaseShape(serializers.ModelSerializer[Release]):
    """A release: its number, what was chosen, and its manifest."""

    options = BoundedDict(read_only=True)
    manifest = BoundedDict(read_only=True)

    class Meta:
        model = Release
        fields = ("number", "items", "options", "manifest", "created_at")
