"""What the API answers and takes, as serializers: every field is listed, nothing else is read."""

from typing import Any

from rest_framework import serializers

from annotation.domain.answer import Answer, Correction
from annotation.domain.choices import Modality
from annotation.domain.text_rules import NOTE_LIMIT
from annotation.models import Adjudication, Category, Dispute, Item, Label, Prior, Project, Release
from annotation.review.queue import may_see_intent


class CategoryShape(serializers.ModelSerializer[Category]):
    class Meta:
        model = Category
        fields = ("code", "name", "hateful", "definition", "key")


class ProjectShape(serializers.ModelSerializer[Project]):
    """A project as any of its members may see it."""

    categories = CategoryShape(many=True, read_only=True)
    roles = serializers.SerializerMethodField()

    class Meta:
        model = Project
        fields = ("slug", "name", "description", "seats", "is_open", "prior_display", "categories", "roles")

    def get_roles(self, project: Project) -> list[str]:
        """Return the roles of whoever asks."""
        return [str(role) for role in self.context["memberships"][project.pk].roles]


class PriorShape(serializers.ModelSerializer[Prior]):
    category = serializers.IntegerField(source="category.code", default=None, read_only=True)

    class Meta:
        model = Prior
        fields = (
            "modality", "state", "reason", "category", "hateful", "explanation", "severity", "model", "created_at",
        )  # fmt: skip


class BlindPriorShape(serializers.ModelSerializer[Prior]):
    """A prior as an annotator may see it."""

    category = serializers.IntegerField(source="category.code", default=None, read_only=True)

    class Meta:
        model = Prior
        fields = ("modality", "category", "hateful", "explanation", "model")


class DisputeShape(serializers.ModelSerializer[Dispute]):
    class Meta:
        model = Dispute
        fields = ("reason", "round", "opened_at", "settled_at")


class AdjudicationShape(serializers.ModelSerializer[Adjudication]):
    category = serializers.IntegerField(source="category.code", default=None, read_only=True)

    class Meta:
        model = Adjudication
        fields = ("ruling", "category", "rationale", "round", "created_at")


class ItemShape(serializers.ModelSerializer[Item]):
    """An item as reviewers and admins see it."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    category = serializers.IntegerField(source="category.code", default=None, read_only=True)
    intended = serializers.IntegerField(source="intended.code", default=None, read_only=True)
    source_of_category = serializers.CharField(source="category_source", read_only=True, allow_null=True)

    class Meta:
        model = Item
        fields: tuple[str, ...] = (
            "id", "external_id", "text", "picture_missing", "batch", "source", "licence", "target_group", "stage",
            "round", "seats", "version", "level", "category", "hateful", "source_of_category", "aligned", "intended",
            "intended_hateful", "pattern", "difficulty", "excluded_for", "created_at", "closed_at", "gold_at",
        )  # fmt: skip

    def to_representation(self, item: Item) -> dict[str, Any]:
        """Return the item, without what would tell whoever may still be asked for their own view."""
        shown: dict[str, Any] = super().to_representation(item)
        if not may_see_intent(item, self.context["membership"]):
            shown |= {"intended": None, "intended_hateful": None, "aligned": None, "target_group": ""}
        return shown


class WholeItemShape(ItemShape):
    """An item with its priors, disputes and decisions."""

    priors = serializers.SerializerMethodField()
    disputes = DisputeShape(many=True, read_only=True)
    adjudications = AdjudicationShape(many=True, read_only=True)

    class Meta(ItemShape.Meta):
        fields: tuple[str, ...] = (*ItemShape.Meta.fields, "priors", "disputes", "adjudications")

    def get_priors(self, item: Item) -> list[dict[str, Any]]:
        """Return the current priors."""
        current = [prior for prior in item.priors.all() if prior.current]
        return list(PriorShape(current, many=True).data)


class CorrectionShape(serializers.Serializer[Correction]):
    """What somebody holds against a prior: another category, or only hateful or not."""

    modality = serializers.ChoiceField(choices=[str(modality) for modality in Modality])
    category = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0, max_value=32767)
    hateful = serializers.BooleanField(required=False, allow_null=True, default=None)


class AnswerShape(serializers.Serializer[Answer]):
    """An annotator's answer."""

    category = serializers.IntegerField(required=False, allow_null=True, default=None, min_value=0, max_value=32767)
    not_sure = serializers.BooleanField(default=False)
    low_quality = serializers.BooleanField(default=False)
    target_group = serializers.CharField(default="", allow_blank=True, max_length=200, trim_whitespace=False)
    note = serializers.CharField(default="", allow_blank=True, max_length=NOTE_LIMIT, trim_whitespace=False)
    challenges = CorrectionShape(many=True, default=list)

    def answer(self) -> Answer:
        """Return the validated fields as a value."""
        fields = self.validated_data
        corrections = tuple(
            Correction(Modality(one["modality"]), one["category"], one["hateful"]) for one in fields["challenges"]
        )
        return Answer(
            category=fields["category"],
            not_sure=fields["not_sure"],
            low_quality=fields["low_quality"],
            target_group=fields["target_group"],
            note=fields["note"],
            corrections=corrections,
        )


class SubmissionShape(AnswerShape):
    """An answer on its way to a seat; `key` is made by the client, once per answer."""

    key = serializers.UUIDField()
    seconds = serializers.FloatField(required=False, allow_null=True, default=None, min_value=0, max_value=86400)


class CorrectedShape(AnswerShape):
    """A corrected answer."""

    key = serializers.UUIDField()


class SkipShape(serializers.Serializer[Any]):
    reason = serializers.CharField(default="", allow_blank=True, max_length=500)


class ReportShape(serializers.Serializer[Any]):
    note = serializers.CharField(default="", allow_blank=True, max_length=2000)


class LabelShape(serializers.ModelSerializer[Label]):
    """One's own label."""

    id = serializers.UUIDField(source="public_id", read_only=True)
    item = serializers.UUIDField(source="item.public_id", read_only=True)
    category = serializers.IntegerField(source="category.code", default=None, read_only=True)

    class Meta:
        model = Label
        fields = (
            "id", "item", "revision", "category", "not_sure", "low_quality", "target_group", "note", "challenges",
            "seconds", "created_at",
        )  # fmt: skip


class ReleaseShape(serializers.ModelSerializer[Release]):
    class Meta:
        model = Release
        fields = ("number", "items", "options", "manifest", "created_at")


class ProblemShape(serializers.Serializer[Any]):
    """What every refusal looks like."""

    code = serializers.CharField()
    detail = serializers.CharField()
