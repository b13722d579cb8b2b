"""How hard a winnable deal is: by how many of a number of independent, greedy attempts win it."""

GRADES = ("easy", "normal", "hard")
"""From the easiest on."""


def grade_of(wins: int, attempts: int) -> str:
    """Return the grade of a winnable deal: easy if at least half of the attempts won, hard if none did."""
    if 2 * wins >= attempts:
        return GRADES[0]
    return GRADES[1] if wins else GRADES[2]
