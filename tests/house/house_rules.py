"""The rules of the house as pure functions: text in, one message per fault out.

Each message starts with `path:line:`. rooms_test.py runs them over the tree and planted_faults_test.py
shows that each of them can fail.
"""
import os
import pathlib
import re

FILE_LINES_MAX = 500
HEADER_LINES_MAX = 200
LINE_COLUMNS_MAX = 100
BANNED_STEM = re.compile(r"(^|_)(utils?|helpers?|common|misc)$")
ASSERTED_TIME = re.compile(r"(CHECK|REQUIRE)\(.*now\(\) - \w+ <|(CHECK|REQUIRE)\((took|elapsed)\w* <"
                           r"|assertLess\(time\.\w+\(\) - ")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]')
PROTOBUF_HEADER = re.compile(r"\.pb\.h$")
GRPC_HEADER = re.compile(r"^grpc(pp)?/|\.grpc\.pb\.h$")
JSON_HEADER = re.compile(r"^nlohmann/")

PROTOBUF_ROOMS = {"common/wire", "common/rpc", "broker/front", "broker/cluster", "broker/dispatch",
                  "server/service"}
GRPC_ROOMS = {"common/rpc", "broker/front", "broker/dispatch", "broker/cluster", "server/service",
              "broker/app", "server/app", "cli"}
MIRRORED_TOPS = ("common/", "broker/", "server/")


def read_rooms(text):
    """Parses the lines `room: dep dep` that cmake/room.cmake writes into {room: {dep}}."""
    rooms = {}
    for line in text.splitlines():
        name, deps = line.split(":", 1)
        rooms[name] = set(deps.split())
    return rooms


def room_of(path, rooms):
    """Returns the longest room name that is a folder above `path`, or None."""
    parts = pathlib.PurePosixPath(path).parts
    for length in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:length])
        if name in rooms:
            return name
    return None


def includes(text):
    """Yields (line number, included name) of every include line."""
    for number, line in enumerate(text.splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1]


def resolve(path, name):
    """Returns an included name relative to the source directory: only ./ and ../ forms change."""
    if name.startswith("."):
        return os.path.normpath(os.path.join(os.path.dirname(path), name))
    return name


def check_graph(path, text, rooms):
    """An #include may only reach the file's own room or a room in its DEPS."""
    home = room_of(path, rooms)
    if home is None:
        yield f"{path}:1: lives in no room"
        return
    for number, name in includes(text):
        target = room_of(resolve(path, name), rooms)
        if target and target != home and target not in rooms[home]:
            yield f"{path}:{number}: {home} may not include {target} (not in its DEPS)"


def check_protobuf(path, text, rooms):
    """Generated messages stay in the source files of the rooms that encode and decode them."""
    home = room_of(path, rooms)
    for number, name in includes(text):
        if not PROTOBUF_HEADER.search(name):
            continue
        if home not in PROTOBUF_ROOMS:
            yield f"{path}:{number}: {name} may not be included in {home}"
        elif path.endswith(".h"):
            yield f"{path}:{number}: {name} may only be included in .cc files, not in a header"


def check_grpc(path, text, rooms):
    """gRPC costs seconds a translation unit and belongs to the doors."""
    home = room_of(path, rooms)
    for number, name in includes(text):
        if GRPC_HEADER.search(name) and home not in GRPC_ROOMS:
            yield f"{path}:{number}: {name} may not be included in {home}"


def check_json(path, text, rooms, allowed):
    """nlohmann/json allocates a tree: it may not stand on a row's path. `allowed`: folders or files."""
    home = room_of(path, rooms)
    if any(path == place or path.startswith(f"{place}/") for place in allowed):
        return
    for number, name in includes(text):
        if JSON_HEADER.search(name):
            yield f"{path}:{number}: {name} may not be included in {home}"


def check_size(path, text, long_files, long_headers):
    """A file is read in one sitting."""
    count = len(text.splitlines())
    if count > FILE_LINES_MAX and path not in long_files:
        yield f"{path}:{count}: over {FILE_LINES_MAX} lines: split it by meaning"
    elif path.endswith(".h") and count > HEADER_LINES_MAX and path not in long_headers | long_files:
        yield f"{path}:{count}: header over {HEADER_LINES_MAX} lines"


