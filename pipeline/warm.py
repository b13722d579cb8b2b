"""Importing this module compiles the searches: a fork server that preloads it hands every worker ready kernels."""

from solvers.freecell import search

search.warm_up()
