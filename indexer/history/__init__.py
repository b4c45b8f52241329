"""The pool as it was: rows wound back by `card_changes`, and a connection on which they stand in for today's."""
