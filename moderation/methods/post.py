"""The post a method looks at: its words fenced, its picture, the project's categories and kinds of hate.

The subject of a run is an item of its project or, where the run stands aside, a case of an evaluation.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from annotation import glossing
from annotation.domain.glossary.telling import Known, told
from annotation.domain.votes import Category as CategoryValue
from annotation.domain.words import Stage
from annotation.models import Category, Item, Project
from moderation.models import EvaluationCase
from providers.fencing import Fenced, fence, house_rule, nonce_for
from providers.messages import Message, Picture
from runs.domain.states import ASIDE
from runs.method import Step
from runs.models import Run
from runs.prompting import prompt
from runs.statements import Statement, slot

_NO_TEXT = "(The post has no text.)"
_NO_PICTURE = "(The post has no picture.)"
_PICTURE = "(The picture follows.)"
_KNOWN = (
    "People of this project have noted what some words in it can mean. Weigh whether they mean that here, and name the "
    "note (G1, G2, …) wherever you rely on it:"
)
_UNSEEN = "(The post has a picture, which you are not shown.)"


@dataclass(frozen=True)
class Post:
    """An item as a method sees it. `nonce` fences every word of it; the same run has the same one."""

    text: str
    picture: Picture | None
    categories: tuple[CategoryValue, ...]
    nonce: str
    description: str | None = None
    """The picture in words, for methods that judge by words alone; empty where nobody described it."""
    known: tuple[Known, ...] = ()
    """What the project's glossary says of words in the text, for runs that are given it."""

    @cached_property
    def fenced(self) -> Fenced:
        """The text, as material."""
        return fence(self.text, self.nonce, name="post")

    def in_words(self, description: str) -> "Post":
        """The post without its picture, whose description, perhaps an empty one, takes its place; itself if it has
        none."""
        return self if self.picture is None else replace(self, picture=None, description=description)

    def fenced_as(self, name: str, text: str) -> str:
        """Another text than the post's, as material; `name` is one of the fence's own words."""
        return fence(text, self.nonce, name=name).text

    def suspects(self, text: str) -> bool:
        """Whether a text looks like an attempt to steer whoever reads it."""
        return bool(fence(text, self.nonce).suspicions)

    @cached_property
    def words(self) -> str:
        """The post for a prompt: its text, whether a picture belongs to it, and what is known of its words."""
        if not self.known:
            return self._bare
        told_of = self.fenced_as("note", told(self.known))
        return f"{self._bare}\n\n{_KNOWN}\n{told_of}"

    @property
    def _bare(self) -> str:
        text = self.fenced.text if self.text else _NO_TEXT
        if self.description:
            return f"{text}\n\nIts picture, as a model describes it:\n{self.fenced_as('description', self.description)}"
        if self.description is not None:
            return f"{text}\n{_UNSEEN}"
        return f"{text}\n{_PICTURE if self.picture else _NO_PICTURE}"

    @cached_property
    def kinds(self) -> str:
        """The hateful categories for a prompt, a line each."""
        return _listed([each for each in self.categories if each.hateful])

    @cached_property
    def listed(self) -> str:
        """All categories for a prompt, a line each."""
        return _listed(self.categories)

    @cached_property
    def rule(self) -> str:
        """What the system message says of everything that is fenced here."""
        return house_rule(self.nonce)

    @cached_property
    def known_categories(self) -> list[dict[str, Any]]:
        """The categories as the built-in model is told of them."""
        return [
            {"code": each.code, "name": each.name, "hateful": each.hateful, "aliases": list(each.aliases)}
            for each in self.categories
        ]

    def said(self, value: Any) -> str:
        """What a model said before, for another model: it may repeat the post's orders, so it is fenced as well."""
        written = value if isinstance(value, str) else _laid_out(value)
        return fence(written, self.nonce, name="argument").text

    def step(self, key: str, role: str, method: str, template: str, fields: dict[str, str], **more: Any) -> Step:
        """A question about this post; `fields` beside `post`, `rule`, `kinds` and `categories` fill the template."""
        filled = {
            "post": self.words,
            "rule": self.rule,
            "kinds": self.kinds,
            "categories": self.listed,
        } | fields
        words = prompt("moderation", method, template)
        messages: tuple[Message, ...] = words.messages(filled, *([self.picture] if self.picture else []))
        context = {
            "text": self.text,
            "has_picture": self.picture is not None or self.description is not None,
            "glossary": [vars(each) for each in self.known],
            "categories": self.known_categories,
        }
        return Step(
            key=key,
            role=role,
            messages=messages,
            prompt_digest=words.digest,
            canary=self.nonce,
            suspect=bool(self.fenced.suspicions) or self.suspects(self.description or ""),
            context=context | more.pop("context", {}),
            **more,
        )


