"""Decisions, history, labels and releases are only ever added to, by triggers on both databases."""

from django.db import migrations

from annotation.append_only import KeepAppendOnly


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]

    operations = [KeepAppendOnly(["Adjudication", "Event", "Label", "Release"])]
