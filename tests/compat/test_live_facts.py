"""The facts of live_facts.py, which live.py expects, are found in the corpus' traces of the same work by stock clients.
The exceptions are listed below."""
import os
import sys
import unittest

import live_facts
from model import loads
from stock import Answer, RELEASES
from test_walker import CORPUS

DUMP = os.path.join(os.environ.get("TD_BINARY_DIR", "build"), "tests", "trace_dump")
DATA = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "data", "session")
# The recorded programs mark these in another way, or not at all.
OTHERWISE = {
    "features": {("texts, values, colours", "colour"), ("memory discards", "arena"), ("GPU zones", "second"),
                 ("GPU zones", "starts"), ("call stacks", "resolved"), ("source callback", "text")},
    "ttfork/features": {("zones", "by place"), ("zones", "by thread"), ("zones", "file")},  # its header has a zone of its own
    "ondemand": {("on demand", "plot"), ("on demand", "info"), ("on demand", "lock")},
}


class TestFacts(unittest.TestCase):
    def check(self, release, mode, path):
        answer = Answer([DUMP, path])
        self.assertEqual(answer.status, 0, answer.error)
        found, expected = live_facts.MODES[mode]
        facts = found(loads(answer.out))
        otherwise = OTHERWISE.get(mode, set()) | OTHERWISE.get(f"{release.name}/{mode}", set())
        for feature, wanted in expected(release.name, False).items():
            for name, value in wanted.items():
                if (feature, name) not in otherwise:
                    self.assertEqual(facts[feature][name], value, f"{path}: {feature}: {name}")

    def test_recordings_of_stock_clients_have_the_facts(self):
        folder = CORPUS if os.path.isdir(CORPUS) else DATA
        for release in RELEASES:
            for mode in live_facts.MODES:
                path = os.path.join(folder, release.folder, mode + ".tracy")
                if os.path.exists(path):
                    with self.subTest(path=path):
                        self.check(release, mode, path)


if __name__ == "__main__":
    sys.exit(unittest.main())
