"""What files gave under `provenance` before is kept as columns, some thousand items at a time."""

from django.db import migrations

OF_THE_SITE = ('injected', 'source_votes', 'rationale')
AT_ONCE = 2000


def move_what_files_gave(apps, schema_editor):
    Item, KeptColumn = apps.get_model('annotation', 'Item'), apps.get_model('annotation', 'KeptColumn')
    known, last = set(), 0
    while True:
        items = list(Item.objects.filter(pk__gt=last).order_by('pk').only('project', 'provenance', 'extra')[:AT_ONCE])
        if not items:
            return
        last, moved = items[-1].pk, []
        for item in items:
            given = {name: value for name, value in item.provenance.items() if name not in OF_THE_SITE}
            if given:
                item.extra = {**given, **item.extra}
                item.provenance = {name: value for name, value in item.provenance.items() if name in OF_THE_SITE}
                moved.append(item)
        if moved:
            Item.objects.bulk_update(moved, ('extra', 'provenance'), batch_size=200)
            names = {(item.project_id, name[:100]) for item in moved for name in item.extra} - known
            rows = [KeptColumn(project_id=project, name=name) for project, name in sorted(names)]
            KeptColumn.objects.bulk_create(rows, ignore_conflicts=True)
            known |= names


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('annotation', '0034_columns_are_kept'),
    ]

    operations = [
        migrations.RunPython(move_what_files_gave, migrations.RunPython.noop, elidable=True),
    ]
