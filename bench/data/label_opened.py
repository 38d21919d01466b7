"""Close nine of ten open posts that nobody has labelled yet, as people would, by a few statements; on PostgreSQL.

Labels, seats, events, stages and disputes agree with one another, so that `audit` finds nothing. Of the closed posts
every 45th is disputed: its three labels name three categories. The others are gold; at a third one label differs.
"""

from django.db import connection, transaction

from annotation.domain.choices import EventVerb, Level, Reason, Role, Stage
from annotation.members.join import add_member
from annotation.models import Dispute, Event, Label, Membership, Project
from bench.data.copied_rows import copy

PEOPLE = 40
DAYS = 20
"""The labels lie in the last so many days."""
_CHOSEN = """
    CREATE TEMP TABLE chosen AS
    SELECT s.id AS seat, i.id AS item, s.number, gen_random_uuid() AS label,
        (ARRAY[{keys}])[1 + (i.id + s.number) % {people}] AS member,
        now() - ({days} * (1 - (i.id % 10007) / 10007.0)) * interval '1 day' + s.number * interval '1 minute' AS at,
        CASE WHEN i.id % 50 = 1 THEN s.number - 1 ELSE (i.id + (s.number = 3 AND i.id % 3 = 0)::int) % 6 END AS code
    FROM annotation_item i
    JOIN annotation_seat s ON s.item_id = i.id
    WHERE i.project_id = {project} AND i.stage = 'labelling' AND i.taken = 0 AND i.id % 10 <> 0
"""
_SEATS = """
    UPDATE annotation_seat s
    SET annotator_id = c.member, held_at = c.at - interval '1 minute', filled_at = c.at, label_id = s.id + {first}
    FROM chosen c WHERE s.id = c.seat
"""
_ITEMS = """
    UPDATE annotation_item i
    SET stage = CASE WHEN i.id % 50 = 1 THEN 'disputed' ELSE 'gold' END, taken = 3, version = version + 1,
        level = d.level, category_id = d.category, hateful = d.hateful,
        category_source = CASE WHEN i.id % 50 = 1 THEN NULL ELSE 'consensus' END,
        closed_at = c.at, gold_at = CASE WHEN i.id % 50 = 1 THEN NULL ELSE c.at END
    FROM (SELECT item, max(at) AS at FROM chosen GROUP BY item) c
    CROSS JOIN LATERAL (
        SELECT CASE WHEN c.item % 50 = 1 THEN 'none' WHEN c.item % 3 <> 0 THEN 'perfect'
                WHEN c.item % 6 = 0 THEN 'weak' ELSE 'strong' END AS level,
            CASE WHEN c.item % 50 = 1 THEN NULL ELSE k.id END AS category,
            CASE WHEN c.item % 50 = 1 THEN TRUE ELSE k.hateful END AS hateful
        FROM annotation_category k WHERE k.project_id = {project} AND k.code = c.item % 6
    ) d
    WHERE i.id = c.item
"""


def label(project: Project) -> None:
    """Label the open posts of a project with the default categories and three seats a post."""
    names = (f"labeller-{project.pk}-{number}" for number in range(PEOPLE))
    people = [add_member(project, name, Role.ANNOTATOR).membership for name in names]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")  # millions of references need no check
        keys = ",".join(str(member.pk) for member in people)
        cursor.execute(_CHOSEN.format(days=DAYS, project=project.pk, keys=keys, people=PEOPLE))
        cursor.execute("SELECT coalesce(max(id), 0) FROM annotation_label")
        first = cursor.fetchone()[0]
        _copies(project, first)
        for statement in (_SEATS, _ITEMS):
            cursor.execute(statement.format(first=first, project=project.pk))
        cursor.execute("SELECT setval(pg_get_serial_sequence('annotation_label', 'id'), max(id)) FROM annotation_label")
        cursor.execute("DROP TABLE chosen")
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _copies(project: Project, first: int) -> None:
    """Store labels, events and disputes: one of each by its model, and the others as copies of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seat, item, label, member FROM chosen ORDER BY item % 50 <> 1, seat LIMIT 1")
        seat, item, public_id, who = cursor.fetchone()
    member, category = Membership.objects.get(pk=who), project.categories.get(code=0)
    label = Label(pk=first + seat, public_id=public_id, seat_id=seat, item_id=item, annotator=member, category=category)
    label.seconds = 5
    label.save(force_insert=True)
    others = f"""
        (SELECT c.*, k.id AS category FROM chosen c
         JOIN annotation_category k ON k.code = c.code AND k.project_id = {project.pk}) n
    """
    about = {"item_id": "n.item", "annotator_id": "n.member", "created_at": "n.at", "category_id": "n.category"}
    keys = {"id": f"{first} + n.seat", "seat_id": "n.seat", "public_id": "n.label", "client_key": "gen_random_uuid()"}
    copy(label, others, about | keys, but="n.seat <> t.seat_id")
    labelled = Event.objects.create(project=project, actor=member, verb=EventVerb.LABELLED, item_id=item, row=public_id)
    columns = {"item_id": "n.item", "actor_id": "n.member", "row": "n.label", "at": "n.at"}
    copy(labelled, "chosen n", columns, but="n.label <> t.row")
    facts = {"stage": Stage.DISPUTED, "reasons": [Reason.NO_MAJORITY], "level": Level.NONE}
    closed = Event.objects.create(project=project, verb=EventVerb.CLOSED, item_id=item, facts=facts)
    posts = "(SELECT item, max(at) AS at, item % 50 = 1 AS disputed FROM chosen GROUP BY item) n"
    gold = (
        """CASE WHEN n.disputed THEN t.facts ELSE '{"stage": "gold", "reasons": [], "level": "perfect"}'::jsonb END"""
    )
    copy(closed, posts, {"item_id": "n.item", "at": "n.at", "facts": gold}, but="n.item <> t.item_id")
    dispute = Dispute.objects.create(item_id=item, reason=Reason.NO_MAJORITY)
    columns = {"item_id": "n.item", "opened_at": "n.at"}
    copy(dispute, posts, columns, but="n.disputed AND n.item <> t.item_id")
