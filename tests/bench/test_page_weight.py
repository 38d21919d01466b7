"""The annotator's page is light: at most 60 KB in 8 requests at a first visit, 8 KB at each later one."""

import gzip
from typing import Any

import pytest
from django.test import Client

from bench.page_weight import COLD_KB, COLD_REQUESTS, WARM_KB, figures_of, named_files, weigh
from builders import make_member, make_open_item, make_project

pytestmark = pytest.mark.django_db


def test_the_annotators_page_is_light(client: Client) -> None:
    project = make_project()
    make_open_item(project, text="A remark about weeds and roses in a garden. " * 5)
    user = make_member(project).user
    assert user is not None
    client.force_login(user)

    def get(path: str) -> tuple[bytes, bytes, bool]:
        response: Any = client.get(path)
        assert response.status_code == 200
        content = response.getvalue()
        # WhiteNoise sends files that are compressed at least as well, and those are kept: their names hold a digest.
        return content, gzip.compress(content), path.startswith("/static/")

    figures = figures_of(weigh(get, f"/p/{project.slug}/label/"))
    assert figures["cold_kb"] <= COLD_KB
    assert figures["cold_requests"] <= COLD_REQUESTS
    assert figures["warm_kb"] <= WARM_KB
    assert {path.rpartition(".")[2] for path in figures["each_kb"]} >= {"css", "js", "svg"}


def test_files_of_a_page_are_found_in_any_order_of_attributes() -> None:
    page = (
        '<link rel="icon" href="/i.svg"><script defer src="/a.js"></script><a href="/other/"></a><img alt="" src="/p">'
    )
    assert list(named_files(page)) == ["/i.svg", "/a.js", "/p"]
