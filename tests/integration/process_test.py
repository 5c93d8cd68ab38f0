"""Starts, stops, starves and kills processes: exit codes, ports, broken segments, dying servers."""
import json
import os
import shutil
import signal
import socket
import tarfile
import threading
import time

import trellis_case
from trellis_case import BUILD_DIR, EXAMPLES, RIDES_ROWS, RIDES_SEGMENTS, cluster

COUNT = "SELECT COUNT(*) FROM rides"
# An odd segment out of five: the third.
VICTIM = RIDES_SEGMENTS[2]


def start(name, *flags, environment=None):
    return cluster.Process([cluster.find_binary(BUILD_DIR, name), *flags], environment)


def taken_port():
    """Returns (socket, port) of a port that somebody else listens on."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    return listener, listener.getsockname()[1]


class StartAndStop(trellis_case.ScratchCase):
    def assert_refused(self, process, *words):
        """Checks exit code 2 and the words in the error output."""
        self.addCleanup(process.kill)
        self.assertEqual(process.wait(), 2, process.error_text())
        for word in words:
            self.assertIn(str(word), process.error_text())

    def test_a_missing_data_directory_is_named_and_ends_with_2(self):
        missing = self.scratch / "no_such_dir"
        self.assert_refused(start("trellis-server", "--data-dir", missing, "--grpc-port", 0, "--http-port", 0),
                            missing)
        self.assert_refused(start("trellis", "serve", "--data-dir", missing, "--http-port", 0), missing)

    def test_a_data_directory_that_is_a_file_is_named_and_ends_with_2(self):
        file = self.scratch / "file"
        file.write_text("")
        self.assert_refused(start("trellis-server", "--data-dir", file, "--grpc-port", 0, "--http-port", 0), file)

    def test_values_that_mean_nothing_end_with_2_and_are_named(self):
        for flags, word in ((("--server", "nowhere"), "nowhere"), (("--server", "host:99999"), "host:99999"),
                            (("--server", "127.0.0.1:1", "--log-level", "loud"), "loud"),
                            (("--server", "127.0.0.1:1", "--http-port", "many"), "many"), ((), "--server")):
            with self.subTest(flags):
                self.assert_refused(start("trellis-broker", *flags), word)

    def test_a_configuration_file_counts_less_than_variables_and_an_unknown_key_is_named(self):
        file = self.scratch / "config.json"
        file.write_text(json.dumps({"data_dir": str(self.scratch / "nowhere"), "grpc-port": 0, "http-port": 0}))
        self.assert_refused(start("trellis-server", "--config", file), "nowhere")
        for name in ("trellis-server", "trellis"):
            command = ("serve",) if name == "trellis" else ()
            process = start(name, *command, "--config", file, environment={"TRELLIS_DATA_DIR": str(EXAMPLES)})
            self.addCleanup(process.kill)
            self.assertNotIn(0, [port for _, port in process.wait_ready().doors.values()])
            self.assertEqual(process.stop(), 0)
        file.write_text(json.dumps({"data-dri": "x"}))
        self.assert_refused(start("trellis-server", "--config", file), "data-dri", "data-dir")

    def test_an_unknown_flag_ends_with_2(self):
        self.assert_refused(start("trellis-broker", "--no-such-flag"), "no-such-flag")

    def test_a_port_in_use_is_named_and_ends_with_2(self):
        listener, port = taken_port()
        with listener:
            for door in ("--grpc-port", "--http-port"):
                other = {"--grpc-port": "--http-port", "--http-port": "--grpc-port"}[door]
                with self.subTest(door):
                    self.assert_refused(start("trellis-server", "--data-dir", EXAMPLES, door, port, other, 0), port)
            server = cluster.start_server(BUILD_DIR, EXAMPLES).wait_ready()
            self.addCleanup(server.kill)
            self.assert_refused(start("trellis-broker", "--server", server.address("grpc"), "--http-port", port,
                                      "--grpc-port", 0), port)

    def test_two_servers_never_share_a_port(self):
        first = cluster.start_server(BUILD_DIR, EXAMPLES).wait_ready()
        self.addCleanup(first.kill)
        port = first.doors["grpc"][1]
        self.assert_refused(start("trellis-server", "--data-dir", EXAMPLES, "--grpc-port", port, "--http-port", 0), port)

    def test_help_lists_the_flags_and_ends_with_0(self):
        for name, flag in (("trellis-server", "--data-dir"), ("trellis-broker", "--server"), ("trellis", "serve")):
            process = start(name, "--help")
            self.assertEqual(process.wait(), 0)
            self.assertIn(flag, "\n".join(process.lines))

    def test_a_flag_wins_over_its_environment_variable(self):
        listener, port = taken_port()
        with listener:
            environment = {"TRELLIS_HTTP_PORT": str(port), "TRELLIS_GRPC_PORT": "0", "TRELLIS_DATA_DIR": str(EXAMPLES)}
            self.assert_refused(start("trellis-server", environment=environment), port)
            process = start("trellis-server", "--http-port", 0, environment=environment).wait_ready()
            self.assertEqual(process.stop(), 0)

    def test_sigterm_ends_every_process_with_0(self):
        processes = self.cluster_over(EXAMPLES, EXAMPLES)
        self.assertEqual(processes.stop(), [0, 0, 0])

    def test_sigterm_drains_every_query_gets_a_whole_answer_or_none(self):
        processes = self.cluster_over(EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        answers, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                try:
                    answers.append(processes.query(COUNT))
                except (OSError, ValueError):
                    stop.wait(0.01)

        askers = [threading.Thread(target=ask) for _ in range(4)]
        for asker in askers:
            asker.start()
        time.sleep(0.5)
        code = processes.broker.stop()
        stop.set()
        for asker in askers:
            asker.join()
        self.assertEqual(code, 0)
        self.assertGreater(len(answers), 4)
        for answer in answers:
            if answer["exceptions"]:
                self.assertIn("shut", answer["exceptions"][0]["message"].lower())
            else:
                self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])

    def test_one_process_on_one_directory_answers_sql(self):
        process = start("trellis", "serve", "--data-dir", EXAMPLES, "--http-port", 0,
                        "--grpc-port", 0).wait_ready()
        self.addCleanup(process.kill)
        self.assertEqual(cluster.query(process.url(), COUNT)["resultTable"]["rows"], [[RIDES_ROWS]])
        self.assertEqual(process.stop(), 0)

    def test_segments_in_archives_answer_like_segments_in_folders(self):
        data = self.copy_of_examples()
        for name in RIDES_SEGMENTS[:2]:
            with tarfile.open(data / "rides" / f"{name}.tar.gz", "w:gz") as archive:
                archive.add(data / "rides" / name, arcname=name)
        shutil.rmtree(data / "rides" / RIDES_SEGMENTS[0])  # the other one lies there twice: the folder wins
        processes = self.cluster_over(data)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        self.assertEqual(processes.query(COUNT)["resultTable"]["rows"], [[RIDES_ROWS]])


class BrokenSegments(trellis_case.ScratchCase):
    def break_segment(self, data):
        """Cuts the index file of one segment in half."""
        file = data / "rides" / VICTIM / "v3" / "columns.psf"
        os.truncate(file, file.stat().st_size // 2)

    def test_a_broken_segment_is_skipped_listed_and_reported_by_the_query_that_needs_it(self):
        data = self.copy_of_examples()
        self.break_segment(data)
        processes = self.cluster_over(data)
        server = processes.servers[0]
        self.assertIn(VICTIM, server.error_text() + "\n".join(server.lines))
        listed = cluster.fetch(server.url("/segments/rides"))[1]
        self.assertIn(VICTIM, listed)
        self.assertIn("broken", listed.lower())
        answer = processes.query(COUNT)
        self.assertTrue(answer["partialResult"])
        self.assert_fault(answer, 305, VICTIM)
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS - 1000]])

    def test_another_replica_stands_in_for_a_broken_segment(self):
        data = self.copy_of_examples()
        self.break_segment(data)
        processes = self.cluster_over(data, EXAMPLES)
        for _ in range(8):  # whatever replica comes first
            answer = processes.query(COUNT)
            self.assertEqual(answer["exceptions"], [])
            self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])

    def test_the_other_tables_of_a_server_with_a_broken_segment_answer(self):
        data = self.copy_of_examples()
        self.break_segment(data)
        processes = self.cluster_over(data)
        answer = processes.query("SELECT COUNT(*) FROM stations")
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["rows"], [[16]])


class DyingServers(trellis_case.ScratchCase):
    def test_a_killed_replica_never_makes_an_answer_wrong(self):
        processes = self.cluster_over(EXAMPLES, EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        answers, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                answers.append(processes.query(COUNT))

        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        time.sleep(0.5)
        os.kill(processes.servers[0].pid, signal.SIGKILL)
        time.sleep(1.5)
        stop.set()
        for asker in askers:
            asker.join()
        for answer in answers:
            if answer["exceptions"]:
                self.assertTrue(answer["partialResult"] or "resultTable" not in answer, answer)
            else:
                self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])
        answer = processes.query(COUNT)
        self.assertEqual(answer["exceptions"], [])
        self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])

    def test_a_stopped_replica_is_taken_out_of_rotation(self):
        processes = self.cluster_over(EXAMPLES, EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        stopped = processes.servers[0]
        os.kill(stopped.pid, signal.SIGSTOP)
        try:
            deadline = time.monotonic() + 30
            whole = 0  # answers in a row: rotation would meet the stopped one in two
            while whole < 4 and time.monotonic() < deadline:
                answer = processes.query(COUNT, "timeoutMs=1000")
                if answer["exceptions"]:
                    self.assertTrue(answer["partialResult"] or "resultTable" not in answer, answer)
                    whole = 0
                else:
                    self.assertEqual(answer["resultTable"]["rows"], [[RIDES_ROWS]])
                    whole += 1
            self.assertEqual(whole, 4, answer)
        finally:
            os.kill(stopped.pid, signal.SIGCONT)

    def test_a_server_that_never_reported_makes_every_answer_partial(self):
        server = start("trellis-server", "--data-dir", EXAMPLES, "--grpc-port", 0, "--http-port", 0).wait_ready()
        self.addCleanup(server.kill)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            nobody = f"127.0.0.1:{free.getsockname()[1]}"
            broker = start("trellis-broker", "--server", server.address("grpc"), "--server", nobody, "--http-port", 0,
                           "--grpc-port", 0, "--wait-for-servers-ms", 500).wait_ready()
            self.addCleanup(broker.kill)
            answer = cluster.query(broker.url(), COUNT)
        self.assertTrue(answer["partialResult"], answer)
        self.assertIn(nobody, answer["exceptions"][0]["message"])

    def test_the_only_server_that_dies_is_reported_within_the_deadline(self):
        processes = self.cluster_over(EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        address = processes.servers[0].address("grpc")
        processes.servers[0].kill()
        answer = processes.query(COUNT, "timeoutMs=3000")
        self.assert_fault(answer, None)
        # Named while the broker still believes in it; after that its segments are what is missing.
        error = answer["exceptions"][0]
        self.assertTrue(address in error["message"] or (error["errorCode"] == 305 and VICTIM in error["message"]), error)

    def test_a_server_that_comes_back_is_used_again(self):
        processes = self.cluster_over(EXAMPLES)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        port = processes.servers[0].doors["grpc"][1]
        self.assertEqual(processes.servers[0].stop(), 0)
        processes.servers[0] = start("trellis-server", "--data-dir", EXAMPLES, "--grpc-port", port,
                                     "--http-port", 0).wait_ready()
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        self.assertEqual(processes.query(COUNT)["resultTable"]["rows"], [[RIDES_ROWS]])


if __name__ == "__main__":
    trellis_case.main()
