"""Score explanations without any estimator call, and print how many a second one core scores.

    .venv/bin/python bench/hatexscore.py [--number 2000] [--json]

Goals: 1,000 explanations a second in English, 200 in Chinese and in Korean, of about 100 words each. A naive
implementation of the same steps scores the same English explanations for comparison; the results must be equal.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # Python has added the folder of this script itself

from bench.references.naive_hatexscore import naive_parts
from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.score import read, score
from moderation.domain.hatexscore.words.tokenize import words

WANTED = {"english": 1000, "chinese": 200, "korean": 200}
NAIVE_NUMBER = 40

Case = tuple[str, str]


def english(number: int) -> Case:
    text = f"The new neighbours are like weeds that choke the white roses on our street, and {number} came last week."
    explanation = (
        f"The post number {number} says that “the new neighbours” are “like weeds that choke the white rosses”. Weeds "
        "stand for the migrants who moved to the street, and choking makes them a danger to those who were there "
        "before. The wording dehumanises people because of their origin, which the definition of hate speech covers: "
        "it is a derogatory comparison of a group with something to be removed. There is no irony, and nothing around "
        f"it would change the meaning. It also quotes “they never leave {number}”, which strengthens the picture of a "
        "burden that others have to carry.\nConclusion: hateful"
    )
    return text, explanation


def chinese(number: int) -> Case:
    text = f"新来的邻居像野草一样缠住了我们街上的白玫瑰，上周又来了{number}个。"
    explanation = (
        f"第{number}条帖子把“新来的邻居”比作“像野草一样”的东西。野草指的是搬到这条街上的移民，缠住玫瑰的说法把他们写成对原有"
        "居民的危险。这种说法因为人们的出身而贬低他们，把一个群体比作应当清除的东西，符合仇恨言论的定义。文中没有反讽，上下文也"
        "不会改变它的意思，反而加深了他们是负担的印象，让读者觉得他们不应该住在这里。结论：仇恨"
    )
    return text, explanation


def korean(number: int) -> Case:
    text = f"새로 온 이웃들은 우리 거리의 흰 장미를 조르는 잡초 같고 지난주에 {number}명이 더 왔다."
    explanation = (
        f"{number}번 글은 “새로 온 이웃들”을 “흰 장미를 조르는 잡초”에 빗댄다. 잡초는 이 거리로 이사 온 "
        "이주민을 가리키고, 장미를 조른다는 말은 그들을 원래 살던 사람들에게 위험한 존재로 그린다. 출신을 "
        "이유로 사람들을 비하하며 한 집단을 없애야 할 것에 비유하므로 혐오 표현의 정의에 "
        "들어맞는다. 반어도 없고 맥락이 뜻을 바꾸지도 않는다.\n결론: 혐오"
    )
    return text, explanation


def rate(case_of: Callable[[int], Case], number: int) -> float:
    cases = [case_of(place) for place in range(number + 20)]
    for case in cases[:20]:  # load the dictionaries, which happens once a process
        scored(case)
    began = time.process_time()
    for case in cases[20:]:
        scored(case)
    return number / (time.process_time() - began)


def scored(case: Case) -> tuple[int, list[str], int]:
    reading = read(*case)
    parts = score(reading, True, 0.9, 0.2)
    return parts.htc, [rationale.quote for rationale in reading.rationales], parts.tgi


def naive_rate() -> float:
    listed, hostile = group_list_files.built_in("un_extended"), sorted(words("hostile.txt"))
    cases = [english(place) for place in range(NAIVE_NUMBER)]
    began = time.process_time()
    for case in cases:
        assert naive_parts(*case, listed, hostile) == scored(case)
    return NAIVE_NUMBER / (time.process_time() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rates = {name: rate(globals()[name], options.number) for name in WANTED}
    naive = naive_rate()
    figures: dict[str, object] = {f"{name}_a_second": round(texts_a_second) for name, texts_a_second in rates.items()}
    figures["naive_english_a_second"] = round(naive, 1)
    figures["times_the_naive"] = round(rates["english"] / naive, 1)
    figures["ok"] = all(rates[name] >= wanted for name, wanted in WANTED.items())
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


if __name__ == "__main__":
    main()
