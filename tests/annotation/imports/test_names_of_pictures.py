"""Pictures whose names a table spells in another way than the archive or folder are found and told, on both ways in."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from django.core.management import call_command
from PIL import Image

from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item
from builders import make_project

pytestmark = pytest.mark.django_db


def picture(shade: int, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    colour = (shade, shade, shade) if mode == "RGB" else (shade, shade, shade, 0)
    drawn = Image.new(mode, (24, 20), colour)
    drawn.paste((0, 0, 0), (4, 4, 9, 9))
    drawn.save(out, "PNG")
    return out.getvalue()


def archive(named: list[str], members: list[str]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        rows = [{"id": f"p{number}", "text": "x", "image": name} for number, name in enumerate(named)]
        file.writestr("items.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
        for number, name in enumerate(members):
            info = zipfile.ZipInfo("x")
            info.filename = name  # as Windows writes it
            file.writestr(info, picture(number * 20))
    return packed


CASES = {
    "backslashes on both sides": (
        ["img\\a.png", "img/b.png"],
        ["img/a.png", "img\\b.png"],
        {"img\\a.png": "img/a.png"},
    ),
    "capitals": (
        ["IMG/A.PNG", "img/b.jpg"],
        ["img/a.png", "img/b.JPG"],
        {"IMG/A.PNG": "img/a.png", "img/b.jpg": "img/b.JPG"},
    ),
    "percent": (["img/a%20b.png", "img/e#f.png"], ["img/a b.png", "img/e#f.png"], {"img/a%20b.png": "img/a b.png"}),
    "as they are": (["img/a.png"], ["img/a.png"], {}),
}


@pytest.mark.parametrize(("named", "members", "renamed"), CASES.values(), ids=CASES)
def test_in_an_archive(named: list[str], members: list[str], renamed: dict[str, str]) -> None:
    project = make_project()
    report = import_file(project, archive(named, members), ImportOptions())
    assert report.errors == [] and report.stored
    assert not Item.objects.filter(project=project, picture=None).exists()
    answer = report.answer()
    assert answer["renamed"] == len(renamed)
    assert {pair["was"]: pair["became"] for pair in answer["renamed_names"]} == renamed
    assert report.as_json()["renamed"] == len(renamed)


def test_a_name_that_may_be_either_of_two_is_not_there() -> None:
    report = import_file(
        make_project(), archive(["a%20b.png"], ["a b.png", "a b.png ".replace("b.png ", "b .png")]), ImportOptions()
    )
    assert report.stored  # `a b .png` is another name
    report = import_file(make_project(), archive(["A/c.png"], ["a /c.png", "a/c.png"]), ImportOptions())
    assert [error.code for error in report.errors] == ["missing_picture"]


def test_in_a_folder_and_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = make_project(slug="garden")
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "a b.png").write_bytes(picture(9))
    (tmp_path / "outside").symlink_to("/etc")
    table = tmp_path.parent / "t.csv"
    table.write_text("id,text,image\n1,x,IMG\\a%20b.png\n2,y,/etc/hostname\n3,z,OUTSIDE/hostname\n")
    call_command("import_items", project.slug, str(table), images=str(tmp_path), as_json=True)
    answer = json.loads(capsys.readouterr().out)
    assert answer["renamed_names"] == [{"was": "IMG\\a%20b.png", "became": "img/a b.png"}]
    assert (answer["pictures"], answer["missing_images"]) == (1, 2)


def test_transparent_pictures_are_told_with_their_ground() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("items.csv", "id,image\n1,a.png\n2,b.png\n")
        file.writestr("a.png", picture(0, "RGBA"))
        file.writestr("b.png", picture(0))
    for dry_run in (True, False):
        report = import_file(make_project(), packed, ImportOptions(), dry_run=dry_run)
        assert report.answer()["grounds"] == report.as_json()["grounds"] == {"white": 1}
