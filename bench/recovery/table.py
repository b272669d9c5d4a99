"""The table: recovery by arm and kind, with bootstrap intervals over scenarios."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple

from judge import judge
from scenarios import Scenario, is_recoverable

RESAMPLES = 5000
Answers = dict[str, list[dict[str, Any]]]  # scenario id -> the stored rows, one for each turn


class Rate(NamedTuple):
    """A mean and its 95 % interval, in percent."""

    mean: float
    low: float
    high: float


def bootstrap(values: Sequence[float]) -> Rate:
    """The mean over scenarios and the interval of resampled means."""
    draw = random.Random(20261122)
    means = sorted(sum(draw.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    edges = means[int(RESAMPLES * 0.025)], means[int(RESAMPLES * 0.975) - 1]
    return Rate(100 * sum(values) / len(values), 100 * edges[0], 100 * edges[1])


def kinds(scenarios: Sequence[Scenario], field: str) -> list[str]:
    """The values of a field in their first order."""
    return list(dict.fromkeys(one[field] for one in scenarios))


def tables(scenarios: Sequence[Scenario], arms: dict[str, Answers], base: str) -> str:
    """Three tables as Markdown: by kind, by what was wrong, and the characters told. An arm counts where it was asked."""
    scenarios = sorted(scenarios, key=lambda one: (KINDS.index(one["kind"]), _number_of(one)))
    right = {
        name: {one["id"]: judge(one, answers[one["id"]][0]["answer"]) for one in scenarios if one["id"] in answers}
        for name, answers in arms.items()
    }
    return "\n\n".join("\n".join(part(scenarios, arms, right, base)) for part in (_main, _fine, _lengths))


def _number_of(scenario: Scenario) -> int:
    """The number at the end of an id: 3 of `14-enum-c3`, where a letter says whose it is."""
    return int(scenario["id"].rsplit("-", 1)[1].lstrip(ascii_lowercase))


KINDS = ["unknown_tool", "invalid_arguments", "not_found", "transient", "conflict", "refused"]


def _main(scenarios: Sequence[Scenario], arms: dict[str, Answers], right: dict[str, Any], base: str) -> Iterator[str]:
    groups = kinds(scenarios, "kind")
    head = ["arm", "recovered", "95 %", *groups, f"minus {base} [95 %]"]
    head += ["within two", "95 %", "mean characters", "repeated", "no call"]
    yield _row(head)
    yield _row(["---"] * len(head))
    for name, answers in arms.items():
        asked = [one for one in scenarios if one["id"] in answers]
        wanted = [one for one in asked if is_recoverable(one)]
        verdicts = [right[name][one["id"]] for one in wanted]
        rate = bootstrap([float(verdict.right) for verdict in verdicts])
        count = sum(verdict.right for verdict in verdicts)
        outcomes = [verdict.outcome for verdict in verdicts]
        length = sum(len(answers[one["id"]][0]["feedback"]) for one in asked) / len(asked)
        cells = [name, f"{rate.mean:.0f} % ({count}/{len(wanted)})", f"{rate.low:.0f}-{rate.high:.0f}"]
        cells += [_share(asked, right[name], "kind", group) for group in groups]
        cells += [_difference(wanted, right, name, base), *_within_two(wanted, answers), f"{length:.0f}"]
        yield _row([*cells, str(outcomes.count("repeated")), str(outcomes.count("no call"))])


def _fine(scenarios: Sequence[Scenario], arms: dict[str, Answers], right: dict[str, Any], _: str) -> Iterator[str]:
    groups = kinds(scenarios, "sub")
    yield _row(["arm", *groups])
    yield _row(["---"] * (len(groups) + 1))
    for name, answers in arms.items():
        asked = [one for one in scenarios if one["id"] in answers]
        yield _row([name, *(_share(asked, right[name], "sub", group) for group in groups)])


def _lengths(scenarios: Sequence[Scenario], arms: dict[str, Answers], right: dict[str, Any], _: str) -> Iterator[str]:
    """The mean number of characters of the first text, by kind."""
    groups = kinds(scenarios, "kind")
    yield _row(["arm, characters", *groups])
    yield _row(["---"] * (len(groups) + 1))
    for name, answers in arms.items():
        lengths = {
            group: [
                len(answers[one["id"]][0]["feedback"])
                for one in scenarios
                if one["kind"] == group and one["id"] in answers
            ]
            for group in groups
        }
        yield _row([name, *(f"{sum(some) / len(some):.0f}" if some else "" for some in lengths.values())])


def parts_table(scenarios: Sequence[Scenario], whole: Answers, without: dict[str, Answers]) -> str:
    """As Markdown: in how many texts each part is, its characters there and on average, and the right calls it brings."""
    wanted = [one for one in scenarios if is_recoverable(one)]
    right = {one["id"]: judge(one, whole[one["id"]][0]["answer"]).right for one in wanted}
    lines = [
        _row(["part", "texts", "characters there", "characters on average", "right calls that it brings, % [95 %]"])
    ]
    lines.append(_row(["---"] * 5))
    for part, answers in without.items():
        saved = [len(whole[one["id"]][0]["feedback"]) - len(answers[one["id"]][0]["feedback"]) for one in wanted]
        texts = sum(map(bool, saved))
        gain = bootstrap([right[one["id"]] - judge(one, answers[one["id"]][0]["answer"]).right for one in wanted])
        there = f"{sum(saved) / texts:.0f}" if texts else ""
        brought = f"{gain.mean:+.1f} [{gain.low:+.1f}, {gain.high:+.1f}]"
        lines.append(_row([part, f"{texts} of {len(wanted)}", there, f"{sum(saved) / len(wanted):.0f}", brought]))
    return "\n".join(lines)


def _within_two(wanted: Sequence[Scenario], answers: Answers) -> tuple[str, str]:
    """How many were recovered by one of two next calls; empty where no second one was asked for."""
    if all(len(answers[one["id"]]) == 1 for one in wanted):
        return "", ""
    right = [any(judge(one, row["answer"]).right for row in answers[one["id"]]) for one in wanted]
    rate = bootstrap(list(map(float, right)))
    return f"{rate.mean:.0f} % ({sum(right)}/{len(right)})", f"{rate.low:.0f}-{rate.high:.0f}"


def _share(scenarios: Sequence[Scenario], right: dict[str, Any], field: str, value: str) -> str:
    verdicts = [right[one["id"]].right for one in scenarios if one[field] == value]
    return f"{sum(verdicts)}/{len(verdicts)}"


def _difference(wanted: Sequence[Scenario], right: dict[str, Any], name: str, base: str) -> str:
    """The paired difference to the base arm, where both were asked."""
    both = [one["id"] for one in wanted if one["id"] in right.get(base, {})]
    if name == base or not both:
        return ""
    rate = bootstrap([float(right[name][key].right) - float(right[base][key].right) for key in both])
    return f"{rate.mean:+.0f} [{rate.low:+.0f}, {rate.high:+.0f}] n={len(both)}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
