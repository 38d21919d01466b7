"""A client that a generator makes from the API's description: it imports, and a program can use it."""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.test import Client
from knox.models import AuthToken

import api_schema
from absent import skip_or_fail
from builders import make_user

pytestmark = [pytest.mark.slow, pytest.mark.once]
GENERATOR = Path(sys.prefix) / "generator"
CLIENT = "client_of_the_site"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The package that `openapi-python-client` makes."""
    if not (GENERATOR / "openapi_python_client").is_dir():
        skip_or_fail("the generator of clients is not installed (make .venv/generator/ready)")
    folder = tmp_path_factory.mktemp("generated")
    (folder / "schema.json").write_text(json.dumps(api_schema.document()))
    (folder / "settings.json").write_text('{"post_hooks": []}')  # its code is not made pretty
    command = (sys.executable, "-m", "openapi_python_client", "generate", "--path", "schema.json")
    options = ("--config", "settings.json", "--meta", "none", "--output-path", CLIENT)
    environ = {**os.environ, "PYTHONPATH": str(GENERATOR)}
    subprocess.run([*command, *options], cwd=folder, env=environ, check=True, capture_output=True, timeout=120)
    sys.path.insert(0, str(folder))
    yield importlib.import_module(CLIENT)
    sys.path.remove(str(folder))
    for name in [name for name in sys.modules if name.partition(".")[0] == CLIENT]:
        del sys.modules[name]


def test_each_module_of_a_generated_client_imports(client: Any) -> None:
    names = [module.name for module in pkgutil.walk_packages(client.__path__, f"{CLIENT}.")]
    operations = [name for name in names if name.startswith(f"{CLIENT}.api.projects.")]
    for name in names:
        importlib.import_module(name)
    assert len(operations) > 90


def answer(request: httpx.Request) -> httpx.Response:
    """Let the site answer in this process."""
    made = Client().generic(request.method, request.url.path, request.content, headers=dict(request.headers))
    return httpx.Response(made.status_code, headers=dict(made.items()), content=made.content)


@pytest.mark.django_db
def test_a_program_uses_a_generated_client(client: Any) -> None:
    models = importlib.import_module(f"{CLIENT}.models")
    _row, token = AuthToken.objects.create(make_user("lead", is_staff=True))
    site = client.AuthenticatedClient(
        base_url="http://testserver",
        token=token,
        prefix="Token",
        headers={"Accept-Encoding": "identity"},
        httpx_args={"transport": httpx.MockTransport(answer)},
    )

    def call(name: str, *parts: object, **more: object) -> Any:
        operation = importlib.import_module(f"{CLIENT}.api.projects.{name}")
        return operation.sync_detailed(*parts, client=site, **more)

    made = call("projects_create", body=models.NewProjectShape(slug="winter", name="Winter"))
    assert (made.status_code, made.parsed.slug) == (201, "winter")
    row = models.IncomingShapeRowsItem.from_dict({"id": "w-1", "text": "A post.", "gold": 0})
    stored = call("projects_import_create", "winter", body=models.IncomingShape(rows=[row]))
    assert (stored.status_code, stored.parsed.items) == (201, 1)
    (item,) = call("projects_items_list", "winter").parsed.results
    assert (item.external_id, item.text) == ("w-1", "A post.")
    refused = call("projects_create", body=models.NewProjectShape(slug="winter"))
    assert (refused.status_code, type(refused.parsed)) == (409, models.Problem)