def check_columns(path, text):
    """Lines fit a side-by-side diff. A line that is one long literal or URL cannot be broken."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LINE_COLUMNS_MAX and "://" not in line and 'R"' not in line:
            yield f"{path}:{number}: {len(line)} columns, at most {LINE_COLUMNS_MAX}"


def check_asserted_time(path, text):
    """A test that fails on a busy machine says nothing of the code: ctest's timeout ends what hangs."""
    for number, line in enumerate(text.splitlines(), start=1):
        if path.startswith("tests/") and ASSERTED_TIME.search(line):
            yield f"{path}:{number}: a test asserts how long something took"


def check_stem(path):
    """A name says what the contents have in common."""
    if BANNED_STEM.search(pathlib.PurePosixPath(path).stem):
        yield f"{path}:1: name it after what its contents have in common"


def check_once(path, text):
    """Every header is guarded."""
    if path.endswith(".h") and "#pragma once" not in text:
        yield f"{path}:1: #pragma once is missing"


def test_path(path):
    """Returns where the unit test of source file `path` lies."""
    return f"tests/unit/{path[:-len('.cc')]}_test.cc"


def is_tested(path, texts, public):
    """Tells whether a .cc has a unit test in the mirrored folder.

    Either <stem>_test.cc, or a test there that includes <stem>.h. A .cc whose header nobody outside its folder
    includes, or that has none, is a part of the room's body: any test of the room counts.
    """
    if test_path(path) in texts:
        return True
    header = path[:-len(".cc")] + ".h"
    folder = str(pathlib.PurePosixPath("tests/unit", path).parent)
    tests = [text for test, text in texts.items()
             if str(pathlib.PurePosixPath(test).parent) == folder and test.endswith("_test.cc")]
    if tests and header not in public:
        return True
    return any(name == header for text in tests for _, name in includes(text))


def public_headers(texts):
    """Returns the headers that a product file of another folder includes."""
    return {name for path, text in texts.items() if not path.startswith("tests/")
            for _, name in includes(text) if os.path.dirname(name) != os.path.dirname(path)}


def check_mirror(path, texts, public, unmirrored):
    """Every .cc of common, broker and server has its unit test in the mirrored place."""
    if not path.endswith(".cc") or not path.startswith(MIRRORED_TOPS):
        return
    if path not in unmirrored and not is_tested(path, texts, public):
        yield f"{path}:1: no unit test {test_path(path)} and no reason in exemptions.py"


def check_exemptions(files, texts, exemptions):
    """An exemption whose reason is gone must go too. `texts`: path -> text of every source file."""
    for path in exemptions.UNMIRRORED:
        if path not in files:
            yield f"exemptions.py:1: UNMIRRORED names {path}, which is not there"
        elif is_tested(path, texts, public_headers(texts)):
            yield f"exemptions.py:1: UNMIRRORED names {path}, which has its test"
    for table, limit in (("LONG_FILES", FILE_LINES_MAX), ("LONG_HEADERS", HEADER_LINES_MAX)):
        for path in getattr(exemptions, table):
            if path not in texts:
                yield f"exemptions.py:1: {table} names {path}, which is not there"
            elif len(texts[path].splitlines()) <= limit:
                yield f"exemptions.py:1: {table} names {path}, which is short enough"
    for table in ("UNMIRRORED", "LONG_FILES", "LONG_HEADERS", "JSON"):
        for path, reason in getattr(exemptions, table).items():
            if not reason.strip():
                yield f"exemptions.py:1: {table} gives no reason for {path}"


def check_readmes(rooms, files):
    """Every room says what it is."""
    for room in rooms:
        if f"{room}/README.md" not in files:
            yield f"{room}/README.md:1: the room has no README"


def check_cycles(rooms):
    """The graph has no cycle, whatever order CMake read it in."""
    state = {}

    def visit(room, trail):
        if state.get(room) == "done":
            return
        if state.get(room) == "open":
            yield f"rooms.txt:1: cycle: {' -> '.join(trail[trail.index(room):] + [room])}"
            return
        state[room] = "open"
        for dep in sorted(rooms.get(room, ())):
            yield from visit(dep, trail + [room])
        state[room] = "done"

    for room in rooms:
        yield from visit(room, [])


def check_sides(rooms):
    """The broker and the server meet only through the protocol."""
    for room, deps in rooms.items():
        for dep in sorted(deps):
            sides = {room.split("/")[0], dep.split("/")[0]}
            if sides == {"broker", "server"} or (room.startswith("common/") and sides != {"common"}
                                                 and dep != "proto"):
                yield f"rooms.txt:1: {room} may not depend on {dep}"
