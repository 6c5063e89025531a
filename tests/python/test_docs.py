"""The blocks of docs/python.md that are marked `python` run, one after the other."""
import contextlib
import io
import os
import re
import unittest

import support

ROOT = os.path.dirname(os.path.abspath(support.ROBOTS))


class Documents(unittest.TestCase):
    def test_the_page_about_python_runs(self):
        with open(os.path.join(ROOT, "docs", "python.md")) as file:
            blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.M | re.S)
        self.assertGreaterEqual(len(blocks), 2)
        names = {}
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                for block in blocks:
                    exec(compile(block, "docs/python.md", "exec"), names)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    support.main()
