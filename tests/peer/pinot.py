"""The real Pinot, from its published jars, for tests: found, compiled against, run.

Needs OpenJDK 17 and Maven (scripts/packages --peer). Maven keeps the jars in its own repository
(about 200 MB, 1-2 minutes the first time); what is compiled lies in the work folder and is made
anew when a source or pom.xml has changed.
"""
import hashlib
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
# Pinot maps files and reads off-heap memory through what the JDK keeps closed.
OPENED = ("java.nio", "sun.nio.ch", "java.lang", "java.util", "java.lang.reflect")
FETCH_SECONDS = 480


class Unavailable(Exception):
    """Java, Maven or the jars cannot be had here."""


class Pinot:
    """Java programs of tests/peer, ready to run. Construction may fetch and compile."""

    def __init__(self, work):
        self.work = pathlib.Path(work)
        self.work.mkdir(parents=True, exist_ok=True)
        for program in ("java", "mvn"):
            if shutil.which(program) is None:
                raise Unavailable(f"{program} is not installed (scripts/packages --peer)")
        self._compile()

    def run(self, program, *arguments, seconds=300, heap="1g"):
        """Runs trellis.peer.PROGRAM; its output is text, never raised over."""
        opens = [word for name in OPENED
                 for word in ("--add-opens", f"java.base/{name}=ALL-UNNAMED")]
        classpath = f"{self.work / 'classes'}:{(self.work / 'classpath').read_text().strip()}"
        return subprocess.run(
            ["java", f"-Xmx{heap}", *opens, "-cp", classpath, f"trellis.peer.{program}",
             *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            timeout=seconds)

    def _compile(self):
        stamp, digest = self.work / "stamp", self._digest()
        if stamp.is_file() and stamp.read_text() == digest and self._jars_are_there():
            return
        stamp.unlink(missing_ok=True)
        shutil.rmtree(self.work / "classes", ignore_errors=True)
        if self._maven("--offline").returncode != 0:
            run = self._maven()
            if run.returncode != 0:
                raise Unavailable("Maven failed:\n" + run.stdout[-2000:])
        stamp.write_text(digest)

    def _jars_are_there(self):
        classpath = self.work / "classpath"
        return classpath.is_file() and all(
            pathlib.Path(jar).is_file() for jar in classpath.read_text().strip().split(":"))

    def _maven(self, *options):
        command = ["mvn", "-q", "-B", *options, "-f", str(HERE / "pom.xml"),
                   f"-DbuildDirectory={self.work.resolve()}", "compile",
                   "dependency:build-classpath", f"-Dmdep.outputFile={self.work / 'classpath'}"]
        try:
            return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, errors="replace", timeout=FETCH_SECONDS)
        except subprocess.TimeoutExpired as late:
            raise Unavailable(f"Maven was not done after {FETCH_SECONDS} s") from late

    @staticmethod
    def _digest():
        digest = hashlib.sha256()
        for path in [HERE / "pom.xml", *sorted((HERE / "src").rglob("*.java"))]:
            digest.update(str(path.relative_to(HERE)).encode() + b"\0" + path.read_bytes())
        return digest.hexdigest()
