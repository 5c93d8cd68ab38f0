"""Checks that pages and scripts tell the truth: paths that are named exist, scripts parse, CI runs what README says.

Usage: pages_test.py SOURCE_DIR
"""
import pathlib
import re
import subprocess
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
PAGES = ("README.md", "CONTRIBUTING.md", "AGENTS.md", "docs", "examples/README.md")
TOPS = ("bench/", "broker/", "cli/", "cmake/", "common/", "docs/", "examples/", "proto/", "scripts/", "server/", "tests/")
NAMED = re.compile(r"`([^`\s]+)`|\]\(([^)\s#]+)")
SCRIPTS = ("scripts/packages", "scripts/demo", "scripts/test", "scripts/format", ".ci/run",
           "examples/data-generator/generate")
UNFINISHED_WORDS = ("wip", "fixme", "todo", "xxx")


def pages(source=SOURCE):
    for page in PAGES:
        path = source / page
        yield from sorted(path.rglob("*.md")) if path.is_dir() else [path]


def missing_paths(text, source, folder):
    """Yields the paths of the tree that `text` names and that are not there."""
    for match in NAMED.finditer(text):
        name = match[1] or match[2]
        if match[2] and "://" not in name:
            if not (folder / name).exists():
                yield name
        elif match[1] and name.startswith(TOPS) and re.fullmatch(r"[\w./-]+", name) and not re.search(r"[A-Z]{4}", name):
            if not (source / name).exists():
                yield name


class Pages(unittest.TestCase):
    def test_every_path_that_a_page_names_exists(self):
        for page in pages():
            with self.subTest(page.name):
                self.assertEqual(list(missing_paths(page.read_text(), SOURCE, page.parent)), [])

    def test_a_path_that_is_not_there_is_found(self):
        text = "see `scripts/nosuch`, `scripts/demo`, [x](nosuch.md), `common/base/*.h` and `SELECT a/b`"
        self.assertEqual(list(missing_paths(text, SOURCE, SOURCE)), ["scripts/nosuch", "nosuch.md"])

    def test_no_page_is_left_unfinished(self):
        for page in pages():
            words = set(re.findall(r"[a-z]+", page.read_text().lower()))
            self.assertEqual(words & set(UNFINISHED_WORDS), set(), page)

    def test_ci_runs_the_readmes_test_command(self):
        self.assertIn("scripts/test", (SOURCE / ".ci" / "run").read_text())
        for command in ("scripts/demo", "scripts/test"):
            self.assertIn(command, (SOURCE / "README.md").read_text())


class Scripts(unittest.TestCase):
    def test_every_script_parses_and_may_be_run(self):
        for script in SCRIPTS:
            path = SOURCE / script
            self.assertTrue(path.stat().st_mode & 0o111, script)
            done = subprocess.run(["bash", "-n", path], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_package_list_names_each_package_once(self):
        done = subprocess.run([SOURCE / "scripts" / "packages", "--print", "--peer"], capture_output=True, text=True,
                              check=True)
        names = done.stdout.split()
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("libgrpc++-dev", names)

    def test_an_unknown_option_ends_with_2(self):
        for script in ("scripts/packages", "scripts/test"):
            done = subprocess.run([SOURCE / script, "--nosuch"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, script)
            self.assertIn("--nosuch", done.stderr)


if __name__ == "__main__":
    unittest.main()
