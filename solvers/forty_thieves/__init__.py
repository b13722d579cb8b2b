"""Forty Thieves: deals, boards as text, rules, referee and solutions for people."""
