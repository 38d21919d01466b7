"""Images of others are named by digest, and a command renews the digests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.pin_images import FILES, POSTGRESQL, PROGRAMS, ROOT, images, main, pinned, unpinned

OLD, NEW = "sha256:" + "a" * 64, "sha256:" + "b" * 64
NAMED = f"""\
FROM python:3.12-slim@{OLD} AS build
FROM registry.example.org:5000/team/base:1.2
    image: postgres:16-alpine  # the database
      - image: redis:7-alpine@{OLD}
    image: ${{INTERPLAY_IMAGE:-interplay}}
          image: interplay
# FROM what:ever is said about it
"""


def test_images_with_a_tag_are_found_and_get_the_digest_of_their_own():
    assert unpinned(NAMED) == ["postgres:16-alpine"]
    found = images(NAMED)
    assert found == ["python:3.12-slim", "postgres:16-alpine", "redis:7-alpine"]
    digests = {image: f"sha256:{number:064}" for number, image in enumerate(found)}
    renewed = pinned(NAMED, digests)
    assert unpinned(renewed) == [] and pinned(renewed, digests) == renewed
    assert f"    image: postgres:16-alpine@sha256:{1:064}  # the database\n" in renewed
    assert f"FROM python:3.12-slim@sha256:{0:064} AS build\n" in renewed and OLD not in renewed
    assert [line for line in renewed.splitlines() if "interplay" in line or "what:ever" in line] == [
        line for line in NAMED.splitlines() if "interplay" in line or "what:ever" in line
    ]


def test_every_image_of_others_in_this_repository_has_a_digest():
    assert main(["--check"]) == 0
    manifests = [*ROOT.glob("deploy/**/*.yml"), *ROOT.glob("deploy/**/*.yaml"), *ROOT.glob("deploy/**/Dockerfile")]
    elsewhere = {path for path in manifests if images(path.read_text())} - {ROOT / name for name in FILES}
    assert elsewhere == set()
    same = {}
    for name in FILES:
        for line in (ROOT / name).read_text().split():
            if "@sha256:" in line:
                image, _at, digest = line.partition("@")
                assert same.setdefault(image, digest) == digest, f"{image} has two digests"
    assert same.keys() == {
        "python:3.12-slim-trixie",
        "caddy:2-alpine",
        f"postgres:{POSTGRESQL}-alpine",
        f"postgres:{POSTGRESQL}-trixie",
        "redis:7-alpine",
    }


def test_client_and_servers_of_postgresql_have_the_major_version_that_stands_here(tmp_path, capsys):
    named = {name: [image for image in images((ROOT / name).read_text()) if "postgres" in image] for name in FILES}
    assert {name for name, found in named.items() if found} == {
        "Dockerfile",
        "docker-compose.yml",
        "deploy/kubernetes/example/postgresql.yaml",
    }
    assert {image.partition("-")[0] for found in named.values() for image in found} == {f"postgres:{POSTGRESQL}"}
    other = tmp_path / "Dockerfile"
    other.write_text(f"FROM postgres:{POSTGRESQL + 1}.2-trixie@{OLD}\n")
    assert main(["--check", str(other)]) == 1 and f"postgres:{POSTGRESQL + 1}.2-trixie" in capsys.readouterr().out
    assert pinned(other.read_text(), {f"postgres:{POSTGRESQL}-trixie": NEW}) == (
        f"FROM postgres:{POSTGRESQL}-trixie@{NEW}\n"
    )


def test_the_image_takes_the_client_from_that_image_and_debian_of_one_release():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    bases = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert {image.partition("@")[0].rpartition("-")[2] for image in bases} == {"trixie"}  # its libraries are loaded
    assert any(line.startswith("COPY --from=postgresql ") for line in lines)
    assert not [line for line in lines if "postgresql-client" in line]


@pytest.fixture
def copies(tmp_path):
    files = [tmp_path / name.replace("/", "-") for name in FILES]
    for name, file in zip(FILES, files, strict=True):
        shutil.copy(ROOT / name, file)
    return files


def run_with(tmp_path, files, script="", program=""):
    """Run the command where this is the only program, a stand-in that notes how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir(exist_ok=True)
    if program:
        (folder / program).write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n{script}\n')
        (folder / program).chmod(0o755)
    command = [sys.executable, str(ROOT / "deploy/pin_images.py"), *map(str, files)]
    return subprocess.run(command, env={**os.environ, "PATH": str(folder)}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_is_asked_for_every_image_and_what_it_says_is_written(program, copies, tmp_path):
    done = run_with(tmp_path, copies, f"echo {NEW}", program)
    assert done.returncode == 0, done.stderr
    written = "".join(file.read_text() for file in copies)
    assert written.count(f"@{NEW}") == 8 and written.count("@sha256:") == 8
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 5 and all("{{{" not in call for call in calls)
    assert ("postgres:16-alpine" in "".join(calls)) and calls[0].split()[0] == PROGRAMS[program][0]


@pytest.mark.parametrize(
    ("program", "script", "says"),
    [
        ("", "", "None of docker, crane, skopeo is installed"),
        ("docker", "echo no such host >&2; exit 1", "no file was changed. It said: no such host"),
        ("crane", "echo latest", "crane has no digest of caddy:2-alpine"),
    ],
)
def test_without_an_answer_nothing_is_changed(program, script, says, copies, tmp_path: Path):
    before = [file.read_text() for file in copies]
    done = run_with(tmp_path, copies, script, program)
    assert done.returncode == 1 and says in done.stderr
    assert [file.read_text() for file in copies] == before
