"""`python -m indexer` is the same as the console script `indexer`."""

from indexer.cli import main

if __name__ == "__main__":
    main()
