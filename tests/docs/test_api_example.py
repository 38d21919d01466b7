"""The program in docs/api.md runs as it is written, block after block, against a site that listens."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from knox.models import AuthToken

from annotation.models import Item, Label, Membership, Project, Release
from builders import make_user

PAGE = Path(settings.BASE_DIR) / "docs" / "api.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


def token(username: str, **fields: Any) -> str:
    return str(AuthToken.objects.create(make_user(username, **fields))[1])


def test_a_whole_campaign_runs_as_the_page_has_it(
    live_server: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INTERPLAY_SITE", live_server.url)
    monkeypatch.setenv("INTERPLAY_ADMIN", token("lead", is_staff=True))
    monkeypatch.setenv("INTERPLAY_REVIEWER", token("reviewer"))
    monkeypatch.setenv("INTERPLAY_ANNOTATORS", " ".join(token(name) for name in ("ann", "bob", "cyd")))
    names: dict[str, Any] = {}
    assert len(BLOCKS) == 12
    for number, block in enumerate(BLOCKS, 1):
        exec(compile(block, f"docs/api.md, block {number}", "exec"), names)
    for client in (names["admin"], names["reviewer"], *names["annotators"]):
        client.close()

    project = Project.objects.get(slug="winter")
    decided = {item.external_id: (item.stage, item.category_source) for item in Item.objects.filter(project=project)}
    assert decided == {
        "w-1": ("gold", "adjudicated"), "w-2": ("gold", "consensus"), "w-3": ("gold", "consensus"),
        "w-4": ("known", None),
    }  # fmt: skip
    seconds = Label.objects.exclude(item__external_id="w-4").values_list("seconds", flat=True)
    assert len(seconds) == 9 and all(0 < each <= 0.25 for each in seconds)
    assert Membership.objects.get(project=project, user__username="ann").quota == 500
    made = Release.objects.get(project=project)
    files = {path.relative_to(tmp_path / "winter-1").as_posix() for path in (tmp_path / "winter-1").rglob("*")}
    assert {file["path"] for file in made.manifest["files"]} <= files
