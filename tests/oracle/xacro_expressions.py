#!/usr/bin/env python3
"""Compares the expressions of xacro with Python's own: the same text, or an error from both.

usage: xacro_expressions.py SINEW [SEED]

A fixed list, and random ones from a seed. Results with integers of more than 64 bits are left out: Sinew has none.
"""
import html
import math
import os
import random
import subprocess
import sys
import tempfile
import xml.dom.minidom

FIXED = [
    "7//2", "-7//2", "-7%3", "7.5//2", "-7.5%2", "2**-1", "2**3**2", "-2**2", "1e16", "1e15", "1e-5", "0.0001", "1e22", "0.1+0.2",
    "-0.0", "100000000000000000.0", "3*'ab'", "\"it's\"", "['a','b\"c']", "(1,)", "()", "{}", "{'a':1,'b':[1,2.0]}", "None", "1<2<3",
    "1<3<2", "1==1.0", "0 or 'x'", "'a' in 'cat'", "3 not in [1]", "None is None", "[1,2,3][::-1]", "'hello'[1:3]", "'hello'[-3:]",
    "[1,2,3,4][3:0:-2]", "[1,2,3][:-5]", "{'a':{'b':3}}['a']['b']", "atan2(1,2)", "floor(-2.5)", "ceil(2.1)", "log(8,2)", "inf",
    "isnan(nan)", "str([1,'a'])", "int(-3.9)", "float('1e3')", "max([3,1])", "round(2.5)", "round(2.675,2)", "round(1234.5678,-2)",
    "sorted([3,1,2])", "sum([1,2.5])", "list(range(5,0,-2))", "list(map(float,['1','2']))", "list(enumerate(['a','b']))",
    "dict(a=1,b='x')", "'a,b,,c'.split(',')", "'xxaxx'.strip('x')", "'abc def'.capitalize()", "'_'.join(['a','b'])",
    "'{1}{0}'.format('a','b')", "'{:.3f}'.format(3.14159)", "'{:03d}'.format(7)", "'{x}'.format(x=5)", "'{{}}'.format()",
    "'%d %s %.2f' % (3,'x',2.5)", "'%05.1f' % 3.14159", "'{:5}|'.format('ab')", "'{:5}|'.format(42)", "{'a':1}.get('b',7)",
    "[a+b for a,b in [(1,2),(3,4)]]", "[x for x in range(6) if x%2]", "0x1f", "0b101", "1_000", ".5", "'a' 'b'", "[0]*3", "1,2",
    "[1,2]<[1,3]", "5.5%-2", "4.35*100", "9007199254740993", "1/0", "'a'+1", "[1][5]", "{}['a']", "sqrt(-1)", "1+", "foo", "(1",
]
OPERATORS = ["+", "-", "*", "/", "//", "%", "<", ">", "==", "!=", "and", "or", "<="]
FUNCTIONS = ["sin", "cos", "radians", "degrees", "abs", "float", "int", "str", "round", "floor", "ceil", "repr"]
NAMES = {name: value for name, value in math.__dict__.items() if not name.startswith("_")}


def draw(depth=0):
    """A random expression."""
    choice = random.random()
    if depth > 4 or choice < 0.25:
        return random.choice([str(random.randint(-20, 20)), repr(random.uniform(-10, 10)), "pi", "True"])
    if choice < 0.65:
        return "(%s %s %s)" % (draw(depth + 1), random.choice(OPERATORS), draw(depth + 1))
    if choice < 0.75:
        return "%s(%s)" % (random.choice(FUNCTIONS), draw(depth + 1))
    if choice < 0.85:
        return "(%s if %s else %s)" % (draw(depth + 1), draw(depth + 1), draw(depth + 1))
    if choice < 0.92:
        return "[%s,%s][%s]" % (draw(depth + 1), draw(depth + 1), random.choice("01"))
    return "-%s" % draw(depth + 1)


def expand(program, expressions):
    """The values of expressions as texts; None if there is an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "e.xacro")
        with open(path, "w", encoding="utf-8") as file:
            file.write("<r>\n" + "".join('<e v="%s"/>\n' % html.escape("${%s}" % e) for e in expressions) + "</r>\n")
        run = subprocess.run([program, "xacro", path], capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1):
            sys.exit("sinew xacro ended with %d: %s" % (run.returncode, run.stderr))
        if run.returncode == 1:
            return None
    return [e.getAttribute("v") for e in xml.dom.minidom.parseString(run.stdout).getElementsByTagName("e")]


def main():
    program = sys.argv[1]
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    random.seed(seed)
    good, bad = [], []
    for expression in FIXED + [draw() for _ in range(2000)]:
        try:
            value = eval(expression, dict(NAMES))  # pylint: disable=eval-used
        except Exception:  # pylint: disable=broad-except
            bad.append(expression)
            continue
        if not (isinstance(value, int) and abs(value) >= 2**63):
            good.append((expression, str(value)))
    results = expand(program, [e for e, _ in good])
    if results is None:
        sys.exit("seed %d: an expression that Python evaluates is an error" % seed)
    wrong = ["%s: %s, Python prints %s" % (e, r, v) for (e, v), r in zip(good, results) if r != v]
    wrong += ["%s: accepted, Python does not" % e for e in bad[:40] if expand(program, [e]) is not None]
    for line in wrong[:20]:
        print("seed %d: %s" % (seed, line))
    print("%d expressions, %d errors" % (len(good), min(len(bad), 40)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
