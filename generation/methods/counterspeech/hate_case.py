"""The post that is answered, as the methods see it: its text and the description of its picture, fenced."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.conf import settings

from annotation.domain.choices import Stage
from annotation.glossary import entries as glossary_entries
from annotation.picture_text.texts import ItemTexts, words_at
from generation.domain.counterspeech.options import Described
from generation.models import Exchange
from providers.messages import Message, Picture
from providers.prompt_fencing import FencedText, fence, nonce_for
from providers.roles import ModelRole
from runs.domain.states import Reason, TurnState, reason_of
from runs.methods.method import GiveUp, SavedTurn, Step
from runs.methods.prompts import load_prompt
from runs.models import Run

APP = "generation"
POST_LANGUAGE = "the language of the post (of the description where the post has no text)"
_NO_TEXT = "(The post has no text.)"
_UNSEEN = "(A picture belongs to the post; nobody has described it.)"
_BELONGS = "(A picture belongs to the post; it follows.)"
_SHOWS = "A picture belongs to the post. It shows:"
_READ = "Words in that picture, as they were read there (readers err):"
_KNOWN = "What reviewers know about words in it:"


@dataclass(frozen=True)
class Hate:
    """A post, for one run.

    `picture` is set only while the picture still has to be described. `nonce` fences every text of others.
    """

    text: str
    has_picture: bool
    picture: Picture | None
    description: str
    nonce: str
    glossary: str = ""
    """What the project's glossary says about words of the post, a line each."""
    picture_text: str = ""
    """The words that were read in the picture."""

    @cached_property
    def fenced(self) -> FencedText:
        """The text of the post, fenced as material."""
        return fence(self.text, self.nonce, name="post")

    def words(self, description: str) -> str:
        """Return the post for a prompt: its text, what its picture shows, and the glossary's entries on its words."""
        parts = [self.fenced.text if self.text else _NO_TEXT]
        if self.has_picture:
            parts += [_SHOWS, self.quoted(description, "description")] if description else []
            parts += [_READ, self.quoted(self.picture_text, "description")] if self.picture_text else []
            parts += [] if description or self.picture_text else [_UNSEEN]
        if self.glossary:
            parts += [_KNOWN, self.quoted(self.glossary, "note")]
        return "\n".join(parts)

    def quoted(self, text: str, name: str) -> str:
        """Fence a text that somebody else wrote, because it may repeat the post's orders or contain its own."""
        return fence(text, self.nonce, name=name).text

    def describe(self) -> Step:
        """Return the question what the picture shows. The answer is optional."""
        words = load_prompt(APP, "counter_explain", "describe")
        text = self.fenced.text if self.text else _NO_TEXT
        pictures = [self.picture] if self.picture else []
        messages: tuple[Message, ...] = words.messages({"post": f"{text}\n{_BELONGS}"}, *pictures, nonce=self.nonce)
        return Step(
            key="describe",
            role=ModelRole.DESCRIBER,
            messages=messages,
            shape=Described,
            prompt_digest=words.digest,
            canary=self.nonce,
            suspect=bool(self.fenced.suspicions),
            optional=True,
            max_tokens=800,
        )

    def step(
        self, key: str, role: ModelRole, place: tuple[str, str], fields: dict[str, str], description: str, **more: Any
    ) -> Step:
        """Return a question with the prompt `place` (method, template).

        `post` and `rule` are filled in addition to `fields`.
        """
        words = load_prompt(APP, *place)
        filled = {"post": self.words(description)} | fields
        context = {"text": self.text} | more.pop("context", {})
        return Step(
            key=key,
            role=role,
            messages=words.messages(filled, nonce=self.nonce),
            prompt_digest=words.digest,
            canary=self.nonce,
            suspect=bool(self.fenced.suspicions),
            optional=True,
            context=context,
            **more,
        )


def exchange_of(run: Run) -> Exchange | None:
    """Return the exchange of a run. Returns None if it is gone, or its item was excluded."""
    rows = Exchange.objects.filter(public_id=run.subject, project__public_id=run.project)
    exchange = rows.select_related("project", "item", "item__picture").first()
    if exchange is None or (exchange.item is not None and exchange.item.stage == Stage.EXCLUDED):
        return None
    return exchange


def still_there(run: Run) -> bool:
    """Return whether the exchange of a run is still to be answered."""
    rows = Exchange.objects.filter(public_id=run.subject, project__public_id=run.project)
    return rows.exclude(item__stage=Stage.EXCLUDED).exists()


def hate_of(exchange: Exchange, run: Run) -> Hate:
    """Return the post of an exchange for this run.

    The picture is included if it has no description yet and a model that sees pictures is planned as describer.
    """
    nonce = nonce_for(settings.SECRET_KEY, run.method, str(run.public_id))
    has_picture = exchange.item is not None and exchange.item.picture is not None
    describer = run.model_plan.get(ModelRole.DESCRIBER, "")
    looks = has_picture and not exchange.description and describer and not describer.startswith("keyword:")
    picture = _picture(exchange) if looks else None
    words = words_at(exchange.item.pk, run.created_at) if exchange.item is not None and has_picture else ""
    glossary = _glossary(exchange, run, words)
    return Hate(exchange.hate, has_picture, picture, exchange.description, nonce, glossary, words)


def described(hate: Hate, turn: SavedTurn | None) -> str:
    """Return what the picture shows: the stored description, or else the answer of this run's describer."""
    if hate.description or turn is None or turn.state != TurnState.OK:
        return hate.description
    return str(turn.value["description"])


def give_up(turns: list[SavedTurn], sentence: str, otherwise: Reason = Reason.EMPTY_OUTPUT) -> GiveUp:
    """Return the end of a run that got no usable answer.

    The reason is that of the first turn that failed, or `otherwise` if none did.
    """
    first = next((turn for turn in turns if turn.state != TurnState.OK), None)
    reason = reason_of(first.reason) if first else otherwise
    return GiveUp(reason, f"{sentence} {first.detail if first else ''}".strip()[:500])


def _glossary(exchange: Exchange, run: Run, words: str) -> str:
    texts = ItemTexts(exchange.hate, words)
    entries = glossary_entries.given_to(run.public_id, exchange.project, texts.joined)
    return "\n".join(
        f"G{number} {entry.term}: {' '.join(entry.meaning.split())}"
        + (f" (about: {entry.target_group})" if entry.target_group else "")
        for number, entry in enumerate(entries, start=1)
    )


def _picture(exchange: Exchange) -> Picture | None:
    if exchange.item is None or exchange.item.picture is None:
        return None
    with exchange.item.picture.file.open("rb") as file:
        return Picture(file.read(), exchange.item.picture.media_type)
