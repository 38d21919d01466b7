"""The names of columns, or keys of a JSON line, that an import reads, and what stands there (`docs/importing.md`)."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

COLUMN_NAMES: tuple[tuple[tuple[str, ...], str | Promise], ...] = (
    (("id",), _("The post's own id, once in the file. Without it rows are numbered.")),
    (("text",), _("The text of the post; text or picture is needed.")),
    (("image", "file_name"), _("The picture: a path in the ZIP or folder, or an https address.")),
    (
        ("picture_text", "ocr", "ocr_text", "img_text", "image_text"),
        _("The words in the picture; the first column with a value counts."),
    ),
    (("picture_text_reader",), _("Who read these words.")),
    (("batch",), _("The batch that the post belongs to.")),
    (("intended",), _("The category that the author meant: its code, name or another name.")),
    (
        ("intended_categories",),
        _("All categories that the author meant, with ; between them, where people choose several."),
    ),
    (("intended_hateful",), _("Whether the author meant it to be hateful: true or false.")),
    (
        ("labels",),
        _("A JSON list, an object for each annotator: annotator, category, not_sure, low_quality, note, answers …"),
    ),
    (("annotator",), _("Whose label the row’s one label is, where a label column is named.")),
    (
        ("answer_CODE", "answer_CODE_version"),
        _("That label’s answer to the further question CODE, and the version that was asked."),
    ),
    (("gold",), _("The category that is decided already.")),
    (("categories",), _("Beside gold: all categories that are decided, with ; between them.")),
    (("gold_source",), _("Where that decision comes from: consensus, adjudicated or imported.")),
    (("rationale",), _("Why it was decided so.")),
    (("known_category",), _("The known answer of a training or check post.")),
    (("known_explanation",), _("The explanation shown after a training answer.")),
    (("known_training",), _("true: for training; false: mixed in as a check.")),
    (("text_label", "image_label"), _("What a model says about the text, or the picture, alone: a category.")),
    (("text_hateful", "image_hateful"), _("The same without a category: true or false.")),
    (("text_explanation", "image_explanation"), _("The model's reason.")),
    (("text_model", "image_model"), _("The model's name.")),
    (("text_prompt_digest", "image_prompt_digest"), _("The SHA-256 of the prompt that the model was asked with.")),
    (("text_severity", "image_severity"), _("The model's severity, 0 to 3.")),
    (("severity",), _("How severe the post is, 0 to 3.")),
    (("target_group",), _("The group targeted, in words.")),
    (("source", "item_source"), _("Where the post comes from.")),
    (("licence",), _("The licence of the post.")),
    (("provenance",), _("A JSON object with anything else that should be kept.")),
    (
        ("injected", "injection_strategy", "injection_pattern", "injection_model", "injection_prompt_digest"),
        _("How a model wrote the post, where one did."),
    ),
)
