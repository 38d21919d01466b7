"""picture_pool SLUG NAME: create a pool of pictures for samples, or add to it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management.base import CommandError, CommandParser

from annotation.domain.categories import UnknownCategory, read_category
from annotation.management.json_command import JsonCommand
from annotation.management.projects import named_items, project_named
from annotation.models import Category, Item, Project
from generation.injection import material, settings
from generation.models import PicturePool

_LONGEST_NAME = 100


class Command(JsonCommand):
    help = (
        "Make a pool of pictures for samples, or add to it: pictures of the project's items with the licence and the "
        "image-only prior they have, or the pictures of a folder. Injection has to be switched on in the project."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("slug", help="the project")
        parser.add_argument("name", help="of the pool; made where there is none")
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--items", help="external ids, separated by commas")
        which.add_argument("--batch", help="all pictures of this batch")
        which.add_argument("--folder", type=Path, help="all files of this folder, in the order of their names")
        parser.add_argument("--target-group", default="", help="whom the pictures show, for a new pool")
        parser.add_argument("--licence", default="", help="of pictures that have none of their own, for a new pool")
        parser.add_argument("--source", default="", help="where the pictures are from, for a new pool")
        parser.add_argument("--alone", metavar="CATEGORY", help="with --folder: what each of them says alone")

    def answer(self, **options: Any) -> Any:
        project = project_named(options["slug"], to_change=True)
        try:
            pictures = _pictures(project, options)
            name = options["name"].strip()
            if not 0 < len(name) <= _LONGEST_NAME:
                raise CommandError(f"A pool's name has 1 to {_LONGEST_NAME} characters.")
            pool = PicturePool.objects.filter(project=project, name=name).first()
            pool = pool or material.make_pool(
                project, name, options["target_group"], options["licence"], options["source"]
            )
            added = pictures(pool)
        except (material.BadMaterial, settings.InjectionOff) as fault:
            raise CommandError(str(fault)) from None
        hateful, harmless = material.stock_of(project).pools[pool.name][1:]
        unknown = pool.pictures.filter(category=None).count()
        return {
            "pool": pool.name, "added": added.new, "there_already": added.known, "refused": list(added.refused),
            "hateful_alone": hateful, "harmless_alone": harmless, "without_prior": unknown,
        }  # fmt: skip

    def failed(self, value: Any) -> bool:
        return bool(value["refused"])

    def show(self, value: Any) -> None:
        self.stdout.write(
            f"{value['pool']}: {value['added']} added, {value['there_already']} there already; alone "
            f"{value['hateful_alone']} hateful, {value['harmless_alone']} harmless, {value['without_prior']} not known."
        )
        for sentence in value["refused"]:
            self.stdout.write(f"  {sentence}")


def _pictures(project: Project, options: dict[str, Any]) -> Callable[[PicturePool], material.Added]:
    """Return what adds the pictures that the options name. Raises CommandError if they name none."""
    if options["folder"] is not None:
        files, category = _files(options["folder"]), _category(project, options["alone"])
        return partial(material.add_files, files=files, category=category)
    if options["alone"] is not None:
        raise CommandError("--alone is for the pictures of a --folder: those of items have the priors of their items.")
    items = Item.objects.filter(project=project, picture__isnull=False).order_by("pk")
    if options["batch"] is None:
        return partial(material.add_items, items=named_items(items, options["items"], "with a picture"))
    if not (of_batch := items.filter(batch=options["batch"])).exists():
        raise CommandError(f"The project has no batch {options['batch']!r} with a picture.")
    return partial(material.add_items, items=of_batch)


def _files(folder: Path) -> list[SimpleUploadedFile]:
    if not folder.is_dir():
        raise CommandError(f"There is no folder {folder}.")
    paths = sorted(path for path in folder.iterdir() if path.is_file())
    if not paths:
        raise CommandError(f"There is no file in {folder}.")
    return [SimpleUploadedFile(path.name, path.read_bytes()) for path in paths]


def _category(project: Project, written: str | None) -> Category | None:
    if written is None:
        return None
    try:
        code = read_category(written, project.category_values()).code
    except UnknownCategory as fault:
        raise CommandError(f"--alone: {fault.sentence}") from None
    return Category.objects.get(project=project, code=code)
