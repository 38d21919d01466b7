"""A release in Label Studio itself, which nobody here wrote, and back again by its exports.

LABEL_STUDIO names the program (`label-studio` of an environment of its own, see docs/releases.md); without it these
tests are skipped. It runs with SQLite in a folder of the test, and is told to call nobody.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from django.core.management import call_command

import builders
from annotation.domain.choices import Policy
from annotation.domain.questions.question import QuestionKind
from annotation.domain.releases.columns import ReleaseFormat
from annotation.models import Label, Project
from annotation.releases.build import copy_to, release
from annotation.releases.request import Selection
from label_studio_cases import CODES, as_said, make_campaign
from question_builders import answered, make_all_questions, make_answered_item, make_question
from worker_processes import free_port

PROGRAM = os.environ.get("LABEL_STUDIO", "")
TOKEN = "0123456789abcdef" * 2

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.skipif(not PROGRAM, reason="LABEL_STUDIO names no label-studio"),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder whose folders Label Studio may serve."""
    return tmp_path_factory.mktemp("shared")


@pytest.fixture(scope="module")
def label_studio(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Iterator[httpx.Client]:
    """Start the server on a free port and return a client that may use its API."""
    folder = tmp_path_factory.mktemp("label_studio")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    own = {name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "DATABASE_"))}
    environment = own | {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "LABEL_STUDIO_LOCAL_FILES_SERVING_ENABLED": "true",
        "LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT": str(shared / "release"),
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_USERNAME": "me@example.org",
        "LABEL_STUDIO_PASSWORD": "only-for-tests-1",
        "LABEL_STUDIO_USER_TOKEN": TOKEN,
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
    }
    command = [PROGRAM, "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port), "--host", address]
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)
    try:
        with httpx.Client(base_url=address, headers={"Authorization": f"Token {TOKEN}"}, timeout=60) as client:
            _wait_for(client, server)
            yield client
    finally:
        server.terminate()
        server.wait(30)


def _wait_for(client: httpx.Client, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 900
    while time.monotonic() < until:
        assert server.poll() is None, "Label Studio did not start"
        try:
            if client.get("/health").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.5)
    raise AssertionError("Label Studio did not answer within a quarter of an hour")


def _said_in(file: Path, images: Path) -> list[object]:
    other = builders.make_project(categories=CODES)
    call_command("import_items", other.slug, file, images=str(images))
    return as_said(other)


def _loaded(client: httpx.Client, out: Path) -> dict[str, int]:
    """Make a Label Studio project of a release's folder, with its pictures; return its number and what was counted."""
    made = client.post(
        "/api/projects/", json={"title": "A release", "label_config": (out / "label_studio.xml").read_text()}
    )
    assert made.status_code == 201, made.text
    number = made.json()["id"]
    storage = {"project": number, "path": str(out / "pictures"), "use_blob_urls": True}
    if (out / "pictures").is_dir():
        assert client.post("/api/storages/localfiles", json=storage).status_code == 201
    with (out / "label_studio.json").open("rb") as file:
        tasks = {"file": ("label_studio.json", file, "application/json")}
        imported = client.post(f"/api/projects/{number}/import", files=tasks)
    assert imported.status_code == 201, imported.text
    counts = ("task_count", "annotation_count", "prediction_count")
    return {"number": number} | {name: imported.json()[name] for name in counts}


def _exports(client: httpx.Client, number: int, folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the project's exports by their kinds."""
    for kind, suffix in (("JSON", "json"), ("JSON_MIN", "json"), ("CSV", "csv")):
        exported = client.get(f"/api/projects/{number}/export", params={"exportType": kind})
        assert exported.status_code == 200, kind
        file_back = folder / f"{kind}.{suffix}"
        file_back.write_bytes(exported.content)
        yield kind, file_back


def test_a_release_loads_with_its_pictures_and_comes_back(label_studio: httpx.Client, shared: Path) -> None:
    project: Project = make_campaign()
    out = shared / "release"
    copy_to(release(project, None, Selection(notes=True, formats=(ReleaseFormat.LABEL_STUDIO,))), out)

    loaded = _loaded(label_studio, out)
    number = loaded.pop("number")
    assert loaded == {"task_count": 4, "annotation_count": 12, "prediction_count": 7}

    written = json.loads((out / "label_studio.json").read_text())
    addresses = [task["data"]["image"] for task in written if task["data"]["image"]]
    assert len(addresses) == 3
    for address in addresses:
        served = label_studio.get(address)
        assert (served.status_code, served.headers["content-type"]) == (200, "image/png")
        name = address.rpartition("/")[2]
        assert served.content == (out / "pictures" / name).read_bytes()

    expected = as_said(project)
    for kind, file_back in _exports(label_studio, number, shared):
        assert _said_in(file_back, out) == expected, kind


def test_answers_to_further_questions_load_and_come_back(label_studio: httpx.Client, tmp_path: Path) -> None:
    def campaign() -> Project:
        project = builders.make_project(policy=Policy.REVIEW)
        make_all_questions(project)
        make_question(project, "severity", QuestionKind.SCALE, version=2, wording={"": "How severe?"}, place=2)
        return project

    project = campaign()
    trio = [builders.make_member(project) for _ in range(3)]
    first = answered(frame="women", targets=["migrants", "women"], severity=5, why="Because, so.", words=[[0, 5]])
    second = answered(frame="women", targets=["women"], severity=None, why=None, words=[[2, 7], [9, 11]])
    third = {**answered(frame="others", targets=None), **answered(2, severity=2)}
    make_answered_item(project, trio, [first, second, third], text="Weeds \U0001f339 in the garden.", external_id="w.1")
    make_answered_item(project, trio, [{}, {}, {}], (0, 0, 0), text="A post.", external_id="w.2")
    out = tmp_path / "out"
    copy_to(release(project, None, Selection(formats=(ReleaseFormat.LABEL_STUDIO,))), out)

    loaded = _loaded(label_studio, out)
    number = loaded.pop("number")
    assert loaded == {"task_count": 2, "annotation_count": 6, "prediction_count": 0}
    for kind, file_back in _exports(label_studio, number, tmp_path):
        other = campaign()
        call_command("import_items", other.slug, file_back)
        assert _answers(other) == _answers(project), kind


def _answers(project: Project) -> list[tuple[str, str, object]]:
    labels = Label.objects.filter(item__project=project).select_related("item", "annotator")
    return sorted(
        (label.item.external_id, json.dumps(label.answers, sort_keys=True), label.category.code) for label in labels
    )
