"""The wire format: what protobuf writes is read, and nothing else does harm."""

from google.protobuf import duration_pb2
from google.rpc import error_details_pb2
from hypothesis import given
from hypothesis import strategies as st
from mulligan_grpc.wire import message, number, text


@given(st.integers(0, 2**62), st.integers(0, 999_999_999))
def test_numbers(seconds: int, nanos: int) -> None:
    read = message(duration_pb2.Duration(seconds=seconds, nanos=nanos).SerializeToString())

    assert (number(read.get(1)), number(read.get(2))) == (seconds, nanos)


@given(st.text(max_size=200), st.lists(st.text(max_size=50), max_size=20))
def test_texts_and_lists(owner: str, names: list[str]) -> None:
    info = message(error_details_pb2.ResourceInfo(resource_name=owner).SerializeToString())
    bad = error_details_pb2.BadRequest(field_violations=[{"field": name} for name in names])
    read = message(bad.SerializeToString()).get(1, [])

    assert text(info.get(2)) == owner
    assert [text(message(violation).get(1)) for violation in read] == names


@given(st.binary(max_size=300))
def test_any_bytes_are_a_message_or_none(data: bytes) -> None:
    assert all(key >= 0 for key in message(data))


def test_too_much_is_none() -> None:
    assert message(b"\x0a" + b"\x00" * 70_000) == {}
    assert message(b"\x08\x01" * 1_000) == {1: [1] * 200}
    assert message(7) == {}
