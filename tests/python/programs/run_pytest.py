"""Runs pytest on tests of a Debian package, as the arguments say."""
import sys

import pytest

sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
