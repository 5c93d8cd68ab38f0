"""Data directories that years and accidents have left behind: odd names, links, half and double segments, damage."""
import json
import os
import shutil
import struct
import tarfile
import unittest

import trellis_case
from trellis_case import RIDES_ROWS, RIDES_SEGMENTS, cluster

COUNT = "SELECT COUNT(*) FROM rides"
SEGMENT_ROWS = 1000
FIRST, SECOND = RIDES_SEGMENTS[:2]


def buffer_of(segment, column, index):
    """(offset, size) of an index buffer in columns.psf, the marker left out."""
    entries = dict(line.split(" = ") for line in (segment / "v3" / "index_map").read_text().splitlines() if line)
    start, size = (int(entries[f"{column}.{index}.{key}"]) for key in ("startOffset", "size"))
    return start + 8, size - 8


def edit_metadata(segment, old, new):
    path = segment / "v3" / "metadata.properties"
    text = path.read_text()
    if old not in text:
        raise ValueError(f"{path} does not hold {old!r}")
    path.write_text(text.replace(old, new))


class HostileData(trellis_case.ScratchCase):
    def setUp(self):
        super().setUp()
        self.data = self.copy_of_examples()
        self.rides = self.data / "rides"

    def start(self, *flags):
        return self.cluster_over(self.data, server_flags=("--rescan-ms", 0, *flags))

    def rows(self, processes, sql):
        answer = processes.query(sql)
        self.assertEqual(answer["exceptions"], [], sql)
        return answer["resultTable"]["rows"]

    def listed(self, processes, table="rides"):
        """{name: what the server says of the segment}"""
        text = cluster.fetch(processes.servers[0].url(f"/segments/{table}"))[1]
        return {segment["name"]: segment for segment in json.loads(text)["segments"]}

    def test_segments_of_any_name_are_served_and_lead_nowhere(self):
        names = ["a b", "100%", "é", "a,b", "x" * 250, "q'uote\"s", "endsInv3", "v3"]
        for name in names:
            # A properties file is ASCII, its values escape what is special in them.
            escaped = name.encode("ascii", "backslashreplace").decode().replace("\\xe9", "\\u00e9").replace(",", "\\,")
            cluster.clone_segment(self.rides / FIRST, self.data / "odd", [name])
            edit_metadata(self.data / "odd" / name, f"segment.name = {name}\n", f"segment.name = {escaped}\n")
        climbing = ["x/y", "../x", "/etc/passwd"]
        for number, name in enumerate(climbing):
            folder = f"plain_{number}"
            cluster.clone_segment(self.rides / FIRST, self.data / "odd", [folder])
            edit_metadata(self.data / "odd" / folder, f"segment.name = {folder}\n", f"segment.name = {name}\n")
        processes = self.start()
        names += climbing
        self.assertEqual(set(self.listed(processes, "odd")), set(names))
        self.assertEqual(self.rows(processes, "SELECT COUNT(*) FROM odd"), [[len(names) * SEGMENT_ROWS]])
        got = self.rows(processes, "SELECT $segmentName, COUNT(*) FROM odd GROUP BY $segmentName LIMIT 100")
        self.assertEqual(sorted(got), sorted([name, SEGMENT_ROWS] for name in names))

    def test_what_is_no_segment_is_named_and_the_rest_answers(self):
        (self.rides / "empty").mkdir()
        (self.rides / "text").mkdir()
        (self.rides / "text" / "readme").write_text("no segment")
        wrapped = self.rides / "wrapped" / FIRST
        shutil.copytree(self.rides / FIRST, wrapped)
        shutil.copytree(self.rides / SECOND, self.rides / FIRST / "inner")
        processes = self.start()
        listed = self.listed(processes)
        for name in ("empty", "text", "wrapped"):
            self.assertIn("not a segment", listed[name]["reason"])
        self.assertIn("move it up", listed["wrapped"]["reason"])
        answer = processes.query(COUNT)
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])
        for name in ("empty", "text", "wrapped"):
            self.assertIn(name, json.dumps(answer["exceptions"]))

    def test_links_out_of_the_directory_are_followed_only_when_told(self):
        outside = self.scratch / "outside"
        shutil.move(self.rides / FIRST, outside)
        (self.rides / FIRST).symlink_to(outside)
        refusing = self.start()
        answer = refusing.query(COUNT)
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS - SEGMENT_ROWS]])
        self.assertIn("out of the data directory", json.dumps(answer["exceptions"]))
        self.assertEqual(self.rows(self.start("--follow-links"), COUNT), [[RIDES_ROWS]])

    def test_two_segments_of_one_name_count_once(self):
        shutil.copytree(self.rides / FIRST, self.rides / "backup")
        processes = self.start()
        self.assertEqual(self.rows(processes, COUNT), [[RIDES_ROWS]])
        self.assertEqual(set(self.listed(processes)), set(RIDES_SEGMENTS))

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_unreadable_files_break_their_segment_by_name(self):
        (self.rides / FIRST / "v3" / "columns.psf").chmod(0)
        answer = self.start().query(COUNT)
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS - SEGMENT_ROWS]])
        self.assertIn("columns.psf", json.dumps(answer["exceptions"]))

    def test_segments_that_disagree_on_a_type_fail_that_column_alone(self):
        (self.rides / "schema.json").unlink()
        edit_metadata(self.rides / FIRST, "column.fare.dataType = DOUBLE", "column.fare.dataType = FLOAT")
        processes = self.start()
        answer = processes.query("SELECT SUM(fare) FROM rides")
        message = json.dumps(answer["exceptions"])
        for word in (FIRST, "fare", "DOUBLE", "FLOAT"):
            self.assertIn(word, message)
        self.assertEqual(self.rows(processes, COUNT), [[RIDES_ROWS]])
        self.assertEqual(len(self.rows(processes, "SELECT station FROM rides LIMIT 6000")), RIDES_ROWS)

    def test_a_column_that_the_schema_has_and_segments_lack_reads_as_its_default(self):
        def add(schema):
            schema["dimensionFieldSpecs"] += [
                {"name": "later_text", "dataType": "STRING"},
                {"name": "later_int", "dataType": "INT"},
                {"name": "later_list", "dataType": "LONG", "singleValueField": False},
                {"name": "later_told", "dataType": "STRING", "defaultNullValue": "none yet"}]
            schema.setdefault("metricFieldSpecs", []).append({"name": "later_metric", "dataType": "DOUBLE"})
        trellis_case.edit_json(self.rides / "schema.json", add)
        sql = "SELECT later_text, later_int, later_list, later_told, later_metric FROM rides LIMIT 1"
        self.assertEqual(self.rows(self.start(), sql),
                         [["null", -2**31, [-2**63], "none yet", 0.0]])

    def test_a_damaged_chunk_fails_its_column_of_its_segment(self):
        offset, size = buffer_of(self.rides / FIRST, "comment", "forward_index")
        with open(self.rides / FIRST / "v3" / "columns.psf", "r+b") as columns:
            columns.seek(offset + size // 2)
            columns.write(b"\xff" * 200)
        processes = self.start()
        answer = processes.query("SELECT COUNT(*), DISTINCTCOUNT(comment) FROM rides")
        message = json.dumps(answer["exceptions"])
        for word in (FIRST, "comment", "chunk"):
            self.assertIn(word, message)
        self.assertTrue(answer["partialResult"])
        self.assertEqual(answer["resultTable"]["rows"][0][0], RIDES_ROWS - SEGMENT_ROWS)
        self.assertEqual(self.rows(processes, "SELECT COUNT(*) FROM rides WHERE fare > -1"), [[RIDES_ROWS]])

    def damage_map_frame(self, segment, column, document):
        """Makes the first key of a row's frame longer than the frame: chunk container 4, PASS_THROUGH."""
        start, size = buffer_of(segment, column, "forward_index")
        path = segment / "v3" / "columns.psf"
        data = bytearray(path.read_bytes())
        buffer = bytes(data[start:start + size])
        version, _, codec, chunks_at = struct.unpack(">4i", buffer[:16])
        self.assertEqual((version, codec), (4, 0))
        chunks = [struct.unpack("<2I", buffer[at:at + 8]) for at in range(16, chunks_at, 8)]
        first, chunk_at = [chunk for chunk in chunks if chunk[0] <= document][-1]
        chunk = chunks_at + chunk_at
        row_at, = struct.unpack("<I", buffer[chunk + 4 * (document - first + 1):][:4])
        entries, = struct.unpack(">i", buffer[chunk + row_at:][:4])
        self.assertGreater(entries, 0)
        data[start + chunk + row_at + 4:start + chunk + row_at + 8] = b"\x7f\xff\xff\xff"
        path.write_bytes(data)

    def test_a_damaged_map_frame_names_its_document_and_costs_its_segment(self):
        source = trellis_case.SOURCE / "tests" / "data" / "segments" / "maps"
        table = self.scratch / "frames" / "maps"
        names = ("maps_c4_pass_through", "maps_c4_lz4")
        for name in names:
            shutil.copytree(source / name, table / name)
        shutil.copy(source / "schema.json", table)
        document, rows = 71, 120  # its words are k0, k5 and k1
        self.damage_map_frame(table / names[0], "words", document)
        processes = self.cluster_over(self.scratch / "frames")
        processes.wait_for_segments({"maps": len(names)})
        for sql in ("SELECT COUNT(*), MAXSTRING(words['k1']) FROM maps",
                    "SELECT COUNT(*) FROM maps WHERE words['k1'] <> 'x' AND words['k5'] <> 'x'",
                    "SELECT words['k9'], COUNT(*) FROM maps GROUP BY words['k9'] LIMIT 100",
                    "SELECT words['k1'], words['k5'], id FROM maps ORDER BY words['k1'], id LIMIT 1000",
                    "SELECT words['k1'], words FROM maps LIMIT 1000",
                    "SELECT words FROM maps LIMIT 1000"):
            for options in ("", "enableNullHandling=true"):
                with self.subTest(sql, options=options):
                    answer = processes.query(sql, options)
                    message = json.dumps(answer["exceptions"])
                    for word in (names[0], "words", f"docId {document}", "key" if "['" in sql else "column"):
                        self.assertIn(word, message)
                    self.assertNotIn(names[1], message)
                    self.assertTrue(answer["partialResult"])
                    got = answer["resultTable"]["rows"]
                    if "COUNT" not in sql:
                        self.assertEqual(len(got), rows)
                    elif "GROUP" in sql:
                        self.assertEqual(sum(row[1] for row in got), rows)
        # Other columns of the segment, other documents, and null tests are as good as ever.
        self.assertEqual(self.rows(processes, "SELECT COUNT(*) FROM maps WHERE words IS NULL"), [[2 * 13]])
        self.assertEqual(self.rows(processes, "SELECT COUNT(ints['n1']) FROM maps"), [[2 * rows]])
        self.assertEqual(len(self.rows(processes, "SELECT words['k1'] FROM maps WHERE id < 70 LIMIT 1000")), 2 * 70)

    def test_what_is_damaged_on_one_server_comes_from_another(self):
        offset, size = buffer_of(self.rides / FIRST, "comment", "forward_index")
        with open(self.rides / FIRST / "v3" / "columns.psf", "r+b") as columns:
            columns.seek(offset + size // 2)
            columns.write(b"\xff" * 200)
        processes = self.cluster_over(self.data, trellis_case.EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        whole = self.cluster_over(trellis_case.EXAMPLES).query("SELECT DISTINCTCOUNT(comment), COUNT(*) FROM rides")
        for _ in range(4):  # whichever of the two is asked first
            answer = processes.query("SELECT DISTINCTCOUNT(comment), COUNT(*) FROM rides")
            self.assertEqual(answer["exceptions"], [])
            self.assertFalse(answer["partialResult"])
            self.assertEqual(answer["resultTable"], whole["resultTable"])

    def test_a_segment_with_faults_is_refused_on_load_when_that_is_asked(self):
        offset, size = buffer_of(self.rides / FIRST, "fare", "forward_index")
        with open(self.rides / FIRST / "v3" / "columns.psf", "r+b") as columns:
            columns.seek(offset + size - 8)
            columns.write(b"\x40\x01\x02\x03\x04\x05\x06\x07")
        self.assertEqual(self.rows(self.start(), COUNT), [[RIDES_ROWS]])
        answer = self.start("--verify-on-load").query(COUNT)
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS - SEGMENT_ROWS]])
        self.assertIn(FIRST, json.dumps(answer["exceptions"]))

    def test_a_file_cut_short_under_the_server_fails_its_segment_and_nothing_else(self):
        processes = self.start()
        columns = self.rides / FIRST / "v3" / "columns.psf"
        self.assertEqual(self.rows(processes, COUNT), [[RIDES_ROWS]])
        os.truncate(columns, 4096)
        for _ in range(3):
            answer = processes.query("SELECT COUNT(*), SUM(fare), DISTINCTCOUNT(comment) FROM rides WHERE fare > -1")
            message = json.dumps(answer["exceptions"])
            for word in (FIRST, "columns.psf"):
                self.assertIn(word, message)
            self.assertTrue(answer["partialResult"])
            self.assertEqual(answer["resultTable"]["rows"][0][0], RIDES_ROWS - SEGMENT_ROWS)
        self.assertEqual(self.rows(processes, "SELECT COUNT(*) FROM stations")[0][0] > 0, True)

    def test_a_segment_that_breaks_under_queries_is_never_missed_in_silence(self):
        processes = self.cluster_over(self.data, server_flags=("--rescan-ms", 20))
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        columns = self.rides / FIRST / "v3" / "columns.psf"
        whole = columns.read_bytes()
        sql = "SELECT COUNT(*), SUM(fare) FROM rides WHERE fare > -1"
        for _ in range(4):
            os.truncate(columns, len(whole) // 2)
            for _ in range(30):
                answer = processes.query(sql)
                if answer["resultTable"]["rows"][0][0] == RIDES_ROWS:
                    self.assertEqual(answer["exceptions"], [])
                else:
                    self.assertIn(FIRST, json.dumps(answer["exceptions"]))
                    self.assertTrue(answer["partialResult"])
            columns.unlink()
            columns.write_bytes(whole)
            processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})

    def test_every_segment_that_is_not_answered_is_named_however_it_was_lost(self):
        (self.rides / "empty").mkdir()
        processes = self.start()
        os.truncate(self.rides / FIRST / "v3" / "columns.psf", 4096)
        answer = processes.query("SELECT COUNT(*) FROM rides WHERE fare > -1")
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS - SEGMENT_ROWS]])
        for name in ("empty", FIRST):
            self.assertIn(name, json.dumps(answer["exceptions"]))

    def test_a_missing_forward_index_file_costs_its_segment(self):
        source = trellis_case.SOURCE / "tests" / "data" / "segments" / "indexes"
        for server in ("one", "other"):
            for name in ("indexes_files", "indexes_packed"):
                shutil.copytree(source / name, self.scratch / server / "t" / name)
        whole = self.cluster_over(self.scratch / "other").query("SELECT SUM(r_int), COUNT(*) FROM t")
        (self.scratch / "one" / "t" / "indexes_files" / "r_int.sv.raw.fwd").unlink()
        answer = self.cluster_over(self.scratch / "one").query("SELECT SUM(r_int), COUNT(*) FROM t")
        message = json.dumps(answer["exceptions"])
        for word in ("indexes_files", "r_int", "missing"):
            self.assertIn(word, message)
        self.assertTrue(answer["partialResult"])
        self.assertEqual(answer["resultTable"]["rows"][0][1] * 2, whole["resultTable"]["rows"][0][1])
        both = self.cluster_over(self.scratch / "one", self.scratch / "other")
        for _ in range(4):
            answer = both.query("SELECT SUM(r_int), COUNT(*) FROM t")
            self.assertEqual(answer["exceptions"], [])
            self.assertEqual(answer["resultTable"], whole["resultTable"])

    def test_archives_are_served_and_hostile_ones_refused(self):
        for name in (FIRST, SECOND):
            folder = self.rides / name
            with tarfile.open(f"{folder}.tar.gz", "w:gz") as archive:
                archive.add(folder, arcname=name)
            shutil.rmtree(folder)
        with tarfile.open(self.rides / "evil.tar.gz", "w:gz") as archive:
            archive.add(self.rides / RIDES_SEGMENTS[2], arcname="evil")
            link = tarfile.TarInfo("evil/v3/link")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
        with tarfile.open(self.rides / "climber.tar.gz", "w:gz") as archive:
            archive.add(self.rides / RIDES_SEGMENTS[2], arcname="../climber")
        processes = self.start()
        self.assertEqual(processes.query(COUNT)["resultTable"]["rows"], [[RIDES_ROWS]])
        listed = self.listed(processes)
        self.assertIn("evil/v3/link", listed["evil"]["reason"])
        self.assertIn("leads out", listed["climber"]["reason"])
        self.assertFalse((self.data.parent / "climber").exists())


if __name__ == "__main__":
    trellis_case.main()
