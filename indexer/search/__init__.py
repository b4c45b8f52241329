"""Scryfall's search language: expression -> syntax tree (`syntax`) -> one SELECT (`compile`) -> rows (`run`).

What a keyword means is in the `terms_` module of its subject; what the databases spell differently is in `sql`.
"""
