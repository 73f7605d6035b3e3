"""Gradebook: everything that is known of a class, in a database, one transaction for each submission."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import orjson
from sqlalchemy import Column, MetaData, String, Table, Text, create_engine, event, insert, select, update
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, SQLAlchemyError

from ..errors import GocciaError, nearest
from .facts import AssignmentFacts
from .grade import SubmissionGrade

FILE_NAME = "gradebook.sqlite"
#: how long a writer waits for another one
BUSY_TIMEOUT_S = 60
_CHUNK = 50

_METADATA = MetaData()
_ASSIGNMENTS = Table(
    "assignment",
    _METADATA,
    Column("name", String(200), primary_key=True),
    Column("facts", Text, nullable=False),
)
_SUBMISSIONS = Table(
    "submission",
    _METADATA,
    Column("assignment", String(200), primary_key=True),
    Column("student", String(400), primary_key=True),
    #: what the runs showed, by which a rerun knows what it need not do again
    Column("evidence", Text, nullable=False),
    Column("grade", Text, nullable=False),
)


Written = TypeVar("Written")


class GradebookError(GocciaError):
    """The gradebook cannot be opened, read or written, or does not hold what is asked for."""


class Gradebook:
    """The grades of one assignment in a database.

    ``url`` is any SQLAlchemy URL, or the path of an SQLite file, which is made when it is missing (not with
    ``must_exist``). A database may hold several assignments; ``assignment`` names one, and may be left out when there
    is only one. Use it as a context manager, or call :meth:`close`. Several processes may use one gradebook at once.

    Raises:
        GradebookError: see there; every method raises it when the database fails.
    """

    def __init__(self, url: str | Path, assignment: str | None = None, *, must_exist: bool = False) -> None:
        database = _database_url(url)
        is_file = database.get_backend_name() == "sqlite" and database.database not in (None, "", ":memory:")
        if must_exist and is_file and not Path(str(database.database)).is_file():
            raise GradebookError(f"there is no gradebook {database.database}; goccia-tools grade writes one")
        #: where it is, for messages: a path or a URL without its password
        self.place = str(database.database) if is_file else database.render_as_string()
        self._engine = _engine(database)
        try:
            self._create_tables()
            self.assignment_name = assignment or self._only_assignment()
            if must_exist:
                self._insist_on(self.assignment_name)
        except BaseException:
            self._engine.dispose()
            raise

    def assignment(self) -> AssignmentFacts:
        """What is known of the assignment."""
        with _told(self.place), self._engine.connect() as connection:
            return AssignmentFacts.from_json(orjson.loads(self._facts_text(connection)))

    def grades(self, students: Iterable[str] | None = None) -> Iterator[SubmissionGrade]:
        """Every grade, or those of some students, in the order of the ids (by code point) on every database.

        Only a few are held in memory at a time.
        """
        for _, _, grade in self._rows(students):
            yield SubmissionGrade.from_json(grade)

    def evidence(self, students: Iterable[str] | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
        """The evidence of every submission by student, in the same order. What it holds is the grader's business."""
        for student, evidence, _ in self._rows(students):
            yield student, evidence

    def students(self) -> list[str]:
        """The ids of all rows, in order."""
        table = _SUBMISSIONS
        query = select(table.c.student).where(table.c.assignment == self.assignment_name)
        with _told(self.place), self._engine.connect() as connection:
            return sorted(connection.execute(query).scalars())

    def write_assignment(self, facts: AssignmentFacts) -> None:
        """Keep what is known of the assignment, in place of what was known before."""

        def write(connection: Connection) -> None:
            _put(connection, _ASSIGNMENTS, {"name": facts.name}, {"facts": _text(facts.to_json())})

        self._transact(write)

    def write_grade(self, grade: SubmissionGrade, evidence: Mapping[str, Any] | None = None) -> None:
        """Keep a grade and its evidence in place of what the student had before, in one transaction."""
        self.revise(grade.student, lambda _: (grade, evidence or {}))

    def revise(
        self,
        student: str,
        decide: Callable[[dict[str, Any] | None], tuple[SubmissionGrade, Mapping[str, Any]]],
    ) -> SubmissionGrade:
        """Replace a row by what ``decide`` makes of the evidence that is there now (None: no row), in one transaction.

        What two graders find out about one submission at the same time is thereby not lost. Returns the new grade.
        """

        def write(connection: Connection) -> SubmissionGrade:
            query = select(_SUBMISSIONS.c.evidence).where(*self._row_of(student)).with_for_update()
            text = connection.execute(query).scalar_one_or_none()
            grade, evidence = decide(None if text is None else orjson.loads(text))
            row = {"assignment": self.assignment_name, "student": student}
            _put(connection, _SUBMISSIONS, row, {"evidence": _text(evidence), "grade": _text(grade.to_json())})
            return grade

        return self._transact(write)

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, students: Iterable[str] | None) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        # sorted here, because databases order text by rules of their own
        names = self.students() if students is None else sorted(set(students))
        table = _SUBMISSIONS
        for start in range(0, len(names), _CHUNK):
            query = select(table.c.student, table.c.evidence, table.c.grade).where(
                table.c.assignment == self.assignment_name, table.c.student.in_(names[start : start + _CHUNK])
            )
            with _told(self.place), self._engine.connect() as connection:
                rows = {row.student: row for row in connection.execute(query)}
            for name in names[start : start + _CHUNK]:
                if name in rows:
                    yield name, orjson.loads(rows[name].evidence), orjson.loads(rows[name].grade)

    def _transact(self, write: Callable[[Connection], Written]) -> Written:
        engine = self._engine.execution_options(writes=True)
        with _told(self.place):
            try:
                with engine.begin() as connection:
                    return write(connection)
            except IntegrityError:  # another process made the row meanwhile; now it is there to be replaced
                with engine.begin() as connection:
                    return write(connection)

    def _create_tables(self) -> None:
        with _told(self.place):
            try:
                _METADATA.create_all(self._engine)
            except SQLAlchemyError:  # another process may be making them at this moment
                _METADATA.create_all(self._engine)

    def _row_of(self, student: str) -> tuple[Any, Any]:
        return _SUBMISSIONS.c.assignment == self.assignment_name, _SUBMISSIONS.c.student == student

    def _known(self) -> list[str]:
        with _told(self.place), self._engine.connect() as connection:
            return sorted(connection.execute(select(_ASSIGNMENTS.c.name)).scalars())

    def _only_assignment(self) -> str:
        known = self._known()
        if len(known) != 1:
            what = f"several assignments: {', '.join(known)}; name one" if known else "no assignment yet"
            raise GradebookError(f"the gradebook {self.place} holds {what}")
        return known[0]

    def _insist_on(self, name: str) -> None:
        known = self._known()
        if name not in known:
            hint = nearest(name, known) or f"; it holds {', '.join(known) or 'none'}"
            raise GradebookError(f'the gradebook {self.place} holds no assignment "{name}"{hint}')

    def _facts_text(self, connection: Connection) -> str:
        query = select(_ASSIGNMENTS.c.facts).where(_ASSIGNMENTS.c.name == self.assignment_name)
        found = connection.execute(query).scalar_one_or_none()
        if found is None:
            raise GradebookError(f'the gradebook {self.place} holds no assignment "{self.assignment_name}"')
        return str(found)


