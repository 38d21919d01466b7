"""The interface in Korean and Chinese: whole catalogues, names for every stored word, pages without English."""

import ast
import gettext
import html
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.consensus.close import close_item
from annotation.domain.choices import (
    Difficulty,
    EventVerb,
    Level,
    Modality,
    Policy,
    PriorState,
    Reason,
    Role,
    Source,
    Stage,
)
from annotation.domain.patterns import Mechanism
from annotation.models import Import, Item, Label, Project, Ruling, Seat
from annotation.pages.display_names import name_of
from annotation.pages.error_messages import SENTENCES, sentence_for
from annotation.templatetags.page import page_fault
from builders import make_item, make_labelled_item, make_member, make_open_item, make_project, make_user
from catalogues import LOCALES, ROOT, WAITING, catalogue, marked_texts, translated, untranslated, waiting
from generation.domain.event_verbs import GenerationVerb
from markup import compact
from moderation.domain.event_verbs import ModerationVerb
from providers.pages.text import FAULTS
from runs.domain.states import Reason as RunReason
from vocabulary import display_names, registration
from vocabulary.display_names import ConflictingLabel, label_of, register_labels

LANGUAGES = ("ko", "zh-hans")
SCRIPT = {"ko": "[가-힣]", "zh-hans": "[一-鿿]", "zh_Hans": "[一-鿿]"}
SAME_EVERYWHERE = {
    "Parquet",
    "ImageFolder (Hugging Face)",
    "H-VLI JSON",
    "Google Programmable Search",
    "SearXNG",
    "detoxify",
    "Fleiss' κ %(kappa)s",
    "Id",
    "CSV",
    "TSV",
    "H-VLI",
    "Hateful Memes",
    "MMHS150K",
    "HateXplain",
    "Dawid-Skene",
    "MACE",
    "Space",
    "Interplay JSON lines",
}
"""Names and signs that no language changes."""
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%|\{\w+\}|<[^>]+>")


@pytest.fixture(autouse=True)
def _no_language_is_left() -> Iterator[None]:
    """Deactivate the language of the last page, so that the next test in this process reads English."""
    yield
    translation.deactivate()


# ── Catalogues ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("locale", LOCALES)
def test_every_text_of_a_catalogue_is_translated_and_none_is_a_guess(locale):
    for entry in translated(locale):
        assert entry.said.get(0), f"{untranslated([entry.text])} Its entry in locale/{locale} is empty."
        assert "fuzzy" not in entry.flags, f"locale/{locale}: check it and remove the mark fuzzy: {entry.text}"
        assert list(entry.said) == [0], f"both languages have one plural form: {entry.text}"
        assert entry.said[0].strip() == entry.said[0] != "", entry.text
        if entry.text not in SAME_EVERYWHERE and re.search("[A-Za-z]{2}", PLACEHOLDER.sub("", entry.text)):
            assert re.search(SCRIPT[locale], entry.said[0]), entry.text


@pytest.mark.parametrize("locale", LOCALES)
def test_placeholders_and_markup_are_those_of_the_english_text(locale):
    for entry in translated(locale):
        expected = Counter(PLACEHOLDER.findall(entry.plural or entry.text))
        assert Counter(PLACEHOLDER.findall(entry.said[0])) == expected, entry.text


def test_both_catalogues_hold_the_same_texts_once_each():
    first, *others = ([entry.key for entry in catalogue(locale)] for locale in LOCALES)
    for keys in others:
        assert set(first) ^ set(keys) == set(), "run make messages: these stand in one catalogue only"
        assert len(keys) == len(set(keys))
    assert len(first) == len(set(first)) > 900


@pytest.mark.parametrize("locale", LOCALES)
def test_the_compiled_catalogue_is_that_of_the_texts_and_names_nobody(locale):
    folder = ROOT / "locale" / locale / "LC_MESSAGES"
    with (folder / "django.mo").open("rb") as compiled:
        said = gettext.GNUTranslations(compiled)
    for entry in translated(locale):
        if entry.plural:
            found = said.ngettext(entry.text, entry.plural, 1)
        else:
            found = said.pgettext(entry.context, entry.text) if entry.context else said.gettext(entry.text)
        assert found == entry.said[0], "make messages compiles the catalogues"
    header = catalogue(locale)[0].said[0]
    assert "nplurals=1" in header
    assert not re.search(r"@|POT-Creation-Date|/\w+/", header)


def test_what_pages_and_code_mark_for_translation_is_in_the_catalogues():
    marked = set(marked_texts())
    for locale in LOCALES:
        held = {entry.key for entry in catalogue(locale) if entry.said.get(0)}
        missing = sorted(text for context, text in marked - held if text not in waiting())
        assert not missing, f"{locale}. {untranslated(missing)}"


def test_a_process_is_no_annotator_and_a_batch_takes_no_rest():
    korean, chinese = ({entry.key: entry.said[0] for entry in translated(locale)} for locale in LOCALES)
    assert not [said for said in korean.values() if "작업자" in said]
    assert [texts["batch", "Pause"] for texts in (korean, chinese)] == ["멈추기", "暂停"]
    assert [texts["", "Pause"] for texts in (korean, chinese)] == ["잠시 쉬기", "休息一下"]


