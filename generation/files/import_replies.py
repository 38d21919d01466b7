"""Import replies from a file into the store of exemplars: all rows or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from annotation.core.transactions import short_transaction
from annotation.models import Membership, Project, record
from generation.domain.counterspeech.intentconan import BadRow, Row, read_rows
from generation.domain.event_verbs import GenerationVerb
from generation.models import Exemplar

MOST_BYTES = 100_000_000
NO_INTENT = "none"
_AT_ONCE = 1000


@dataclass
class Report:
    """The result of an import."""

    rows: int = 0
    stored: int = 0
    intents: dict[str, int] = field(default_factory=dict)
    registers: dict[str, int] = field(default_factory=dict)
    unread: dict[str, int] = field(default_factory=dict)  # words of `cnType` that name no register; kept as written
    errors: list[BadRow] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every row was usable."""
        return not self.errors


def import_rows(
    project: Project,
    content: bytes,
    name: str,
    *,
    mapping: Mapping[str, str] | None = None,
    source: str = "",
    licence: str = "",
    dry_run: bool = False,
    actor: Membership | None = None,
) -> Report:
    """Check every row and, if all are usable and it is no dry run, store them. Raises BadFile."""
    report, good = Report(), []
    stored_ids = set(Exemplar.objects.filter(project=project).values_list("external_id", flat=True))
    for row in read_rows(content, name, mapping, any_type=True):
        report.rows += 1
        if isinstance(row, Row) and row.id in stored_ids:
            row = BadRow(row.line, f"The store has a row with the id {row.id[:40]!r} already; it is never overwritten.")
        if isinstance(row, BadRow):
            report.errors.append(row)
        else:
            good.append(row)
            _count(report, row)
    if report.ok and good and not dry_run:
        _store(project, good, source, licence, actor)
        report.stored = len(good)
    return report


def _count(report: Report, row: Row) -> None:
    counted = (
        (report.intents, [row.intent or NO_INTENT]),
        (report.registers, row.registers),
        (report.unread, row.unread),
    )
    for counts, names in counted:
        for name in names:
            counts[name] = counts.get(name, 0) + 1


@short_transaction
def _store(project: Project, rows: Sequence[Row], source: str, licence: str, actor: Membership | None) -> None:
    Exemplar.objects.bulk_create(
        (
            Exemplar(
                project=project,
                external_id=row.id,
                hate=row.hate,
                intent=row.intent or "",
                registers=list(row.registers),
                text=row.text,
                explanations=dict(row.explanations),
                hs_type=row.kinds["hsType"],
                hs_sub_type=row.kinds["hsSubType"],
                cn_type=row.kinds["cnType"],
                source=source,
                licence=licence,
            )
            for row in rows
        ),
        batch_size=_AT_ONCE,
    )
    record(GenerationVerb.COUNTERSPEECH_IMPORTED, project=project, actor=actor, rows=len(rows))
