"""The post as a method gets it: its fenced text, its picture, the project's categories.

The subject of a run is an item of its project, or a case of an evaluation.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.conf import settings
from django.db.models import QuerySet

from annotation.core.extensions import pasted_text
from annotation.domain.choices import Stage
from annotation.domain.glossary.prompt_text import Known, told
from annotation.domain.votes import Category as CategoryValue
from annotation.glossary import entries
from annotation.models import Category, Item, Project
from annotation.picture_text.texts import ItemTexts, words_at
from moderation.methods.prompt_choice import APP
from moderation.models import EvaluationCase
from providers.messages import Message, Picture
from providers.prompt_fencing import FencedText, fence, nonce_for
from providers.roles import ModelRole
from runs.domain.states import ASIDE
from runs.methods.method import Step
from runs.methods.prompt_sets import CAREFUL
from runs.methods.prompts import load_prompt
from runs.models import Run
from runs.sql.compiled_queries import CompiledQuery, slot

_NO_TEXT = "(The post has no text.)"
_NO_PICTURE = "(The post has no picture.)"
_PICTURE = "(The picture follows.)"
_DESCRIBED = "Its picture, as a model describes it:"
_KNOWN = (
    "People of this project have noted what some words in it can mean. Weigh whether they mean that here, and name the "
    "note (G1, G2, …) wherever you rely on it:"
)
_READ = "Words in its picture, as they were read there (readers err):"
_UNSEEN = "(The post has a picture, which you are not shown.)"


@dataclass(frozen=True)
class Post:
    """A post for a method. `nonce` fences all its words; it is the same in all runs of the method on this post."""

    text: str
    picture: Picture | None
    categories: tuple[CategoryValue, ...]
    nonce: str
    description: str | None = None
    """The picture in words, for methods that judge by words only; empty if no model described it, None if not used."""
    picture_text: str = ""
    """The words that were read in the picture; methods that judge by words only get them."""
    known: tuple[Known, ...] = ()
    """The glossary entries for words in the text and the picture, for runs with the glossary."""
    prompts: str = CAREFUL
    """The prompt set that the questions are taken from."""
    reader: str = ""
    """The model that reads a reason once more where the rules are not sure of it; empty: none does."""

    @cached_property
    def fenced(self) -> FencedText:
        """The fenced text."""
        return fence(self.text, self.nonce, name="post")

    def in_words(self, description: str) -> "Post":
        """Return the post with this description instead of its picture; a post without a picture stays the same.

        The description may be empty: no model described the picture.
        """
        return self if self.picture is None else replace(self, picture=None, description=description)

    def fenced_as(self, name: str, text: str) -> str:
        """Return another text, fenced; `name` is one of the fence's names."""
        return fence(text, self.nonce, name=name).text

    def suspects(self, text: str) -> bool:
        """Return whether a text looks like an attempt to steer its reader."""
        return bool(text.strip(" \n") and fence(text, self.nonce).suspicions)

    @cached_property
    def words(self) -> str:
        """The post for a prompt: its text, whether it has a picture, and the glossary entries for its words."""
        if not self.known:
            return self._bare
        told_of = self.fenced_as("note", told(self.known))
        return f"{self._bare}\n\n{_KNOWN}\n{told_of}"

    @property
    def _bare(self) -> str:
        text = self.fenced.text if self.text else _NO_TEXT
        if self.description is None:
            return f"{text}\n{_PICTURE if self.picture else _NO_PICTURE}"
        parts = [
            f"\n\n{heading}\n{self.fenced_as('description', words)}"
            for heading, words in ((_DESCRIBED, self.description), (_READ, self.picture_text))
            if words
        ]
        return text + ("".join(parts) or f"\n{_UNSEEN}")

    @property
    def _told_words(self) -> str:
        """The words of the picture, if this question contains them."""
        return "" if self.description is None else self.picture_text

    @cached_property
    def kinds(self) -> str:
        """The hateful categories for a prompt, one a line."""
        return _listed([category for category in self.categories if category.hateful])

    @cached_property
    def listed(self) -> str:
        """All categories for a prompt, one a line."""
        return _listed(self.categories)

    @cached_property
    def known_categories(self) -> list[dict[str, Any]]:
        """The categories for the built-in model."""
        return [
            {
                "code": category.code,
                "name": category.name,
                "hateful": category.hateful,
                "aliases": list(category.aliases),
            }
            for category in self.categories
        ]

    def fenced_answer(self, value: Any) -> str:
        """Return an earlier answer of a model, fenced, since it may repeat instructions from the post."""
        written = value if isinstance(value, str) else _laid_out(value)
        return fence(written, self.nonce, name="argument").text

    def step(self, key: str, role: str, method: str, template: str, fields: dict[str, str], **more: Any) -> Step:
        """Return a question about this post.

        `fields` fill the template, together with `post`, `kinds` and `categories`.

        Raises ValueError for a picture and a role that is declared as one of words: a text model could answer it.
        """
        if self.picture and not ModelRole(role).is_shown_pictures:
            raise ValueError(f"{role} is shown a picture: declare it with PICTURES in providers/roles.py.")
        filled = {
            "post": self.words,
            "kinds": self.kinds,
            "categories": self.listed,
        } | fields
        words = load_prompt(APP, method, template, self.prompts)
        pictures = [self.picture] if self.picture else []
        messages: tuple[Message, ...] = words.messages(filled, *pictures, nonce=self.nonce)
        context = {
            "text": self.text,
            "has_picture": self.picture is not None or self.description is not None,
            "glossary": [vars(entry) for entry in self.known],
            "categories": self.known_categories,
        }
        return Step(
            key=key,
            role=role,
            messages=messages,
            prompt_digest=words.digest,
            canary=self.nonce,
            suspect=bool(self.fenced.suspicions) or self.suspects(f"{self.description or ''}\n{self._told_words}"),
            context=context | more.pop("context", {}),
            **more,
        )


