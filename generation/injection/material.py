"""The material of samples: pools of pictures with licence and prior, trigger texts, words for `<insult>`.

Admins upload all of it. The site itself contains no slur, and no page shows an uploaded one again.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.core.transactions import short_transaction
from annotation.domain.choices import EventVerb, Modality, PriorState, Reason, Stage
from annotation.domain.one_line import one_line, read_line
from annotation.domain.pictures.decoding import BadPicture
from annotation.domain.text_rules import BadText, read_text
from annotation.imports.store import store_pictures
from annotation.media.pictures import Gallery, TooManyPixels, discard_staged, known_pictures
from annotation.models import Category, Item, Membership, Prior, Project, record
from generation.domain.event_verbs import GenerationVerb
from generation.domain.injection.plan import LONGEST_GROUP, Stock
from generation.domain.injection.schema import MOST_CHARACTERS
from generation.injection.settings import require_on, rules_of
from generation.methods.injection import pool_prior
from generation.models import BY_HAND, InjectionRules, PicturePool, PoolPicture, Trigger
from providers import bindings
from providers.roles import ModelRole
from runs.control import start
from runs.domain.states import ASIDE, OPEN
from runs.execution import budget
from runs.models import Run

MOST_FILES = 500
PICTURES_AT_ONCE = 5
"""Uploads have as many pixels together as this number of the largest pictures: a page waits while they are drawn."""
MOST_LINES = 5_000
LONGEST_WORD = 120


class BadMaterial(ValueError):
    """Material from which samples cannot be made; the message says what is wrong and where."""


@dataclass(frozen=True)
class Added:
    """The result of adding: the number of new ones, of known ones, and a sentence for each refused one."""

    new: int
    known: int = 0
    refused: tuple[str, ...] = ()


@short_transaction
def make_pool(
    project: Project,
    name: str,
    target_group: str = "",
    licence: str = "",
    source: str = "",
    actor: Membership | None = None,
) -> PicturePool:
    """Create a pool. Raises BadMaterial if the name is taken, and InjectionOff."""
    require_on(project)
    try:
        with transaction.atomic():
            pool = PicturePool.objects.create(
                project=project, name=name.strip(), target_group=target_group.strip(),
                licence=licence.strip(), source=source.strip(), created_by=actor,
            )  # fmt: skip
    except IntegrityError:
        raise BadMaterial(_("There is a pool of this name already; open it, or choose another name.")) from None
    record(GenerationVerb.POOL_MADE, project=project, actor=actor, row=pool.public_id, licence=pool.licence)
    return pool


def stock_of(project: Project) -> Stock:
    """Return the material of the project as plans are checked against it."""
    counts: dict[tuple[int, bool], int] = defaultdict(int)
    alone: dict[str, set[int]] = defaultdict(set)
    columns = usable(project).values_list("pool_id", "pool__name", "category__code", "category__hateful")
    for pool, name, code, hateful in columns:
        counts[pool, bool(hateful)] += 1
        alone[name].add(code)
    triggers: dict[str, int] = defaultdict(int)
    for group in Trigger.objects.filter(project=project).values_list("target_group", flat=True):
        triggers[group.casefold()] += 1
    pools = PicturePool.objects.filter(project=project)
    stocked = {row.name: (row.target_group, counts[row.pk, True], counts[row.pk, False]) for row in pools}
    return Stock(project.offered_categories(), stocked, triggers, alone)


def usable(project: Project) -> QuerySet[PoolPicture]:
    """Return the pictures from which samples can be made: they have a prior, and no item of theirs was reported."""
    reported = Item.objects.filter(picture=OuterRef("picture"), excluded_for=Reason.REPORTED)
    return PoolPicture.objects.filter(~Exists(reported), pool__project=project, category__isnull=False)


# ── Pictures ──────────────────────────────────────────────────────────────────


@short_transaction
def add_items(pool: PicturePool, items: Iterable[Item], actor: Membership | None = None) -> Added:
    """Add the pictures of these items to the pool, each with the licence and image prior that its item has.

    Raises InjectionOff.
    """
    require_on(pool.project)
    item_of_picture: dict[int, Item] = {}
    for item in items:
        if item.picture_id is not None and item.stage != Stage.EXCLUDED:
            item_of_picture.setdefault(item.picture_id, item)
    priors = _image_priors([item.pk for item in item_of_picture.values()])
    rows = [
        PoolPicture(pool=pool, picture_id=key, name=item.external_id, licence=item.licence, **priors.get(item.pk, {}))
        for key, item in item_of_picture.items()
    ]
    return _add(pool, rows, actor)


def add_files(
    pool: PicturePool,
    files: "Sequence[UploadedFile[bytes]]",
    category: Category | None = None,
    actor: Membership | None = None,
) -> Added:
    """Store uploaded pictures and add them to the pool. `category`, if given, is what each of them means alone.

    A file that is no picture is refused by name, and the others are stored. Raises BadMaterial for too many files or
    pixels, and InjectionOff.
    """
    require_on(pool.project)
    if len(files) > MOST_FILES:
        raise BadMaterial(_("At most %(most)s pictures at a time.") % {"most": MOST_FILES})
    stored, refused = known_pictures(pool.project), []
    uploads = _Uploaded(files)
    pixels = PICTURES_AT_ONCE * settings.PICTURE_MAX_PIXELS
    with Gallery(pool.project, uploads, keep=True, known=stored, pixels=pixels) as gallery:
        try:
            for name in uploads.names:
                gallery.want(name)
            gallery.finish()
        except TooManyPixels as fault:
            for picture in gallery.staged():
                discard_staged(picture)
            sentence = _("With “%(name)s” the pictures have %(pixels)s pixels together; at most %(most)s are read at a "
                         "time. Upload fewer at a time.")  # fmt: skip
            values = {"name": uploads.shown(fault.name), "pixels": f"{fault.pixels:,}", "most": f"{pixels:,}"}
            raise BadMaterial(sentence % values) from None
        name_of_sha256: dict[str, str] = {}
        for name in uploads.names:
            result = gallery.result(name)
            if isinstance(result, BadPicture):
                refused.append(f"{uploads.shown(name)}: {result.sentence}")
            else:
                name_of_sha256.setdefault(result, name)
        try:
            added = _store(pool, gallery, name_of_sha256, uploads, category, stored, actor)
        except BaseException:
            for picture in gallery.staged():
                discard_staged(picture)
            raise
    return Added(added.new, added.known, tuple(refused))


@short_transaction
def _store(
    pool: PicturePool,
    gallery: Gallery,
    name_of_sha256: Mapping[str, str],
    uploads: "_Uploaded",
    category: Category | None,
    stored: Mapping[str, int],
    actor: Membership | None,
) -> Added:
    keys = {**stored, **store_pictures(pool.project, gallery.staged())}
    prior = {"category": category, "model": BY_HAND} if category else {}
    rows = [
        PoolPicture(pool=pool, picture_id=keys[sha256], name=uploads.shown(name), **prior)
        for sha256, name in name_of_sha256.items()
    ]
    return _add(pool, rows, actor)


def _add(pool: PicturePool, rows: Sequence[PoolPicture], actor: Membership | None) -> Added:
    before = pool.pictures.count()
    PoolPicture.objects.bulk_create(rows, ignore_conflicts=True)
    new = pool.pictures.count() - before
    if new:
        record(GenerationVerb.POOL_FILLED, project=pool.project, actor=actor, row=pool.public_id, pictures=new)
    return Added(new, len(rows) - new)


@short_transaction
def judge(member: Membership, picture: PoolPicture, category: Category) -> None:
    """Store the category that an admin gives to a picture alone, in place of a model's prior."""
    PoolPicture.objects.filter(pk=picture.pk).update(
        category=category, model=BY_HAND, explanation="", severity=None, trouble=""
    )
    record(
        GenerationVerb.POOL_JUDGED, project=member.project, actor=member, row=picture.public_id, category=category.code
    )


