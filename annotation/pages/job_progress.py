"""How far a job is, as its page shows it: one value and one fragment for all kinds of jobs."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.urls import reverse

from annotation.models import Job, Membership
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page


@dataclass(frozen=True)
class JobProgress:
    """What `templates/annotation/_job_progress.html` shows of a job that a worker carries out."""

    row: Job
    what: str
    """The heading."""
    state: str
    done: int
    total: int
    part: str
    """What the bar shows, for people who do not see it."""
    sentence: str
    if_cancelled: str
    """What becomes of a job that is being cancelled."""
    page: str
    poll: str
    cancel: str
    """Names of the addresses of its page, of the fragment, and of the form that cancels it."""
    rate: float = 0.0
    """Rows or items a second; 0 while nobody knows."""
    seconds_left: int | None = None
    cancels_when_closed: bool = False
    """Whether it can be cancelled in an archived project too."""

    @property
    def is_running(self) -> bool:
        return self.row.state in self.row.ACTIVE

    @property
    def percent(self) -> int:
        return 100 * self.done // max(1, self.total)


def progress_fragment(request: PersonRequest, member: Membership, progress: JobProgress) -> HttpResponse:
    """Return the fragment, which asks for itself every second; at the end the browser opens the page of the job."""
    answer = project_page(request, member, "annotation/_job_progress.html", progress=progress)
    if not progress.is_running:
        answer["HX-Redirect"] = reverse(progress.page, args=[member.project.slug, progress.row.public_id])
    return answer
