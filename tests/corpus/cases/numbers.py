"""Texts that are not numbers, in every place where a number is read."""
from .good import AXIS, BOX, INERTIA, LIMIT, MASS, ORIGIN, WHOLE, Case, add_to_joint, add_to_link, edit

BAD_SCALARS = {
    "nan": "nan", "nan-capital": "NaN", "nan-signed": "-nan", "nan-payload": "nan(1)", "inf": "inf",
    "inf-signed": "-inf", "infinity": "Infinity", "overflow": "1e999", "overflow-negative": "-1e999",
    "overflow-by-digits": "1" + "0" * 400, "hex": "0x10", "hex-float": "0x1p4", "comma": "0,1",
    "unit": "0.1m", "unit-after-space": "0.1 m", "empty": "", "blank": "  ", "two": "1 2",
    "two-signs": "--1", "plus-minus": "+-1", "sign-only": "-", "dot-only": ".", "exponent-empty": "1e",
    "exponent-sign-only": "1e+", "exponent-only": "e5", "two-dots": "1.2.3", "underscore": "1_000",
    "float-suffix": "1.5f", "fortran": "1.5d0", "fraction": "1/2", "expression": "1+1",
    "unicode-minus": "−1", "arabic-digit": "١", "full-width": "１", "half": "½",
    "no-break-space": "\u00a01", "word": "true", "grouped": "1'000", "percent": "50%",
    "sign-space": "- 1", "binary": "0b1", "octal": "0o7",
}
# Blanks separate numbers, so a message may quote only the piece that is none.
BAD_PIECES = {"unit-after-space": "m", "sign-space": "-", "commas-and-spaces": "0,", "letters": "a",
              "last-is-nan": "nan", "middle-is-inf": "inf", "first-is-hex": "0x1", "unit": "0.1m",
              "brackets": "[0", "overflow": "1e999", "decimal-comma": "0,5"}
BAD_VECTORS = {
    "one": "0", "two": "0 0", "four": "0 0 0 0", "empty": "", "commas": "0,0,0",
    "commas-and-spaces": "0, 0, 0", "semicolons": "0;0;0", "letters": "a b c", "last-is-nan": "0 0 nan",
    "middle-is-inf": "0 inf 0", "first-is-hex": "0x1 0 0", "unit": "0 0 0.1m", "brackets": "[0 0 0]",
    "overflow": "0 0 1e999", "no-break-space": "0\u00a00\u00a00", "decimal-comma": "0,5 0 0",
    "vertical-bar": "0|0|0", "thousand": " ".join(["0"] * 1000),
}
GOOD_SCALARS = {
    "plus": "+1.5", "leading-dot": ".5", "trailing-dot": "5.", "capital-exponent": "15E-1",
    "plus-exponent": "1e+0", "spaces-around": "  1.5\t\n", "zeros-before": "0001.5", "integer": "2",
    "many-digits": "1." + "5" * 10000, "underflow": "1e-400", "denormal": "4.9e-324",
    "tiny-by-digits": "0." + "0" * 400 + "1", "long-exponent": "1e0000000000000000000000001",
}
GOOD_VECTORS = {
    "tabs": "0\t0\t0.4", "newlines": "0\n0\n0.4", "newline-references": "0&#10;0&#13;&#9;0.4",
    "many-spaces": "   0    0   0.4   ", "scientific": "0 -0 4e-1", "plus": "+0 +0 +.4",
    "windows-newlines": "0\r\n0\r\n0.4",
}


def cases():
    for name, text in BAD_SCALARS.items():
        # A message may cut a long text short, and an empty one cannot be quoted.
        yield Case(f"scalar-{name}", edit(MASS, f'<mass value="{text}"/>'), "reject",
                   BAD_PIECES.get(name, text.strip()[:10]), at=f'value="{text}"', column=True)
    for name, text in BAD_VECTORS.items():
        yield Case(f"vector-{name}", edit(ORIGIN, f'<origin xyz="{text}" rpy="0 0 0"/>'), "reject",
                   BAD_PIECES.get(name, text.strip()[:10]), at=f'xyz="{text}"', column=True)
    for name, text in GOOD_SCALARS.items():
        yield Case(f"good-scalar-{name}", edit(MASS, f'<mass value="{text}"/>'), "accept",
                   expect=WHOLE)
    for name, text in GOOD_VECTORS.items():
        yield Case(f"good-vector-{name}", edit(ORIGIN, f'<origin xyz="{text}" rpy="0 0 0"/>'),
                   "accept", expect=WHOLE)
    yield from every_place()
    yield from xacro()


