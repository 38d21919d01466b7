"""Texts that were encoded twice are told on the page, by the command and to programs, and stored as they are."""

import io
import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from annotation.domain.choices import Role
from annotation.models import Item
from builders import make_member, make_project

pytestmark = pytest.mark.django_db
FILE = "id,text\n1,donâ€™t go\n2,cafÃ© people\n3,plain\n4,Ã¼ber\n5,naÃ¯ve\n".encode()


def test_page_and_command_show_three_examples_and_change_nothing(client, tmp_path, capsys) -> None:
    project = make_project(slug="garden")
    (tmp_path / "t.csv").write_bytes(FILE)
    call_command("import_items", "garden", str(tmp_path / "t.csv"), dry_run=True, as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert answer["twice_encoded"] == 4
    assert [(passage["was"], passage["would_read"]) for passage in answer["twice_encoded_examples"]] == [
        *(("donâ€™t go", "don’t go"), ("cafÃ© people", "café people"), ("Ã¼ber", "über"))
    ]
    call_command("import_items", "garden", str(tmp_path / "t.csv"), dry_run=True)
    assert "  1: donâ€™t go → don’t go" in capsys.readouterr().out
    client.force_login(make_member(project, Role.ADMIN).user)
    upload = SimpleUploadedFile("t.csv", io.BytesIO(FILE).read())
    page = client.post(reverse("annotation:import", args=["garden"]), {"file": upload}, follow=True).content.decode()
    assert "4 texts seem to be encoded twice" in page and "don’t go" in page
    call_command("import_items", "garden", str(tmp_path / "t.csv"))
    assert Item.objects.get(project=project, external_id="1").text == "donâ€™t go"
