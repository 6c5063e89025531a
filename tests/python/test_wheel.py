"""The wheel: its list of files is right, and the module works from it."""
import base64
import csv
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

import support
import sinew

ROOT = os.path.dirname(os.path.abspath(support.ROBOTS))


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        built = os.path.dirname(os.path.dirname(sinew.__file__))
        tool = os.path.join(ROOT, "tools", "make_wheel.py")
        made = subprocess.run([sys.executable, "-B", tool, built, self.folder.name],
                              capture_output=True, text=True, check=True)
        self.path = made.stdout.strip()

    def tearDown(self):
        self.folder.cleanup()

    def test_every_file_is_listed_with_its_hash(self):
        with zipfile.ZipFile(self.path) as wheel:
            names = set(wheel.namelist())
            info = next(n for n in names if n.endswith("/RECORD"))
            rows = list(csv.reader(wheel.read(info).decode().splitlines()))
            self.assertEqual({row[0] for row in rows}, names)
            for name, digest, size in rows:
                content = wheel.read(name)
                if name == info:
                    continue
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                self.assertEqual(digest, "sha256=" + expected.rstrip(b"=").decode())
                self.assertEqual(int(size), len(content))
        self.assertLessEqual({"sinew/__init__.py", "sinew/__init__.pyi", "sinew/py.typed"}, names)

    def test_it_works_where_it_is_unpacked(self):
        target = os.path.join(self.folder.name, "site")
        with zipfile.ZipFile(self.path) as wheel:
            wheel.extractall(target)
        code = ("import sinew; arm = sinew.load(%r).chain('arm'); print(sinew.__file__);"
                "arm.ik(arm.fk([0.2] * 6))" % support.robot_file("arm6"))
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": target})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(target))


if __name__ == "__main__":
    support.main()
