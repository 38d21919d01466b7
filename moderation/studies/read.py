"""A study's file turned into a request for an evaluation: its sources and its grids."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.utils.translation import gettext as _

from annotation.domain.categories import DEFAULT_CATEGORIES
from annotation.domain.formats.base import Mapped
from annotation.models import Project
from moderation.domain.evaluation.request import EvaluationChoices
from moderation.domain.studies.study_file import Study, StudyArms, StudyData
from moderation.evaluation.arms import ArmGrid
from moderation.evaluation.collect_answers import BadSource, FileReading, GoldSource, file_items, gold_items
from moderation.evaluation.request import Wish, wish_of


@dataclass(frozen=True)
class PlannedStudy:
    """A study with what it is about: its items, its request, and the project that pays, if any."""

    project: Project | None
    sources: tuple[GoldSource, ...]
    wish: Wish


def planned_study(study: Study, name: str, folder: Path, project_by_slug: Callable[[str], Project]) -> PlannedStudy:
    """Return the study of a command, over files or a project. Paths are relative to `folder`; `name` is the file's.

    Raises BadChoice.
    Raises BadSource.
    """
    data = study.data
    if not data.file and not data.project:
        raise BadSource(f"{name}, data: name a data set: a file by the key file, or a project by the key project.")
    project = project_by_slug(data.project) if data.project else None
    if not data.file and project is not None:
        return PlannedStudy(project, (gold_items(project),), _wish(study))
    reading = _reading(data, name, folder, project)
    sources = tuple(file_items(_path(folder / file, name), reading) for file in data.file)
    return PlannedStudy(project, sources, _wish(study))


def study_of_project(study: Study, name: str, project: Project) -> PlannedStudy:
    """Return the study of a page, over the project's gold items. A page reads no file of the server.

    Raises BadChoice.
    Raises BadSource.
    """
    named = {"file": study.data.file, "images": study.data.images}
    for key in (key for key, value in named.items() if value):
        raise BadSource(
            _("%(file)s, data.%(key)s: on a page a study is about the gold posts of the project; remove the key.")
            % {"file": name, "key": key}
        )
    if study.data.project not in ("", project.slug):
        raise BadSource(
            _("%(file)s, data.project: this page belongs to the project %(slug)s; write that, or remove the key.")
            % {"file": name, "slug": project.slug}
        )
    return PlannedStudy(project, (gold_items(project),), _wish(study))


def _wish(study: Study) -> Wish:
    asked = EvaluationChoices.by(study, study.data, study.scores)
    return wish_of(asked, *map(_grid, study.arms), study=study.title)


def _grid(block: StudyArms) -> ArmGrid:
    return ArmGrid(
        methods=list(dict.fromkeys(block.methods)),
        options={option: list(dict.fromkeys(values)) for option, values in block.options.items()},
        models=block.models,
        auxiliaries=block.auxiliaries,
        judges=block.judges,
        name=block.name,
    )


def _reading(data: StudyData, name: str, folder: Path, project: Project | None) -> FileReading:
    images = folder / data.images if data.images else None
    if images is not None and not images.is_dir():
        raise BadSource(f"{name}, data.images: {images} is no folder; name the folder of the pictures.")
    return FileReading(
        categories=project.category_values() if project else DEFAULT_CATEGORIES,
        mapped=Mapped(**data.columns.model_dump()),
        values=data.labels,
        format=data.format,
        images=images,
        text_only=data.text_only,
        leave_out_bad_rows=data.leave_out_bad_rows,
    )


def _path(path: Path, name: str) -> Path:
    if not path.is_file():
        raise BadSource(f"{name}, data.file: there is no file {path}; paths begin at the folder of the study's file.")
    return path
