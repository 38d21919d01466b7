"""What the card, the citation and the Croissant description say about licences, languages and people."""

import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

import builders
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Order, Role, Source, Stage
from annotation.domain.releases.languages import language_of
from annotation.models import Item, Membership, Prior, ReleaseTerms
from annotation.releases.build import release
from annotation.releases.documents import bibtex, citation_file
from release_builders import make_gold

pytestmark = pytest.mark.django_db

TEXTS = (
    ("Weeds in the white roses again, and nobody came to help.", "CC0-1.0"),
    ("The neighbours planted their tomatoes much too early.", "CC0-1.0"),
    ("장미밭에 또 잡초가 자라서 이웃들이 함께 뽑았다.", "cc by 4.0"),
    ("ok", ""),
)


@pytest.fixture
def project():
    project = builders.make_project(name="Winter campaign")
    trio = [builders.make_member(project) for _ in range(3)]
    for text, licence in TEXTS:
        make_gold(project, trio, (0, 0, 1), text, licence=licence)
    return project


def papers_of(project):
    from huggingface_hub import DatasetCard  # noqa: PLC0415 (takes long to load)

    folder = folder_of(release(project, None))
    described = json.loads((folder / "croissant.json").read_text())
    return DatasetCard.load(folder / "README.md"), (folder / "CITATION.cff").read_text(), described, folder


def test_licences_come_from_the_items_with_their_counts(project):
    import mlcroissant  # noqa: PLC0415 (loads pandas)

    card, cited, described, folder = papers_of(project)
    assert card.data.license == ["cc0-1.0", "cc-by-4.0", "unknown"]
    assert "| Licence of the items | CC0-1.0 (2 items), cc by 4.0 (1 item), not stated (1 item) |" in card.text
    assert "license:" not in cited  # several would mean a choice between them
    assert described["license"] == [
        "https://creativecommons.org/publicdomain/zero/1.0/",
        "https://creativecommons.org/licenses/by/4.0/",
        "not stated",
    ]
    assert "  2 x CC0-1.0\n  1 x cc by 4.0\n  1 x not stated" in (folder / "LICENSE").read_text()
    assert not mlcroissant.Dataset(jsonld=str(folder / "croissant.json")).metadata.issues.errors


def test_a_licence_may_be_called_like_a_method_of_a_dict(project):
    project.items.filter(licence="cc by 4.0").update(licence="items")
    _card, _cited, _described, folder = papers_of(project)
    assert "items (1 item)" in (folder / "README.md").read_text() and "1 x items" in (folder / "LICENSE").read_text()


@pytest.mark.parametrize(("open_items", "sentence"), [(1, "**no random sample**"), (0, "All 4 items of the project")])
def test_a_campaign_that_takes_hard_items_first_says_whether_the_labelled_ones_are_a_sample(
    project, open_items, sentence
):
    project.order = Order.HARD
    project.save(update_fields=["order"])
    for _ in range(open_items):
        builders.make_open_item(project)
    made = release(project, None)
    assert made.manifest["hard_items_first"] == {"items": 4 + open_items, "not_labelled": open_items}
    assert made.manifest["agreement"]["order"] == "hard"
    card = (folder_of(made) / "README.md").read_text()
    assert "Hard items were handed out first" in card and sentence in card
    if open_items:
        assert "1\nof the project's 5 items were not fully labelled" in card


def test_in_any_other_order_the_card_says_nothing_of_it(project):
    made = release(project, None)
    assert "hard_items_first" not in made.manifest
    assert "handed out first" not in (folder_of(made) / "README.md").read_text()


def test_a_licence_that_all_items_share_is_the_licence(project):
    Item.objects.update(licence="CC-BY-4.0")
    card, cited, described, _folder = papers_of(project)
    assert card.data.license == "cc-by-4.0"
    assert 'license: "CC-BY-4.0"' in cited
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/"


def test_a_licence_of_some_items_is_not_that_of_items_without_one(project):
    Item.objects.filter(licence="cc by 4.0").update(licence="CC0-1.0")
    card, cited, described, _folder = papers_of(project)
    assert card.data.license == ["cc0-1.0", "unknown"]
    assert "license:" not in cited
    assert described["license"] == ["https://creativecommons.org/publicdomain/zero/1.0/", "not stated"]


def test_two_names_of_one_licence_are_one(project):
    Item.objects.filter(licence="CC0-1.0").update(licence="CC-BY-4.0")
    Item.objects.filter(licence="").update(licence="CC BY 4.0")
    card, cited, described, _folder = papers_of(project)
    assert card.data.license == "cc-by-4.0"
    assert 'license: "CC-BY-4.0"' in cited
    assert described["license"] == "https://creativecommons.org/licenses/by/4.0/"


@given(st.text(min_size=1))
@example("Winter\x92s \x85 \x7f \u2028 \ufffe")
def test_any_name_is_read_from_the_front_matter_and_the_citation(name):
    about = {"name": name, "description": f"{name}\n\nmore: so", "slug": "x"}
    manifest = {"project": about, "version": 1, "created": "2026-01-31", "release": "r", "authors": [name]}
    counts = {"items": 1, "licences": {}, "annotators": 0, "sources": {}}
    cited = yaml.safe_load(citation_file(manifest | {"licence": name, "counts": counts}))
    assert (cited["title"], cited["authors"][0]["name"], cited["abstract"]) == (name, name, about["description"])


def test_a_category_without_gold_has_none_of_it(project):
    card, *_rest = papers_of(project)
    assert "| 0 NotHate | no | 4 |\n| 1 Racist | yes | 0 |" in card.text


