"""A user's tendril.conf and that of a working folder, for tests."""
import os
import subprocess

from common import TENDRIL


class Place:
    """A user with a home folder and a working folder."""

    def __init__(self, folder):
        self.home, self.work = os.path.join(folder, "home"), os.path.join(folder, "work")
        os.makedirs(os.path.join(self.home, "tendril"))
        os.makedirs(self.work)
        self.user = os.path.join(self.home, "tendril", "tendril.conf")
        self.local = os.path.join(self.work, "tendril.conf")
        for made in (self.home, os.path.dirname(self.user), self.work):
            os.chmod(made, 0o755)  # as with the umask 022

    def write(self, user=None, local=None):
        for path, text in ((self.user, user), (self.local, local)):
            if os.path.lexists(path):
                os.unlink(path)
            if text is not None:
                with open(path, "w", encoding="utf-8") as f:
                    f.write(text)
                os.chmod(path, 0o644)

    def run(self, *words, **variables):
        env = {k: v for k, v in os.environ.items() if k != "TENDRIL_CONFIG"}
        env.update({"XDG_CONFIG_HOME": self.home, **variables})
        env = {k: v for k, v in env.items() if v is not None}
        return subprocess.run([TENDRIL, *words], cwd=self.work, env=env, capture_output=True, text=True, timeout=100,
                              stdin=subprocess.DEVNULL)

    def value(self, option, *words, command="capture", **variables):
        """(value, origin) of an option of a command; None: it is not set."""
        for line in self.run(command, "--print-config", *words, **variables).stdout.splitlines():
            if line.startswith(option + " = "):
                value, origin = line[len(option) + 3:].split(" ; ")
                return value.strip(), origin
        return None
