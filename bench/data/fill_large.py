"""Fill the configured database with a large project `large`: `python bench/data/fill_large.py [ITEMS [ANNOTATORS]]`.

290,000 items in English, Korean and Chinese, three labels each by 100 annotators (870,000 labels), two priors each,
an event for each label, words in every tenth picture, every fifteenth item disputed, some decided by a reviewer. What
a row holds depends only on its number, so that two databases hold the same project. Signs in as `large-admin`.

bench/pages.py opens the project's pages.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import connection, transaction
from django.utils import timezone

from annotation.core.bulk_insert import Keys, Rows, Sender
from annotation.domain.choices import EventVerb, Level, PriorArm, Reason, Role, Source, Stage
from annotation.domain.patterns import pattern_of
from annotation.members.join import add_member
from annotation.models import (
    Adjudication,
    Batch,
    Dispute,
    Event,
    Item,
    Label,
    Membership,
    PictureText,
    Prior,
    Project,
    Ruling,
    Seat,
    User,
)
from annotation.projects.create import create_project

ITEMS, ANNOTATORS, SEATS, CHUNK = 290_000, 100, 3, 10_000
DAYS = 60
ENGLISH = "a remark about weeds and roses in the old garden behind our house where nobody ever goes any more"
KOREAN = "오늘 아침 정원에 있는 장미와 잡초에 대해 이웃 사람들이 하는 이야기를 다시 들었다"
CHINESE = "今天早上 邻居们 又 谈到 花园里 的 玫瑰 和 杂草 大家 都 觉得 很 有意思 我 不同意"
LANGUAGES = [(ENGLISH.split(), " ")] * 3 + [(KOREAN.split(), " "), (CHINESE.split(), "")]
TABLES = (Item, Seat, Label, Prior, Event, PictureText, Dispute, Adjudication)


def noise(number: int, salt: int = 0) -> int:
    """Return a number below 2**32 that looks random and depends on nothing else."""
    number = (number * 2_654_435_761 + salt * 40_503 + 12_345) & 0xFFFFFFFF
    number ^= number >> 15
    number = (number * 2_246_822_519) & 0xFFFFFFFF
    return number ^ (number >> 13)


def text_of(number: int) -> str:
    words, glue = LANGUAGES[number % 5]
    chosen = [words[noise(number, place) % len(words)] for place in range(18)]
    return f"Post {number}: {glue.join(chosen)}"


def chosen_by(number: int, seat: int) -> int | None:
    """Return the code that a seat chose: mostly the item's own, sometimes another, seldom none."""
    drawn = noise(number, 100 + seat) % 100
    if drawn < 78:
        return number % 6
    return None if drawn >= 98 else noise(number, 200 + seat) % 6