def test_what_waits_for_a_translation_is_still_needed_and_has_none():
    marked = {text for _context, text in marked_texts()}
    done = set.intersection(*({entry.text for entry in catalogue(locale) if entry.said.get(0)} for locale in LOCALES))
    needless = waiting() & done | waiting() - marked
    assert not needless, f"Remove from {WAITING}, for they are translated or no longer used: {sorted(needless)}"


# ── Stored words and refusals ─────────────────────────────────────────────────


def test_every_stored_word_has_a_name():
    closed_sets = (Stage, Reason, Level, Source, Policy, Modality, PriorState, Role, Difficulty, Mechanism, RunReason)
    words = {word.value for closed_set in closed_sets for word in closed_set} | set(Ruling.values)
    missing = {word for word in words if label_of(word) is None}
    assert not missing, f"{missing}: write the label beside the value in its enum, and register the enum in apps.py"


VERBS = [*EventVerb, *ModerationVerb, *GenerationVerb]


def test_every_verb_of_an_event_has_a_label_and_stands_once():
    missing = {verb.value for verb in VERBS if label_of(verb.value) is None}
    assert not missing, f"{missing}: write the label beside the verb in its enum"
    assert len({verb.value for verb in VERBS}) == len(VERBS) > 130


@pytest.mark.parametrize("locale", LOCALES)
def test_every_label_of_a_stored_word_is_translated(locale):
    translated = {entry.text for entry in catalogue(locale) if entry.context == "stored word" and entry.said.get(0)}
    registration.complete()
    labels = set(display_names._LABELS.values())
    missing = labels - translated - waiting() - {"ARCADE", "PREDICT", "AntiHateAgent"}  # names of papers
    assert not missing, f"With the context “stored word”: {untranslated(sorted(missing))}"


def test_events_are_recorded_with_a_verb_of_the_closed_set_and_never_with_a_free_string():
    sources = [path for app in ("annotation", "moderation", "generation") for path in (ROOT / app).rglob("*.py")]
    for path in sources:
        calls = (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id == "record" and call.args:
                assert not isinstance(call.args[0], ast.Constant), f"{path}: {ast.unparse(call)}"


def test_two_labels_for_one_word_are_refused():
    with pytest.raises(ConflictingLabel):
        register_labels({"kind_undecided": "nobody knows"})
    with translation.override("en"):
        assert name_of("kind_undecided") == "hateful, category unclear"


def test_every_refusal_of_a_file_or_a_row_has_a_sentence():
    code = re.compile(r'\b(?:BadValue|RowError|BadArchive|BadPicture|BadAnswer|BadMember)\((?:[\w.()]+, )?"(\w+)"')
    sources = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "annotation").rglob("*.py")))
    codes = set(code.findall(sources))
    assert {"duplicate_id", "no_answer", "column_count"} <= codes
    assert codes <= set(SENTENCES), (
        f"{codes - set(SENTENCES)}: give the new code a sentence in annotation/pages/error_messages.py"
    )


def test_a_stored_word_is_read_in_ones_own_language_and_an_unknown_one_stays():
    with translation.override("en"):
        assert name_of("kind_undecided") == "hateful, category unclear"
    with translation.override("ko"):
        assert name_of("kind_undecided") == "혐오, 범주 불분명"
        assert name_of("some_new_word") == "some new word"
    with translation.override("zh-hans"):
        assert name_of("kind_undecided") == "仇恨，类别不明"


def test_a_refusal_keeps_its_figures_in_english_and_names_the_cause_in_other_languages():
    with translation.override("en"):
        assert sentence_for("too_many_labels", "The row has 9 labels.") == "The row has 9 labels."
    with translation.override("zh-hans"):
        assert sentence_for("too_many_labels", "The row has 9 labels.") == "该行的标签数多于条目的席位数。"
        assert sentence_for("some_new_code", "Said in English.") == "Said in English."


def test_a_page_that_is_no_evidence_says_why_in_the_readers_language_and_in_english_only_what_that_leaves_out():
    for code, sentence in FAULTS.items():
        assert SENTENCES[f"page_{code}"] == sentence
        with translation.override("ko"):
            assert re.search("[가-힣]", page_fault(code, sentence))
            assert sentence not in page_fault(code, sentence)
    with translation.override("ko"):
        assert 'lang="en" dir="ltr">x.example answered 503.<' in page_fault("status", "x.example answered 503.")


# ── Pages ─────────────────────────────────────────────────────────────────────

ENGLISH = (
    "Submit and next",
    "Not sure",
    "Low quality",
    "Sign out",
    "Guidelines",
    "My history",
    "Text and picture on their own",
    "Disputed posts",
    "Decide and next",
    "Fleiss",
    "Check the file",
    "What is read",
    "Find items",
    "labelling",
    "no majority",
    "low quality",
)


