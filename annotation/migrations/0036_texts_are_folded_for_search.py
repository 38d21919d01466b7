from django.db import migrations, models

_OLD_INDEXES = ('annotation_item_text_words', 'annotation_item_external_id_words', 'annotation_picturetext_text_words')


def drop_old_index(apps, schema_editor):
    """Drop the index of the unfolded texts; the next migration creates the one of the folded texts.

    After the columns are added: that locks the busy tables in the order of the site.
    """
    if schema_editor.connection.vendor == 'postgresql':
        for name in _OLD_INDEXES:
            schema_editor.execute(f'DROP INDEX IF EXISTS "{name}"')
        return
    for table in ('annotation_item', 'annotation_picturetext'):
        for when in ('insert', 'delete', 'update'):
            schema_editor.execute(f'DROP TRIGGER IF EXISTS "{table}_words_{when}"')
        schema_editor.execute(f'DROP TABLE IF EXISTS "{table}_words"')


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0035_what_was_kept_before'),
    ]

    operations = [
        migrations.AddField(
            model_name='item',
            name='folded',
            field=models.TextField(blank=True, db_default='', default='', editable=False),
        ),
        migrations.AddField(
            model_name='picturetext',
            name='folded',
            field=models.TextField(blank=True, db_default='', default='', editable=False),
        ),
        migrations.RunPython(drop_old_index, migrations.RunPython.noop),
    ]
