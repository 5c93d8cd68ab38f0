"""Starts Trellis processes for tests, finds their doors, talks HTTP to them and stops them. Standard library only."""
import json
import os
import pathlib
import shutil
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

LISTENING = re.compile(r"^(http|grpc) listening on (\S+):(\d+)$")
BINARY_FOLDERS = (".", "bin", "broker/app", "server/app", "cli")
START_SECONDS_MAX = 60  # sanitizer builds on a busy machine included
STOP_SECONDS_MAX = 30


class StartError(Exception):
    """A process ended, or stayed silent, before it printed `ready`."""


def find_binary(build_dir, name):
    """Returns the path of binary `name` under a build directory."""
    for folder in BINARY_FOLDERS:
        path = pathlib.Path(build_dir) / folder / name
        if path.is_file() and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"{name} is in none of {', '.join(BINARY_FOLDERS)} under {build_dir}")


class Process:
    """One running Trellis process. Its output is kept; `doors` maps http and grpc to (host, port)."""

    def __init__(self, arguments, environment=None, cwd=None):
        self.arguments = [str(argument) for argument in arguments]
        self.lines, self.doors = [], {}
        self._errors = []
        self._ready = threading.Event()
        self._child = subprocess.Popen(
            self.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", cwd=cwd, env={**os.environ, **(environment or {})})
        self._readers = [threading.Thread(target=self._read_output, daemon=True),
                         threading.Thread(target=self._read_errors, daemon=True)]
        for reader in self._readers:
            reader.start()

    def _read_output(self):
        for line in self._child.stdout:
            line = line.rstrip("\n")
            self.lines.append(line)
            match = LISTENING.match(line)
            if match:
                self.doors[match[1]] = (match[2], int(match[3]))
            if line == "ready":
                self._ready.set()

    def _read_errors(self):
        for line in self._child.stderr:
            self._errors.append(line)

    @property
    def pid(self):
        return self._child.pid

    def error_text(self):
        return "".join(self._errors)

    def wait_ready(self, seconds_max=START_SECONDS_MAX):
        """Waits for the line `ready`; StartError carries everything the process said."""
        deadline = time.monotonic() + seconds_max
        while not self._ready.wait(0.02):
            if self._child.poll() is not None or time.monotonic() > deadline:
                state = f"exit {self._child.poll()}"
                self.kill()
                raise StartError(f"{' '.join(self.arguments)}: {state} before `ready`\n"
                                 + "\n".join(self.lines) + "\n" + self.error_text())
        return self

    def wait(self, seconds_max=STOP_SECONDS_MAX):
        """Waits for the end and returns the exit code (negative: the signal)."""
        code = self._child.wait(seconds_max)
        for reader in self._readers:
            reader.join(seconds_max)
        return code

    def poll(self):
        return self._child.poll()

    def terminate(self):
        self._child.send_signal(signal.SIGTERM)

    def stop(self):
        """Sends SIGTERM and returns the exit code; kills what does not drain in time."""
        if self._child.poll() is None:
            self.terminate()
        try:
            return self.wait()
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self):
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()

    def address(self, door):
        host, port = self.doors[door]
        return f"{'127.0.0.1' if host in ('0.0.0.0', '::', '[::]') else host}:{port}"

    def url(self, path=""):
        return f"http://{self.address('http')}{path}"


