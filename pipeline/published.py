"""The published figures about FreeCell's deals that runs are laid beside.

They are those of the source of the rules, whose solver's search was capped, and of the lists of deals that it cites.
"""

PUBLISHED_RANGE = range(1, 32_001)
PUBLISHED_LEVELS = {"easy": 6_036, "normal": 18_989, "hard": 6_974, "unsolvable": 1}
PUBLISHED_ZERO_CELL_DEALS = 69
PUBLISHED_HARD_SHARE_WON_BY_TWO = 0.05
PUBLISHED_LEAST_WON_BY_ONE = 250
# Of deals 1-1,000,000, with four cells.
KNOWN_UNSOLVABLE = (11982, 146692, 186216, 455889, 495505, 512118, 517776, 781948)
# States reachable in a deal, by (deal, cells, whether autoplay is on).
KNOWN_STATES = {(11982, 4, True): 61_643, (11982, 4, False): 83_239}
