"""What a run of Forty Thieves prints at its end."""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import sqrt
from statistics import median

import polars as pl
import pyarrow as pa

from pipeline.schemas import FORTY_THIEVES_DEALS, FORTY_THIEVES_EVIDENCE
from pipeline.tables import as_frame
from solvers.forty_thieves.grade import GRADES
from solvers.result import Verdict

GROWTH_LIMITS = tuple(step * 10**power for power in range(1, 9) for step in (1, 2, 5))
STANDARD_ERRORS = 1.96  # either side of a 95 % interval


def winnable_summary(tables: Mapping[str, pa.Table]) -> str:
    """Return verdicts and grades by rule set, of the tables of a run, by name."""
    grades = [
        line
        for rules, spec in FORTY_THIEVES_DEALS.items()
        if spec.name in tables
        for line in grade_lines(rules, as_frame(tables[spec.name]))
    ]
    header = f"{'rules':<8}  {'grade':<10}  {'deals':>9}  {'of solvable':>11}  {'median moves':>12}"
    evidence = tables[FORTY_THIEVES_EVIDENCE.name]
    return "\n".join([verdict_summary(evidence), "", header, *grades, "", *growth_lines(as_frame(evidence))])


def verdict_summary(evidence: pa.Table) -> str:
    """Return the verdicts of evidence by rule set: the share of all deals with its interval, and the states."""
    frame = as_frame(evidence)
    header = (
        f"{'rules':<8}  {'verdict':<10}  {'deals':>9}  {'share':>7}  {'95 % interval':>15}  {'states':>17}"
        f"  {'most states (deal)':>27}"
    )
    lines = [f"{frame['deal'].n_unique():,} Forty Thieves deals", "", header]
    for rules in frame["rules"].unique().sort():
        lines += verdict_lines(rules, frame.filter(pl.col("rules") == rules).sort("deal"))
    return "\n".join(lines)


def verdict_lines(rules: str, rows: pl.DataFrame) -> Iterator[str]:
    """Yield a line for each verdict."""
    for verdict in Verdict:
        of_verdict = rows.filter(pl.col("verdict") == verdict.value)
        count, states = of_verdict.height, of_verdict["states"].to_list()
        low, high = wilson(count, rows.height)
        interval = f"{low:.2%}-{high:.2%}"
        most = f"{max(states):,} ({of_verdict['deal'][states.index(max(states))]})" if states else "-"
        yield (
            f"{rules:<8}  {verdict:<10}  {count:>9,}  {count / rows.height:>7.2%}  {interval:>15}  {sum(states):>17,}"
            f"  {most:>27}"
        )


def grade_lines(rules: str, rows: pl.DataFrame) -> Iterator[str]:
    """Yield a line for each grade of the solvable deals."""
    counts = Counter(rows["grade"].drop_nulls().to_list())
    for grade in GRADES:
        moves = rows.filter(pl.col("grade") == grade)["moves"].to_list()
        share = f"{counts[grade] / counts.total():.2%}" if counts else "-"
        middle = f"{median(moves):.0f}" if moves else "-"
        yield f"{rules:<8}  {grade:<10}  {counts[grade]:>9,}  {share:>11}  {middle:>12}"


def growth_lines(evidence: pl.DataFrame) -> Iterator[str]:
    """Yield a line for each limit on states that wins some deals: how many, and what all of them took by then."""
    yield f"{'rules':<8}  {'states up to':>12}  {'solvable':>9}  {'share':>7}  {'states a deal':>13}"
    for rules in evidence["rules"].unique().sort():
        rows = evidence.filter(pl.col("rules") == rules)
        won = rows.filter(pl.col("verdict") == Verdict.SOLVABLE.value)["states"]
        for limit in GROWTH_LIMITS:
            count = (won <= limit).sum()
            if count and limit < rows["states"].max():
                spent = rows["states"].clip(upper_bound=limit).sum() / rows.height
                yield f"{rules:<8}  {limit:>12,}  {count:>9,}  {count / rows.height:>7.2%}  {spent:>13,.0f}"


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", J. Am. Stat. Assoc. 22 (1927).
    """
    share, weight = successes / trials, STANDARD_ERRORS**2 / trials
    centre = share + weight / 2
    spread = STANDARD_ERRORS * sqrt(share * (1 - share) / trials + weight / (4 * trials))
    return max(0.0, (centre - spread) / (1 + weight)), min(1.0, (centre + spread) / (1 + weight))
