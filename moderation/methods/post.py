"""The post a method looks at: its words fenced, its picture, the project's categories and kinds of hate."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings

from annotation.domain.votes import Category
from annotation.domain.words import Stage
from annotation.models import Item
from providers.fencing import Fenced, fence, house_rule, nonce_for
from providers.messages import Message, Picture
from runs.method import Step
from runs.models import Run
from runs.prompting import prompt

_NO_TEXT = "(The post has no text.)"
_NO_PICTURE = "(The post has no picture.)"
_PICTURE = "(The picture follows.)"


@dataclass(frozen=True)
class Post:
    """An item as a method sees it. `nonce` fences every word of it; the same run has the same one."""

    text: str
    picture: Picture | None
    categories: tuple[Category, ...]
    nonce: str

    @cached_property
    def fenced(self) -> Fenced:
        """The text, as material."""
        return fence(self.text, self.nonce, name="post")

    @property
    def words(self) -> str:
        """The post for a prompt: its text, and whether a picture belongs to it."""
        text = self.fenced.text if self.text else _NO_TEXT
        return f"{text}\n{_PICTURE if self.picture else _NO_PICTURE}"

    @property
    def kinds(self) -> str:
        """The hateful categories for a prompt, a line each."""
        return _listed([each for each in self.categories if each.hateful])

    @property
    def listed(self) -> str:
        """All categories for a prompt, a line each."""
        return _listed(self.categories)

    def said(self, value: Any) -> str:
        """What a model said before, for another model: it may repeat the post's orders, so it is fenced as well."""
        written = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)
        return fence(written, self.nonce, name="argument").text

    def step(self, key: str, role: str, method: str, template: str, fields: dict[str, str], **more: Any) -> Step:
        """A question about this post; `fields` beside `post`, `rule`, `kinds` and `categories` fill the template."""
        filled = {
            "post": self.words,
            "rule": house_rule(self.nonce),
            "kinds": self.kinds,
            "categories": self.listed,
        } | fields
        words = prompt("moderation", method, template)
        messages: tuple[Message, ...] = words.messages(filled, *([self.picture] if self.picture else []))
        context = {
            "text": self.text,
            "has_picture": self.picture is not None,
            "categories": [
                {"code": each.code, "name": each.name, "hateful": each.hateful, "aliases": list(each.aliases)}
                for each in self.categories
            ],
        }
        return Step(
            key=key,
            role=role,
            messages=messages,
            prompt_digest=words.digest,
            canary=self.nonce,
            suspect=bool(self.fenced.suspicions),
            context=context | more.pop("context", {}),
            **more,
        )


def post_of(run: Run) -> Post | None:
    """The post of a run; None where it is gone or was taken out."""
    item = items_of(run).select_related("project", "picture").first()
    if item is None:
        return None
    nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.public_id))
    return Post(item.text, _picture(item), item.project.category_values(), nonce)


def items_of(run: Run) -> Any:
    """The item of a run as a query, empty where it is gone or was taken out."""
    return Item.objects.filter(public_id=run.subject, project__public_id=run.project).exclude(stage=Stage.EXCLUDED)


def _listed(categories: Sequence[Category]) -> str:
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
