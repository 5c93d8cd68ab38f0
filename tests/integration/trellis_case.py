"""What the integration tests share: the build under test, the example tables and scratch data directories.

Every test file is run as `FILE BUILD_DIR`; ctest registers them.
"""
import gzip
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = SOURCE / "examples" / "data"
sys.path.insert(0, str(SOURCE / "tests" / "testing"))
import cluster  # noqa: E402,F401  (for the tests)

BUILD_DIR = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else SOURCE / "build" / "release")
RIDES_SEGMENTS = cluster.segments_of(EXAMPLES)["rides"]
RIDES_ROWS = 5000


def expected_rows(table):
    """Returns the rows that went into an example table, as dicts, in segment and docId order."""
    with gzip.open(EXAMPLES / table / "expected.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def edit_json(path, change):
    """Rewrites a JSON file after `change(content)`."""
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


class ScratchCase(unittest.TestCase):
    """A test with a scratch directory and helpers for data directories that differ from the examples."""

    def setUp(self):
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="trellis_test_"))
        self.addCleanup(shutil.rmtree, self.scratch)

    def copy_of_examples(self, name="data"):
        target = self.scratch / name
        shutil.copytree(EXAMPLES, target)
        return target

    def cluster_over(self, *data_dirs, **flags):
        """Starts a cluster that ends with the test."""
        processes = cluster.Cluster(BUILD_DIR, data_dirs, **flags)
        self.addCleanup(processes.kill)
        return processes

    def assert_fault(self, answer, code, *words):
        """Checks that an answer is an error with this Pinot code (None: any) and these words in its message."""
        self.assertTrue(answer["exceptions"], answer)
        error = answer["exceptions"][0]
        if code is not None:
            self.assertEqual(error["errorCode"], code, error)
        for word in words:
            self.assertIn(word.lower(), error["message"].lower())


class ClusterCase(unittest.TestCase):
    """Tests that share one cluster over the example tables: two servers that hold the same segments."""

    @classmethod
    def setUpClass(cls):
        cls.processes = cluster.Cluster(BUILD_DIR, [EXAMPLES, EXAMPLES])
        cls.addClassCleanup(cls.processes.kill)
        cls.processes.wait_for_segments({"rides": len(RIDES_SEGMENTS), "stations": 1})
        cls.broker = cls.processes.broker

    assert_fault = ScratchCase.assert_fault

    def rows(self, sql, options=""):
        answer = self.processes.query(sql, options)
        self.assertEqual(answer["exceptions"], [], sql)
        return answer["resultTable"]["rows"]


def main():
    sys.argv[1:] = sys.argv[2:]
    unittest.main(verbosity=2)