class Cluster:
    """A broker over some servers, all on free loopback ports. Use as a context manager."""

    def __init__(self, build_dir, data_dirs, broker_flags=(), server_flags=(), flags_by_server=()):
        """`server_flags` are for all servers, `flags_by_server` one tuple for each."""
        self.build_dir = build_dir
        self.servers, self.broker = [], None
        self.data_dirs, self.server_flags = list(data_dirs), server_flags
        self.flags_by_server = list(flags_by_server) or [()] * len(self.data_dirs)
        try:
            for data_dir, own_flags in zip(self.data_dirs, self.flags_by_server):
                self.servers.append(start_server(build_dir, data_dir, *server_flags, *own_flags))
            for server in self.servers:
                server.wait_ready()
            self.broker = start_broker(build_dir, self.servers, *broker_flags).wait_ready()
        except BaseException:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.kill()

    def processes(self):
        return ([self.broker] if self.broker else []) + self.servers

    def stop(self):
        """Stops broker, then servers, with SIGTERM; returns the exit codes."""
        return [process.stop() for process in self.processes()]

    def kill(self):
        for process in self.processes():
            process.kill()

    def restart_server(self, index, *own_flags, data_dir=None):
        """Starts server `index`, which has ended, again on its port; own flags replace those it had."""
        port = self.servers[index].doors["grpc"][1]
        self.servers[index] = Process(
            [find_binary(self.build_dir, "trellis-server"), "--data-dir", data_dir or self.data_dirs[index],
             "--grpc-port", port, "--http-port", 0, *self.server_flags,
             *(own_flags or self.flags_by_server[index])]).wait_ready()
        return self.servers[index]

    def query(self, sql, options="", **more):
        return query(self.broker.url(), sql, options, **more)

    def wait_for_segments(self, counts, seconds_max=30):
        """Waits until every table of `counts` answers from that many segments."""
        deadline = time.monotonic() + seconds_max
        for table, count in counts.items():
            while True:
                answer = self.query(f"SELECT COUNT(*) FROM {table}")
                if not answer["exceptions"] and answer["numSegmentsQueried"] == count:
                    break
                if time.monotonic() > deadline:
                    raise StartError(f"{table}: not {count} segments after {seconds_max} s: {answer}")
                time.sleep(0.1)


def start_server(build_dir, data_dir, *flags):
    return Process([find_binary(build_dir, "trellis-server"), "--data-dir", data_dir,
                    "--grpc-port", 0, "--http-port", 0, *flags])


def start_broker(build_dir, servers, *flags):
    named = [part for server in servers for part in ("--server", server.address("grpc"))]
    return Process([find_binary(build_dir, "trellis-broker"), *named,
                    "--http-port", 0, "--grpc-port", 0, *flags])


def fetch(url, body=None, seconds_max=60, headers=None):
    """Returns (HTTP status, text) of a GET, or of a POST when `body` is given (sent as JSON)."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **(headers or {})})
    try:
        with urllib.request.urlopen(request, timeout=seconds_max) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def query(broker_url, sql, options="", seconds_max=60):
    """Returns the parsed answer of POST /query/sql."""
    body = {"sql": sql, "queryOptions": options} if options else {"sql": sql}
    return json.loads(fetch(f"{broker_url}/query/sql", body, seconds_max)[1])


def is_segment(folder):
    """Tells whether a folder of a data directory is a segment, in either layout."""
    return (folder / "v3" / "metadata.properties").is_file() or (folder / "metadata.properties").is_file()


def segments_of(data_dir):
    """Returns {table folder: [segment folder names]} of a data directory."""
    found = {}
    for table in sorted(pathlib.Path(data_dir).iterdir()):
        if table.is_dir():
            names = sorted(item.name for item in table.iterdir() if item.is_dir() and is_segment(item))
            if names:
                found[table.name] = names
    return found


def spread(data_dir, out_dir, server_count, replica_count):
    """Makes one data directory a server: segment i is copied to servers i, i+1, ... modulo."""
    source, out = pathlib.Path(data_dir).resolve(), pathlib.Path(out_dir)
    folders = [out / f"server_{index}" for index in range(server_count)]
    for folder in folders:
        folder.mkdir(parents=True)
    for table, names in segments_of(source).items():
        for index, name in enumerate(names):
            for replica in range(replica_count):
                home = folders[(index + replica) % server_count] / table
                if not home.exists():
                    home.mkdir()
                    for file in ("schema.json", "tableConfig.json"):
                        if (source / table / file).exists():
                            shutil.copy(source / table / file, home / file)
                segment = source / table / name
                copy = shutil.copytree if segment.is_dir() else shutil.copy
                copy(segment, home / name)
    return folders


def clone_segment(source, folder, names):
    """Makes one segment folder a name in `folder`, with the data of segment folder `source` (V3) by hard links."""
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    own_name = f"segment.name = {source.name}\n"
    metadata = (source / "v3" / "metadata.properties").read_text()
    if own_name not in metadata:
        raise ValueError(f"{source}: its metadata does not say {own_name!r}")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        target = folder / name / "v3"
        target.mkdir(parents=True)
        (target / "metadata.properties").write_text(metadata.replace(own_name, f"segment.name = {name}\n"))
        for file in ("columns.psf", "index_map", "creation.meta"):
            os.link(source / "v3" / file, target / file)