def every_place():
    """The same bad text in each attribute that is read."""
    places = {
        "origin-rpy": (ORIGIN, ORIGIN.replace('rpy="0 0 0"', 'rpy="0 0 0,1"')),
        "inertial-origin": ('<origin xyz="0 0 0.2"/>', '<origin xyz="0 0 0,1"/>'),
        "axis": (AXIS, '<axis xyz="0 0,1 0"/>'),
        "inertia": (INERTIA, INERTIA.replace('iyz="0"', 'iyz="0,1"')),
        "box": (BOX, '<box size="0.1 0,1 0.3"/>'),
        "cylinder-radius": (BOX, '<cylinder radius="0,1" length="1"/>'),
        "cylinder-length": (BOX, '<cylinder radius="1" length="0,1"/>'),
        "sphere": (BOX, '<sphere radius="0,1"/>'),
        "mesh-scale": (BOX, '<mesh filename="cube.stl" scale="1 1 0,1"/>'),
    }
    for attribute in ("lower", "upper", "effort", "velocity"):
        value = {"lower": "-2", "upper": "2", "effort": "20", "velocity": "4"}[attribute]
        places[f"limit-{attribute}"] = (
            LIMIT, LIMIT.replace(f'{attribute}="{value}"', f'{attribute}="0,1"'))
    for name, (old, new) in places.items():
        yield Case(f"place-{name}", edit(old, new), "reject", "0,1", at=new)
    for element in ('<dynamics damping="0,1" friction="0"/>', '<dynamics damping="0" friction="0,1"/>',
                    '<mimic joint="shoulder" multiplier="0,1"/>', '<mimic joint="shoulder" offset="0,1"/>',
                    '<safety_controller k_velocity="1" soft_lower_limit="0,1"/>',
                    '<safety_controller k_velocity="1" soft_upper_limit="0,1"/>'):
        name = element[1:].split('="0,1"')[0].replace("_", "-").replace('"', "").replace("=", "-")
        yield Case(f"place-{name.replace(' ', '-')}", add_to_joint("elbow", element), "reject", "0,1",
                   at=element)
    for name, text in (("two", "0.1 0.1"), ("four", "1 1 1 1"), ("empty", "")):
        yield Case(f"count-box-{name}", edit(BOX, f'<box size="{text}"/>'), "reject", at="<box")
        yield Case(f"count-axis-{name}", edit(AXIS, f'<axis xyz="{text}"/>'), "reject",
                   at=f'<axis xyz="{text}"')
        yield Case(f"count-rpy-{name}", edit(ORIGIN, ORIGIN.replace('rpy="0 0 0"', f'rpy="{text}"')),
                   "reject", at='<origin xyz="0 0 0.4"')
    yield Case("two-bad-numbers",
               edit(MASS, '<mass value="first"/>', edit(AXIS, '<axis xyz="0 second 0"/>')), "reject",
               "second", at='<axis xyz="0 second')


def xacro():
    """What remains if xacro was not run: an error where the value is used, nothing elsewhere."""
    used = {
        "mass": (MASS, '<mass value="${m}"/>'), "xyz": (ORIGIN, '<origin xyz="0 0 ${len/2}"/>'),
        "axis": (AXIS, '<axis xyz="${axis}"/>'),
        "limit": (LIMIT, LIMIT.replace('"-2"', '"${-pi}"')),
        "parent": ('<parent link="upper"/>', '<parent link="${prefix}upper"/>'),
        "joint-type": ('<joint name="elbow" type="revolute">', '<joint name="elbow" type="${type}">'),
        "joint-name": ('<joint name="elbow" type="revolute">', '<joint name="${p}elbow" type="revolute">'),
        "box": (BOX, '<box size="${w} ${w} 1"/>'),
    }
    for name, (old, new) in used.items():
        yield Case(f"xacro-in-{name}", edit(old, new), "reject", "xacro", at=new)
    yield Case("xacro-in-link-name", edit('<link name="tip"/>', '<link name="${p}tip"/>'), "reject",
               "xacro", at='<link name="${p}tip"')
    unused = {
        "comment": "<!-- ${pi} -->", "gazebo": '<gazebo reference="${p}"><mu1>${mu}</mu1></gazebo>',
        "unknown-element": '<note text="${x}"/>',
        "transmission": '<transmission name="${p}t"><joint name="${p}elbow"/></transmission>',
    }
    for name, element in unused.items():
        yield Case(f"xacro-in-{name}", edit("</robot>", f"  {element}\n</robot>"), "accept",
                   expect=WHOLE)
    yield Case("xacro-in-unknown-attribute", edit(MASS, '<mass value="1.5" note="${m}"/>'), "accept",
               expect=WHOLE)
    declared = ('<robot name="arm">', '<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">')
    yield Case("xacro-namespace-only", edit(*declared), "accept", expect=WHOLE)
    yield Case("xacro-element-in-joint",
               edit(*declared, text=add_to_joint("elbow", '<xacro:limits value="${x}"/>')), "warn",
               "xacro", at="<xacro:limits", column=True)
    yield Case("xacro-element-in-link",
               edit(*declared, text=add_to_link("upper", '<xacro:inertia m="1"><mass value="-1"/>'
                                                "</xacro:inertia>")), "warn",
               "xacro", at="<xacro:inertia", column=True)
    yield Case("xacro-element-namespace-not-declared", add_to_link("tip", "<xacro:visual/>"), "warn",
               "xacro", at="<xacro:visual")
