from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class AddIndexBeside(AddIndexConcurrently):
    """Add an index while the table is in use on PostgreSQL, and in the ordinary way on SQLite."""

    def database_forwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor == 'postgresql':
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        else:
            migrations.AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label, schema_editor, from_state, to_state):
        if schema_editor.connection.vendor == 'postgresql':
            super().database_backwards(app_label, schema_editor, from_state, to_state)
        else:
            migrations.AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):

    # An index of millions of rows is built while people label.
    atomic = False

    dependencies = [
        ('annotation', '0041_own_keys_of_a_person'),
    ]

    operations = [
        AddIndexBeside(
            model_name='item',
            index=models.Index(fields=['project', 'id'], name='item_in_order'),
        ),
        AddIndexBeside(
            model_name='item',
            index=models.Index(
                fields=['project', 'batch', 'stage', 'picture_missing', 'seats', 'taken', 'priority', 'queue'],
                name='item_counted',
            ),
        ),
        AddIndexBeside(
            model_name='item',
            index=models.Index(
                condition=models.Q(('licence', ''), _negated=True), fields=['project', 'licence'], name='item_licence'
            ),
        ),
    ]