def post_of(run: Run) -> Post | None:
    """Return the post of a run, with the run's prompt set. Runs from before there were sets use `careful`.

    Returns None if the item is gone or excluded.
    """
    post = _stored_post(run)
    reader = run.model_plan.get(ModelRole.READER, "")
    return replace(post, prompts=run.options.get("prompts") or CAREFUL, reader=reader) if post else None


def _stored_post(run: Run) -> Post | None:
    # By the post, not by the run: repeats begin with the same words, which a provider has read already.
    nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.subject))
    if is_of_evaluation(run):
        return _post_of_case(run, nonce)
    item = _SHOWN.first(item=run.subject, project=run.project)
    if item is None:
        return _pasted_post(run, nonce)
    texts = _texts(run, item)
    entries_of_text = _known(run, item.project, texts.joined) if _is_told(run) else ()
    categories = tuple(category.value() for category in _CATEGORIES.rows(project=item.project_id))
    return Post(item.text, _picture(item), categories, nonce, picture_text=texts.picture, known=entries_of_text)


def _pasted_post(run: Run, nonce: str) -> Post | None:
    """Return a post that is no item of the project: a text that somebody pasted elsewhere on the site."""
    text = pasted_text(run.project, run.subject)
    project = Project.objects.filter(public_id=run.project).first() if text is not None else None
    if text is None or project is None:
        return None
    entries_of_text = _known(run, project, text) if _is_told(run) else ()
    categories = tuple(category.value() for category in _CATEGORIES.rows(project=project.pk))
    return Post(text, None, categories, nonce, known=entries_of_text)


def _texts(run: Run, item: Item) -> ItemTexts:
    """Return the text of an item, and the words of its picture as they were known when the run was started."""
    return ItemTexts(item.text, words_at(item.pk, run.created_at) if item.picture_id else "")


def _is_told(run: Run) -> bool:
    """Return whether the run was started with the glossary."""
    return bool(run.options.get("glossary"))


def _known(run: Run, project: Project, text: str) -> tuple[Known, ...]:
    """Return the glossary entries for the text."""
    before = run.forked_from.public_id if run.forked_from else None
    return entries.given_to(run.public_id, project, text, like=before)


