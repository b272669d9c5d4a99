"""What the tests of mulligan-sql share: a pipeline with this plugin only, and a PostgreSQL server on loopback."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import mulligan_sql
import pytest

from mulligan import Pipeline

SETUP = """
create role guarded login password 'right';
create role blocked login;
create role guest login;
create role one login connection limit 1;
create database asleep allow_connections false;
create table users (id int primary key, email text unique not null, age int check (age > 0));
insert into users values (1, 'a@b.c', 3);
create table orders (id int primary key, user_id int references users(id));
insert into orders values (1, 1);
create table pairs (id int primary key, value int);
insert into pairs values (1, 0), (2, 0);
"""
ACCESS = """
host all guarded 127.0.0.1/32 scram-sha-256
host all blocked 127.0.0.1/32 reject
host all all 127.0.0.1/32 trust
"""


@pytest.fixture
def classify():
    pipeline = Pipeline(plugins=[mulligan_sql], autoload=False, strict=True)

    def ask(raising, **arguments):
        """The error for what a function raises."""
        try:
            raising()
        except Exception as raised:
            return pipeline.classify(raised, tool="query_database", arguments=arguments)
        pytest.fail("it was to raise")

    return ask


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def server_programs() -> Path:
    """The folder of initdb and pg_ctl, which PostgreSQL refuses to run as root."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), reverse=True)
    program = str(found[0]) if found else shutil.which("initdb")
    if program is None:
        pytest.fail("These tests need PostgreSQL's server programs: apt-get install postgresql", pytrace=False)
    return Path(program).parent


@pytest.fixture(scope="session")
def postgres_port():
    programs, folder, port = server_programs(), Path(tempfile.mkdtemp(prefix="mulligan-sql-")), free_port()
    user = "postgres" if any(one.pw_name == "postgres" for one in pwd.getpwall()) else "nobody"
    other = ["setpriv", f"--reuid={user}", "--clear-groups"] if os.geteuid() == 0 else []
    if other:
        shutil.chown(folder, user)
    folder.chmod(0o755)

    def run(program: str, *arguments: str) -> None:
        command = [*other, str(programs / program), "-D", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)

    run("initdb", "-U", "owner", "-A", "trust", "--no-sync")
    (folder / "data" / "pg_hba.conf").write_text(ACCESS)
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", options, "start")
    try:
        import psycopg

        with psycopg.connect(host="127.0.0.1", port=port, user="owner", dbname="postgres", autocommit=True) as owner:
            for statement in SETUP.split(";\n"):
                owner.execute(statement)
        yield port
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)
