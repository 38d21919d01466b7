"""A campaign: its settings, guidelines, categories, members and batches."""

from collections.abc import Sequence
from typing import Any, Self
from uuid import uuid4

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import Case, F, Q, When
from django.utils import timezone
from django.utils.functional import cached_property

from annotation.domain import choices as domain_choices
from annotation.domain.formats.kept_columns import as_cell, in_order
from annotation.domain.masking.regions import Regions, chosen, regions_of
from annotation.domain.questions.question import Question as QuestionValue
from annotation.domain.votes import Category as CategoryValue
from annotation.models.base import choices, random_key
from annotation.models.lines import LineField
from annotation.models.people import User
from runs.methods.prompt_sets import CAREFUL

ROLE_FLAG = {
    domain_choices.Role.ANNOTATOR: "annotates",
    domain_choices.Role.REVIEWER: "reviews",
    domain_choices.Role.ADMIN: "administers",
}
"""The field of a membership for each role."""


class Project(models.Model):
    """One labelling campaign."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    slug = models.SlugField(max_length=64, unique=True)
    name = LineField(max_length=120)
    description = models.TextField(blank=True, default="")
    seats = models.PositiveSmallIntegerField(default=3)
    extra_seats = models.PositiveSmallIntegerField(default=0)  # m more seats on no_majority, before a reviewer decides
    policy = models.CharField(
        max_length=8, choices=choices(domain_choices.Policy), default=domain_choices.Policy.REVIEW
    )
    low_quality_threshold = models.PositiveSmallIntegerField(default=1)
    priors_wanted = models.BooleanField(default=False)  # imported items wait for priors
    prior_display = models.CharField(
        max_length=20, choices=choices(domain_choices.PriorDisplay), default=domain_choices.PriorDisplay.SHOWN
    )
    show_keyword_priors = models.BooleanField(default=False)
    picture_reader = models.CharField(
        max_length=8, choices=choices(domain_choices.PictureReader), default=domain_choices.PictureReader.LOCAL
    )  # of the words in pictures, when they come in
    picture_text_for_annotators = models.BooleanField(default=False)  # wherever and whenever they see priors
    shown_columns = models.JSONField(default=list, db_default=[], blank=True)  # of `Item.extra`, to annotators
    phone_regions = LineField(max_length=200, blank=True, default="", db_default="")  # codes of countries, for masking
    order = models.CharField(max_length=8, choices=choices(domain_choices.Order), default=domain_choices.Order.BREADTH)
    lease_minutes = models.PositiveSmallIntegerField(default=20)
    dispute_model_conflict = models.BooleanField(default=False)
    adjudicate_own = models.BooleanField(default=False)  # whether a reviewer may decide an item they labelled
    is_open = models.BooleanField(default=True)  # False: no items are assigned
    licence = LineField(max_length=200, blank=True, default="")
    operator_contact = models.TextField(blank=True, default="")  # shown when illegal content was reported
    content_warning = models.TextField(blank=True, default="")
    consent_text = models.TextField(blank=True, default="")
    consent_version = models.PositiveIntegerField(default=1)
    daily_goal = models.PositiveIntegerField(default=0)  # 0: no goal; a personal progress bar, never a ranking
    call_budget = models.PositiveIntegerField(null=True, blank=True)  # model calls, None: no limit
    token_budget = models.PositiveBigIntegerField(null=True, blank=True)
    model_plan = models.JSONField(default=dict, blank=True)  # role -> "provider:model", within the allow-list
    prompt_set = models.CharField(max_length=40, default=CAREFUL)  # of debates; a run may choose another
    question = models.JSONField(default=dict, blank=True)  # the words above the categories, by language
    choose = models.CharField(
        max_length=8, choices=choices(domain_choices.Choose), default=domain_choices.Choose.ONE, editable=False
    )  # how many categories an answer may name; fixed with the first label
    question_count = models.PositiveSmallIntegerField(default=0, editable=False)  # asked now beside the category
    design_number = models.PositiveIntegerField(default=1, editable=False)  # grows with each change of the design
    hate_definition = models.TextField(blank=True, default="", max_length=2000)  # for PREDICT; empty: none (the paper)
    glossary_for_models = models.BooleanField(default=False)  # debates get approved entries with the post
    glossary_for_annotators = models.BooleanField(default=False)  # on request, and recorded, because it influences them
    export_key = models.CharField(max_length=64, default=random_key, editable=False)  # keys pseudonyms in releases
    # rules about who labels which items
    quota = models.PositiveIntegerField(null=True, blank=True)  # labels per person; None: no limit
    second_factor = models.CharField(
        max_length=8, choices=choices(domain_choices.SecondFactor), default=domain_choices.SecondFactor.NONE
    )
    on_withdrawal = models.CharField(
        max_length=8, choices=choices(domain_choices.OnWithdrawal), default=domain_choices.OnWithdrawal.KEEP
    )
    withheld_percent = models.PositiveSmallIntegerField(default=0)  # of (annotator, item): no priors at all
    influence_seed = models.CharField(max_length=64, default=random_key, editable=False)
    training_required = models.BooleanField(default=False)
    training_pass_percent = models.PositiveSmallIntegerField(default=80)
    training_attempts = models.PositiveSmallIntegerField(default=3)  # 0: no limit
    check_percent = models.PositiveSmallIntegerField(default=0)  # the share of assigned items that have known answers
    had_checks = models.BooleanField(default=False, editable=False)  # the share was above 0 once
    new_batches = models.CharField(
        max_length=8, choices=choices(domain_choices.BatchState), default=domain_choices.BatchState.WAITING
    )  # the state of a batch when an import first names it: waiting or open
    queues_settled = models.BooleanField(default=True, editable=False)  # False: `Item.queue` is older than the batches
    # wellbeing; None: no cap. A person may set lower caps for themselves
    severe_from = models.PositiveSmallIntegerField(default=2)  # the severity that counts as severe
    severe_in_row = models.PositiveSmallIntegerField(default=3)  # then a milder item follows; 0: no limit
    severe_a_session = models.PositiveIntegerField(null=True, blank=True)
    severe_a_day = models.PositiveIntegerField(null=True, blank=True)
    minutes_a_day = models.PositiveIntegerField(null=True, blank=True)
    break_after_minutes = models.PositiveIntegerField(default=50)  # of work until a break is offered; 0: never
    viewing_defaults = models.JSONField(default=dict, blank=True)  # for new users (`domain/wellbeing/viewing.py`)
    support_text = models.TextField(blank=True, default="")  # contacts and offers of support, written by the admins
    archived_at = models.DateTimeField(null=True, blank=True)
    delete_after = models.DateTimeField(
        null=True, blank=True
    )  # a deletion was requested; it can be cancelled until then
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (models.CheckConstraint(condition=Q(seats__gte=2, seats__lte=15), name="project_seats_2_to_15"),)

    def __str__(self) -> str:
        return self.name

    @property
    def is_closed(self) -> bool:
        """Whether the project is read-only: it is archived, or waits for its deletion."""
        return self.archived_at is not None or self.delete_after is not None

    @property
    def changes_end_by_clock(self) -> bool:
        """Whether an answer can be changed for a fixed time, and not until its item closes: checks never close.

        It stays so where checks are no longer mixed in: some of them may be held, or can still be changed.
        """
        return self.check_percent > 0 or self.had_checks

    @cached_property
    def shows_pictures(self) -> bool:
        """Whether its pages speak of pictures: it has some, or no post yet from which one could tell."""
        return self.pictures.exists() or not self.items.exists()

    def category_values(self) -> tuple[CategoryValue, ...]:
        """Return all categories of the project as values for the rules, by code: for files and figures."""
        return tuple(category.value() for category in self.categories.order_by("code"))

    @cached_property
    def categories_by_code(self) -> dict[int, "Category"]:
        """All categories of the project by code, for pages that show several beside each other."""
        return {category.code: category for category in self.categories.all()}

    def category_keys(self, lead: int | None, codes: Sequence[int]) -> set[int]:
        """Return the keys of a row's categories from its two columns: the key of one, or the codes of several."""
        return {self.categories_by_code[code].pk for code in codes} or ({lead} if lead is not None else set())

    def question_values(self) -> tuple[QuestionValue, ...]:
        """Return every version of the further questions as values for the rules."""
        return tuple(question.value() for question in self.questions.all())

    def asked_questions(self) -> tuple[QuestionValue, ...]:
        """Return the further questions that are asked now, in the order of the page; no query where there are none."""
        return tuple(question.value() for question in self.questions.in_force()) if self.question_count else ()

    def telephone_regions(self) -> Regions:
        """Return the countries whose telephone numbers are masked: the chosen ones, or those of its languages."""
        if self.phone_regions:
            return chosen(self.phone_regions.split(", "))
        wordings = self.questions.values_list("wording", flat=True) if self.question_count else ()
        return regions_of(dict.fromkeys(language for words in (self.question, *wordings) for language in words))

    def offered_categories(self) -> tuple[CategoryValue, ...]:
        """Return the categories that can be chosen as values for the rules, in the order of the page."""
        return tuple(category.value() for category in self.categories.offered())


