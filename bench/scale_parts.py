"""What a whole project costs at once, for `bench scale`: each part runs in a process of its own.

    python bench/scale_parts.py PART SLUG

Prints JSON: seconds, how many rows were worked on, and the memory of the process at its highest (MB). DATABASE_URL
names the database of `bench scale`. Between opening and export it has the posts labelled.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
RUNS = 500
"""Runs that are performed; each gold post has one, and the others wait."""
BESIDE: dict[str, float] = {}
"""What a part says of itself beside time, rows and memory."""


def imported(project: Any) -> int:
    """Import as many posts as the project's name says, in 20 batches."""
    from django.core.management import call_command

    from bench.data.fill_open import TEXT

    size = int(project.slug.rpartition("-")[2])
    with NamedTemporaryFile("w", suffix=".csv") as posts, open(os.devnull, "w", encoding="utf-8") as nowhere:
        posts.write("id,text,batch\n")
        posts.writelines(f'i-{number},"Post {number}: {TEXT}",batch {number % 20}\n' for number in range(size))
        posts.flush()
        call_command("import_items", project.slug, posts.name, stdout=nowhere, stderr=nowhere)
    return size


def opened(project: Any) -> int:
    """Open all posts; say when the first could be labelled, and how many rows were changed for each."""
    from django.db import connection

    from annotation.batches.open_items import open_items
    from annotation.domain.choices import EventVerb
    from annotation.models import Event

    before, began = _changed_rows(connection), time.time()
    count = open_items(project).opened
    first = Event.objects.filter(project=project, verb=EventVerb.OPENED).earliest("pk")
    BESIDE["seconds to the first post"] = first.at.timestamp() - began
    BESIDE["writes a post"] = (_changed_rows(connection) - before) / count
    return count


def _changed_rows(connection: Any) -> int:
    """Return how many rows of all tables have been changed or removed so far; each leaves a dead one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
        cursor.execute("SELECT sum(n_tup_upd + n_tup_del) FROM pg_stat_user_tables")
        return int(cursor.fetchone()[0])


def exported(project: Any) -> int:
    """Read the file that the page of posts gives an admin: every post with its labels, as JSON lines."""
    from annotation.items.export import as_jsonl

    return sum(part.count(b"\n") for part in as_jsonl(_admin(project), {}))


def audited(project: Any) -> int:
    from annotation.operations.audit import audited as audit

    found = audit(project)
    assert not found.problems, found.problems[:5]
    return found.items


def dashboard(project: Any) -> int:
    from annotation.analytics.dashboard import read_dashboard

    return read_dashboard(project).counts.items


def quality(project: Any) -> int:
    from annotation.analytics.quality.annotators import read_quality

    return read_quality(project).labels


def released(project: Any) -> int:
    """Release the gold as JSON lines, CSV, Parquet and a folder for `datasets`."""
    from annotation.releases.build import release
    from annotation.releases.request import ReleaseFormat, Selection

    formats = (ReleaseFormat.CSV, ReleaseFormat.PARQUET, ReleaseFormat.IMAGEFOLDER)
    return release(project, None, Selection(formats=formats)).items


def evaluated(project: Any) -> int:
    """Start a run of the keyword baseline on each gold post; all of them wait."""
    from moderation.evaluation.arms import ArmGrid
    from moderation.evaluation.collect_answers import gold_items
    from moderation.evaluation.request import Wish
    from moderation.evaluation.start import begin

    wish = Wish(grid=ArmGrid(methods=["baseline"], models=["keyword:cues-1"]))
    evaluation, new = begin(project, [gold_items(project)], wish, ring=False)
    assert new
    return evaluation.runs().count()


def performed(project: Any) -> int:
    """Perform some of these runs, by one thread."""
    from django.db.models import QuerySet

    from moderation.models import Evaluation
    from runs.control.wait_for_runs import perform_until_done

    evaluation = Evaluation.objects.filter(project=project).latest("pk")
    runs: QuerySet[Any] = evaluation.runs().filter(pk__lt=evaluation.runs().earliest("pk").pk + RUNS)
    perform_until_done(runs, threads=1, tick=lambda: None)
    return runs.filter(state="succeeded").count()


def deleted(project: Any) -> int:
    """Delete the project, its runs and its files, as the sweeper does when its seven days are over."""
    from annotation.models import Item, Project
    from annotation.projects.lifecycle import ask_deletion
    from annotation.projects.purge import purge
    from runs.sql.database_clock import database_now

    posts = Item.objects.filter(project=project).count()
    ask_deletion(project, _admin(project))
    Project.objects.filter(pk=project.pk).update(delete_after=database_now() - timedelta(minutes=1))
    assert purge(Project.objects.get(pk=project.pk))
    return posts


PARTS: Mapping[str, Callable[[Any], int]] = {
    "import": imported,
    "opening": opened,
    "export": exported,
    "audit": audited,
    "dashboard": dashboard,
    "quality": quality,
    "release": released,
    "evaluation": evaluated,
    "runs": performed,
    "deletion": deleted,
}
"""In the order in which they are measured: some need what comes before, and nothing is left after a deletion."""


def _admin(project: Any) -> Any:
    from annotation.domain.choices import Role
    from annotation.members.join import add_member

    return add_member(project, "bench-admin", Role.ADMIN).membership


def main(part: str, slug: str) -> None:
    import django

    django.setup()
    from annotation.models import Project

    project = Project.objects.get(slug=slug)
    began = time.perf_counter()
    rows = PARTS[part](project)
    seconds = time.perf_counter() - began
    # Not `getrusage`: that begins with what the parent had.
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    megabytes = int(status.partition("VmHWM:")[2].split()[0]) / 1024
    print(json.dumps({"seconds": seconds, "rows": rows, "MB": megabytes} | BESIDE))


if __name__ == "__main__":
    main(*sys.argv[1:])