def post_of(run: Run) -> Post | None:
    """The post of a run; None where it is gone or was taken out."""
    nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.public_id))
    if is_aside(run):
        return _post_of_case(run, nonce)
    item = _SHOWN.first(item=run.subject, project=run.project)
    if item is None:
        return None
    known = _known(run, item.project, item.text) if _is_told(run) else ()
    categories = tuple(category.value() for category in _CATEGORIES.rows(project=item.project_id))
    return Post(item.text, _picture(item), categories, nonce, known=known)


def _is_told(run: Run) -> bool:
    """Whether the run was started with the glossary."""
    return bool(run.options.get("glossary"))


def _known(run: Run, project: Project, text: str) -> tuple[Known, ...]:
    """What the glossary says of the text."""
    before = run.forked_from.public_id if run.forked_from else None
    return glossing.given_to(run.public_id, project, text, like=before)


def is_aside(run: Run) -> bool:
    """Whether the run is about a case of an evaluation: it settles nothing about any item."""
    return run.variant.startswith(ASIDE)


def is_there(run: Run) -> bool:
    """Whether what the run is about is still there."""
    return cases_of(run).exists() if is_aside(run) else stand_of(run) is not None


def cases_of(run: Run) -> QuerySet[EvaluationCase]:
    """The case of a run that stands aside, as a query; empty where its item is gone or was taken out."""
    return EvaluationCase.objects.filter(public_id=run.subject).exclude(item__stage=Stage.EXCLUDED)


def _post_of_case(run: Run, nonce: str) -> Post | None:
    case = cases_of(run).select_related("evaluation__project", "item__picture").first()
    if case is None:
        return None
    categories, project = case.evaluation.category_values(), case.evaluation.project
    text = case.text if case.item is None else case.item.text
    known = _known(run, project, text) if project and _is_told(run) else ()
    if case.item is not None:
        return Post(text, _picture(case.item), categories, nonce, known=known)
    try:
        return Post(text, _picture_at(case), categories, nonce, known=known)
    except OSError:
        return None


def _picture_at(case: EvaluationCase) -> Picture | None:
    """The picture that belongs to a case of a file. Raises OSError where it is not the one that was there before."""
    if not case.picture_path:
        return None
    with open(case.picture_path, "rb") as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != case.picture_sha256:
        raise OSError(f"{case.picture_path} has changed.")
    return Picture(content, media_type_of(content) or "image/jpeg")


def media_type_of(content: bytes) -> str | None:
    """The type of a picture by its first bytes; None where it is none that models are sent."""
    if content[8:12] == b"WEBP":
        return "image/webp"
    return next((media for magic, media in _MAGIC if content.startswith(magic)), None)


_MAGIC = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF8", "image/gif"))


def item_of(run: Run) -> Item | None:
    """The item of a run with its project, picture and category; None where it is gone or was taken out."""
    return _ITEM.first(item=run.subject, project=run.project)


def stand_of(run: Run) -> Item | None:
    """The item of a run with what people have said of it so far and nothing else; None as for `item_of`."""
    return _STAND.first(item=run.subject, project=run.project)


_FOUND = Item.objects.filter(
    public_id=slot("item", Item._meta.get_field("public_id")),
    project__public_id=slot("project", Project._meta.get_field("public_id")),
).exclude(stage=Stage.EXCLUDED)
_SHOWN = Statement(_FOUND.select_related("picture").only("text", "project", "picture__file", "picture__media_type"))
_ITEM = Statement(_FOUND.select_related("project", "picture", "category"))
_STAND = Statement(
    _FOUND.select_related("category").only("stage", "category_source", "category__code", "category__hateful")
)
_CATEGORIES = Statement(Category.objects.filter(project=slot("project")).order_by("code"))


def _laid_out(value: Any) -> str:
    """JSON to be read: an entry of the outer list a line. (`indent` would not use the fast encoder.)"""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in value) + "\n]"


def _listed(categories: Sequence[CategoryValue]) -> str:
    return "\n".join(
        f"- {each.code}: {each.name} ({'hateful' if each.hateful else 'not hateful'})"
        + (f". {' '.join(each.definition.split())}" if each.definition else "")
        for each in categories
    )


def _picture(item: Item) -> Picture | None:
    if item.picture is None:
        return None
    with item.picture.file.open("rb") as file:
        return Picture(file.read(), item.picture.media_type)
