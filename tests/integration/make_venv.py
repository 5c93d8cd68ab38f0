"""Makes the virtual environment of the client tests unless it is there already. Usage: make_venv.py VENV_DIR

Exit: 0 it is there; 77 the packages could not be installed (no network, say): the client tests are then skipped.
"""
import hashlib
import pathlib
import subprocess
import sys
import venv

REQUIREMENTS = pathlib.Path(__file__).resolve().parent / "requirements.txt"
EXIT_SKIPPED = 77


def main(folder):
    folder = pathlib.Path(folder)
    stamp = folder / "requirements.sha256"
    wanted = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return 0
    print(f"installing {REQUIREMENTS} into {folder}", flush=True)
    venv.create(folder, with_pip=True, clear=True)
    done = subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", "-r", REQUIREMENTS], check=False)
    if done.returncode != 0:
        print("SKIPPED: the Python clients could not be installed")
        return EXIT_SKIPPED
    stamp.write_text(wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
