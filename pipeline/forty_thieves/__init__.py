"""Forty Thieves: its shards, runs, tables, their checks, and what its commands print."""
