"""Pages and API of scores: the tab of an item, what a card says, the project's means and sweep, the human check."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.consensus.close import close_item
from annotation.domain.choices import Role
from annotation.models import Item, Membership, Project
from annotation.review.expert_replacement import look_at_votes
from builders import make_labelled_item, make_member, make_open_item, make_picture, make_project
from markup import compact
from moderation.domain.hatexscore.cc import Rule
from moderation.domain.hatexscore.estimators import Estimator
from moderation.domain.hatexscore.human_review import Rated, Rating, report
from moderation.domain.hatexscore.request import Scoring
from moderation.domain.hatexscore.score import Weights
from moderation.hatexscore import human_review, start, summary
from moderation.hatexscore.start import pasted
from moderation.models import ExplanationReview, Score
from runs.execution import runner, worker
from runs.models import Run

pytestmark = pytest.mark.django_db

TEXT = "All immigrants are vermin."
SAID = "“vermin” demeans the immigrants. Conclusion: hateful"


@pytest.fixture(autouse=True)
def _built_in_only(settings: Any) -> None:
    settings.MODEL_BINDINGS = {}


@pytest.fixture
def project() -> Project:
    return make_project("garden")


@pytest.fixture
def item(project: Project) -> Item:
    people = [make_member(project) for _ in range(3)]
    made = make_labelled_item(
        project, people, [1, 2, 0], text=TEXT, external_id="post-1", picture=make_picture(project)
    )
    close_item(made)
    made.refresh_from_db()
    return made


@pytest.fixture
def reviewer(project: Project) -> Membership:
    return make_member(project, Role.REVIEWER)


def client_of(member: Membership) -> Client:
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    return client


def address(name: str, *args: Any) -> str:
    return reverse(f"moderation:{name}", args=["garden", *args])


def scored(
    item: Item, said: str = SAID, prediction: bool = True, p: float = 0.75, p_masked: float = 0.25, **how: Any
) -> Score:
    choice = Scoring(estimator=Estimator.GIVEN, p=p, p_masked=p_masked, **how)
    score = start.start(item, pasted(said, prediction), choice, ring=False)
    runner.claim_and_perform(Run.objects.get(public_id=score.run).pk, worker.planned_model)
    score.refresh_from_db()
    return score


def text_of(answer: Any) -> str:
    return compact(answer.content.decode())


def test_a_reviewer_pastes_an_explanation_and_reads_its_card(item: Item, reviewer: Membership) -> None:
    client = client_of(reviewer)
    assert "No explanation of this post was scored yet" in text_of(client.get(address("item-scores", item.public_id)))
    wish = {
        "key": "pasted",
        "text": SAID,
        "prediction": "hateful",
        "estimator": "given",
        "p": "0.75",
        "p_masked": "0.25",
    }
    answer = client.post(address("score-start", item.public_id), wish)
    assert answer["Location"] == address("item-scores", item.public_id)
    score = Score.objects.get()
    page = text_of(client.get(address("item-scores", item.public_id)))
    assert "Waiting for a worker." in page and 'hx-trigger="every 3s"' in page
    runner.claim_and_perform(Run.objects.get(public_id=score.run).pk, worker.planned_model)
    page = text_of(client.get(address("item-scores", item.public_id)))
    for words in (
        "<strong>0.88</strong>",  # (1 + 0.5 + 1 + 1) / 4
        'All immigrants are <mark class="rationale">vermin<sup>1</sup></mark>.',
        'All immigrants are <span class="masked">mask 1</span>.',
        "Without the 1 quote the probability goes from 0.75 to 0.25.",
        "“immigrant” stands in one sentence with a quote.",
        "QF 0.50 reaches τ 0.30, a group is named. Hateful needs both: τ reached and a group named.",
        "It concludes that the text is hateful.",
        "Only the text is masked",
        "paper, τ = 0.30",
        "immigrant · Migrants",
    ):
        assert words in page, words
    assert '<p class="prose is-typed" dir="auto" hx-disable>' in page  # its lines stay lines
    assert '<details class="fold sheet stack" id="score-' in page and "details open" not in page
    assert 'hx-trigger="every 3s"' not in page


@pytest.mark.parametrize(
    ("said", "prediction", "p_masked", "words"),
    [
        (TEXT, True, 0.25, "It states no conclusion for or against hateful."),
        ("“roses” are not in it. It is hateful.", True, 0.25, "Nothing that it quotes stands in the text."),
        ("It is hateful.", True, 0.25, "It quotes nothing, and it shares no telling word with the text."),
        (
            "To call people vermin is hateful.",
            True,
            0.25,
            "It quotes nothing. Without the words that it shares with the text the probability goes from 0.75 to 0.25.",
        ),
        (f"“{TEXT}” It is hateful.", True, 0.25, "It quotes the whole text, which singles nothing out."),
        ("“vermin” is rude. It is hateful.", True, 0.25, "It names no group of the list outside its quotes."),
        (
            "“vermin” is rude. Immigrants are named. It is hateful.",
            True,
            0.25,
            "“immigrant” stands in no sentence with a quote or a hostile word.",
        ),
        (
            "“vermin” is rude. Immigrants are named. It is hateful.",
            True,
            0.25,
            "QF 0.50 reaches τ 0.30, no group that is named counts.",
        ),
        (SAID, False, 0.7, "It states a conclusion, but the opposite of its label."),
        (SAID, False, 0.7, "For a verdict of not hateful, little change is what counts."),
        (SAID, True, 0.7, "QF 0.05 is below τ 0.30, a group is named."),
    ],
)
def test_a_card_says_why(
    item: Item, reviewer: Membership, said: str, prediction: bool, p_masked: float, words: str
) -> None:
    scored(item, said, prediction, 0.75, p_masked)
    assert words in text_of(client_of(reviewer).get(address("item-scores", item.public_id)))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"key": "run:nowhere"}, "Select a valid choice"),
        ({"key": "pasted", "text": SAID, "estimator": "given"}, "Give p before and after masking"),
    ],
)
def test_what_cannot_be_scored_comes_back_with_the_form(
    item: Item, reviewer: Membership, fields: dict[str, str], said: str
) -> None:
    answer = client_of(reviewer).post(address("score-start", item.public_id), fields)
    assert answer.status_code == 422 and said in text_of(answer) and not Score.objects.exists()


def test_a_refused_explanation_is_shown_without_a_number(item: Item, reviewer: Membership) -> None:
    client = client_of(reviewer)
    wish = {"key": "pasted", "text": "I'm sorry, but I can't help with that.", "prediction": "hateful"}
    page = text_of(client.post(address("score-start", item.public_id), wish, follow=True))
    assert "The model refused to explain" in page and "never a 0" in page and "0.00" not in page


def test_hostile_words_of_an_explanation_are_only_words(item: Item, reviewer: Membership) -> None:
    scored(item, "“vermin” <script>alert(1)</script>\u202e attacks immigrants. It is hateful.")
    page = text_of(client_of(reviewer).get(address("item-scores", item.public_id)))
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page and 'class="control"' in page


def test_who_may_still_say_something_themselves_sees_no_score(project: Project) -> None:
    both = client_of(make_member(project, Role.ANNOTATOR, Role.REVIEWER))
    open_item = make_open_item(project, TEXT)
    score = scored(open_item)
    assert both.get(address("item-scores", open_item.public_id)).status_code == 404
    assert both.post(address("score-start", open_item.public_id), {"key": "pasted"}).status_code == 404
    assert "No explanation is left" in text_of(both.get(address("score-review")))
    answers = {"score": score.public_id, "quotes": "1", "group": "1", "hateful": "1"}
    assert both.post(address("score-review"), answers).status_code == 404


def test_means_and_the_sweep_of_a_project(item: Item, reviewer: Membership) -> None:
    client = client_of(reviewer)
    assert "Nothing was scored yet" in text_of(client.get(address("scores")))
    scored(item)
    scored(item, "“roses” are not in it. It is hateful.")
    start.start(item, pasted("", True), Scoring(), ring=False)
    page = text_of(client.get(address("scores")))
    # (0.875 + 0.25) / 2; at 0.6 the first falls to 0.625: (0.625 + 0.25) / 2
    assert "0.563" in page and '<td class="num">0.438</td>' in page
    assert '<th scope="row">Pasted</th>' in page and '<th scope="col" class="num">HateXScore</th>' in page
    assert page.count("<polyline") == 2 and '<td class="num">1</td></tr>' in page
    assert 'aria-current="page">released' in text_of(client.get(address("scores"), {"rule": "released"}))


def test_an_explanation_scored_several_times_counts_once_by_its_newest_score_and_by_one_rule(
    item: Item, reviewer: Membership
) -> None:
    first = scored(item, p=0.5, p_masked=0.5)  # QF 0, so no CC
    again = scored(item, threshold=0.9, weights=Weights(0, 0, 0, 1))
    assert (first.qf, first.cc, again.qf, again.cc, again.score) == (0, 0, 0.5, 0, 0)
    scored(item, "It is about plants. Conclusion: non-hateful", False, p=0.5, p_masked=0.5)
    item.scores.create(
        project=item.project, source="pasted", rule="paper", threshold=0.3, explanation="", state="refused"
    )
    # By the paper's rule with its 0.3: 1, 0.5, 1, 1 of the first, by its newest score; 1, 0, 0, 1 of the other.
    [line] = summary.figures(item.project, Rule.PAPER)
    assert (line.means, line.count, line.left_out) == ([1, 0.25, 0.5, 1, 0.6875], 2, 1)
    # With 0.45 the first still reaches it; the other quotes nothing, so by this rule it is not consistent.
    [line] = summary.figures(item.project, Rule.RELEASED)
    assert line.means == [1, 0.25, 0.5, 0.5, 0.5625]
    swept = summary.swept(item.project, Rule.PAPER)
    assert swept is not None and [row["cc"] for row in swept.rows] == [1] * 5 + [0.5] * 4
    page = text_of(client_of(reviewer).get(address("scores"), {"rule": "released"}))
    assert "rule “released” with τ 0.45 and equal weights" in page and "0.563" in page


# ── The human check ──────────────────────────────────────────────────────────


def test_an_explanation_scored_twice_is_rated_once(item: Item, reviewer: Membership) -> None:
    first, _again = scored(item), scored(item, p=0.5, p_masked=0.5)
    assert human_review.next_for(reviewer) == first
    human_review.rate(first, reviewer, Rating(True, True, True))
    assert human_review.next_for(reviewer) is None


def test_a_reviewer_rates_without_seeing_the_score(item: Item, reviewer: Membership) -> None:
    first, second = scored(item), scored(item, "“vermin” is rude. It is hateful.")
    client = client_of(reviewer)
    page = text_of(client.get(address("score-review")))
    assert "“vermin” demeans the immigrants" in page
    for secret in ("0.88", "0.75", "HateXScore", "class='rationale'", "score-part"):
        assert secret not in page
    answers = {"score": str(first.public_id), "quotes": "1", "group": "1", "hateful": "0"}
    assert client.post(address("score-review"), answers).status_code == 302
    assert str(second.public_id) in text_of(client.get(address("score-review")))
    client.post(address("score-review"), answers | {"hateful": "1"})  # again: the first answer stands
    (kept,) = ExplanationReview.objects.all()
    assert (kept.quotes, kept.group, kept.hateful, kept.reviewer) == (True, True, False, reviewer)
    missing = client.post(address("score-review"), {"score": str(second.public_id), "quotes": "1"})
    assert missing.status_code == 422 and ExplanationReview.objects.count() == 1
    assert text_of(missing).count('<p class="wrong">') == 2
    client.post(address("score-review"), answers | {"score": str(second.public_id)})
    assert "No explanation is left" in text_of(client.get(address("score-review")))


def test_what_fewest_have_rated_comes_first(project: Project, item: Item, reviewer: Membership) -> None:
    first, second = scored(item), scored(item, "“vermin” is rude. It is hateful.")
    human_review.rate(first, reviewer, Rating(True, True, True))
    assert human_review.next_for(make_member(project, Role.REVIEWER)) == second


def test_results_show_kappas_and_sides(project: Project, item: Item, reviewer: Membership) -> None:
    page = text_of(client_of(reviewer).get(address("score-review-results")))
    assert "0 explanations" in page and "There is no such item yet." in page
    score = scored(item)
    for hateful in (True, True, False):
        human_review.rate(score, make_member(project, Role.REVIEWER), Rating(True, True, hateful))
    assert "1 explanation with 3 ratings counts" in text_of(client_of(reviewer).get(address("score-review-results")))


def kept(item: Item, state: str = "scored") -> Score:
    """A score of a pasted explanation, without its run."""
    return Score.objects.create(
        project=item.project, item=item, source="pasted", explanation=SAID, text=item.text, rule="paper",
        threshold=0.3, estimator="given", state=state, prediction=False, score=0.9, qf=0.5, tgi=True, reading={},
    )  # fmt: skip


def test_what_a_reviewer_may_not_rate_yet_hides_nothing_behind_it(
    project: Project, item: Item, reviewer: Membership
) -> None:
    open_item = make_open_item(project)
    for _ in range(60):
        kept(open_item)
    assert human_review.next_for(reviewer) is None
    last = kept(item)
    assert human_review.next_for(reviewer) == last
    admin_alone = make_member(project, Role.ADMIN)
    assert human_review.next_for(admin_alone) is None


def test_the_next_one_is_always_one_that_may_be_rated(project: Project, item: Item, reviewer: Membership) -> None:
    people = [make_member(project) for _ in range(2)]
    unsure, labelled, reported = (
        make_labelled_item(project, people, votes) for votes in ([1, None], [1, None], [1, 1])
    )
    for made in (unsure, labelled, reported):
        close_item(made)
    Item.objects.filter(pk=reported.pk).update(stage="excluded", excluded_for="reported")
    other = make_member(project, Role.REVIEWER)
    look_at_votes(unsure, other)
    scores = [kept(made) for made in (make_open_item(project), unsure, labelled, reported, item)]
    for member, seen in ((reviewer, []), (other, [scores[1]])):
        offered: list[Score] = []
        while (row := human_review.next_for(member)) is not None:
            human_review.rate(row, member, Rating(True, True, True))
            offered.append(row)
        assert offered == [*seen, scores[4]]
        for score in scores:
            shown = Item.objects.get(pk=score.item_id)
            assert human_review.may_rate(shown, member) == (score in offered)


def test_results_ask_no_more_for_more_explanations(
    project: Project, item: Item, reviewer: Membership, django_assert_num_queries: Any
) -> None:
    people = [make_member(project) for _ in range(3)]
    for votes in ([1, 1, 0], [0, 0, 1], [0, 1, None]):
        human_review.rate(kept(make_labelled_item(project, people, votes)), reviewer, Rating(True, True, False))
    with django_assert_num_queries(3):
        found = human_review.results(project)
    # The votes of the first alone say hateful, against the explanation; the last has no result.
    assert (found.above.model, found.above.of) == (1, 1)
    for _ in range(10):
        human_review.rate(kept(make_labelled_item(project, people, [1, 1, 1])), reviewer, Rating(True, True, True))
    with django_assert_num_queries(3):
        found = human_review.results(project)
    assert (found.above.model, found.above.of) == (1, 11)


def rated(quotes: str, qf: float, *, score: float = 0.9, label: bool | None = None, hateful: str = "111") -> Rated:
    ratings = [Rating(one == "1", one == "1", own == "1") for one, own in zip(quotes, hateful, strict=True)]
    return Rated(ratings, qf, qf >= 0.3, 0.3, score, True, label)


def test_kappa_by_hand_between_people_and_with_the_score() -> None:
    found = report([rated("111", 0.9), rated("000", 0.1), rated("110", 0.3)])
    # People: P = (1 + 1 + 1/3) / 3 = 7/9; yes 5 of 9, no 4: Pe = 41/81; kappa = (63 - 41) / (81 - 41) = 0.55.
    # With the score: 1111, 0000, 1101: P = (1 + 1 + 1/2) / 3 = 5/6; yes 7 of 12: Pe = 74/144; (120 - 74) / (144 - 74).
    (qf, tgi, _own) = found.kappas
    assert qf.people.value == pytest.approx(0.55)  # type: ignore[union-attr]
    assert qf.with_score.value == pytest.approx(46 / 70)  # type: ignore[union-attr]
    assert tgi.with_score == qf.with_score
    assert (found.raters, found.explanations) == (3, 3)


def test_sides_by_hand() -> None:
    found = report(
        [
            rated("111", 0.9, score=0.5, label=False, hateful="110"),  # two of three side with the model
            rated("000", 0.1, score=0.49, label=False, hateful="001"),
            rated("111", 0.9, score=0.9, label=True),  # nothing differs
            rated("111", 0.9, score=0.9, label=None),  # no majority
        ]
    )
    assert (found.above.model, found.above.of, found.below.model, found.below.of) == (2, 3, 1, 3)


# ── API ──────────────────────────────────────────────────────────────────────


def test_the_api_starts_and_shows_a_score(item: Item, reviewer: Membership) -> None:
    client = client_of(reviewer)
    there = reverse("runs-api:item-scores", args=["garden", item.public_id])
    wish = {"explanation": "pasted", "text": SAID, "prediction": "hateful", "estimator": "given", "p": 1, "p_masked": 0}
    made = client.post(there, wish, content_type="application/json")
    assert made.status_code == 202 and made.json()["state"] == "waiting"
    runner.claim_and_perform(Run.objects.get().pk, worker.planned_model)
    shown = client.get(reverse("runs-api:score", args=["garden", made.json()["id"]])).json()
    assert (shown["score"], shown["reading"]["masked"], shown["threshold"]) == (1, "All immigrants are [MASK].", 0.3)
    assert client.get(there).json()["scores"][0]["id"] == shown["id"]
    refused = client.post(there, wish | {"p": None}, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_choice")
    assert client.post(there, {"explanation": "run:x"}, content_type="application/json").json()["code"] == "bad_choice"