def _put(connection: Connection, table: Table, key: dict[str, str], values: dict[str, str]) -> None:
    """Update the row with this key, or make it; spelt so that every database understands it."""
    where = [table.c[name] == value for name, value in key.items()]
    if connection.execute(update(table).where(*where).values(**values)).rowcount == 0:
        connection.execute(insert(table).values(**key, **values))


@contextmanager
def _told(shown: str) -> Iterator[None]:
    """Turns what the database says into one sentence that names the gradebook."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
        raise GradebookError(f"the gradebook {shown}: {cause}") from error


def _text(data: Any) -> str:
    return orjson.dumps(data, option=orjson.OPT_SORT_KEYS).decode()


def _database_url(url: str | Path) -> URL:
    if isinstance(url, str) and "://" in url:
        try:
            return make_url(url)
        except (ArgumentError, ValueError) as error:
            raise GradebookError(f"{url} is no URL of a database: {error}") from None
    return URL.create("sqlite", database=str(Path(url).absolute()))


def _engine(url: URL) -> Engine:
    shown = url.render_as_string()
    try:
        if url.get_backend_name() != "sqlite":
            return create_engine(url)
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    except NoSuchModuleError:
        raise GradebookError(f'{shown}: SQLAlchemy knows no database "{url.get_backend_name()}"') from None
    except ModuleNotFoundError as error:
        raise GradebookError(f"{shown} needs the Python package {error.name}, which is not installed") from None

    # left to itself the driver takes the lock at the first write, too late for what was read before it to be true still
    @event.listens_for(engine, "connect")
    def _(connection: Any, _: Any) -> None:
        connection.isolation_level = None

    @event.listens_for(engine, "begin")
    def _(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")

    return engine