@short_transaction
def take_out(member: Membership, picture: PoolPicture) -> None:
    """Remove a picture from its pool. Raises BadMaterial if samples were made from it."""
    if picture.samples.exists():
        raise BadMaterial(_("Samples were made from this picture, so it stays: their log names it."))
    picture.delete()
    record(GenerationVerb.POOL_EMPTIED, project=member.project, actor=member, row=picture.pool.public_id, pictures=1)


def ask_priors(member: Membership, pool: PicturePool) -> int:
    """Ask a model for the image-only priors that the pool lacks. Return how many runs were queued.

    Raises BadMaterial if no model can see pictures, and InjectionOff, BudgetExceeded.
    """
    project = member.project
    require_on(project)
    try:
        binding = bindings.bind_role(ModelRole.PRIOR_IMAGE, project.model_plan)
    except bindings.NotConfigured as fault:
        raise BadMaterial(str(fault)) from None
    if binding.problem or not binding.is_language_model:
        raise BadMaterial(
            binding.problem
            or _("No model is set up that sees pictures: set MODEL_VISION, or say yourself what each picture is.")
        )
    lacking = pool.pictures.filter(category=None)
    like = start.RunRequest(
        method=pool_prior.NAME,
        project=project.public_id,
        subject=project.public_id,
        model_plan={str(ModelRole.PRIOR_IMAGE): binding.name},
        variant=f"{ASIDE}{pool_prior.NAME}",
        started_by=member.public_id,
    )
    with transaction.atomic():
        budget.set_project_limits(project.public_id, calls=project.call_budget, tokens=project.token_budget)
        queued = start.queue_run_per_subject(lacking.values(subject=F("public_id")), like)
        if queued:
            record(EventVerb.RUNS_STARTED, project=project, actor=member, row=pool.public_id, method=pool_prior.NAME,
                   runs=queued)  # fmt: skip
    return queued