def sentences() -> list[str]:
    """Texts of three words and more without placeholders: none of them belongs on a page in another language."""
    texts = {entry.text for entry in catalogue("ko")} | {text for _context, text in marked_texts()}
    long = sorted(text for text in texts - waiting() if len(text.split()) > 2)
    return [text for text in long if not PLACEHOLDER.search(text)]


def read_aloud(page: str) -> str:
    """What of a page is read or heard, without the texts of people."""
    page = re.sub(r"<(bdi|blockquote|q)\b.*?</\1>", " ", page, flags=re.DOTALL)
    heard = re.findall(r'(?:title|placeholder|aria-label|alt|data-[a-z-]+)="([^"]*)"', page)
    return html.unescape("\n".join([*heard, re.sub(r"<[^>]*>", "\n", page)]))


@pytest.fixture
def campaign(db):
    """A project with an open, a disputed and a gold item, and somebody who holds all three roles."""
    project = make_project("winter", name="Winter", seats=3)
    annotators = [make_member(project) for _ in range(3)]
    make_item(project, stage=Stage.READY)
    make_open_item(project)
    for codes in ((1, 2, None), (1, 1, 1)):
        close_item(make_labelled_item(project, annotators, codes))
    return project


def everybody(project: Project, language: str) -> Client:
    user = make_user(language=language)
    make_member(project, Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN, user=user)
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_hold_no_english_sentence(campaign, language):
    client = everybody(campaign, language)
    disputed = Item.objects.get(project=campaign, stage=Stage.DISPUTED)
    names = "label guidelines history pause resources withdraw items batches import priors dashboard releases"
    addresses = [reverse(f"annotation:{name}", args=["winter"]) for name in names.split()]
    addresses += [reverse(f"annotation:{name}", args=["winter"]) for name in ("models", "members")]
    addresses += [reverse("moderation:desk", args=["winter"])]
    addresses += [reverse("annotation:project-settings", args=["winter"])]
    addresses += [reverse(f"annotation:{name}") for name in ("projects", "preferences", "tokens")]
    addresses += [
        reverse(name, args=["winter", disputed.public_id]) for name in ("annotation:item", "moderation:desk-item")
    ]
    unwanted = (*ENGLISH, *sentences())
    for address in addresses:
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        shown = read_aloud(answer.content.decode())
        assert re.search(SCRIPT[language], shown), address
        left = [text for text in unwanted if text in shown]
        assert not left, f"{address}: {left}"


def test_the_language_of_the_account_rules_and_pages_name_theirs(campaign):
    client = everybody(campaign, "ko")
    shown = client.get("/", headers={"accept-language": "zh-hans"})
    assert '<html lang="ko"' in compact(shown.content.decode())
    client.post(reverse("annotation:look"), {"language": "zh-hans"})
    assert '<html lang="zh-hans"' in compact(client.get("/").content.decode())
    client.post(reverse("annotation:look"), {"language": "en"})
    shown = client.get("/", headers={"accept-language": "ko"})
    assert '<html lang="en"' in compact(shown.content.decode())


def test_who_has_not_signed_in_gets_the_language_of_the_browser_until_another_is_chosen(db):
    client = Client()
    login = reverse("account_login")
    assert "로그인" in client.get(login, headers={"accept-language": "ko-KR,ko;q=0.9"}).content.decode()
    assert "登录" in client.get(login, headers={"accept-language": "zh-CN,zh;q=0.9"}).content.decode()
    client.post(reverse("annotation:look"), {"language": "zh-hans"})
    assert "登录" in client.get(login, headers={"accept-language": "ko"}).content.decode()


def test_an_empty_answer_is_refused_in_the_annotators_language(campaign):
    client = everybody(campaign, "ko")
    shown = client.get(reverse("annotation:label", args=["winter"])).content.decode()
    seat = Seat.objects.get(annotator__user__language="ko")
    key = re.search(r'name="key" value="([^"]+)"', shown)
    answer = client.post(reverse("annotation:submit", args=["winter", seat.public_id]), {"key": key and key[1]})
    assert "범주, “잘 모르겠음”, “품질 낮음” 중에서 고르세요." in answer.content.decode()
    assert not Label.objects.filter(seat=seat).exists()


@pytest.mark.parametrize(
    ("language", "cause"), [("ko", "레이블이 이 프로젝트의 범주가 아닙니다."), ("zh-hans", "该标签不是本项目的类别。")]
)
def test_a_refused_row_says_its_cause_in_the_admins_language_and_its_value_as_the_rule_says_it(
    campaign, language, cause
):
    client = everybody(campaign, language)
    row = b'{"id":"c","text":"Fence","intended":"no such kind"}'
    client.post(reverse("annotation:import", args=["winter"]), {"file": SimpleUploadedFile("posts.jsonl", row)})
    found = Import.objects.get()
    shown = client.get(reverse("annotation:import-show", args=["winter", found.public_id])).content.decode()
    assert re.search(cause + r' <small class="quiet" lang="en" dir="ltr">[^<]*no such kind', shown)
