"""SQLAlchemy and peewee over real drivers."""

from __future__ import annotations

import contextlib

import peewee
import pytest
import sqlalchemy as sa
from mysql_server import MySQLServer
from sqlalchemy import orm
from sqlalchemy.ext.asyncio import create_async_engine

from mulligan.plugin import (
    ResourceConflictError,
    ResourceNotFoundError,
    ToolArgumentError,
    ToolAuthenticationError,
    ToolConnectionError,
    ToolExecutionError,
    ToolTimeoutError,
)


class Base(orm.DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    email: orm.Mapped[str] = orm.mapped_column(unique=True)
    born: orm.Mapped[object] = orm.mapped_column(sa.Date, nullable=True)


@pytest.fixture
def session():
    engine = sa.create_engine("sqlite://")
    Base.metadata.create_all(engine)
    with orm.Session(engine) as session:
        session.add(User(id=1, email="a@b.c"))
        session.commit()
        yield session
    engine.dispose()


def test_the_driver_s_own_error_is_found_below(classify, session):
    error = classify(lambda: session.execute(sa.text("select * from invoices")))
    assert type(error) is ResourceNotFoundError
    assert (error.resource, error.provider, error.rule) == ("invoices", "sqlite", "mulligan_sql:sqlite_words")


def test_a_value_that_is_taken(classify, session):
    session.add(User(id=2, email="a@b.c"))
    error = classify(session.flush)
    assert type(error) is ResourceConflictError
    assert (error.code, error.resource, error.problems[0].pointer) == ("ALREADY_EXISTS", "users", "/email")
    broken = classify(lambda: session.execute(sa.text("select 1")))
    assert (type(broken), broken.rule) == (ResourceConflictError, "mulligan_sql:sqlalchemy_broken_transaction")


def test_a_parameter_without_a_value(classify, session):
    error = classify(lambda: session.execute(sa.text("select :name"), {}))
    assert type(error) is ToolArgumentError
    assert error.problems[0].pointer == "/name"
    assert error.message == "The SQL needs a value for its parameter name."


def test_a_value_of_the_wrong_type(classify, session):
    session.add(User(id=3, email="x", born="yesterday"))
    error = classify(session.flush)
    assert (type(error), error.rule) == (ToolArgumentError, "mulligan_sql:sqlalchemy_statement")


def test_a_column_that_sqlalchemy_does_not_find(classify, session):
    errors = [
        classify(lambda: session.execute(sa.insert(User).values(nmae=1))),
        classify(lambda: session.execute(sa.select(User).filter_by(nmae=1))),
    ]
    assert [type(error) for error in errors] == [ToolArgumentError] * 2
    assert [error.problems[0].pointer for error in errors] == ["/nmae"] * 2


def test_the_tool_s_own_mistakes(classify, session):
    errors = [
        classify(lambda: session.execute("select 1")),
        classify(lambda: session.execute(sa.text("delete from users")).fetchall()),
        classify(lambda: peewee.SqliteDatabase(None).connect()),
    ]
    assert [type(error) for error in errors] == [ToolExecutionError] * 3
    assert all(error.effect == "possible" for error in errors)


def test_one_row_was_wanted(classify, session):
    none = classify(lambda: session.execute(sa.select(User).where(User.id == 9)).scalar_one(), user_id=9)
    assert (type(none), none.resource) == (ResourceNotFoundError, "9")
    assert type(classify(lambda: session.get_one(User, 9))) is ResourceNotFoundError
    session.add(User(id=2, email="z"))
    several = classify(lambda: session.execute(sa.select(User)).scalar_one())
    assert type(several) is ToolExecutionError
    assert "exactly one" in several.message


def test_a_row_that_somebody_else_deleted(classify, session):
    user = session.get_one(User, 1)
    session.execute(sa.text("delete from users"))
    user.email = "new"
    error = classify(session.flush)
    assert (type(error), error.code, error.resource) == (ResourceConflictError, "ABORTED", "users")
    session.rollback()


@pytest.mark.parametrize("kind", [sa.exc.OperationalError, sa.exc.InterfaceError])
def test_a_connection_that_sqlalchemy_gave_up(classify, kind):
    def execute():
        raise kind("select 1", {}, Exception("odd"), connection_invalidated=True)

    error = classify(execute)
    assert (type(error), error.transient, error.effect) == (ToolConnectionError, True, "possible")


def test_a_table_that_cannot_be_reflected(classify, session):
    error = classify(lambda: sa.Table("invoices", sa.MetaData(), autoload_with=session.get_bind()))
    assert (type(error), error.resource) == (ResourceNotFoundError, "invoices")


def test_a_pool_without_a_free_connection(classify, tmp_path):
    engine = sa.create_engine(
        f"sqlite:///{tmp_path}/a.db", poolclass=sa.QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.1
    )
    with engine.connect():
        error = classify(engine.connect)
    engine.dispose()
    assert (type(error), error.effect) == (ToolTimeoutError, "none")


def test_a_url_that_cannot_be_read(classify):
    assert type(classify(lambda: sa.create_engine("nonsense"))) is ToolArgumentError
    assert type(classify(lambda: sa.create_engine("nowhere://x"))) is ToolExecutionError


@pytest.mark.parametrize("driver", ["psycopg", "psycopg2", "pg8000"])
def test_postgresql_below(classify, postgres_port, driver):
    engine = sa.create_engine(f"postgresql+{driver}://owner@127.0.0.1:{postgres_port}/postgres")
    with engine.connect() as connection:
        error = classify(lambda: connection.execute(sa.text("select nmae from users")))
    engine.dispose()
    assert (type(error), error.problems[0].pointer, error.provider) == (ToolArgumentError, "/nmae", "postgres")


def test_postgresql_below_asyncio(classify, postgres_port):
    import asyncio

    async def ask(user, sql):
        engine = create_async_engine(f"postgresql+asyncpg://{user}@127.0.0.1:{postgres_port}/postgres")
        try:
            async with engine.connect() as connection:
                await connection.execute(sa.text(sql))
        finally:
            await engine.dispose()

    error = classify(lambda: asyncio.run(ask("owner", "select * from invoices")))
    assert (type(error), error.resource, error.provider) == (ResourceNotFoundError, "invoices", "postgres")
    error = classify(lambda: asyncio.run(ask("ghost", "select 1")))
    assert type(error) is ToolAuthenticationError


def test_mysql_below(classify):
    with MySQLServer((1146, "42S02", "Table 'shop.invoices' doesn't exist"), at="login") as server:
        engine = sa.create_engine(f"mysql+pymysql://app:x@127.0.0.1:{server.port}/shop")
        error = classify(engine.connect)
        engine.dispose()
    assert (type(error), error.resource, error.provider) == (ResourceNotFoundError, "shop.invoices", "mysql")
    engine = sa.create_engine("mysql+pymysql://app:x@127.0.0.1:1/shop")
    assert type(classify(engine.connect)) is ToolConnectionError


def test_peewee(classify):
    database = peewee.SqliteDatabase(":memory:")

    class Person(peewee.Model):
        name = peewee.CharField(unique=True)

        class Meta:
            database = peewee.SqliteDatabase(":memory:")

    Person.bind(database)
    with contextlib.closing(database), database:
        database.create_tables([Person])
        Person.create(name="Ann")
        error = classify(lambda: Person.create(name="Ann"))
        assert (type(error), error.problems[0].pointer, error.provider) == (ResourceConflictError, "/name", "sqlite")
        assert type(classify(lambda: Person.get(Person.name == "Bob"))) is ResourceNotFoundError
        assert type(classify(lambda: database.execute_sql("select * from nowhere"))) is ResourceNotFoundError