class GuidelineQuerySet(models.QuerySet["Guideline"]):
    def unread_by(self, member: "Membership") -> Self:
        """Return the versions that this member still has to read.

        They ask for reading and are newer than the version that the member last read and than their membership. An
        empty result means that there is nothing to read. The page then shows the newest version of all (`first()`) and
        stores its number as read.
        """
        asking = self.filter(project=member.project_id, asks_reading=True)
        return asking.filter(number__gt=member.guideline_read, created_at__gt=member.created_at)


class Guideline(models.Model):
    """A version of a project's guidelines, in Markdown. The newest is valid; labels keep their version."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField(default=1)
    text = models.TextField()
    summary = LineField(max_length=300, blank=True, default="")  # the changes, for members who have to read it
    asks_reading = models.BooleanField(default=True)  # members who joined before it have to read it
    author = models.ForeignKey(
        "Membership", null=True, blank=True, on_delete=models.PROTECT, related_name="guidelines_written"
    )  # None: a command or an import wrote it
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = GuidelineQuerySet.as_manager()

    class Meta:
        ordering = ("-number",)
        constraints = (models.UniqueConstraint(fields=("project", "number"), name="guideline_number_once"),)

    def __str__(self) -> str:
        return f"{self.project} guidelines {self.number}"


class GuidelineExample(models.Model):
    """A worked example in a version of the guidelines: a text of our own, its category and the reason."""

    guideline = models.ForeignKey(Guideline, on_delete=models.CASCADE, related_name="examples")
    place = models.PositiveSmallIntegerField(default=1)
    text = models.TextField(max_length=2000)
    category = models.ForeignKey("Category", on_delete=models.PROTECT, related_name="guideline_examples")
    why = models.TextField(blank=True, default="", max_length=2000)

    class Meta:
        ordering = ("place",)
        constraints = (models.UniqueConstraint(fields=("guideline", "place"), name="guideline_example_place_once"),)


class CategoryQuerySet(models.QuerySet["Category"]):
    def offered(self) -> Self:
        """Return the categories that can be chosen, in the order of the page."""
        return self.filter(retired_at=None).order_by("place", "code")


class Category(models.Model):
    """A label of a project. It is never deleted: its code and whether it is hateful stay for good."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="categories")
    code = models.PositiveSmallIntegerField()
    name = LineField(max_length=60)
    aliases = models.JSONField(default=list, blank=True)
    hateful = models.BooleanField()
    definition = models.TextField(blank=True, default="", max_length=2000)
    key = models.CharField(max_length=1, blank=True)  # a retired one has none
    place = models.PositiveSmallIntegerField(default=0)  # on the page; those of the same place stand by code
    colour = models.CharField(max_length=8, blank=True, default="")  # empty: the colour that belongs to the code
    retired_at = models.DateTimeField(null=True, blank=True)

    objects = CategoryQuerySet.as_manager()

    class Meta:
        ordering = ("code",)
        verbose_name_plural = "categories"
        constraints = (
            models.UniqueConstraint(fields=("project", "code"), name="category_code_once"),
            models.UniqueConstraint(fields=("project", "name"), name="category_name_once"),
            models.UniqueConstraint(fields=("project", "key"), condition=~Q(key=""), name="category_key_once"),
        )

    def __str__(self) -> str:
        return str(self.value())

    def value(self) -> CategoryValue:
        """Return this category as a value for the rules."""
        return CategoryValue(
            code=self.code,
            name=self.name,
            hateful=self.hateful,
            aliases=tuple(self.aliases),
            definition=self.definition,
            key=self.key,
            place=self.place,
            colour=self.colour,
            retired=self.retired_at is not None,
        )


