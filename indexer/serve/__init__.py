"""The pool in a browser: Datasette with words for every table and column, and ready-made questions."""