def test_a_bar_in_a_name_parts_no_row_of_a_table(project):
    Item.objects.update(licence="Ours | theirs")
    project.categories.filter(code=1).update(name="Racist | xenophobic")
    Prior.objects.create(item=Item.objects.first(), modality="text", state="ok", hateful=False, model="a|b")
    card, *_rest = papers_of(project)
    tables = [line for line in card.text.splitlines() if line.startswith("| ")]
    for words in ("Ours \\| theirs (4 items)", "1 Racist \\| xenophobic", "a\\|b"):
        assert any(words in line for line in tables)
    assert not [line for line in tables if " theirs" in line and "\\| theirs" not in line]


def test_a_licence_that_no_hub_knows_has_a_name_without_spaces_and_a_file(project):
    Item.objects.update(licence="Platform Terms (2024)")
    card, cited, _described, folder = papers_of(project)
    assert (card.data.license, card.data.license_name) == ("other", "platform-terms-2024")
    assert card.data.license_link == "LICENSE"
    assert (folder / "LICENSE").is_file()
    assert "license:" not in cited


def test_without_any_licence_the_card_says_that_none_is_known(project):
    Item.objects.update(licence="")
    card, _cited, described, _folder = papers_of(project)
    assert (card.data.license, described["license"]) == ("unknown", "not stated")


def test_the_languages_are_those_of_the_texts(project):
    card, _cited, described, _folder = papers_of(project)
    assert card.data.language == ["en", "ko"] == described["inLanguage"]
    assert "| Languages | en (2), ko (1), told by a program in 3 of 4 texts |" in card.text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("玫瑰园里又长杂草了，邻居们都来帮忙拔草。", "zh"),
        ("バラ園にまた雑草が生えた。", "ja"),
        ("Unkraut in den weißen Rosen, schon wieder.", "de"),
        ("@user #roses :)", None),
        ("lol", None),
        ("", None),
    ],
)
def test_short_and_mixed_texts_have_no_language(text, language):
    assert language_of(text) == language


@pytest.mark.parametrize(("said", "word"), [("experts", "expert-generated"), ("crowd", "crowdsourced"), ("", "other")])
def test_the_annotators_are_what_their_project_says(project, said, word):
    ReleaseTerms.objects.create(project=project, annotators=said)
    card, *_others = papers_of(project)
    assert card.data.annotations_creators == [word]
    assert card.data.language_creators == ["found"]
    assert "12 by 3 annotators" in card.text


def test_annotators_who_came_with_the_data_are_counted_apart(project):
    first = Membership.objects.filter(project=project).first()
    Membership.objects.filter(pk=first.pk).update(user=None, imported_name="a1")
    card, *_others = papers_of(project)
    assert "12 by 3 annotators, of whom 1 came with the data" in card.text
    assert card.data.annotations_creators == ["other", "found"]
    Membership.objects.filter(project=project).update(user=None, imported_name="")
    for number, member in enumerate(Membership.objects.filter(project=project)):
        Membership.objects.filter(pk=member.pk).update(imported_name=f"a{number}")
    assert papers_of(project)[0].data.annotations_creators == ["found"]


def test_of_what_came_labelled_or_decided_the_card_does_not_say_how_people_labelled(project):
    blind = "3 annotators labelled each item without seeing each other's labels. Agreement of their votes: *perfect*"
    card, *_others = papers_of(project)
    assert blind in card.text and "Labelled here" not in card.text
    stranger = builders.make_member(project)
    Membership.objects.filter(pk=stranger.pk).update(user=None, imported_name="a1")
    others = [builders.make_member(project) for _ in range(2)]
    make_gold(project, [stranger, *others], text="It came with one label.")
    for number in range(2):
        builders.make_item(
            project,
            f"It came decided, {number}.",
            stage=Stage.GOLD,
            category=builders.category(project, 0),
            category_source=Source.IMPORTED,
        )
    card, *_others = papers_of(project)
    assert blind not in card.text
    assert (
        "Labelled here: 4 of 7 items. 3 annotators labelled each of them without seeing each other's labels.\n"
        "Came with labels: 1. Came decided, with a category and without labels: 2. Nothing is known here" in card.text
    )


def test_the_page_of_terms_stores_who_annotated(project, client):
    admin = builders.make_member(project, Role.ADMIN)
    client.force_login(admin.user)
    page = client.post(f"/p/{project.slug}/releases/terms/", {"annotators": "crowd", "access_days": 14})
    assert page.status_code == 302
    assert ReleaseTerms.objects.get(project=project).annotators == "crowd"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("R&D lab #1", r"R\&D lab \#1"),
        ("50 % of_us for $", r"50 \% of\_us for \$"),
        ("a~b^c", r"a\textasciitilde{}b\textasciicircum{}c"),
        ("{Garden} \\input", r"\{Garden\} \textbackslash{}input"),
        ("Garden} {lab", r"Garden\textbraceright{} \textbraceleft{}lab"),
        ("{lab", r"\textbraceleft{}lab"),
        ("정원 연구실", "정원 연구실"),
    ],
)
def test_names_in_a_citation_mean_the_same_to_tex(name: str, written: str) -> None:
    project = {"slug": "garden", "name": name, "authors": [name]}
    manifest = {"project": project, "version": 1, "created": "2026-11-27T10:00:00Z"}
    entry = bibtex(manifest, "")
    assert f"  title   = {{{written}}}" in entry and entry.count("{") == entry.count("}")
    assert "url" not in entry and "  url     = {https://a.example/r/1/}," in bibtex(
        manifest, url="https://a.example/r/1/"
    )


def test_every_citation_of_a_release_has_the_same_authors(project):
    ReleaseTerms.objects.create(project=project, authors=["{Garden} lab"])
    _card, cited, described, _folder = papers_of(project)
    assert '{"name": "{Garden} lab"}' in cited
    assert r"author  = {{\{Garden\} lab}}" in described["citeAs"]
