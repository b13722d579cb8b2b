"""The farm around the solvers: the command line, runs and their shards, worker processes, tables, verification."""
