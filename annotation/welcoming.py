"""What somebody who joins a project finds set for them."""

from annotation.domain.viewing import read_viewing
from annotation.models import Project, User


def welcome(user: User, project: Project) -> None:
    """Give somebody who joins, and has chosen nothing yet, the project's defaults of what to see."""
    if project.viewing_defaults and not user.viewing_chosen:
        chosen = read_viewing(project.viewing_defaults).stored()
        User.objects.filter(pk=user.pk, viewing_chosen=False).update(**chosen)