def is_of_evaluation(run: Run) -> bool:
    """Return whether the run is about a case of an evaluation; it then changes no item."""
    return run.variant.startswith(ASIDE)


def post_exists(run: Run) -> bool:
    """Return whether the subject of the run still exists."""
    if is_of_evaluation(run):
        return evaluation_case_of(run).exists()
    return item_decision_of_run(run) is not None or pasted_text(run.project, run.subject) is not None


def evaluation_case_of(run: Run) -> QuerySet[EvaluationCase]:
    """Return the case of an evaluation's run as a query; empty if its item is gone or excluded."""
    return EvaluationCase.objects.filter(public_id=run.subject).exclude(item__stage=Stage.EXCLUDED)


def _post_of_case(run: Run, nonce: str) -> Post | None:
    case = evaluation_case_of(run).select_related("evaluation__project", "item__picture").first()
    if case is None:
        return None
    categories, project = case.evaluation.category_values(), case.evaluation.project
    texts = ItemTexts(case.text) if case.item is None else _texts(run, case.item)
    entries_of_text = _known(run, project, texts.joined) if project and _is_told(run) else ()
    try:
        picture = _picture_at(case)
    except OSError:
        return None
    if case.item is not None:
        picture = _picture(case.item)
    return Post(texts.text, picture, categories, nonce, picture_text=texts.picture, known=entries_of_text)


def _picture_at(case: EvaluationCase) -> Picture | None:
    """Return the picture of a case from a file.

    Raises OSError if the file has changed since the start.
    """
    if not case.picture_path:
        return None
    with open(case.picture_path, "rb") as file:
        content = file.read()
    if hashlib.sha256(content).hexdigest() != case.picture_sha256:
        raise OSError(f"{case.picture_path} has changed.")
    return Picture(content, media_type_of(content) or "image/jpeg")


def media_type_of(content: bytes) -> str | None:
    """Return the media type of a picture by its first bytes.

    Returns None for types that are not sent to models.
    """
    if content[8:12] == b"WEBP":
        return "image/webp"
    return next((media for magic, media in _MAGIC if content.startswith(magic)), None)


_MAGIC = ((b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n\x1a\n", "image/png"), (b"GIF8", "image/gif"))


def item_of_run(run: Run) -> Item | None:
    """Return the item of a run with its project, picture and category.

    Returns None if it is gone or excluded.
    """
    return _ITEM.first(item=run.subject, project=run.project)


def item_decision_of_run(run: Run) -> Item | None:
    """Return the item of a run with its stage, category and the source of its category only.

    Returns None if it is gone or excluded.
    """
    return _STAND.first(item=run.subject, project=run.project)


_SUBJECT_ITEMS = Item.objects.filter(
    public_id=slot("item", Item._meta.get_field("public_id")),
    project__public_id=slot("project", Project._meta.get_field("public_id")),
).exclude(stage=Stage.EXCLUDED)
_SHOWN = CompiledQuery(
    _SUBJECT_ITEMS.select_related("picture").only("text", "project", "picture__file", "picture__media_type")
)
_ITEM = CompiledQuery(_SUBJECT_ITEMS.select_related("project", "picture", "category"))
_STAND = CompiledQuery(
    _SUBJECT_ITEMS.select_related("category").only("stage", "category_source", "category__code", "category__hateful")
)
_CATEGORIES = CompiledQuery(Category.objects.offered().filter(project=slot("project")))


def _laid_out(value: Any) -> str:
    """Return JSON with one entry of the outer list per line; `indent` would not use the fast encoder."""
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n]"


def _listed(categories: Sequence[CategoryValue]) -> str:
    return "\n".join(
        f"- {category.code}: {category.name} ({'hateful' if category.hateful else 'not hateful'})"
        + (f". {' '.join(category.definition.split())}" if category.definition else "")
        for category in categories
    )


def _picture(item: Item) -> Picture | None:
    if item.picture is None:
        return None
    with item.picture.file.open("rb") as file:
        return Picture(file.read(), item.picture.media_type)