class MembershipQuerySet(models.QuerySet["Membership"]):
    def of(self, user: User | AnonymousUser, project: Project) -> "Membership | None":
        """Return the user's active membership in the project. Returns None if there is none."""
        if not user.is_authenticated:
            return None
        return self.filter(user=user, project=project, active=True).first()

    def accounts_by_name(self) -> "MembershipQuerySet":
        """Return the members with an account for the project's admins: those with access first, by what names them.

        The place in the list of somebody who left follows the pseudonym too.
        """
        named = Case(
            When(withdrawn_at__isnull=True, then=F("user__username")),
            default=F("pseudonym"),
            output_field=models.CharField(),
        )
        return self.filter(user__isnull=False).select_related("user").order_by("-active", named, "pk")


class Membership(models.Model):
    """A person's membership in a project. Annotators from imported data have no account (`user` is None)."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="memberships"
    )
    pseudonym = LineField(max_length=64)
    imported_name = LineField(max_length=128, blank=True, default="")  # the annotator's id in imported data
    extra = models.JSONField(default=dict, db_default={}, blank=True)  # columns about them, for admins
    annotates = models.BooleanField(default=False)
    reviews = models.BooleanField(default=False)
    administers = models.BooleanField(default=False)
    active = models.BooleanField(default=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)  # they left, and have not agreed again since
    labels_out_before = models.DateTimeField(null=True, blank=True)  # labels from before this time are being removed
    consent_version = models.PositiveIntegerField(default=0)
    consent_at = models.DateTimeField(null=True, blank=True)
    idle_until = models.DateTimeField(
        null=True, blank=True
    )  # until then, the site assumes that no item is left for this person
    guideline_read = models.PositiveIntegerField(default=0)  # the newest version that this person confirmed reading
    trained_at = models.DateTimeField(null=True, blank=True)  # passed the training set
    training_extra = models.PositiveSmallIntegerField(
        default=0
    )  # attempts that an admin granted in addition to the project's
    quota = models.PositiveIntegerField(null=True, blank=True)  # replaces the project's quota
    severe_a_day = models.PositiveIntegerField(
        null=True, blank=True
    )  # own caps; the lower of these and the project's applies
    minutes_a_day = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("project", "user"), name="member_once"),
            models.UniqueConstraint(fields=("project", "pseudonym"), name="member_pseudonym_once"),
            models.UniqueConstraint(
                fields=("project", "imported_name"), condition=~Q(imported_name=""), name="member_imported_name_once"
            ),
        )

    @property
    def kept_columns(self) -> list[tuple[str, Any]]:
        """What came in about this person, in the order of the alphabet, for pages."""
        return [(name, as_cell(value)) for name, value in in_order(self.extra).items()]

    def __str__(self) -> str:
        return self.pseudonym

    @property
    def shown_username(self) -> str:
        """The user name as the people of the project see it, admins too.

        "" without an account, and from the moment when the person leaves until they agree again.
        """
        return "" if self.user is None or self.withdrawn_at is not None else self.user.username

    def has(self, role: domain_choices.Role) -> bool:
        """Return whether this member has the role and is active."""
        return self.active and bool(getattr(self, ROLE_FLAG[role]))

    @property
    def roles(self) -> tuple[domain_choices.Role, ...]:
        return tuple(role for role in domain_choices.Role if self.has(role))

    @property
    def sees_debates(self) -> bool:
        """Whether they may see the arguments of models and people about items."""
        return self.administers or self.reviews

    @property
    def sees_figures(self) -> bool:
        """Whether they may see figures of the whole project: admins, and reviewers who do not annotate."""
        return self.administers or (self.reviews and not self.annotates)


class Batch(models.Model):
    """Items that are labelled together; items name it by `batch`, and `Item.queue` says who may get them now."""

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="batch_rows")
    name = LineField(max_length=100, blank=True)
    state = models.CharField(
        max_length=8, choices=choices(domain_choices.BatchState), default=domain_choices.BatchState.OPEN
    )
    pilot = models.BooleanField(default=False)  # other batches wait until this one is closed
    limited = models.BooleanField(default=False)  # to `members`
    members = models.ManyToManyField(Membership, blank=True, related_name="batches")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ("name",)
        constraints = (models.UniqueConstraint(fields=("project", "name"), name="batch_name_once"),)

    def __str__(self) -> str:
        return self.name
