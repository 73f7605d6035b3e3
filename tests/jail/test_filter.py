"""The filter as a program: run on a small machine of our own, for both architectures and every call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goccia_tools.jail.numbers import BY_MACHINE
from goccia_tools.jail.profiles import HOSTILE, PROFILES, rules
from goccia_tools.jail.seccomp import ALLOW, DENY, KILL_PROCESS, program

OUTPUT, PID = 4, 1234
ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def verdict(code: bytes, arch: int, number: int, *arguments: int) -> int:
    """What the kernel would answer (classic BPF: loads, jumps, AND, return)."""
    data = number.to_bytes(4, "little") + arch.to_bytes(4, "little") + bytes(8)
    data += b"".join(value.to_bytes(8, "little") for value in (*arguments, *(0,) * (6 - len(arguments))))
    accumulator = 0
    at = 0
    while True:
        operation = int.from_bytes(code[at : at + 2], "little")
        if_true, if_false = code[at + 2], code[at + 3]
        operand = int.from_bytes(code[at + 4 : at + 8], "little")
        at += 8
        match operation:
            case 0x20:
                accumulator = int.from_bytes(data[operand : operand + 4], "little")
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += 8 * (if_true if accumulator == operand else if_false)
            case 0x35:
                at += 8 * (if_true if accumulator >= operand else if_false)
            case 0x45:
                at += 8 * (if_true if accumulator & operand else if_false)
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"unknown operation {operation:#x}")


machines = pytest.mark.parametrize("machine", sorted(ARCHES))
profiles = pytest.mark.parametrize("profile", PROFILES)


@machines
@profiles
def test_it_is_short_enough_for_the_kernel(machine: str, profile: str) -> None:
    assert len(program(profile, machine, OUTPUT, PID)) // 8 < 256


@machines
@profiles
@given(number=st.integers(0, 0x3FFFFFFF), arguments=st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6))
def test_only_listed_calls_are_allowed(machine: str, profile: str, number: int, arguments: list[int]) -> None:
    code = program(profile, machine, OUTPUT, PID)
    numbers = BY_MACHINE[machine]
    listed = {numbers[name] for name, _ in rules(profile, OUTPUT, PID) if name in numbers}
    if verdict(code, ARCHES[machine], number, *arguments) == ALLOW:
        assert number in listed
    for known in numbers.values():
        if known not in listed:
            assert verdict(code, ARCHES[machine], known, *arguments) != ALLOW


@machines
@profiles
def test_another_machine_is_ended(machine: str, profile: str) -> None:
    code = program(profile, machine, OUTPUT, PID)
    other = next(arch for name, arch in ARCHES.items() if name != machine)
    assert verdict(code, other, BY_MACHINE[machine]["write"], 2) == KILL_PROCESS
    assert verdict(code, 0x40000003, 4, 2) == KILL_PROCESS
    if machine == "x86_64":
        assert verdict(code, ARCHES[machine], 0x40000000 + 1, 2) == KILL_PROCESS


@machines
@profiles
def test_arguments_are_looked_at(machine: str, profile: str) -> None:
    code = program(profile, machine, OUTPUT, PID)

    def says(name: str, *arguments: int) -> int:
        return verdict(code, ARCHES[machine], BY_MACHINE[machine][name], *arguments)

    for name in ("mmap", "mprotect"):
        assert says(name, 0, 4096, 3) == ALLOW
        for protection in (4, 5, 7, 2**32 + 4):
            assert says(name, 0, 4096, protection) == DENY
    assert says("tgkill", PID, PID, 6) == ALLOW
    assert says("tgkill", PID + 1, PID, 6) == DENY
    assert says("tgkill", PID, PID, 9) == DENY
    for name in HOSTILE:
        if name in BY_MACHINE[machine]:
            assert says(name) == KILL_PROCESS


@machines
def test_stdio_writes_to_the_result_and_to_standard_error(machine: str) -> None:
    code = program("stdio", machine, OUTPUT, PID)
    write = BY_MACHINE[machine]["write"]
    allowed = [fd for fd in range(64) if verdict(code, ARCHES[machine], write, fd) == ALLOW]
    assert allowed == [2, OUTPUT]


@machines
def test_fetch_opens_only_for_reading_and_clones_only_threads(machine: str) -> None:
    code = program("fetch", machine, OUTPUT, PID)

    def says(name: str, *arguments: int) -> int:
        return verdict(code, ARCHES[machine], BY_MACHINE[machine][name], *arguments)

    assert says("openat", 0, 0, 0o2000000) == ALLOW
    for flags in (1, 2, 0o100, 0o1000, 0o20200000):
        assert says("openat", 0, 0, flags) == DENY
    assert says("clone", 0x3D0F00) == ALLOW
    for flags in (17, 0x4111, 0x3D0F00 | 0x10000000, 0x00000F00):
        assert says("clone", flags) == DENY
    assert says("socket", 2, 1 | 0o2000000) == ALLOW
    assert says("socket", 1, 1) == DENY
    assert says("socket", 2, 3) == DENY
