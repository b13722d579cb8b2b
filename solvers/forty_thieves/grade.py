"""How hard a winnable deal is: by how many of a number of independent, narrow beams win it."""

GRADES = ("easy", "normal", "hard")
"""From the easiest on."""


def grade_of(wins: int, attempts: int) -> str:
    """Return the grade of a winnable deal: easy if three quarters of the attempts won, hard if not even a quarter."""
    if 4 * wins >= 3 * attempts:
        return GRADES[0]
    return GRADES[1] if 4 * wins >= attempts else GRADES[2]
