"""Masses, inertias, shapes and materials."""
from .good import (ANY, BOX, HEAD, INERTIA, INERTIAL, MASS, OK, ROBOT, WHOLE, Case, add_to_link,
                   add_to_robot, edit, heavy_link)


def cases():
    yield from masses()
    yield from inertias()
    yield from shapes()
    yield from meshes()
    yield from materials()


def masses():
    yield Case("mass-negative", edit(MASS, '<mass value="-1"/>'), "reject", "mass", at='value="-1"',
               column=True)
    yield Case("mass-negative-tiny", edit(MASS, '<mass value="-1e-12"/>'), "reject", "mass", at="<mass")
    yield Case("mass-zero", edit(MASS, '<mass value="0"/>'), OK, expect=WHOLE)
    yield Case("mass-missing", edit(MASS, ""), "reject", "mass", at="<inertial>", column=True)
    yield Case("mass-without-value", edit(MASS, "<mass/>"), "reject", ("mass",),
               at=("<mass/>", "<inertial>"))
    yield Case("mass-as-text", edit(MASS, "<mass>1.5</mass>"), "reject", "mass",
               at=("<mass>", "<inertial>"))
    yield Case("inertial-empty", edit(INERTIAL, "    <inertial/>\n"), "reject", at="<inertial/>",
               column=True)
    yield Case("inertial-missing", edit(INERTIAL, ""), "warn", ("upper", "inertia"),
               at='<link name="upper"', expect=WHOLE)
    yield Case("inertial-missing-at-leaf",
               ROBOT[:ROBOT.index('  <link name="lower">')] + '  <link name="lower"/>\n'
               + ROBOT[ROBOT.index('  <link name="tip"/>'):], "warn", ("lower", "inertia"),
               at='<link name="lower"', expect=WHOLE)
    yield Case("inertial-of-root", add_to_link("base", INERTIAL.strip()), "accept", expect=WHOLE)
    yield Case("inertial-on-fixed-tip", add_to_link("tip", INERTIAL.strip()), "accept", expect=WHOLE)
    yield Case("mass-huge-and-merged",
               edit('<mass value="0.5"/>', '<mass value="1e308"/>',
                    add_to_link("tip", INERTIAL.strip().replace("1.5", "1e308"))), ANY)


def inertia(**entries):
    values = {"ixx": "0.02", "ixy": "0", "ixz": "0", "iyy": "0.03", "iyz": "0", "izz": "0.04", **entries}
    return edit(INERTIA, "<inertia " + " ".join(f'{k}="{v}"' for k, v in values.items()) + "/>")


def inertias():
    yield Case("inertia-missing", edit(INERTIA, ""), "reject", "inertia", at="<inertial>", column=True)
    for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"):
        value = {"ixx": "0.02", "iyy": "0.03", "izz": "0.04"}.get(entry, "0")
        yield Case(f"inertia-without-{entry}", edit(INERTIA, INERTIA.replace(f'{entry}="{value}"', "")),
                   "reject", entry, at="<inertia ", column=True)
    at = {"at": "<inertia ", "column": True}
    definite = "definite|negative"
    for name, entries in (("diagonal", {"izz": "-0.04"}), ("off-diagonal", {"ixy": "0.05"}),
                          ("just-beyond-rounding", {"ixx": "-1e-8"}),
                          ("hidden", {"ixx": "1", "iyy": "1", "izz": "1", "ixy": "0.9", "ixz": "0.9",
                                      "iyz": "-0.9"}),
                          ("all", {"ixx": "-1", "iyy": "-1", "izz": "-1"})):
        yield Case(f"inertia-not-definite-{name}", inertia(**entries), "reject", definite, **at)
    yield Case("inertia-not-definite-by-rounding", inertia(ixx="-1e-10", iyy="0.03", izz="0.03"), OK,
               expect=WHOLE)
    yield Case("inertia-zero", inertia(ixx="0", iyy="0", izz="0"), OK, expect=WHOLE)
    yield Case("inertia-rod", inertia(ixx="0.03", iyy="0.03", izz="0"), "accept", expect=WHOLE)
    yield Case("inertia-plate", inertia(ixx="0.01", iyy="0.02", izz="0.03"), "accept", expect=WHOLE)
    yield Case("inertia-plate-by-rounding", inertia(ixx="0.1", iyy="0.2", izz="0.30000000000000004"),
               "accept", expect=WHOLE)
    yield Case("inertia-products", inertia(ixx="0.03", iyy="0.03", izz="0.03", ixy="0.005", iyz="-0.004"),
               "accept", expect=WHOLE)
    yield Case("inertia-triangle-diagonal", inertia(ixx="0.01", iyy="0.01", izz="0.05"), "warn",
               "triangle", expect=WHOLE, **at)
    # The diagonal alone keeps the inequality, the principal moments 0.05, 0.01 and 0.01 do not.
    yield Case("inertia-triangle-rotated", inertia(ixx="0.03", iyy="0.03", izz="0.01", ixy="0.02"), "warn",
               "triangle", expect=WHOLE, **at)
    yield Case("inertia-huge", inertia(ixx="1e300", iyy="1e300", izz="1e300"), ANY)
    yield Case("inertia-huge-indefinite", inertia(ixx="1e300", iyy="1e300", izz="1e300", ixy="1e305"),
               "reject", at="<inertia ")
    yield Case("inertia-origin-turned", edit('<origin xyz="0 0 0.1" rpy="0 0 0"/>',
                                             '<origin xyz="0 0 0.1" rpy="1 2 3"/>'), "accept",
               expect=WHOLE)


