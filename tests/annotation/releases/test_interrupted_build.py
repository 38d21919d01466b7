"""A release whose worker dies half way: nothing is listed, and a retry has the same bytes (threat F30)."""

import json
import os
import time

import pytest
from django.db import OperationalError
from django.urls import reverse

import builders
from annotation.core.release_paths import building_home, folder_of, releases_root
from annotation.domain.choices import Role
from annotation.domain.releases.columns import ReleaseFormat
from annotation.models import Release
from annotation.releases.build import _store, release
from annotation.releases.places import remove_abandoned_folders
from annotation.releases.request import Selection
from release_builders import make_gold, make_picture, problems

pytestmark = pytest.mark.django_db

EVERYTHING = Selection(formats=tuple(ReleaseFormat))
OWN = {"README.md", "LICENSE", "CITATION.cff", "croissant.json"}
"""Files that name the release itself."""


class PowerCut(BaseException):
    """What no handler expects."""


def data_of(made):
    return {file["path"]: file["sha256"] for file in made.manifest["files"] if file["path"] not in OWN}


def test_a_worker_killed_half_way_leaves_nothing_and_a_retry_is_the_same(client, monkeypatch):
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    for n in range(8):
        make_gold(project, trio, (n % 2,) * 3, f"Post {n}", picture=make_picture(project, (n * 30, 0, 0)))
    written = []

    def killed(self, row, picture):
        written.append(row["id"])
        if len(written) == 4:
            raise PowerCut

    with monkeypatch.context() as patch:
        patch.setattr("annotation.releases.formats.webdataset.WebDataset.add", killed)
        with pytest.raises(PowerCut):
            release(project, None, EVERYTHING)
    assert len(written) == 4
    assert not Release.objects.exists()
    assert list((releases_root() / str(project.public_id)).iterdir()) == []
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    assert client.get(reverse("annotation:release", args=[project.slug, 1])).status_code == 404
    first = release(project, None, EVERYTHING)
    assert first.number == 1
    assert problems(folder_of(first)) == []
    again = data_of(release(project, None, EVERYTHING))
    again.pop("changes.json")
    assert again == data_of(first)


def test_a_flipped_bit_a_missing_and_an_extra_file_are_found_in_every_format(tmp_path):
    project = builders.make_project()
    trio = [builders.make_member(project) for _ in range(3)]
    make_gold(project, trio, picture=make_picture(project))
    folder = folder_of(release(project, None, EVERYTHING))
    for path in json.loads((folder / "manifest.json").read_text())["files"]:
        file = folder / path["path"]
        content = file.read_bytes()
        file.unlink()
        assert [found for found in problems(folder) if path["path"] in found], path
        file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if content else b"x")  # no rows: an empty file
        assert [found for found in problems(folder) if path["path"] in found], path
        file.write_bytes(content)
    assert problems(folder) == []
    (folder / "parquet" / "extra.parquet").write_bytes(b"x")
    assert problems(folder) == ["parquet/extra.parquet: the file is not part of the release."]


@pytest.mark.django_db(transaction=True)
def test_a_database_busy_with_others_is_asked_again_and_the_release_is_the_same(monkeypatch):
    project = builders.make_project()
    make_gold(project, [builders.make_member(project) for _ in range(3)], (0, 0, 0), "A post")
    tries = []

    def busy(*arguments):
        tries.append(len(tries))
        if len(tries) < 3:
            raise OperationalError("database is locked")
        return _store(*arguments)

    monkeypatch.setattr("annotation.releases.build._store", busy)
    made = release(project, None, EVERYTHING)
    assert tries == [0, 1, 2]
    assert made.number == 1
    assert problems(folder_of(made)) == []
    assert [folder.name for folder in (releases_root() / str(project.public_id)).iterdir()] == [f"1-{made.public_id}"]


def test_a_folder_under_construction_goes_once_nobody_writes_there_whatever_clock_the_sweeper_has(monkeypatch):
    home = building_home(builders.make_project().public_id)
    living, left = home / ".building-living", home / ".building-left"
    for folder, seconds in ((living, 60), (left, 7200)):
        folder.mkdir()
        os.utime(folder, (time.time() - seconds,) * 2)
    ahead = time.time() + 3600
    monkeypatch.setattr(time, "time", lambda: ahead)
    assert remove_abandoned_folders() == 1
    assert [path.name for path in home.iterdir()] == [living.name]
