"""Checks docker-compose.yml and Dockerfile against the source: they parse, and every flag exists.

Usage: compose_test.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

try:
    import yaml
except ImportError:
    yaml = None

SOURCE = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
# Where the options of each binary are declared.
PROGRAMS = {"trellis-broker": "broker/app", "trellis-server": "server/app"}
DECLARATION = re.compile(r'\bAdd\(\s*&[\w.>\[\]-]+,\s*"([a-z][a-z0-9-]*)"')
PORT = re.compile(r"^(\d+):(\d+)$")


def declared_flags(folder):
    """The option names that the C++ files of `folder` give to OptionSet::Add."""
    files = sorted((SOURCE / folder).glob("*.cc"))
    return {name for file in files for name in DECLARATION.findall(file.read_text())}


def flags_of(command):
    return [word[2:].split("=")[0] for word in command if word.startswith("--")]


def value_of(command, flag):
    return [word.split("=", 1)[1] for word in command if word.startswith(f"--{flag}=")]


@unittest.skipIf(yaml is None, "PyYAML is not installed")
class Compose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.services = yaml.safe_load((SOURCE / "docker-compose.yml").read_text())["services"]

    def ours(self):
        return {name: service for name, service in self.services.items() if service["command"][0] in PROGRAMS}

    def test_there_is_a_broker_over_three_servers(self):
        servers = {n for n, s in self.ours().items() if s["command"][0] == "trellis-server"}
        self.assertEqual(len(servers), 3)
        addresses = value_of(self.services["broker"]["command"], "server")
        self.assertEqual({address.split(":")[0] for address in addresses}, servers)
        for address in addresses:
            host, port = address.split(":")
            self.assertEqual(value_of(self.services[host]["command"], "grpc-port"), [port])
        self.assertEqual(set(self.services["broker"]["depends_on"]), servers)

    def test_each_server_has_a_directory_of_its_own(self):
        folders = [v.split(":")[0] for s in self.ours().values() for v in s.get("volumes", [])]
        self.assertEqual(len(folders), 3)
        self.assertEqual(len(set(folders)), 3)

    def test_every_flag_is_an_option_of_its_program(self):
        for name, service in self.ours().items():
            program = service["command"][0]
            known = declared_flags(PROGRAMS[program])
            if not known:
                self.skipTest(f"{PROGRAMS[program]} declares no options yet")
            for flag in flags_of(service["command"]):
                self.assertIn(flag, known, f"service {name}")

    def test_a_health_check_asks_the_door_that_is_opened(self):
        for name, service in self.ours().items():
            url = service["healthcheck"]["test"][-1]
            port = re.search(r":(\d+)/", url)[1]
            self.assertEqual(value_of(service["command"], "http-port"), [port], f"service {name}")

    def test_published_ports_are_opened(self):
        command = self.services["broker"]["command"]
        opened = value_of(command, "http-port") + value_of(command, "grpc-port")
        self.assertEqual([PORT.match(port)[2] for port in self.services["broker"]["ports"]], opened)

    def test_the_real_pinot_starts_only_when_asked_for(self):
        self.assertEqual(self.services["pinot"]["profiles"], ["reference"])
        for name in self.ours():
            self.assertNotIn("profiles", self.services[name])


class Image(unittest.TestCase):
    def test_what_is_copied_from_the_tree_is_there(self):
        text = (SOURCE / "Dockerfile").read_text()
        for line in text.splitlines():
            words = line.split()
            if words[:1] == ["COPY"] and not words[1].startswith("--"):
                for path in words[1:-1]:
                    self.assertTrue((SOURCE / path).exists(), path)

    def test_it_builds_every_program(self):
        text = (SOURCE / "Dockerfile").read_text()
        target = re.search(r"--target ([\w -]+)", text)[1].split()
        self.assertEqual(target, ["trellis", *sorted(PROGRAMS)])


if __name__ == "__main__":
    unittest.main()
