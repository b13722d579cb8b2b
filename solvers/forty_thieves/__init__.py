"""Forty Thieves: deals, boards as text, rules, referee, search, grade, and solutions for people."""