def shapes():
    negative = {"box": '<box size="0.1 -0.1 0.3"/>', "cylinder-radius": '<cylinder radius="-1" length="1"/>',
                "cylinder-length": '<cylinder radius="1" length="-1"/>', "sphere": '<sphere radius="-1"/>',
                "capsule-radius": '<capsule radius="-1" length="1"/>',
                "capsule-length": '<capsule radius="1" length="-1"/>'}
    for name, shape in negative.items():
        yield Case(f"negative-{name}", edit(BOX, shape), "reject", "negative", at=shape)
    yield Case("negative-box-in-collision",
               add_to_link("lower", '<collision><geometry><box size="-1 1 1"/></geometry></collision>'),
               "reject", "negative|-1", at='<box size="-1')
    good = {"cylinder": '<cylinder radius="1" length="1"/>', "sphere": '<sphere radius="1"/>',
            "capsule": '<capsule radius="0.1" length="1"/>'}
    for name, shape in good.items():
        yield Case(f"shape-{name}", edit(HEAD, '<robot name="arm" version="1.2">', edit(BOX, shape)),
                   "accept", expect=WHOLE)
    yield Case("shape-zero", edit(BOX, '<box size="0 0 0"/>'), OK, expect=WHOLE)
    incomplete = {"none": "", "box-without-size": "<box/>", "cylinder-without-length": '<cylinder radius="1"/>',
                  "cylinder-without-radius": '<cylinder length="1"/>', "sphere-without-radius": "<sphere/>",
                  "capsule-without-radius": '<capsule length="1"/>', "mesh-without-file": "<mesh/>",
                  "unknown": '<torus radius="1"/>'}
    for name, shape in incomplete.items():
        yield Case(f"shape-{name}", edit(BOX, shape), "warn", "geometry|" + (shape[1:7].strip("/< ") or "geometry"),
                   at=(shape, "<geometry>") if shape else "<geometry>", expect=WHOLE)
    yield Case("visual-empty", add_to_link("tip", "<visual/>"), "warn", "geometry|visual",
               at="<visual/>", expect=WHOLE)
    yield Case("collision-empty", add_to_link("tip", "<collision></collision>"), "warn",
               "geometry|collision", at="<collision>", expect=WHOLE)
    yield Case("visual-twice", add_to_link("upper", f"<visual><geometry>{BOX}</geometry></visual>"),
               "accept", expect=WHOLE)


