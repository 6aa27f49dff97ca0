"""The second reader itself: it finds the known content of the traces that have every section, accepts every trace of stock
programs, and refuses cut files."""
import glob
import json
import os
import sys
import tempfile
import unittest

import walker
from carried import first_difference
from container import Bad

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CORPUS = os.environ.get("TD_CORPUS", os.path.join(SOURCE, "..", "shared", "corpus"))
# The recorded files break these rules: the import has no base frame set, the sampled one has switches from before the start.
KNOWN = {"chrome.tracy": "frame set 0 has a name", "sampling.tracy": "time -"}


def traces():
    own = glob.glob(os.path.join(SOURCE, "tests", "data", "trace", "*", "*.tracy"))
    assert len(own) >= 14
    return sorted(own + glob.glob(os.path.join(CORPUS, "*", "*.tracy")))


def known_content(path):
    """A synthetic.json in walker.py's form: its topology has no dies."""
    with open(path, encoding="utf-8") as file:
        known = json.load(file)
    for package in known["topology"]:
        package[1] = [[0, package[1]]]
    return known


class TestWalker(unittest.TestCase):
    def test_content_of_every_section_is_as_known(self):
        for path in [p for p in traces() if p.endswith("synthetic.tracy")]:
            content = json.loads(json.dumps(walker.read(path).content))
            self.assertIsNone(first_difference(known_content(path[:-6] + ".json"), content), path)

    def test_traces_of_stock_programs_break_no_rule_and_are_read_to_their_end(self):
        for path in traces():
            w = walker.read(path)
            allowed = KNOWN.get(os.path.basename(path), "\n")
            self.assertEqual([p for p in w.problems if allowed not in p], [], path)
            self.assertEqual(w.rest, 0, path)

    def test_cut_files_are_refused(self):
        path = [p for p in traces() if p.endswith("synthetic.tracy")][0]
        with open(path, "rb") as file:
            whole = file.read()
        with tempfile.TemporaryDirectory() as folder:
            cut = os.path.join(folder, "cut.tracy")
            for size in range(0, len(whole), 97):
                with open(cut, "wb") as file:
                    file.write(whole[:size])
                with self.assertRaises((Bad, IndexError)):
                    walker.read(cut)


if __name__ == "__main__":
    sys.exit(unittest.main())
