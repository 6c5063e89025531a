"""The type stubs and the docstrings cover the module: same names, same arguments, same order."""
import ast
import inspect
import os
import unittest

import support
import sinew


def public(tree):
    return {n.name: n for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}


def argument_names(function):
    a = function.args
    return [x.arg for x in a.posonlyargs + a.args + ([a.vararg] if a.vararg else [])
            + a.kwonlyargs + ([a.kwarg] if a.kwarg else []) if x.arg != "self"]


class Stubs(unittest.TestCase):
    def setUp(self):
        path = os.path.join(os.path.dirname(sinew.__file__), "__init__.pyi")
        with open(path) as file:
            self.stub = public(ast.parse(file.read()))

    def compare(self, name, stub, actual):
        names = [n for n in inspect.signature(actual).parameters if n != "self"]
        self.assertEqual(argument_names(stub), names, name)
        self.assertTrue(inspect.getdoc(actual), f"{name} has no docstring")

    def test_every_public_name_has_a_stub(self):
        self.assertEqual(set(self.stub), set(sinew.__all__))

    def test_functions_have_the_same_arguments(self):
        for name, node in self.stub.items():
            if isinstance(node, ast.FunctionDef):
                self.compare(name, node, getattr(sinew, name))

    def test_classes_have_the_same_members(self):
        for name, node in self.stub.items():
            if not isinstance(node, ast.ClassDef) or name in ("Error", "NoSolution"):
                continue
            kind = getattr(sinew, name)
            members = {m for m in vars(kind) if not m.startswith("_")}
            fields = {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            listed = {m for m in public(node) if not m.startswith("_")}
            self.assertEqual(members - fields, listed, name)
            for member, function in public(node).items():
                actual = inspect.getattr_static(kind, member)
                if not member.startswith("_") and not function.decorator_list:
                    self.compare(f"{name}.{member}", function, getattr(kind, member))
                elif not member.startswith("_"):
                    self.assertTrue(inspect.getdoc(actual), f"{name}.{member} has no docstring")


if __name__ == "__main__":
    support.main()
