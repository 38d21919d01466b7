"""A project in which each field that somebody else fills holds a mark of its own, `qz01` to `qz89`."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from annotation.domain.choices import Modality, Role
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Item, Membership, PictureText, Prior, Project
from builders import category, make_label, make_member, make_open_item, make_picture
from checked_claims import make_card
from generation.counterspeech import request
from generation.domain.counterspeech.explanations import Explanation
from generation.models import (
    CounterRules,
    Exchange,
    Exemplar,
    Explanations,
    PoolPicture,
    Reply,
    ReplyComment,
    Sample,
    Trigger,
)
from injection_models import make_injecting_project, make_pool, make_sample
from moderation.domain.predict.perspectives import SEEDED
from moderation.methods import local_documents
from predict_models import add_examples

POST, DRAFT, GROUP = "qz01 weeds choke the roses", "qz23 These people live here.", "qz32 newcomers"
PASTED, EXPLAINED, CLAIM = "qz25 weeds again", "qz26 “weeds” is what it says.", "qz27 Half of them pay nothing."


@dataclass(frozen=True)
class MarkedProject:
    """The project with its admin; posts, replies and material are made when they are first wanted."""

    project: Project
    admin: Membership

    @cached_property
    def item(self) -> Item:
        """A post with a picture, words in it, another column, a label with a note, a prior, and a card of evidence."""
        item = make_open_item(
            self.project, POST, external_id="qz02", extra={"qz03": "qz04"}, provenance={"file": "qz05.png"},
            message="qz06 look again", picture=make_picture(self.project),
        )  # fmt: skip
        PictureText.objects.create(item=item, text="qz07 words", reader="rapidocr 3")
        seat = item.seat_rows.order_by("number")[0]
        make_label(seat, make_member(self.project), 1, note="qz08 note", target_group="qz09 group")
        Prior.objects.create(
            item=item, modality=Modality.TEXT, state="ok", category=category(self.project, 1), explanation="qz10 said"
        )
        make_card(item, UUID(int=1), url="https://qz14.example/qz15", title="qz16 title", query="qz17")
        self._know_words()
        return item

    @cached_property
    def exchange(self) -> Exchange:
        """The post at the counterspeech desk: explained by a person, with a draft and what was said of it."""
        exchange = request.open_on_item(self.item, self.admin)
        Exchange.objects.filter(pk=exchange.pk).update(group_named="qz19 group", theme="qz20 theme")
        sides = {name.value: f"qz21 {name}" for name in Explanation}
        Explanations.objects.create(exchange=exchange, number=1, insults=["weeds"], author=self.admin, **sides)
        CounterRules.objects.create(project=self.project, lexicon=["qz40 word"])
        self._keep_examples()
        reply = Reply.objects.create(exchange=exchange, intent="positive", text=DRAFT, author=self.admin)
        ReplyComment.objects.create(reply=reply, author=self.admin, text="qz24 comment")
        return exchange

    @cached_property
    def pasted(self) -> Exchange:
        """A text that somebody pasted."""
        return request.open_on_text(self.project, PASTED, self.admin)

    @cached_property
    def pool_picture(self) -> PoolPicture:
        """A picture of a pool about which no model was asked."""
        pool = make_pool(self.admin, "qz33 pool", (None,), GROUP)
        PoolPicture.objects.filter(pool=pool).update(name="qz34.png", explanation="qz35 street")
        return pool.pictures.get()

    def sample(self, strategy: str) -> Sample:
        """A planned sample from a trigger text, hateful by text and picture and harmless together."""
        trigger, _new = Trigger.objects.get_or_create(
            project=self.project, target_group=GROUP, sha256="0" * 64, defaults={"text": "qz36 trigger"}
        )
        return make_sample(
            self.pool_picture.pool, "", pool_picture=self.pool_picture, strategy=strategy, state="asked", order=None,
            trigger=trigger, target_group=GROUP,
        )  # fmt: skip

    def add_document(self) -> None:
        """Add a document for the local search."""
        text = b"# qz37 title\n\nOn several boards people call newcomers weeds, and qz38 gardeners say so."
        local_documents.add_document(self.project, "qz39.md", text, self.admin)

    def add_perspective_examples(self) -> None:
        """Add a labelled example to the store of a perspective."""
        add_examples(self.project, SEEDED[0].code, ("qz28 weeds here", True))

    def _know_words(self) -> None:
        meaning = EntryValues("qz01 weeds", "qz11 people, in code", target_group="qz12 group", variants=("qz13 weed",))
        entries.propose(make_member(self.project, Role.REVIEWER), meaning, approved=True)

    def _keep_examples(self) -> None:
        for number, intent in enumerate(("positive", "informative")):
            Exemplar.objects.create(
                project=self.project, external_id=f"qz41-{number}", hate="qz29 weeds there", text="qz30 We all do.",
                intent=intent, hs_type="qz42", hs_sub_type="qz43", cn_type="qz44", source="qz45", licence="qz46",
                explanations={"implication": "qz47"},
            )  # fmt: skip


def make_marked_project() -> MarkedProject:
    """Create the project, in which samples may be made and models are told of the glossary."""
    project, admin = make_injecting_project(glossary_for_models=True)
    return MarkedProject(project, admin)
