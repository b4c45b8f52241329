"""A throw-away PostgreSQL server for the tests.

`postgresql_url` is a fresh, empty database for one test. The server behind it is the one that
`INDEXER_TEST_POSTGRESQL_URL` names (any database of it, by a user who may create others), or one of our own: made in a
temporary folder when the first test asks for it, reachable over loopback only, gone with the test session.
"""

from __future__ import annotations

import itertools
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.requirements import missing

ENV_SERVER_URL = "INDEXER_TEST_POSTGRESQL_URL"
USER = "indexer"

# The data is thrown away, so nothing needs to survive a power cut. The time zone is no test machine's own.
SERVER_SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "40",
    "listen_addresses": "127.0.0.1",
    "timezone": "UTC",
}


class ServerFailed(Exception):
    """PostgreSQL is installed but did not start. The message ends with its log."""


def find_server_programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl`, or None if no PostgreSQL server is installed.

    Debian keeps them out of the PATH, one folder a version: the newest is taken.
    """
    versions = Path("/usr/lib/postgresql")
    candidates = sorted(versions.glob("*/bin"), key=lambda path: _number(path.parent.name), reverse=True)
    if pg_config := shutil.which("pg_config"):
        answer = subprocess.run([pg_config, "--bindir"], capture_output=True, text=True, check=False)
        candidates.append(Path(answer.stdout.strip()))
    if pg_ctl := shutil.which("pg_ctl"):
        candidates.append(Path(pg_ctl).resolve().parent)
    return next((path for path in candidates if (path / "initdb").exists() and (path / "pg_ctl").exists()), None)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """A new server, running while the context is open. Gives the URL of its maintenance database.

    Raises:
        ServerFailed: it could not be made or started.
    """
    account = _server_account()
    # Not pytest's own temporary folder: only the user who runs the tests may enter that one, and a socket's path
    # must be short (107 bytes).
    folder = Path(tempfile.mkdtemp(prefix="indexer-pg-"))
    try:
        password_file = folder / "password"
        password = secrets.token_hex(16)
        password_file.write_text(password)
        if account:
            for path in (folder, password_file):
                os.chown(path, account.pw_uid, account.pw_gid)
        cluster = folder / "cluster"
        _run(
            [
                programs / "initdb",
                *("--pgdata", cluster, "--username", USER, "--pwfile", password_file, "--auth", "scram-sha-256"),
                *("--encoding", "UTF8", "--locale", "C", "--no-sync"),
            ],
            account,
            folder,
        )
        port = _start(programs, cluster, account, folder)
        try:
            yield f"postgresql+psycopg://{USER}:{password}@127.0.0.1:{port}/postgres"
        finally:
            _run([programs / "pg_ctl", "stop", "--pgdata", cluster, "--mode", "immediate"], account, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _start(programs: Path, cluster: Path, account: pwd.struct_passwd | None, folder: Path) -> int:
    """Start the server and give its port. Another program may take a free port first, hence the tries."""
    for attempt in itertools.count(1):
        port = _free_port()
        settings = SERVER_SETTINGS | {"port": str(port), "unix_socket_directories": str(folder)}
        options = " ".join(f"-c {name}='{value}'" for name, value in settings.items())
        try:
            _run(
                [
                    programs / "pg_ctl",
                    *("start", "--pgdata", cluster, "--wait", "--timeout", "60"),
                    *("--log", folder / "log", "--options", options),
                ],
                account,
                folder,
            )
        except ServerFailed:
            if attempt == 3:
                raise
        else:
            return port
    raise AssertionError("unreachable")


def _server_account() -> pwd.struct_passwd | None:
    """The user to run as: PostgreSQL refuses to run as root. None: the user who runs the tests."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise ServerFailed("PostgreSQL does not run as root, and there is no user 'postgres' or 'nobody' to run it as")


def _run(command: Sequence[str | Path], account: pwd.struct_passwd | None, folder: Path) -> None:
    # Output goes to a file and not to a pipe: the server inherits it, and a pipe would stay open as long as it runs.
    output = folder / "output"
    with output.open("wb") as stream:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            cwd=folder,
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            extra_groups=[] if account else None,
            check=False,
        )
    if done.returncode:
        log = folder / "log"
        said = output.read_text(errors="replace") + (log.read_text(errors="replace") if log.exists() else "")
        raise ServerFailed(f"{Path(command[0]).name} ended with status {done.returncode}: {said[-2000:]}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def fresh_database(server_url: str) -> Iterator[str]:
    """A new, empty database on this server, dropped when the context ends, whoever is still connected to it."""
    from sqlalchemy import NullPool, create_engine, make_url, text

    url = make_url(server_url).set(drivername="postgresql+psycopg")
    name = f"indexer_test_{secrets.token_hex(6)}"
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE template0"))
        try:
            yield url.set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[str]:
    """The SQLAlchemy URL of a PostgreSQL server's maintenance database; skipped where none is installed."""
    if url := os.environ.get(ENV_SERVER_URL):
        yield url
        return
    programs = find_server_programs()
    if programs is None:
        missing(f"no PostgreSQL server is installed (or name a running one in {ENV_SERVER_URL})")
    with running_server(programs) as url:
        yield url


@pytest.fixture
def postgresql_url(postgresql_server: str) -> Iterator[str]:
    """The SQLAlchemy URL of an empty PostgreSQL database that only this test uses."""
    with fresh_database(postgresql_server) as url:
        yield url
