"""Names are one line: line breaks, direction marks and invisible characters go out of what was stored before."""

from django.db import migrations

from annotation.core.clean_names import clean


def clean_names(apps, schema_editor):
    clean(apps.get_model('annotation', 'Project'), 'name', 'licence')
    clean(apps.get_model('annotation', 'Category'), 'name')
    clean(apps.get_model('annotation', 'Guideline'), 'summary')
    clean(apps.get_model('annotation', 'Membership'), 'pseudonym', 'imported_name')
    clean(apps.get_model('annotation', 'Item'), 'source', 'licence', 'target_group', 'picture_name')
    clean(apps.get_model('annotation', 'SavedSearch'), 'name')
    clean(apps.get_model('annotation', 'Import'), 'file_name')
    clean(apps.get_model('annotation', 'Invitation'), 'note')
    clean(apps.get_model('annotation', 'OptOut'), 'target_group')
    clean(apps.get_model('annotation', 'PictureText'), 'reader')
    clean(apps.get_model('annotation', 'User'), 'first_name', 'last_name')
    clean(apps.get_model('annotation', 'GlossaryEntry'), 'term', 'target_group')
    clean(apps.get_model('annotation', 'SplitList'), 'name')
    clean(apps.get_model('annotation', 'AccessRequest'), 'name', 'affiliation')
    Batch = apps.get_model('annotation', 'Batch')
    Item = apps.get_model('annotation', 'Item')
    for key, old in clean(Batch, 'name').items():
        batch = Batch.objects.get(pk=key)
        Item.objects.filter(project=batch.project_id, batch=old['name']).update(batch=batch.name)
    clean(Item, 'batch')  # of batches that were never opened



class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0025_addresses_are_written_in_one_way'),
    ]

    operations = [
        migrations.RunPython(clean_names, migrations.RunPython.noop, elidable=True),
    ]
