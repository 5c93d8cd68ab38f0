"""Servers that hang, die and come back, with and without replicas: every segment is answered once or named."""
import os
import random
import re
import signal
import threading
import time

import trellis_case
from trellis_case import EXAMPLES, RIDES_ROWS, RIDES_SEGMENTS, cluster

COUNT = "SELECT COUNT(*), SUM(minutes) FROM rides"
SEGMENT_ROWS = RIDES_ROWS // len(RIDES_SEGMENTS)


class ReplicaCase(trellis_case.ScratchCase):
    def replicated(self, servers, replicas, **flags):
        dirs = cluster.spread(EXAMPLES, self.scratch / "spread", servers, replicas)
        processes = self.cluster_over(*dirs, **flags)
        processes.wait_for_segments({"rides": len(RIDES_SEGMENTS)})
        return processes

    def assert_whole(self, answer):
        self.assertEqual(answer["exceptions"], [], answer)
        self.assertFalse(answer["partialResult"])
        self.assertEqual(answer["resultTable"]["rows"][0][0], RIDES_ROWS)


class HangingServers(ReplicaCase):
    def test_a_hanging_server_is_hedged(self):
        # pinot#4484, #10952
        processes = self.replicated(3, 2)
        for _ in range(10):
            processes.query(COUNT)
        os.kill(processes.servers[1].pid, signal.SIGSTOP)
        try:
            hedges = 0
            for _ in range(5):
                answer = processes.query(COUNT, "timeoutMs=10000")
                self.assert_whole(answer)
                hedges += answer["dispatchStats"]["hedges"]
            self.assertGreater(hedges, 0)
        finally:
            os.kill(processes.servers[1].pid, signal.SIGCONT)
        self.assert_whole(processes.query(COUNT))

    def test_a_slow_server_that_answers_after_its_hedge_is_not_counted_twice(self):
        # ClickHouse#118452
        processes = self.replicated(2, 2, flags_by_server=[("--delay-answers-ms", 150), ()])
        sums = set()
        hedges = 0
        for turn in range(30):
            answer = processes.query(COUNT)
            self.assert_whole(answer)
            sums.add(tuple(answer["resultTable"]["rows"][0]))
            hedges += answer["dispatchStats"]["hedges"]
        self.assertEqual(len(sums), 1)
        self.assertGreater(hedges, 0)

    def test_hedging_can_be_switched_off(self):
        processes = self.replicated(2, 2, flags_by_server=[("--delay-answers-ms", 300), ()])
        for _ in range(4):
            answer = processes.query(COUNT, "hedge=false")
            self.assert_whole(answer)
            self.assertEqual(answer["dispatchStats"]["hedges"], 0)


class DyingServers(ReplicaCase):
    def kill_during(self, processes, victim, options=""):
        """Kills a server while it works on a query; returns the answer."""
        answers = []
        asker = threading.Thread(target=lambda: answers.append(processes.query(COUNT, options)))
        asker.start()
        time.sleep(0.15)
        processes.servers[victim].kill()
        asker.join()
        return answers[0]

    def wait_alive(self, processes):
        """Waits until the broker watches all servers again."""
        deadline = time.monotonic() + 30
        while f"trellis_broker_servers_alive {len(processes.servers)}\n" not in cluster.fetch(
                processes.broker.url("/metrics"))[1]:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_without_a_replica_the_answer_is_partial_and_names_the_server(self):
        # pinot#19064
        processes = self.replicated(2, 1, server_flags=("--delay-answers-ms", 400))
        address = processes.servers[0].address("grpc")
        answer = self.kill_during(processes, 0, "skipUnavailableServers=true")
        self.assertTrue(answer["partialResult"])
        self.assertIn(address, " ".join(error["message"] for error in answer["exceptions"]))
        lost = [int(number) for error in answer["exceptions"]
                for number in re.findall(r"(\d+) of \d+ segments", error["message"])]
        self.assertIn(len(RIDES_SEGMENTS) - answer["resultTable"]["rows"][0][0] // SEGMENT_ROWS, lost)

    def test_with_a_replica_the_answer_is_whole(self):
        processes = self.replicated(2, 2, server_flags=("--delay-answers-ms", 400))
        self.assert_whole(self.kill_during(processes, 0, "hedge=false"))

    def test_nothing_is_lost_while_servers_die_and_come_back(self):
        # pinot#17465, #15997. TRELLIS_KILLS=200 is the long run.
        kills = int(os.environ.get("TRELLIS_KILLS", "8"))
        processes = self.replicated(3, 2)
        whole_sum = processes.query(COUNT)["resultTable"]["rows"][0]
        answers, stop = [], threading.Event()

        def ask():
            while not stop.is_set():
                begun = time.monotonic()
                answers.append(processes.query(COUNT))
                stop.wait(max(0, 5 / 50 - (time.monotonic() - begun)))  # five askers, 50 a second in all

        askers = [threading.Thread(target=ask) for _ in range(5)]
        for asker in askers:
            asker.start()
        picks = random.Random(42)
        for _ in range(kills):
            victim = picks.randrange(3)
            processes.servers[victim].kill()
            time.sleep(picks.uniform(0, 0.2))
            processes.restart_server(victim)
            self.wait_alive(processes)
            time.sleep(picks.uniform(0.05, 0.3))
        stop.set()
        for asker in askers:
            asker.join()
        failed = [answer for answer in answers if answer["exceptions"]]
        for answer in answers:
            if not answer["exceptions"]:
                self.assertFalse(answer["partialResult"])
                self.assertEqual(answer["resultTable"]["rows"][0], whole_sum)
            elif "resultTable" in answer:
                self.assertTrue(answer["partialResult"])
                self.assertEqual(answer["resultTable"]["rows"][0][0] % SEGMENT_ROWS, 0)
        print(f"{kills} kills, {len(answers)} queries, {len(failed)} failed or partial")
        # One server at a time is away: a replica of everything is always there.
        self.assertEqual(failed, [])


if __name__ == "__main__":
    trellis_case.main()