class LargeProject:
    """The rows of the project, a few thousand items at a time."""

    def __init__(self, project: Project, people: Sequence[Membership], reviewer: Membership) -> None:
        self.project, self.people, self.reviewer = project, people, reviewer
        self.categories = list(project.categories.order_by("code"))
        self.guideline = project.guidelines.get()
        self.item_keys, self.seat_keys, self.label_keys, self.prior_keys = map(Keys, (Item, Seat, Label, Prior))
        self.rows = {model: Rows(model) for model in TABLES}
        self.began = timezone.now() - timedelta(days=DAYS)

    def reserve(self, items: int) -> None:
        """Reserve all keys, because a running COPY needs the connection for itself."""
        self.item_keys.reserve(items)
        self.prior_keys.reserve(2 * items)
        self.seat_keys.reserve(SEATS * items)
        self.label_keys.reserve(SEATS * items)

    def add(self, number: int) -> None:
        key = self.item_keys.next()
        codes = [chosen_by(number, seat) for seat in range(SEATS)]
        most = max(set(codes), key=lambda code: (codes.count(code), -1 if code is None else code))
        agreed = most is not None and codes.count(most) >= 2
        disputed = not agreed or number % 15 == 0
        decided = disputed and number % 4 == 0
        closed = self.moment(number, SEATS)
        code = number % 6 if most is None or not agreed else most
        self.add_item(number, key, code, disputed and not decided, decided, closed)
        priors = self.add_priors(number, key)
        for seat in range(SEATS):
            self.add_label(number, key, seat, codes[seat], priors)
        if disputed:
            self.add_dispute(key, closed, number % 6, agreed=agreed, decided=decided)
        if number % 10 == 0:
            words = f"{text_of(number + 7)[-30:]} picture {number}"
            self.rows[PictureText].add(item_id=key, text=words, reader="bench", created_at=self.began)

    def add_item(self, number: int, key: int, code: int, disputed: bool, decided: bool, closed: datetime) -> None:
        hateful = code > 0
        pattern = f"{noise(number, 1) % 2}{noise(number, 2) % 2}{int(hateful)}"
        gold = not disputed
        self.rows[Item].add(
            id=key,
            project_id=self.project.pk,
            external_id=f"large-{number}",
            text=text_of(number),
            batch=f"batch {number % 20:02}",
            stage=Stage.GOLD if gold else Stage.DISPUTED,
            taken=SEATS,
            informativeness=noise(number, 3) % 4,
            level=(Level.WEAK if number % 3 else Level.PERFECT) if gold and not decided else Level.NONE,
            category_id=self.categories[code].pk if gold else None,
            hateful=hateful if gold else None,
            category_source=(Source.ADJUDICATED if decided else Source.CONSENSUS) if gold else None,
            pattern=pattern if gold else None,
            difficulty=pattern_of(pattern).difficulty if gold else None,
            created_at=self.began,
            closed_at=closed,
            gold_at=closed if gold else None,
        )

    def add_priors(self, number: int, key: int) -> list[int]:
        shown = []
        for salt, modality in ((1, "text"), (2, "image")):
            shown.append(self.prior_keys.next())
            self.rows[Prior].add(
                id=shown[-1],
                item_id=key,
                modality=modality,
                category_id=self.categories[noise(number, salt) % 6].pk,
                explanation="Nothing is named. " * 4,
                model="bench",
                created_at=self.began,
            )
        return shown

    def add_label(self, number: int, item: int, seat: int, code: int | None, priors: list[int]) -> None:
        person = self.people[(noise(number, 4) + seat * 7) % len(self.people)].pk
        seat_key, label_key, moment = self.seat_keys.next(), self.label_keys.next(), self.moment(number, seat + 1)
        withheld = noise(number, 300 + seat) % 5 == 0
        arm = PriorArm.WITHHELD if withheld else PriorArm.SHOWN
        public_id = UUID(int=noise(number, 400 + seat) << 64 | label_key).hex
        self.rows[Seat].add(
            id=seat_key, item_id=item, number=seat + 1, seats=SEATS, annotator_id=person, label_id=label_key,
            held_at=moment - timedelta(minutes=1), shown_at=moment - timedelta(seconds=20), filled_at=moment,
            prior_arm=arm,
        )  # fmt: skip
        self.rows[Label].add(
            id=label_key,
            public_id=public_id,
            seat_id=seat_key,
            item_id=item,
            annotator_id=person,
            category_id=None if code is None else self.categories[code].pk,
            not_sure=code is None,
            seconds=5 + noise(number, 500 + seat) % 200 / 10,
            prior_arm=arm,
            priors_shown=[] if withheld else priors,
            guideline_id=self.guideline.pk,
            created_at=moment,
        )
        self.add_event(EventVerb.LABELLED, person, item, public_id, moment)

    def add_event(self, verb: EventVerb, actor: int, item: int, row: str, moment: datetime | None) -> None:
        self.rows[Event].add(project_id=self.project.pk, actor_id=actor, verb=verb, item_id=item, row=row, at=moment)

    def add_dispute(self, item: int, opened: datetime, code: int, *, agreed: bool, decided: bool) -> None:
        settled = opened + timedelta(hours=5) if decided else None
        reason = Reason.MODEL_CONFLICT if agreed else Reason.NO_MAJORITY
        self.rows[Dispute].add(item_id=item, reason=reason, opened_at=opened, settled_at=settled)
        if decided:
            public_id = UUID(int=noise(item, 600) << 64 | item).hex
            self.rows[Adjudication].add(
                public_id=public_id,
                item_id=item,
                round=1,
                reviewer_id=self.reviewer.pk,
                ruling=Ruling.DECIDE,
                category_id=self.categories[code].pk,
                rationale="Read together, the post says this.",
                item_version=1,
                created_at=settled,
            )
            self.add_event(EventVerb.DECIDE, self.reviewer.pk, item, public_id, settled)

    def moment(self, number: int, place: int) -> datetime:
        """Return when a label was given: items are labelled in their order, over some weeks."""
        return self.began + timedelta(seconds=(DAYS - 1) * 86_400 * number / ITEMS % ((DAYS - 1) * 86_400) + 60 * place)


def members(project: Project, annotators: int) -> list[Membership]:
    users = User.objects.bulk_create(User(username=f"large-{n}", password="") for n in range(annotators))
    return Membership.objects.bulk_create(
        Membership(project=project, user=user, pseudonym=f"L{n:03}", annotates=True, consent_version=1)
        for n, user in enumerate(users)
    )


def fill(items: int = ITEMS, annotators: int = ANNOTATORS) -> Project:
    project = create_project("large", name="Large")
    for role in (Role.ADMIN, Role.REVIEWER):
        admin = add_member(project, "large-admin", role).membership
    Batch.objects.bulk_create(Batch(project=project, name=f"batch {n:02}") for n in range(20))
    with transaction.atomic():
        large = LargeProject(project, members(project, annotators), admin)
        with Sender() as sender:
            large.reserve(items)
            for chunk in chunks(items):
                for number in chunk:
                    large.add(number)
                sender.send([rows.take() for rows in large.rows.values()])
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE" if connection.vendor == "sqlite" else "VACUUM ANALYZE")
    return project


def chunks(items: int) -> Iterator[range]:
    return (range(first, min(first + CHUNK, items)) for first in range(0, items, CHUNK))


if __name__ == "__main__":
    fill(*map(int, sys.argv[1:]))
