"""Tests scripts/draw-rooms: the picture follows from rooms.txt, and a stale page is found."""
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "draw-rooms"
loader = importlib.machinery.SourceFileLoader("draw_rooms", str(SCRIPT))
draw_rooms = importlib.util.module_from_spec(importlib.util.spec_from_loader("draw_rooms", loader))
loader.exec_module(draw_rooms)

ROOMS = "common/base: \ncommon/types: common/base\nbroker/sql: common/base common/types\n"


class DrawRooms(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.build = pathlib.Path(self.folder.name)
        self.page = self.build / "page.md"
        (self.build / "rooms.txt").write_text(ROOMS)
        self.page.write_text(f"# Title\n\n{draw_rooms.BEGIN}\n{draw_rooms.END}\n\nafter\n")

    def run_script(self, *options):
        with contextlib.redirect_stdout(io.StringIO()):
            return draw_rooms.main([*options, "--page", str(self.page), str(self.build)])

    def test_a_drawn_page_passes_the_check_and_keeps_the_text_around(self):
        self.assertEqual(self.run_script("--check"), 1)
        self.assertEqual(self.run_script(), 0)
        self.assertEqual(self.run_script("--check"), 0)
        self.assertTrue(self.page.read_text().startswith("# Title\n"))
        self.assertTrue(self.page.read_text().endswith("\n\nafter\n"))

    def test_a_new_edge_makes_the_page_stale(self):
        self.run_script()
        (self.build / "rooms.txt").write_text(ROOMS + "server/store: common/types\n")
        self.assertEqual(self.run_script("--check"), 1)

    def test_a_page_without_markers_is_refused(self):
        self.page.write_text("# Title\n")
        with self.assertRaises(ValueError):
            self.run_script()

    def test_levels_and_reduced_arrows_follow_from_the_edges(self):
        rooms = draw_rooms.read_rooms(ROOMS)
        self.assertEqual(draw_rooms.levels(rooms),
                         {"common/base": 1, "common/types": 2, "broker/sql": 3})
        self.assertEqual(draw_rooms.reduced(rooms)["broker/sql"], ["common/types"])


if __name__ == "__main__":
    unittest.main()
