"""The judge's side of the door: forwards calls to the worker that holds the package, and brings back plain values.

One connection for each process and thread. Requests are pickled, for the worker may trust them; replies are read by
`_statsclaw_plain`, for they come from the package under judgement.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from . import _statsclaw_conditions as _conditions
from ._statsclaw_connection import Connection, FromWorker, write_into
from ._statsclaw_plain import Make, Malformed

_local = threading.local()
Stub = TypeVar("Stub", bound=Callable[..., Any])


class Default:
    """A default that is no literal: it shows its text and is nothing else."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class Result(FromWorker):
    """What a function returned: its fields, as they were when it returned."""

    _classes: ClassVar[dict[str, type[Result]]] = {}

    def __init_subclass__(cls) -> None:
        Result._classes[cls.__name__] = cls

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError(f"{type(self).__name__} is what the package returns; the interface has no way to make one")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in vars(self).items())})"

    def __str__(self) -> str:
        """As the package shows it."""
        if self._connection is None:
            return repr(self)
        return str(_call("text", "", (self,), {}, None))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self).__name__, dict(vars(self)))


class Remote(FromWorker):
    """An object that lives in the worker: fields and methods are asked for when they are used."""

    _classes: ClassVar[dict[str, type[Remote]]] = {}

    def __init_subclass__(cls) -> None:
        Remote._classes[cls.__name__] = cls

    def __getattr__(self, name: str) -> Any:
        if any(name == part[0] for part in self._parts):
            return _call("field", name, (self,), {}, None)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} of {type(self).__name__} cannot be set: the interface does not say so")

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"a {type(self).__name__} lives in the package's process and cannot be pickled")


def _restored(name: str, fields: dict[str, Any]) -> Result:
    cls = Result._classes[name]
    made = cls.__new__(cls)
    made._bind(None, 0)
    vars(made).update(fields)
    return made


def function(result: str | None) -> Callable[[Stub], Callable[..., Any]]:
    """A function of the package. `result`: the declared class of what it returns."""

    def decorate(stub: Stub) -> Callable[..., Any]:
        name = stub.__name__

        @functools.wraps(stub)
        def forward(*args: Any, **kwargs: Any) -> Any:
            return _call("call", name, args, kwargs, result)

        return forward

    return decorate


def method(result: str | None) -> Callable[[Stub], Callable[..., Any]]:
    """A method of an object that lives in the worker."""

    def decorate(stub: Stub) -> Callable[..., Any]:
        name = stub.__name__

        @functools.wraps(stub)
        def forward(self: Remote, *args: Any, **kwargs: Any) -> Any:
            return _call("method", name, (self, *args), kwargs, result)

        return forward

    return decorate


def constructor(stub: Callable[..., None]) -> Callable[..., None]:
    """Makes the object in the worker; this one stands for it."""

    @functools.wraps(stub)
    def forward(self: Remote, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        connection = _connection_for((*args, *kwargs.values()))
        number = _call("new", name, args, kwargs, name)
        if type(number) is not int:
            raise RuntimeError(f"the package made no {name}")
        self._bind(connection, number)
        connection.alive[number] = self

    return forward


def condition(name: str, fallback: type[Exception]) -> type[Exception]:
    """The package's class of error or warning called `name`."""
    try:
        names = _call("ancestors", name, (), {}, None)
    except Exception:
        names = [f".{name}"]
    return _conditions.class_of(names if isinstance(names, list) else [f".{name}"], fallback)


def _connection_for(args: tuple[Any, ...]) -> Connection:
    for value in args:
        if isinstance(value, FromWorker) and getattr(value, "_connection", None) is not None:
            connection: Connection = value._connection  # type: ignore[assignment]
            if connection.pid != os.getpid():
                raise TypeError(f"this {type(value).__name__} belongs to another process")
            return connection
    current: Connection | None = getattr(_local, "connection", None)
    if current is None or current.pid != os.getpid() or current.ended:
        results = {name: [part[0] for part in cls._parts] for name, cls in Result._classes.items()}
        current = _local.connection = Connection(results, list(Remote._classes), _maker)
    return current


def _call(kind: str, target: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: str | None) -> Any:
    connection = _connection_for((*args, *kwargs.values()))
    header, decoder = connection.call(kind, target, args, kwargs, result)
    try:
        for place, node in header.get("changed") or ():
            write_into(kwargs[place] if isinstance(place, str) else args[place], decoder.value(node))
        value = decoder.value(header.get("value"))
    except (Malformed, TypeError, ValueError, LookupError) as error:
        connection.close()
        raise RuntimeError(f"the package sent something that is no answer: {error}") from None
    _conditions.reissue(header.get("warnings"), 3)
    if "error" in header:
        raise _conditions.error_of(header["error"])
    return value


def _maker(connection: Connection) -> Make:
    def make(tag: str, name: str, fields: dict[str, Any], number: int) -> Any:
        if tag == "remote":
            return _remote(connection, name, number)
        made = _restored(name, {})
        made._bind(connection, number)
        allowed = {part[0] for part in made._parts}
        vars(made).update({key: value for key, value in fields.items() if key in allowed})
        return made

    return make


def _remote(connection: Connection, name: str, number: int) -> FromWorker:
    """The one object here that stands for that one there."""
    known = connection.alive.get(number)
    if known is not None and type(known).__name__ == name:
        object.__setattr__(known, "_times", known._times + 1)
        return known
    remote = Remote._classes[name].__new__(Remote._classes[name])
    remote._bind(connection, number)
    connection.alive[number] = remote
    return remote
