"""Write into the settings of each candidate how many were asked for and how, from the run that wrote it.

An evaluation tells candidates apart by that. A candidate whose run is gone keeps its settings as they are.
"""

from django.db import migrations

_AT_A_TIME = 500


def fill(apps, schema_editor):
    """Copy the number and the mode from the options of the runs, in batches."""
    candidate_rows = apps.get_model("generation", "Candidate").objects
    runs = apps.get_model("runs", "Run").objects
    asked = {}
    batch = []
    for row in candidate_rows.order_by("pk").iterator(chunk_size=_AT_A_TIME):
        if "candidates" in row.settings:
            continue
        if row.run_id not in asked:
            options = runs.filter(public_id=row.run_id).values_list("options", flat=True).first()
            asked[row.run_id] = (options or {}).get("candidates")
        if asked[row.run_id] is None:
            continue
        row.settings |= {"candidates": asked[row.run_id], "mode": "list", "trained": ""}
        batch.append(row)
        if len(batch) == _AT_A_TIME:
            candidate_rows.bulk_update(batch, ["settings"])
            batch = []
    candidate_rows.bulk_update(batch, ["settings"])


class Migration(migrations.Migration):

    dependencies = [
        ("generation", "0003_picture_looks"),
        ("runs", "0004_worker_load"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