def meshes():
    """cube.stl lies beside the files, nothing else does."""
    def mesh(text):
        return edit(BOX, f"<mesh {text}/>")
    yield Case("mesh-found", mesh('filename="cube.stl"'), "accept", expect=WHOLE)
    yield Case("mesh-found-below", mesh('filename="./meshes/../cube.stl"'), ANY)
    yield Case("mesh-found-and-mirrored", mesh('filename="cube.stl" scale="-1 1 1"'), "accept",
               expect=WHOLE)
    missing = {"relative": "meshes/none.stl", "parent": "../none.stl", "absolute": "/none/none.stl",
               "file-url": "file:///none/none.stl", "package": "package://none_description/none.stl",
               "package-only": "package://", "network": "http://127.0.0.1:9/none.stl",
               "percent": "%n%s.stl", "empty": "", "long": "x" * 10000,
               "shell": "$(touch pwned);`touch pwned`|touch pwned", "find": "$(find none)/none.stl"}
    for name, filename in missing.items():
        yield Case(f"mesh-missing-{name}", mesh(f'filename="{filename}"'), "warn", "mesh", at="<mesh",
                   column=True, expect=WHOLE, trace=True)
    yield Case("mesh-is-a-secret", mesh('filename="file:///etc/passwd"'), OK, expect=WHOLE, trace=True)
    yield Case("mesh-is-a-device", mesh('filename="/dev/zero"'), OK, expect=WHOLE, trace=True)
    yield Case("mesh-scale-of-two-numbers", mesh('filename="cube.stl" scale="1 1"'), "reject", "scale|3 number|three",
               at="<mesh")
    yield Case("mesh-missing-4000-times",
               add_to_robot("".join(f'<link name="m{i}"><visual><geometry><mesh filename="{i}.stl"/>'
                                    f'</geometry></visual></link>\n<joint name="m{i}" type="fixed"><parent '
                                    f'link="base"/><child link="m{i}"/></joint>' for i in range(4000))),
               "warn", "mesh")


def materials():
    def visual(material):
        return add_to_link("tip", f"<visual><geometry>{BOX}</geometry>\n{material}</visual>")
    red = '<material name="red"><color rgba="1 0 0 1"/></material>'
    yield Case("material-inside", visual(red), "accept", expect=WHOLE)
    yield Case("material-by-name", edit("</robot>", red + "</robot>", visual('<material name="red"/>')),
               "accept", expect=WHOLE)
    yield Case("material-defined-in-another-link",
               edit("</visual>\n  </link>\n  <link name=\"lower\"", "</visual>\n <visual><geometry>"
                    f"{BOX}</geometry>{red}</visual>\n  </link>\n  <link name=\"lower\"",
                    visual('<material name="red"/>')), "accept", expect=WHOLE)
    for name, material in (("unknown", '<material name="none"/>'), ("empty", "<material/>"),
                           ("nameless", '<material><color rgba="1 0 0 1"/></material>'),
                           ("color-without-rgba", '<material name="m"><color/></material>'),
                           ("texture-without-file", '<material name="m"><texture/></material>')):
        verdict = OK if name == "nameless" else "warn"
        yield Case(f"material-{name}", visual(material), verdict,
                   "" if verdict == OK else "material|color|texture", at=() if verdict == OK else "<material",
                   expect=WHOLE)
    yield Case("material-at-top-without-color", edit("</robot>", '<material name="m"/></robot>'), "warn",
               "material", at="<material")
    yield Case("material-rgba-of-three-numbers", visual(red.replace("1 0 0 1", "1 0 0")), "warn|reject",
               at="<material")
    yield Case("material-rgba-comma", visual(red.replace("1 0 0 1", "1 0 0 0,5")), "warn|reject",
               "0,5", at="<material")
    # A search from the start for every use would take 10^9 steps.
    count = 40000
    yield Case("material-40000-used-40000-times", lambda: edit(
        "</robot>", "".join(f'<material name="m{i}"><color rgba="0 0 0 1"/></material>\n' for i in range(count))
        + heavy_link("dressed").replace("</link>", "".join(
            f'<visual><geometry><sphere radius="1"/></geometry><material name="m{count - 1 - i}"/></visual>\n'
            for i in range(count)) + "</link>")
        + '<joint name="d" type="fixed"><parent link="tip"/><child link="dressed"/></joint></robot>'),
        "accept", expect={"links": 5})
