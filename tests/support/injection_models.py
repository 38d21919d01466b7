"""Fake writers of samples behind the wire server, and a project with all material for samples."""

import json
import re
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from itertools import count
from typing import Any

from PIL import Image

from annotation.domain.choices import Role
from annotation.models import Category, Membership, Project
from builders import category, make_member, make_picture, make_project
from generation.domain.injection.states import SampleState
from generation.injection import material
from generation.injection import settings as injection_settings
from generation.models import InjectionBatch, PicturePool, PoolPicture, Sample
from providers import wiring
from wire.server import Exchange, Heard, WireServer, sensible

GROUP = "newcomers"
TEXT = "They put <insult> on our letterbox, and we put flowers on it."
_HOW = re.compile(r"How it works: (.+)")
_HARMLESS = "meant as: NotHate"
_NUMBERS = (
    *("amber", "birch", "cedar", "dune", "ember", "fjord", "grove", "heath", "islet", "juniper", "kelp", "larch"),
    *("marsh", "north", "ocean", "poplar", "quarry", "reed", "slope", "tarn", "upland", "valley", "willow"),
)


@dataclass
class Writers:
    """The answers: first `texts` in order, then a new sentence each time.

    The model that looks sees what the project was told of the picture, and the planned group, unless `sees` says
    otherwise; the writer reads its text as it was asked for, unless `reads` does.
    """

    texts: list[str] = field(default_factory=list)
    sees: list[dict[str, Any]] = field(default_factory=list)
    reads: dict[str, Any] = field(default_factory=dict)
    looked: list[Heard] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    asked: list[Heard] = field(default_factory=list)
    _number: Iterator[int] = field(default_factory=count)

    def __call__(self, exchange: Exchange) -> None:
        if exchange.heard.model == "reader":
            hateful = "<insult>" in exchange.heard.said("user")
            read = {"explanation": "By its insult alone.", "category": int(hateful), "severity": 2 * int(hateful)}
            return exchange.send(200, exchange.reply(json.dumps(read)))
        if is_a_look(exchange.heard):
            return self._look(exchange)
        if not is_a_sample(exchange.heard):
            return sensible(exchange)
        self.asked.append(exchange.heard)
        text = (
            self.texts.pop(0) if self.texts else self._fresh("<insult> in its place" in exchange.heard.said("system"))
        )
        hateful = {
            "text_label": int("<insult>" in text),
            "final_label": int(_HARMLESS not in exchange.heard.said("user")),
        }
        answer = {"text": text, "target_group": GROUP, **hateful, "people": self.people, **self.reads}
        exchange.send(200, exchange.reply(json.dumps(answer)))

    def _look(self, exchange: Exchange) -> None:
        self.looked.append(exchange.heard)
        [picture] = exchange.heard.pictures
        seen = {"description": "A sign in a street.", "category": alone(picture), "target_group": GROUP}
        exchange.send(200, exchange.reply(json.dumps(seen | (self.sees.pop(0) if self.sees else {}))))

    def _fresh(self, hateful: bool) -> str:
        """Return a text that shares no words with the earlier ones, except for the last."""
        number = next(self._number)
        words = [_NUMBERS[(number * step + step) % len(_NUMBERS)] + str(number) for step in (1, 3, 5, 7, 11)]
        return f"{' '.join(words).capitalize()}{', <insult>' if hateful else ''}."


def is_a_look(heard: Heard) -> bool:
    """Return whether a request asks what a picture shows before a text is written for it."""
    return "You look at a picture before a text" in heard.said("system")


def alone(picture: str) -> int:
    """Return the code that the pool of a test gives to a picture alone: hateful ones are of odd width."""
    return Image.open(BytesIO(b64decode(picture.partition(",")[2]))).width % 2


def is_a_sample(heard: Heard) -> bool:
    """Return whether a request asks for a sample."""
    return "for a research collection" in heard.said("system")


def strategy_of(heard: Heard) -> str:
    """Return the strategy of a request, in the words of the prompt."""
    match = _HOW.search(heard.said("system"))
    assert match is not None
    return match[1]


@contextmanager
def writers_on_the_wire(settings: Any, **options: Any) -> Iterator[tuple[WireServer, Writers]]:
    """Start a server with these models and point the site's settings at it."""
    writers = Writers()
    with WireServer(otherwise=writers, **options) as server:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = server.openai_url, "sk-test"
        settings.MODEL_ATTEMPTS, settings.MODEL_BACKOFF = 2, 0
        settings.MODEL_BINDINGS = {
            "MODEL_DESCRIBER": "openai:looker",
            "MODEL_SAMPLE_WRITER": "openai:writer",
            "MODEL_PARAPHRASER": "openai:paraphraser",
            "MODEL_TEXT": "openai:reader",
            "MODEL_VISION": "openai:wire-sensible",
        }
        settings.MODEL_ALLOWED = ["openai:*"]
        for cache in (wiring._connection, wiring._breaker, wiring._gate):
            cache.cache_clear()
        yield server, writers


def make_injecting_project(slug: str = "garden", **fields: Any) -> tuple[Project, Membership]:
    """Create a project whose admin has accepted the terms of injection."""
    project = make_project(slug, **fields)
    admin = make_member(project, Role.ADMIN)
    injection_settings.switch_on(admin, injection_settings.TERMS_VERSION)
    return project, admin


def make_pool(
    admin: Membership, name: str = "street", codes: Sequence[int | None] = (1, 1, 0, 0), group: str = GROUP
) -> PicturePool:
    """Create a pool of drawn pictures, one per code of the category that the picture has alone; None: not known."""
    pool = material.make_pool(admin.project, name, group, "CC0-1.0", "drawn for a test", admin)
    for code in codes:
        prior = None if code is None else category(admin.project, code)
        drawn = make_picture(admin.project, (640 + bool(code), 480))
        row = PoolPicture(pool=pool, picture=drawn, category=prior)
        row.model = "openai:seer" if prior else ""
        row.name = f"{name}-{row.picture.pk}.png"
        row.explanation = "People in a street." if prior else ""
        row.save()
    return pool


def entry(pattern: str = "010", strategy: str = "contextual_inversion", n: int = 1, **fields: Any) -> dict[str, Any]:
    """Return an entry of a plan; a pattern that is hateful together has category 1 here."""
    fixed = {"pattern": pattern, "category": int(pattern[2]), "strategy": strategy, "target_group": GROUP}
    return {**fixed, "pool": "street", "count": n, **fields}


def make_sample(pool: PicturePool, text: str = TEXT, pattern: str = "110", **fields: Any) -> Sample:
    """Create a written sample that waits for review."""
    project = pool.project
    batch, _ = InjectionBatch.objects.get_or_create(project=project, number=1, defaults={"plan": [entry()], "seed": 1})
    number = batch.samples.count() + 1
    hateful = pattern[1] == "1"
    pool_picture = fields.pop("pool_picture", None) or pool.pictures.filter(category__hateful=hateful)[number % 2]
    defaults = {
        "strategy": "victim_perspective", "target_group": GROUP, "state": SampleState.WAITING, "model": "writer",
        "prompt_digest": "d" * 64, "seed": number, "order": number,
    }  # fmt: skip
    return Sample.objects.create(
        project=project, batch=batch, entry=1, number=number, pattern=pattern, text=text, pool_picture=pool_picture,
        intended=Category.objects.get(project=project, code=int(pattern[2])), **{**defaults, **fields},
    )  # fmt: skip