def asked_now(pool: PicturePool) -> int:
    """Return how many pictures of the pool have a queued or running run."""
    runs = Run.objects.filter(project=pool.project.public_id, method=pool_prior.NAME, state__in=OPEN)
    return runs.filter(subject__in=pool.pictures.values("public_id")).count()


def _image_priors(items: Sequence[int]) -> dict[int, dict[str, object]]:
    rows = Prior.objects.filter(item__in=items, modality=Modality.IMAGE, state=PriorState.OK, current=True)
    return {
        row.item_id: {
            "category": row.category, "explanation": row.explanation, "severity": row.severity, "model": row.model,
        }
        for row in rows.exclude(category=None).select_related("category")
    }  # fmt: skip


class _Uploaded:
    """Uploaded files as a source of pictures; two files of the same name are two pictures."""

    complete = True

    def __init__(self, files: "Sequence[UploadedFile[bytes]]") -> None:
        self._files = dict(zip(map(str, range(len(files))), files, strict=True))
        self.names = list(self._files)
        self.renamed: dict[str, str] = {}

    def shown(self, name: str) -> str:
        """Return the file's name in a form that is safe to show."""
        return one_line(self._files[name].name or "")[:200] or "?"

    def find(self, name: str) -> str | None:
        return name if name in self._files else None

    def read(self, key: str, limit: int) -> bytes:
        file = self._files[key]
        if (file.size or 0) > limit:
            raise BadPicture("picture_too_large", f"The picture has more than {limit:,} bytes.", 413, limit)
        content: bytes = file.read()
        return content


# ── Texts and words ───────────────────────────────────────────────────────────


@short_transaction
def add_triggers(member: Membership, target_group: str, lines: str) -> Added:
    """Store trigger texts about a group, one per line.

    Raises BadMaterial with the line at fault; then nothing is stored. Raises InjectionOff.
    """
    require_on(member.project)
    group = _group(target_group)
    texts = _lines(lines, MOST_CHARACTERS)
    rows = [
        Trigger(
            project=member.project, target_group=group, text=text, added_by=member,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for text in texts
    ]  # fmt: skip
    triggers = Trigger.objects.filter(project=member.project)
    before = triggers.count()
    Trigger.objects.bulk_create(rows, ignore_conflicts=True)
    new = triggers.count() - before
    if new:
        record(GenerationVerb.TRIGGERS_ADDED, project=member.project, actor=member, group=group, texts=new)
    return Added(new, len(rows) - new)


@short_transaction
def set_words(member: Membership, target_group: str, lines: str) -> int:
    """Store the words that may replace `<insult>` about a group, one per line. Return how many.

    They replace the earlier words; without lines the group has none. Raises BadMaterial with the line at fault, and
    InjectionOff.
    """
    require_on(member.project)
    group = _group(target_group)
    words = _lines(lines, LONGEST_WORD) if lines.strip() else []
    rules = InjectionRules.objects.select_for_update().get(pk=rules_of(member.project).pk)
    lexicon = {name: group_words for name, group_words in rules.lexicon.items() if name.casefold() != group.casefold()}
    if words:
        lexicon[group] = words
    InjectionRules.objects.filter(pk=rules.pk).update(lexicon=lexicon, changed_at=timezone.now())
    digest = hashlib.sha256("\n".join(sorted(words)).encode()).hexdigest()
    record(
        GenerationVerb.LEXICON_SET, project=member.project, actor=member, group=group, words=len(words), sha256=digest
    )
    return len(words)


def words_for(project: Project, target_group: str) -> list[str]:
    """Return the words that may replace `<insult>` about this group."""
    rules = InjectionRules.objects.filter(project=project).first()
    named = (rules.lexicon if rules else {}).items()
    return next((words for name, words in named if name.casefold() == target_group.casefold()), [])


def _group(written: str) -> str:
    try:
        return " ".join(read_text(read_line(written), LONGEST_GROUP).split())
    except BadText as bad:
        raise BadMaterial(_("Target group: %(why)s") % {"why": bad.sentence}) from None


def _lines(written: str, longest: int) -> list[str]:
    """Return the lines that are not blank, each once. Raises BadMaterial if there is none, or too many."""
    lines: dict[str, None] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            lines.setdefault(read_text(line.strip(), longest))
        except BadText as bad:
            raise BadMaterial(_("Line %(line)s: %(why)s") % {"line": number, "why": bad.sentence}) from None
    if not lines:
        raise BadMaterial(_("Write at least one line."))
    if len(lines) > MOST_LINES:
        raise BadMaterial(_("At most %(most)s lines.") % {"most": f"{MOST_LINES:,}"})
    return list(lines)
