"""What the tests of pages share: traces and their pages, made once."""
import os
import subprocess
import sys

SOURCE = os.environ["TD_SOURCE_DIR"]
BINARY = os.environ["TD_BINARY_DIR"]
TENDRIL = os.path.join(BINARY, "bin", "tendril")
sys.path.insert(0, os.path.join(SOURCE, "tests"))
from checks import check, failures  # noqa: E402,F401

# As in html_trace.c, as far as text of a page can have it.
HOSTILE = "</td></title><script>document.title='owned'</script>\"'><img src=x onerror=\"document.title=1\">&lt;\ufffd\ufffd"
OP_NAME_BYTES = 63  # of the name that a launch's text has


def make_page(folder, name, operations, names, *more):
    """The path of a page about a trace of html_trace.c."""
    trace, page = (os.path.join(folder, name + end) for end in (".tracy", ".html"))
    subprocess.run([os.path.join(BINARY, "tests", "html_trace"), trace, str(operations), str(names), *more], check=True)
    got = subprocess.run([TENDRIL, "report", "--html", page, trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    check(got.returncode == 0 and got.stdout == b"", "tendril report --html: %d %r" % (got.returncode, got.stdout))
    return page
