#!/usr/bin/env python3
"""Write the corpus of broken and nasty files, and manifest.json with what is expected of each.

usage: generate.py DIRECTORY

A case is one line in a module of cases/; cases/good.py says what it consists of. The files are
the same on every run. The big ones are why they are made rather than stored.
"""
import codecs
import importlib
import json
import pathlib
import sys

TOPICS = ("syntax", "encodings", "numbers", "tree", "joints", "links", "limits", "properties",
          "yaml_files", "cpf_files")


def decode(data):
    """The text of a file as far as it can be read, to find lines in it."""
    for bom, encoding in ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(bom):
            return data.decode(encoding, "replace")
    return data.decode("utf-8", "replace")


def places(case, data):
    """Lines and columns of the marks that the problem may lie at."""
    text = decode(data) if case.at else ""
    result = []
    for mark in case.at:
        offset = text.find(mark)
        assert offset >= 0, f"{case.name}: {mark!r} does not occur"
        start = text.rfind("\n", 0, offset) + 1
        result.append({"line": text.count("\n", 0, offset) + 1,
                       "column": offset - start + 1 if case.column else None})
    return result


def special(case, path):
    """Paths that are not regular files."""
    if case.special == "endless":
        path.symlink_to("/dev/zero")
    elif case.special == "directory":
        path.mkdir()


def write(case, topic, directory):
    """Write one file; return its entry for the manifest."""
    prefix = topic.replace("_files", "").replace("_", "-")
    path = directory / f"{prefix}-{case.name}{case.suffix}"
    assert not path.is_symlink() and not path.exists(), f"{path.name}: made twice"
    data = b""
    if case.special:
        special(case, path)
    else:
        text = case.text() if callable(case.text) else case.text
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        path.write_bytes(data)
    return {"file": path.name, "kind": case.kind, "verdict": case.verdict, "message": case.message,
            "places": places(case, data), "expect": case.expect, "trace": case.trace}


def remove_old(directory):
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        if not (directory / "manifest.json").exists():
            sys.exit(f"{directory}: holds something else than a corpus, nothing written")
        remove_old(directory)
    manifest = []
    for topic in TOPICS:
        module = importlib.import_module(f"cases.{topic}")
        manifest += [write(case, topic, directory) for case in module.cases()]
    good = importlib.import_module("cases.good")
    (directory / "good.urdf").write_text(good.ROBOT)
    (directory / "cube.stl").write_text("solid cube\nendsolid cube\n")
    (directory / "manifest.json").write_text(json.dumps(manifest, indent=1))
    size = sum(p.lstat().st_size for p in directory.iterdir())
    print(f"{len(manifest)} cases, {size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
