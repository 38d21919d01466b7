"""Keep the texts that were handed in before and are still known, each with the comment that returned it.

A reply that waits or was decided holds the text that was handed in last. So does a returned one that nobody has changed
since. Earlier texts are not stored anywhere.
"""

from django.db import migrations

_AT_A_TIME = 500


def fill(apps, schema_editor):
    """Add the rows in batches; a reply that has one is passed over."""
    replies = apps.get_model("generation", "Reply").objects
    submissions = apps.get_model("generation", "Submission").objects
    batch = []
    rows = replies.filter(submitted_at__isnull=False, submissions=None).exclude(state="draft").order_by("pk")
    for reply in rows.iterator(chunk_size=_AT_A_TIME):
        comment = None
        if reply.state == "returned":
            comment = _returned_with(apps, reply)
            if comment is None:
                continue
        batch.append(
            submissions.model(
                reply=reply,
                number=1,
                intent=reply.intent,
                text=reply.text,
                submitted_at=reply.submitted_at,
                returned_with=comment,
            )
        )
        if len(batch) == _AT_A_TIME:
            submissions.bulk_create(batch)
            batch = []
    submissions.bulk_create(batch)


def _returned_with(apps, reply):
    """Return the comment that returned the text. Returns None if the text was changed since then."""
    events = apps.get_model("annotation", "Event").objects.filter(row=reply.public_id, verb="reply_returned")
    event = events.order_by("-pk").first()
    if event is None or reply.changed_at > event.at:
        return None
    comments = apps.get_model("generation", "ReplyComment").objects.filter(reply=reply, author=event.actor_id)
    return comments.filter(created_at__lte=event.at).order_by("-pk").first()


class Migration(migrations.Migration):

    dependencies = [
        ("annotation", "0033_keys_of_a_person"),
        ("generation", "0007_texts_that_were_handed_in"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop, elidable=True),
    ]
