"""Tasks for Label Studio, made from released rows; `formats/label_studio.py` reads them back.

`data` holds the row's own columns, `annotations` its labels, `predictions` its priors. Values without a place in Label
Studio are in `data` under our names, so that export and import lose nothing.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from annotation.domain.choices import Modality
from annotation.domain.columns.priors import prior_columns
from annotation.domain.label_studio.answers import answer_controls, answer_results, data_of
from annotation.domain.questions.question import Question
from annotation.domain.questions.released_answers import Kinds

LABEL, FLAGS, GROUP, NOTE = "label", "flags", "label_target_group", "note"
ANNOTATOR = "labelled_by"
"""The annotator's pseudonym, an answer of its own: Label Studio takes only its own users as `completed_by`."""
ITEM_ID = "interplay_id"
"""The item's id once more: Label Studio's short forms put the task's number into `id`."""
LOCAL_FILES = "/data/local-files/?d="
"""The address at which Label Studio serves files of the machine that it runs on."""
NOT_SURE, LOW_QUALITY = "NotSure", "LowQuality"
CORRECTED = {"text": "text_corrected", "image": "image_corrected"}
SIDE = {True: "Hateful", False: "NotHateful"}
_ELSEWHERE = frozenset({"labels", *(column.name for part in Modality for column in prior_columns(part))})
"""What a task says in its annotations and predictions."""


def task(number: int, row: Mapping[str, Any], name_of: Mapping[int, str], kinds: Kinds | None = None) -> dict[str, Any]:
    """Return a row as a task. A text or picture that the item lacks is empty: Label Studio refuses tasks without.

    `kinds`: the further questions, where the row has answers to them.
    """
    data = {name: value for name, value in row.items() if name not in _ELSEWHERE and value is not None}
    image = f"{LOCAL_FILES}{quote(row['image'])}" if row["image"] else ""
    data |= {"text": row["text"] or "", "image": image, ITEM_ID: row["id"]}
    annotations = []
    for place, label in enumerate(row["labels"]):
        annotation = _annotation(f"{number}-{place}", label, name_of)
        annotation["result"] += answer_results(f"{number}-{place}", label, row["text"] or "", kinds or {})
        annotations.append(annotation)
    return {
        "id": number,
        "data": data | data_of(row, kinds or {}),
        "annotations": annotations,
        "predictions": [
            prediction
            for modality in ("text", "image")
            if (prediction := _prediction(number, modality, row, name_of)) is not None
        ],
    }


def _annotation(key: str, label: Mapping[str, Any], name_of: Mapping[int, str]) -> dict[str, Any]:
    results = [_words(f"{key}-a", ANNOTATOR, label["annotator"])]
    if label["category"] is not None:
        codes = label.get("categories") or [label["category"]]
        results.append(_choice(f"{key}-c", LABEL, "text", *(name_of[code] for code in codes)))
    flags = [word for name, word in (("not_sure", NOT_SURE), ("low_quality", LOW_QUALITY)) if label[name]]
    if flags:
        results.append(_choice(f"{key}-f", FLAGS, "text", *flags))
    for name, words in ((GROUP, label["target_group"]), (NOTE, label["note"])):
        if words:
            results.append(_words(f"{key}-{name}", name, words))
    for challenge in label["challenges"]:
        code, modality = challenge["category"], challenge["modality"]
        choice = SIDE[bool(challenge["hateful"])] if code is None else name_of[code]
        results.append(_choice(f"{key}-{modality}", CORRECTED[modality], modality, choice))
    if label["replaced_by"] is not None:
        codes = label.get("replaced_by_categories") or [label["replaced_by"]]
        results.append(_choice(f"{key}-r", "replaced_by", "text", *(name_of[code] for code in codes)))
    return {
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": label["seconds"],
        "created_at": f"{label['at']}T00:00:00Z",
        "result": results,
    }


def _prediction(
    number: int, modality: str, row: Mapping[str, Any], name_of: Mapping[int, str]
) -> dict[str, Any] | None:
    code, hateful = row[f"{modality}_label"], row[f"{modality}_hateful"]
    if code is None and hateful is None:
        return None
    key = f"{number}-{modality}"
    results = [_choice(f"{key}-c", f"{modality}_label", modality, SIDE[hateful] if code is None else name_of[code])]
    if row[f"{modality}_explanation"]:
        results.append(_words(f"{key}-e", f"{modality}_explanation", row[f"{modality}_explanation"], modality))
    return {"model_version": row[f"{modality}_model"] or "", "result": results}


def _choice(key: str, source: str, to: str, *choices: str) -> dict[str, Any]:
    return {"id": key, "from_name": source, "to_name": to, "type": "choices", "value": {"choices": list(choices)}}


def _words(key: str, source: str, text: str, to: str = "text") -> dict[str, Any]:
    return {"id": key, "from_name": source, "to_name": to, "type": "textarea", "value": {"text": [text]}}


def config(names: Sequence[str], questions: Sequence[Question] = (), *, several: bool = False) -> str:
    """Return the labelling interface that shows such tasks, as XML; with `several`, an answer may name many."""
    choice = "multiple" if several else "single"
    kinds = "".join(f"\n    <Choice value={quoteattr(name)}/>" for name in names)
    sides = "".join(f'\n    <Choice value="{side}"/>' for side in SIDE.values())
    corrected = "\n".join(
        f'  <Choices name="{name}" toName="{modality}" choice="single">{kinds}{sides}\n  </Choices>'
        for modality, name in CORRECTED.items()
    )
    return f"""<View>
  <Image name="image" value="$image"/>
  <Text name="text" value="$text"/>
  <Choices name="{LABEL}" toName="text" choice="{choice}">{kinds}
  </Choices>
  <Choices name="{FLAGS}" toName="text" choice="multiple">
    <Choice value="{NOT_SURE}"/>
    <Choice value="{LOW_QUALITY}"/>
  </Choices>
  <TextArea name="{ANNOTATOR}" toName="text" maxSubmissions="1" editable="false"/>
  <TextArea name="{GROUP}" toName="text" maxSubmissions="1"/>
  <TextArea name="{NOTE}" toName="text" maxSubmissions="1"/>
  <Choices name="text_label" toName="text" choice="single">{kinds}{sides}
  </Choices>
  <TextArea name="text_explanation" toName="text"/>
  <Choices name="image_label" toName="image" choice="single">{kinds}{sides}
  </Choices>
  <TextArea name="image_explanation" toName="image"/>
{corrected}
  <Choices name="replaced_by" toName="text" choice="{choice}">{kinds}
  </Choices>
{answer_controls(questions)}</View>
"""
