"""`manage.py demo`: the sample projects with a login for each role."""

import os
from typing import Any

from django.core.management.base import CommandParser

from annotation.demo import load
from annotation.demo.campaign import CAMPAIGN
from annotation.management.json_command import JsonCommand


class Command(JsonCommand):
    help = "Make the sample projects and print a login for each role. Run it again to see the logins again."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        own = os.environ.get("LANG", "")[:2]
        parser.add_argument(
            "--language",
            choices=list(CAMPAIGN.talk_batches),
            default=own if own in CAMPAIGN.talk_batches else "en",
            help="hand out posts in this language first; without it, the language of LANG",
        )

    def answer(self, **options: Any) -> Any:
        shown = load.demonstrate(options["language"])
        return {"projects": list(shown.projects), "items": shown.items, "logins": shown.logins}

    def show(self, value: Any) -> None:
        self.stdout.write(
            f"{value['items']} sample items in the projects {' and '.join(value['projects'])}. Sign in as"
        )
        for login in value["logins"]:
            self.stdout.write(f"  {login['role']:<10} {login['username']:<8} {login['password']}")
