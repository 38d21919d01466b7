"""Builders of valid objects; a test sets only the fields that matter to it."""

from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from itertools import count
from typing import Any

from django.core.files.base import ContentFile
from django.db.models import F
from PIL import Image

from annotation.domain.choices import Role, Stage
from annotation.models import Category, Guideline, Item, Label, Membership, Picture, Project, Seat, User

_number = count(1)

DEFAULT_CATEGORIES = (
    (0, "NotHate", False),
    (1, "Racist", True),
    (2, "Sexist", True),
    (3, "Homophobic", True),
    (4, "Religion", True),
    (5, "OtherHate", True),
)


def make_user(username: str = "", password: str | None = None, **fields: Any) -> User:
    user = User(username=username or f"person{next(_number)}", **fields)
    if password is None:
        user.set_unusable_password()
    else:
        user.set_password(password)
    user.save()
    return user


def make_project(slug: str = "", *, categories: Any = DEFAULT_CATEGORIES, **fields: Any) -> Project:
    slug = slug or f"project-{next(_number)}"
    project = Project.objects.create(slug=slug, name=fields.pop("name", slug.title()), **fields)
    Category.objects.bulk_create(
        Category(project=project, code=code, name=name, hateful=hateful, key=f"{code:x}"[-1])
        for code, name, hateful in categories
    )
    Guideline.objects.create(project=project, number=1, text="Label what text and picture mean *together*.")
    return project


def make_member(project: Project, *roles: Role, user: User | None = None, **fields: Any) -> Membership:
    roles = roles or (Role.ANNOTATOR,)
    user = user or make_user()
    return Membership.objects.create(
        project=project,
        user=user,
        pseudonym=fields.pop("pseudonym", f"member{next(_number)}"),
        annotates=Role.ANNOTATOR in roles,
        reviews=Role.REVIEWER in roles,
        administers=Role.ADMIN in roles,
        consent_version=fields.pop("consent_version", project.consent_version),
        **fields,
    )


def make_item(project: Project, text: str = "A post about a garden.", **fields: Any) -> Item:
    """Create an item as an import does. Open it with `make_open_item`."""
    fields.setdefault("external_id", f"i-{next(_number)}")
    fields.setdefault("seats", project.seats)
    return Item.objects.create(project=project, text=text, **fields)


def make_open_item(project: Project, text: str = "A post about a garden.", **fields: Any) -> Item:
    """Create an item in labelling with all its seats free."""
    item = make_item(project, text, stage=Stage.LABELLING, **fields)
    Seat.objects.bulk_create(
        Seat(item=item, round=item.round, number=number, seats=item.seats) for number in range(1, item.seats + 1)
    )
    return item


def category(project: Project, code: int) -> Category:
    return Category.objects.get(project=project, code=code)


def make_label(seat: Seat, annotator: Membership, code: int | None = None, **fields: Any) -> Label:
    """Create a label in force at a free seat. Without a code the annotator is not sure, or only sets flags."""
    if code is None:
        fields.setdefault("not_sure", not fields.get("low_quality"))
    else:
        fields["category"] = category(seat.item.project, code)
    label = Label.objects.create(seat=seat, item=seat.item, annotator=annotator, **fields)
    Seat.objects.filter(pk=seat.pk).update(annotator=annotator, label=label, filled_at=label.created_at)
    Item.objects.filter(pk=seat.item_id).update(taken=F("taken") + 1)
    return label


def make_labelled_item(
    project: Project, annotators: Sequence[Membership], codes: Sequence[int | None], **fields: Any
) -> Item:
    """Create an item whose seats all have labels: one code per seat, None for not sure.

    Close it with `close_item`.
    """
    item = make_open_item(project, seats=len(codes), **fields)
    for seat, annotator, code in zip(item.seat_rows.order_by("number"), annotators, codes, strict=False):
        make_label(seat, annotator, code)
    return item


def make_picture(project: Project, size: tuple[int, int] = (640, 480)) -> Picture:
    """Create a picture with a red original and a blue derivative, stored as an import stores them."""
    width, height = size
    name = f"drawn-{next(_number)}"
    picture = Picture(
        project=project,
        sha256=sha256(name.encode()).hexdigest(),
        file_sha256=sha256(f"{name} file".encode()).hexdigest(),
        media_type="image/png",
        width=width,
        height=height,
    )
    for field, colour in (("file", "red"), ("blurred", "blue")):
        drawn = BytesIO()
        Image.new("RGB", (width, height), colour).save(drawn, "PNG")
        getattr(picture, field).save(f"pictures/{name}-{field}.png", ContentFile(drawn.getvalue()), save=False)
    picture.save()
    return picture
