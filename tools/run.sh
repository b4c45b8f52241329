#!/bin/sh
# What `make run` does: index Scryfall's cards, or the sample cards where Scryfall can't be reached, and show the result.
#
#   run.sh PYTHON    PYTHON: the interpreter of the virtual environment
set -u
python=$1
sample=data/sample-cards.jsonl

indexer() {
    echo "\$ indexer $*" >&2
    "$python" -m indexer "$@"
}

indexer sync
status=$?
if [ "$status" -eq 4 ]; then
    echo "Scryfall can't be had now; the sample cards in $sample go into a database of their own instead." >&2
    INDEXER_DATABASE_URL=sqlite:///data/sample.db
    export INDEXER_DATABASE_URL
    echo "\$ export INDEXER_DATABASE_URL=$INDEXER_DATABASE_URL" >&2
    indexer sync --from-file "$sample" || exit
elif [ "$status" -ne 0 ]; then
    exit "$status"
fi
indexer report && indexer status || exit
echo "To go on: '. .venv/bin/activate' makes indexer a command; 'indexer --help' lists what it can do." >&2
