"""FreeCell: boards as text, rules, referee, search, plain enumeration, and solutions for people."""
