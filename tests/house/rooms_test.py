"""Checks the tree against the rules of the house (house_rules.py).

Usage: rooms_test.py SOURCE_DIR BUILD_DIR [--columns]    exit 1 names every fault as path:line: message

--columns checks the length of lines and nothing else (scripts/format mends most of it).
"""
import pathlib
import sys

import exemptions
import house_rules as rules

ROOM_TOPS = ("common", "broker", "server", "cli")
OTHER_TOPS = ("tests", "bench", "examples")
SUFFIXES = (".h", ".cc")


def read_tree(source):
    """Returns (every file's path, {path: text} of the C++ sources), paths relative to `source`."""
    files, texts = set(), {}
    for top in ROOM_TOPS + OTHER_TOPS + ("proto",):
        for file in sorted((source / top).rglob("*")):
            if file.is_file():
                path = file.relative_to(source).as_posix()
                files.add(path)
                if file.suffix in SUFFIXES:
                    texts[path] = file.read_text()
    return files, texts


def check_tree(files, texts, rooms, allowed=exemptions):
    """Returns every fault of a tree given as in read_tree()."""
    faults = [*rules.check_cycles(rooms), *rules.check_sides(rooms),
              *rules.check_readmes(rooms, files), *rules.check_exemptions(files, texts, allowed)]
    public = rules.public_headers(texts)
    for path, text in texts.items():
        faults += rules.check_size(path, text, allowed.LONG_FILES.keys(),
                                   allowed.LONG_HEADERS.keys())
        faults += rules.check_stem(path)
        faults += rules.check_once(path, text)
        faults += rules.check_asserted_time(path, text)
        faults += rules.check_mirror(path, texts, public, allowed.UNMIRRORED)
        if path.split("/")[0] in ROOM_TOPS:
            faults += rules.check_graph(path, text, rooms)
            faults += rules.check_protobuf(path, text, rooms)
            faults += rules.check_grpc(path, text, rooms)
            faults += rules.check_json(path, text, rooms, allowed.JSON)
    return faults


def main(source_dir, build_dir, *flags):
    rooms = rules.read_rooms((pathlib.Path(build_dir) / "rooms.txt").read_text())
    files, texts = read_tree(pathlib.Path(source_dir))
    if "--columns" in flags:
        faults = [fault for path, text in texts.items() for fault in rules.check_columns(path, text)]
    else:
        faults = check_tree(files, texts, rooms)
    for fault in faults:
        print(fault)
    print(f"{len(texts)} files, {len(rooms)} rooms, {len(faults)} faults")
    return 1 if faults or not texts else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
