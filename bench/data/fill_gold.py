"""Fill the configured database with a project `bench` of gold items: `python bench/data/fill_gold.py ITEMS`.

bench/release_items.py runs it in a separate process, so that its memory is not counted.
"""

import os
import sys
from pathlib import Path

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import connection, transaction
from django.utils import timezone

from annotation.models import Category, Guideline, Item, Label, Membership, Prior, Project, Seat

CHUNK = 5000


def fill(items: int) -> None:
    """Create a project of gold items with a text, two priors and three labels each, by 20 annotators in turn."""
    project = Project.objects.create(slug="bench", name="Bench")
    categories = Category.objects.bulk_create(
        Category(project=project, code=code, name=f"Kind {code}", hateful=code > 0, key=str(code)) for code in range(6)
    )
    guideline = Guideline.objects.create(project=project, text="Label.")
    people = Membership.objects.bulk_create(
        Membership(project=project, pseudonym=f"p{n}", imported_name=f"p{n}", annotates=True) for n in range(20)
    )
    for start in range(0, items, CHUNK):
        numbers = range(start, min(start + CHUNK, items))
        with transaction.atomic():
            rows = Item.objects.bulk_create(
                Item(
                    project=project,
                    external_id=f"i-{n}",
                    text=f"Post {n}: " + "a remark about weeds and roses in a garden, and then some more. " * 2,
                    stage="gold",
                    level="weak" if n % 3 else "perfect",
                    category=categories[n % 6],
                    hateful=n % 6 > 0,
                    category_source="consensus",
                    pattern=f"00{int(n % 6 > 0)}",
                    difficulty="hard" if n % 6 else "easy",
                    closed_at=timezone.now(),
                    gold_at=timezone.now(),
                )
                for n in numbers
            )
            Prior.objects.bulk_create(
                Prior(
                    item=item, modality=modality, category=categories[0], explanation="Nothing named. " * 5, model="m"
                )
                for item in rows
                for modality in ("text", "image")
            )
            seats = Seat.objects.bulk_create(
                Seat(item=item, number=number, seats=3, annotator=people[(n + number) % 20], filled_at=timezone.now())
                for n, item in zip(numbers, rows, strict=True)
                for number in (1, 2, 3)
            )
            Label.objects.bulk_create(
                Label(
                    seat=seat,
                    item_id=seat.item_id,
                    annotator=seat.annotator,
                    category=categories[(n // 3 + (n % 3 == 2 and n // 3 % 3 > 0)) % 6],
                    seconds=8.4,
                    guideline=guideline,
                )
                for n, seat in enumerate(seats, start=start * 3)
            )
            with connection.cursor() as cursor:
                cursor.execute(
                    "UPDATE annotation_seat SET label_id = (SELECT l.id FROM annotation_label l"
                    " WHERE l.seat_id = annotation_seat.id) WHERE label_id IS NULL"
                )


if __name__ == "__main__":
    fill(int(sys.argv[1]))
