"""Tables and ZIP names as people have them: in CP949, GB18030, Big5, Shift JIS, Latin-1, UTF-16."""

import io
import zipfile

import pytest
from django.core.management import call_command

from annotation.domain.formats.base import Unreadable
from annotation.domain.formats.encodings import ENCODINGS, likely_encoding, transcode
from annotation.domain.formats.zip_archives import ArchiveLimits, open_archive, shown
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item
from builders import make_project

TEXTS = {
    "cp949": "정원에 새 꽃이 피었습니다. 이웃들이 함께 물을 주었고, 아이들은 나비를 보았다.",
    "gb18030": "花园里开了新的花。邻居们一起浇水，孩子们看到了蝴蝶，这是我们的生活。",
    "big5hkscs": "花園裡開了新的花。鄰居們一起澆水，孩子們看到了蝴蝶，這是我們的生活。",
    "cp932": "庭に新しい花が咲きました。みんなで水をやり、子どもたちは蝶を見ました。",
    "cp1252": "Dans le jardin, il y a des fleurs très colorées – “déjà vu”, größer als früher.",
    "cp1251": "В саду расцвели новые цветы. Соседи вместе поливали, дети увидели бабочку.",
    "utf-16": "정원에 새 꽃이 피었습니다.",
    "utf-16-le": "A new flower, 정원에.",
    "utf-16-be": "A new flower, 정원에.",
}


def table(text):
    return f"id,text\np1,{text.replace(',', '')}\np2,Plain.\n"


@pytest.mark.parametrize("encoding", TEXTS)
def test_the_encoding_of_a_text_is_told(encoding):
    assert likely_encoding(table(TEXTS[encoding]).encode(encoding)) == encoding


@pytest.mark.parametrize("encoding", ["cp949", "gb18030", "big5hkscs", "cp932", "cp1252", "cp1251"])
def test_a_text_that_is_cut_in_a_character_is_told_too(encoding):
    raw = TEXTS[encoding].encode(encoding)
    assert likely_encoding(raw[:-2] + raw[-2:-1] if encoding.startswith("cp125") else raw[:-1]) == encoding


@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff", bytes(range(128, 256)), b"\x80\x81\x82"])
def test_nothing_is_suggested_for_bytes_that_are_no_text(raw):
    assert likely_encoding(raw) is None


@pytest.mark.parametrize("encoding", [name for name in ENCODINGS if name != "utf-8"])
def test_a_table_becomes_utf8_and_a_wrong_encoding_is_named_with_its_line(encoding):
    text = table(TEXTS[encoding])
    target = io.BytesIO()
    transcode(io.BytesIO(text.encode(encoding)), target, encoding)
    assert target.getvalue().decode() == text
    if encoding == "cp949":
        with pytest.raises(Unreadable) as fault:
            transcode(io.BytesIO(b"id,text\n1,a\n2,\xff\xff\n"), io.BytesIO(), encoding)
        assert fault.value.error.line == 3


@pytest.mark.django_db
class TestImport:
    @pytest.fixture
    def project(self):
        return make_project("garden")

    @pytest.mark.parametrize("encoding", ["cp949", "gb18030", "cp1252", "utf-16"])
    def test_it_is_asked_back_and_then_read(self, project, encoding):
        raw = table(TEXTS[encoding]).encode(encoding)
        asked = import_file(project, io.BytesIO(raw), ImportOptions())
        assert asked.fatal is not None and asked.fatal.code == "encoding"
        assert f"It looks like {encoding}" in asked.fatal.reason
        assert TEXTS[encoding][:6].strip() in asked.fatal.reason or "déjà"[:1] in asked.fatal.reason
        report = import_file(project, io.BytesIO(raw), ImportOptions(encoding=encoding))
        assert report.stored and report.errors == []
        assert Item.objects.get(external_id="p1").text == TEXTS[encoding].replace(",", "")

    @pytest.mark.parametrize("words", [("Hällo", "Präj"), ("Café", "plain"), ("Über", "plain")])
    def test_one_letter_beyond_ascii_is_enough_for_western_european(self, project, words):
        raw = f"id,text\na,{words[0]}\nb,{words[1]}\n".encode("latin-1")
        asked = import_file(project, io.BytesIO(raw), ImportOptions())
        assert asked.fatal is not None
        assert f"It looks like cp1252 (Windows-1252, Latin-1 (Western European)) and would begin “a,{words[0]}”" in (
            asked.fatal.reason
        )

    def test_the_wrong_one_is_refused_and_stores_nothing(self, project):
        raw = table(TEXTS["cp949"]).encode("cp949")
        report = import_file(project, io.BytesIO(raw), ImportOptions(encoding="utf-16"))
        assert report.errors and not report.stored
        assert not Item.objects.exists()

    def test_utf16_without_its_mark_is_refused_in_one_sentence(self, project):
        report = import_file(project, io.BytesIO(b"id,text\na,plain\n"), ImportOptions(encoding="utf-16"))
        assert report.fatal is not None and report.fatal.code == "encoding"
        assert "does not begin with the mark of utf-16" in report.fatal.reason

    def test_the_command_takes_it(self, project, tmp_path, capsys):
        file = tmp_path / "posts.csv"
        file.write_bytes(table(TEXTS["cp949"]).encode("cp949"))
        with pytest.raises(SystemExit):
            call_command("import_items", "garden", str(file))
        assert "It looks like cp949 (CP949, EUC-KR (Korean))" in capsys.readouterr().out
        call_command("import_items", "garden", str(file), "--encoding", "cp949")
        assert Item.objects.count() == 2


class TestNamesInAZip:
    def packed(self, names, encoding):
        """Return a ZIP as Windows packs it: names in the encoding of its country, without a mark."""
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w") as archive:
            for number, name in enumerate(names):
                archive.writestr("x" * len(name.encode(encoding)) + str(number), b"drawn")
        content = raw.getvalue()
        for number, name in enumerate(names):
            written = name.encode(encoding)
            content = content.replace(b"x" * len(written) + str(number).encode(), written + str(number).encode())
        return io.BytesIO(content)

    @pytest.mark.parametrize(
        ("encoding", "names"),
        [
            ("cp949", ["정원.jpg", "우리 동네 나비.jpg"]),
            ("gb18030", ["我们的花园.jpg", "这个城市的人.jpg"]),
            ("cp932", ["にわのはな.jpg", "ちょうちょ.jpg"]),
        ],
    )
    def test_names_of_windows_are_found(self, encoding, names):
        archive = open_archive(self.packed(names, encoding), ArchiveLimits())
        assert sorted(archive.members) == sorted(f"{name}{number}" for number, name in enumerate(names))

    def test_a_named_encoding_decides(self):
        archive = open_archive(self.packed(["花.jpg"], "big5hkscs"), ArchiveLimits(), "big5hkscs")
        assert list(archive.members) == ["花.jpg0"]

    def test_names_appear_as_written_and_what_hides_is_escaped(self):
        assert shown("정원.jpg") == "'정원.jpg'"
        assert shown("a\u202egpj.exe") == "'a\\u202egpj.exe'"
        assert shown("it's\n") == "'it's\\n'"
