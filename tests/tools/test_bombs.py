#!/usr/bin/env python3
"""A journal, or an agent on another machine, that sends little and means much: the ELFs, source files and boards that come with
it take no more than their part of the memory limit, and the rest is said in one line."""
import os
import struct
import tempfile

import bombs
from common import SOURCE, TENDRIL, check, exit_status

LIMIT, MB = 64 << 20, 1 << 20
PART = LIMIT // 8


def one_elf(journal):
    journal.elf(1, 7, 400 * MB)


def many_elfs(journal):
    for i in range(100):
        journal.elf(i % 5, i + 1, 4 * MB)


def empty_elfs(journal):
    for i in range(30000):
        journal.record(bombs.IMAGE, i % 5, struct.pack("<Q", i + 1))


def source_files(journal):
    for i in range(40):
        for name, text in ((bombs.FILE, bombs.FILE_TEXT), (bombs.SOURCE_FILE, bombs.SOURCE_TEXT)):
            journal.record(name, 0, b"\1" + b"f%d.c" % i)
            journal.many(text, 0, 5 * MB)


def boards(journal):
    with open(os.path.join(SOURCE, "boards/tensix_sim/tensix_sim.board"), "rb") as f:
        text = f.read()
    for source in range(3000):
        journal.record(32, source, struct.pack("<IBdIIII", 0, 0, 1e9, 8, 8, 0, 0) + text)


def empty_boards(journal):
    for source in range(65536):
        journal.record(40, source, zeros=16)


def made(make):
    journal = bombs.Journal()
    journal.record(bombs.SETTING, 0, b"format\0any")
    make(journal)
    return journal


def recovered(folder):
    for make, says in ((one_elf, "ELFs of kernels"), (many_elfs, "ELFs of kernels"), (empty_elfs, "ELFs of kernels"),
                       (source_files, "source files"), (boards, "boards after the first 16"),
                       (empty_boards, "boards after the first 16")):
        journal = made(make)
        # What makes it a recording with data: a sample of a core that no board has.
        journal.record(42, 1, bytes(24))
        data = journal.bytes()
        path = os.path.join(folder, make.__name__ + ".journal")
        with open(path, "wb") as f:
            f.write(data)
        code, err, elfs, resident = bombs.run_and_measure(
            [TENDRIL, "recover", "-m", "64M", path, "-o", os.path.join(folder, make.__name__ + ".tracy")])
        print(f"recover {make.__name__}: {len(data)} bytes, exit {code}, {elfs / MB:.1f} MB of ELFs, {resident / MB:.0f} MB resident")
        check(f"recover {make.__name__}: ELFs", elfs <= PART + MB, elfs)
        check(f"recover {make.__name__}: resident", resident < 3 * LIMIT, resident)
        check(f"recover {make.__name__}: ends", code in (0, 1), code, err)
        check(f"recover {make.__name__}: the journal stays", os.path.exists(path))
        check(f"recover {make.__name__}: says so", err.count(says) == 1 and "are left out" in err, err)


def sources_without_a_session(folder):
    """A record of a few bytes names a source: what a session needs is made for those that begin one."""
    journal = made(lambda journal: [journal.record(bombs.RECEIVED, source, zeros=16) for source in range(65536)])
    journal.record(42, 1, bytes(24))
    path = os.path.join(folder, "sources.journal")
    with open(path, "wb") as f:
        f.write(journal.bytes())
    code, err, _, resident = bombs.run_and_measure(
        [TENDRIL, "recover", "-m", "64M", path, "-o", os.path.join(folder, "sources.tracy")])
    print(f"recover 65,536 sources: exit {code}, {resident / MB:.0f} MB resident")
    check("recover sources: resident", resident < LIMIT, resident)
    check("recover sources: ends", code in (0, 1), code, err)


def received(folder):
    for make, says in ((one_elf, "ELFs of kernels"), (many_elfs, "ELFs of kernels"), (empty_elfs, "ELFs of kernels"),
                       (boards, "more than 16 boards")):
        agent = bombs.Agent(made(make))
        code, err, elfs, resident = bombs.run_and_measure(
            [TENDRIL, "record", "-q", "-m", "64M", "--no-journal", "-b", "none", "--agent", agent.at,
             "-o", os.path.join(folder, "a.tracy"), "--", "true"])
        print(f"agent {make.__name__}: {len(agent.journal)} bytes, exit {code}, {elfs / MB:.1f} MB of ELFs, "
              f"{resident / MB:.0f} MB resident")
        check(f"agent {make.__name__}: ELFs", elfs <= PART + MB, elfs)
        check(f"agent {make.__name__}: ends", code in (0, 1), code, err)
        check(f"agent {make.__name__}: resident", resident < 3 * LIMIT, resident)
        check(f"agent {make.__name__}: says so", err.count(says) == 1, err)


def main():
    check("checksum", bombs.checksum(b"Nobody inspects the spammish repetition") == 0xFBCEA83C8A378BF1)
    with tempfile.TemporaryDirectory() as folder:
        recovered(folder)
        sources_without_a_session(folder)
        received(folder)
    return exit_status()


if __name__ == "__main__":
    raise SystemExit(main())
