"""`manage.py demo`: the sample projects with a login for each role."""

from typing import Any

from annotation.demo import load
from annotation.management.json_command import JsonCommand


class Command(JsonCommand):
    help = "Make the sample projects and print a login for each role. Run it again to see the logins again."

    def answer(self, **options: Any) -> Any:
        shown = load.demonstrate()
        return {"projects": list(shown.projects), "items": shown.items, "logins": shown.logins}

    def show(self, value: Any) -> None:
        self.stdout.write(
            f"{value['items']} sample items in the projects {' and '.join(value['projects'])}. Sign in as"
        )
        for login in value["logins"]:
            self.stdout.write(f"  {login['role']:<10} {login['username']:<8} {login['password']}")
