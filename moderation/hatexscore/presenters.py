"""A score as people read it: the texts in marked pieces, the bars, and one sentence for each part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from annotation.pages import svg
from moderation.domain.hatexscore.cc import Rule, reaches
from moderation.domain.hatexscore.masking import MASK
from moderation.domain.hatexscore.record import groups_of, second_of
from moderation.domain.hatexscore.ties import QUOTE
from moderation.methods.built_in_baseline import answered_alone, answered_roles
from moderation.models import Score, ScoreState

PART_NAMES = {
    "htc": gettext_lazy("conclusion"),
    "qf": gettext_lazy("faithful quotes"),
    "tgi": gettext_lazy("group named"),
    "cc": gettext_lazy("consistent"),
}


@dataclass(frozen=True)
class Piece:
    """A piece of a text; `kind` is rationale, group, conclusion, mask or empty, `number` that of a quote."""

    text: str
    kind: str = ""
    number: int = 0


@dataclass(frozen=True)
class Bar:
    """A value of 0 … 1 as a bar."""

    name: str
    value: float
    width: str
    start: str = "0%"
    note: Any = ""


@dataclass(frozen=True)
class Card:
    """One row of `Score`."""

    row: Score

    @property
    def is_scored(self) -> bool:
        """Whether there are numbers."""
        return self.row.state == ScoreState.SCORED

    @property
    def is_open(self) -> bool:
        """Whether something is still to come."""
        return self.row.state == ScoreState.WAITING

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline alone wrote or estimated; people may have written."""
        return answered_alone(self._models)

    @property
    def built_in_roles(self) -> list[str]:
        """What the built-in baseline did: `said_by` if it wrote the explanation, `estimated_by` if it estimated p."""
        return answered_roles(self._models)

    @property
    def _models(self) -> dict[str, str]:
        names = {"said_by": self.row.said_by, "estimated_by": self.row.estimated_by}
        return {part: name for part, name in names.items() if name}

    @property
    def has_picture(self) -> bool:
        """Whether the post has a picture, which is not masked."""
        return self.row.item.picture_id is not None

    @property
    def record(self) -> Mapping[str, Any]:
        """What was read."""
        reading: Mapping[str, Any] = self.row.reading
        return reading

    @cached_property
    def parts(self) -> list[Bar]:
        """The four parts."""
        return [
            Bar(name.upper(), value, svg.share(value, 1), note=PART_NAMES[name])
            for name in PART_NAMES
            if (value := getattr(self.row, name)) is not None
        ]

    @cached_property
    def probabilities(self) -> list[Bar]:
        """P before, after, and what lies between; nothing where nobody was asked."""
        before, after = self.row.p, self.row.p_masked
        if before is None or after is None:
            return []
        low, difference = min(before, after), abs(before - after)
        return [
            Bar(_("p before"), before, svg.share(before, 1)),
            Bar(_("p after"), after, svg.share(after, 1)),
            Bar(_("difference"), difference, svg.share(difference, 1), svg.share(low, 1)),
        ]

    @cached_property
    def post(self) -> list[Piece]:
        """The post's text, what is quoted marked and numbered."""
        marks = [(*span, "rationale", number) for number, span in enumerate(self.record.get("spans", ()), 1)]
        return pieces(self.row.text, marks)

    @cached_property
    def masked(self) -> list[Piece]:
        """The text as it was estimated the second time."""
        masked_pieces = []
        for number, part in enumerate(str(self.record.get("masked", "")).split(MASK)):
            if number:
                masked_pieces.append(Piece(MASK, "mask", number))
            masked_pieces.append(Piece(part))
        return masked_pieces

    @cached_property
    def explanation(self) -> list[Piece]:
        """The explanation, quotes, groups and conclusions marked."""
        record = self.record
        marks = [(*span, "rationale", 0) for span in record.get("quotations", ())]
        marks += [(group["start"], group["end"], "group", 0) for group in groups_of(record)]
        marks += [(start, end, "conclusion", 0) for start, end, _hateful in record.get("conclusions", ())]
        return pieces(self.row.explanation, marks)

    @cached_property
    def groups(self) -> list[str]:
        """The groups that count, each once."""
        groups = groups_of(self.record)
        counted = [group for group in groups if group["tie"]] if self.row.prediction else groups
        return list(dict.fromkeys(f"{group['term']} · {group['category']}" for group in counted))

    @cached_property
    def why(self) -> list[tuple[str, float, str]]:
        """Each part's name, value and reason."""
        reasons = (self._why_htc, self._why_qf, self._why_tgi, self._why_cc)
        return [(bar.name, bar.value, sentence()) for bar, sentence in zip(self.parts, reasons, strict=False)]

    @property
    def refusal_read_by(self) -> str:
        """The model that read a refusal in an explanation without a score; empty if the rules alone did."""
        second = second_of(self.record)
        return second.model if second and second.refusal else ""

    def _why_htc(self) -> str:
        stated = self.record["conclusions"]
        if not stated:
            return self._why_htc_by_reader()
        if self.row.appended:
            return _("The label of the structured answer counts as a conclusion line.")
        hateful = stated[-1][2]
        if self.row.prediction is not None and hateful != self.row.prediction:
            return _("It states a conclusion, but the opposite of its label.")
        return _("It concludes that the text is hateful.") if hateful else _("It concludes that it is not hateful.")

    def _why_htc_by_reader(self) -> str:
        second = second_of(self.record)
        if second is None:
            return _("It states no conclusion for or against hateful.")
        if second.conclusion is None:
            sentence = _("Neither the rules nor %(model)s read a conclusion in it.")
        elif self.row.prediction is not None and second.conclusion != self.row.prediction:
            sentence = _("The rules read no conclusion; %(model)s reads the opposite of its label.")
        elif second.conclusion:
            sentence = _("The rules read no conclusion; %(model)s reads that it is hateful.")
        else:
            sentence = _("The rules read no conclusion; %(model)s reads that it is not hateful.")
        return sentence % {"model": second.model}

    def _why_qf(self) -> str:
        row, record = self.row, self.record
        if row.prediction is None:
            return _("Without a prediction there is nothing that quotes could carry.")
        if record["trivial"]:
            return _("It quotes the whole text, which singles nothing out.")
        if not record["rationales"]:
            if not record["quotations"]:
                return _("It quotes nothing, and it shares no telling word with the text.")
            return _("Nothing that it quotes stands in the text.")
        sentence = ngettext(
            "Without the %(count)d quote the probability goes from %(before)s to %(after)s.",
            "Without the %(count)d quotes the probability goes from %(before)s to %(after)s.",
            len(record["rationales"]),
        )
        if not record["quotations"]:
            sentence = _(
                "It quotes nothing. Without the words that it shares with the text the probability goes from "
                "%(before)s to %(after)s."
            )
        change = sentence % {"count": len(record["rationales"]), "before": _two(row.p), "after": _two(row.p_masked)}
        if row.prediction:
            return change
        aim = _("For a verdict of not hateful, little change is what counts.")
        return f"{change} {aim}"

    def _why_tgi(self) -> str:
        groups, second = groups_of(self.record), second_of(self.record)
        if not groups:
            return _("It names no group of the list outside its quotes.")
        counted = next((group for group in groups if group["tie"]), None) if self.row.prediction else groups[0]
        if counted and second and counted not in self.record["groups"]:
            return _tie_by_reader(second.model, counted, is_hateful=bool(self.row.prediction))
        if counted is None:
            return _("“%(term)s” stands in no sentence with a quote or a hostile word.") % {"term": groups[0]["term"]}
        named = {"term": counted["term"], "word": counted["tie"]}
        if not self.row.prediction:
            return _("It names “%(term)s”.") % named
        if counted["tie"] == "quote":
            return _("“%(term)s” stands in one sentence with a quote.") % named
        return _("“%(term)s” stands in one sentence with “%(word)s”.") % named

    def _why_cc(self) -> str:
        row = self.row
        facts = {"qf": _two(row.qf), "tau": _two(row.threshold)}
        reached = row.qf is not None and reaches(row.qf, row.threshold)
        first = _("QF %(qf)s reaches τ %(tau)s") if reached else _("QF %(qf)s is below τ %(tau)s")
        second = _("a group is named") if row.tgi else _("no group is named")
        if groups_of(self.record) and not row.tgi:
            second = _("no group that is named counts")
        if row.prediction is None:
            return _("There is no prediction that the rest could agree with.")
        if row.prediction:
            needs = _("Hateful needs both: τ reached and a group named.")
        elif row.rule == Rule.PAPER:
            needs = _("Not hateful needs one of two: τ reached, or no group named.")
        else:
            needs = _("Not hateful needs both: τ reached and no group named.")
        return f"{first % facts}, {second}. {needs}"


def _tie_by_reader(model: str, group: Mapping[str, Any], *, is_hateful: bool) -> str:
    if not is_hateful:
        sentence = _("%(model)s reads that it names “%(term)s”.")
    elif group["tie"] == QUOTE:
        sentence = _("%(model)s reads that a quote is tied to “%(term)s”.")
    else:
        sentence = _("%(model)s reads that “%(word)s” is tied to “%(term)s”.")
    return sentence % {"model": model, "term": group["term"], "word": group["tie"]}


def pieces(text: str, marks: Iterable[tuple[int, int, str, int]]) -> list[Piece]:
    """Cut the text at these marks; of two that overlap the first stays, then the longer one."""
    cut, at = [], 0
    for start, end, kind, number in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if start >= at and end > start:
            cut += [Piece(text[at:start]), Piece(text[start:end], kind, number)]
            at = end
    return [piece for piece in [*cut, Piece(text[at:])] if piece.text]


def cards(rows: Sequence[Score]) -> list[Card]:
    """Return these scores as cards."""
    return [Card(row) for row in rows]


def _two(value: float | None) -> str:
    return "–" if value is None else number_format(value, 2)
