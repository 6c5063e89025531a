"""Links and joints that do not form a tree, and names that are missing, empty, duplicate or unknown."""
from .good import (CHILD, ELBOW, HEAD, OK, PARENT, ROBOT, WHOLE, Case, add_to_robot, edit,
                   fixed_joint)


def robot(*elements):
    return "\n".join([HEAD, *elements, "</robot>", ""])


def links(*names):
    return "\n".join(f'<link name="{name}"/>' for name in names)


def cases():
    yield from shapes()
    yield from names()
    yield from references()
    yield from unknown_elements()
    yield from robot_element()


def shapes():
    loop = "loop|cycle"
    yield Case("one-link", robot(links("a")), "accept", expect={"links": 1, "dof": 0, "root": "a"})
    yield Case("no-links", robot(), "reject", "link", at="<robot")
    yield Case("no-links-empty-element", '<robot name="arm"/>\n', "reject", "link", at="<robot")
    yield Case("joints-only", robot(fixed_joint("j", "a", "b")), "reject")
    yield Case("self-loop", robot(links("a"), fixed_joint("turn", "a", "a")), "reject", loop,
               at="<joint")
    yield Case("self-loop-beside-root", robot(links("a", "b"), fixed_joint("turn", "b", "b")),
               "reject", loop, at="<joint")
    yield Case("loop-of-two", robot(links("a", "b"), fixed_joint("there", "a", "b"),
                                    fixed_joint("back", "b", "a")), "reject", loop)
    yield Case("loop-of-two-beside-root",
               robot(links("r", "a", "b"), fixed_joint("there", "a", "b"), fixed_joint("back", "b", "a")),
               "reject", loop)
    yield Case("loop-of-three",
               robot(links("a", "b", "c"), fixed_joint("ab", "a", "b"), fixed_joint("bc", "b", "c"),
                     fixed_joint("ca", "c", "a")), "reject", loop)
    yield Case("loop-with-a-tail",
               robot(links("a", "b", "c"), fixed_joint("ab", "a", "b"), fixed_joint("ba", "b", "a"),
                     fixed_joint("bc", "b", "c")), "reject", loop)
    yield Case("two-loops",
               robot(links("a", "b", "c", "d"), fixed_joint("ab", "a", "b"), fixed_joint("ba", "b", "a"),
                     fixed_joint("cd", "c", "d"), fixed_joint("dc", "d", "c")), "reject", loop)
    yield Case("two-parents", robot(links("a", "b", "c"), fixed_joint("ab", "a", "b"),
                                    fixed_joint("ac", "a", "c"), fixed_joint("bc", "b", "c")),
               "reject", ("c", "parent"), at='<joint name="bc"')
    yield Case("two-joints-in-parallel", robot(links("a", "b"), fixed_joint("one", "a", "b"),
                                               fixed_joint("two", "a", "b")), "reject",
               ("b", "parent"), at='<joint name="two"')
    yield Case("two-roots", add_to_robot(links("island")), "reject", ("root", "island"))
    yield Case("three-roots", robot(links("a", "b", "c")), "reject", "root")
    yield Case("two-trees", add_to_robot(links("i", "k") + fixed_joint("ik", "i", "k")), "reject",
               "root")
    yield Case("joints-before-links",
               robot(fixed_joint("bc", "b", "c"), fixed_joint("ab", "a", "b"), links("c", "b", "a")),
               "accept", expect={"links": 3, "joints": 2, "root": "a"})


def names():
    yield Case("link-twice", add_to_robot('<link name="tip" note="2"/>'), "reject",
               ("tip", "duplicate|twice|already|second"), at='<link name="tip" note')
    yield Case("root-link-twice", add_to_robot('<link name="base" note="2"/>'), "reject",
               ("base", "duplicate|twice|already|second"), at='<link name="base" note')
    yield Case("joint-twice", edit('<joint name="flange"', '<joint name="elbow" note="2"'), "reject",
               ("elbow", "duplicate|twice|already|second"), at='<joint name="elbow" note')
    yield Case("link-and-joint-of-one-name", ROBOT.replace('"flange"', '"tip"'), "accept",
               expect=WHOLE)
    yield Case("names-differ-in-case", add_to_robot('<link name="TIP"/>' +
                                                    fixed_joint("FLANGE", "tip", "TIP")), "accept",
               expect={"links": 5})
    yield Case("names-differ-in-normal-form",
               add_to_robot('<link name="é"/><link name="e\u0301"/>' + fixed_joint("j", "tip", "é") +
                            fixed_joint("k", "tip", "e\u0301")), "accept", expect={"links": 6})
    for name, attribute in (("missing", ""), ("empty", ' name=""')):
        yield Case(f"link-name-{name}", edit('<link name="tip"/>', f"<link{attribute}/>"), "reject",
                   "name", at=attribute.strip() or "<link/>", column=True)
        yield Case(f"joint-name-{name}", edit(ELBOW, f'<joint{attribute} type="revolute">'), "reject",
                   "name", at=attribute.strip() or "<joint type", column=True)
        yield Case(f"robot-name-{name}", edit(HEAD, f"<robot{attribute}>"), "warn", "name",
                   at="<robot", column=True, expect={"robot": "", "links": 4})
    yield Case("name-of-60000-bytes", ROBOT.replace('"lower"', '"' + "x" * 60000 + '"'), "accept",
               expect=WHOLE)
    yield Case("unknown-name-of-60000-bytes", edit(PARENT, f'<parent link="{"x" * 60000}"/>'),
               "reject", "xxx", at=('<parent link="x', ELBOW))
    yield Case("name-with-wrong-case-attribute", edit('<link name="tip"/>', '<link Name="tip"/>'),
               "reject", "name", at="<link Name")


def references():
    for name, element in (("parent", PARENT), ("child", CHILD)):
        yield Case(f"{name}-unknown", edit(element, f'<{name} link="nowhere"/>'), "reject",
                   "nowhere", at=(f'<{name} link="nowhere"', ELBOW))
        yield Case(f"{name}-missing", edit(element, ""), "reject", (name, "elbow"), at=ELBOW)
        yield Case(f"{name}-without-link", edit(element, f"<{name}/>"), "reject", "link",
                   at=(f"<{name}/>", ELBOW))
        yield Case(f"{name}-empty", edit(element, f'<{name} link=""/>'), "reject", "link",
                   at=(f'<{name} link=""', ELBOW))
    yield Case("parent-is-a-joint", edit(PARENT, '<parent link="shoulder"/>'), "reject", "shoulder",
               at=('<parent link="shoulder"', ELBOW))


def unknown_elements():
    """The whole subtree is skipped, whatever it holds."""
    table = {
        "transmission": '<transmission name="t"><type>simple</type><joint name="elbow">'
                        "<hardwareInterface>x</hardwareInterface></joint>"
                        '<actuator name="m"/></transmission>',
        "gazebo": '<gazebo reference="tip"><sensor><mass value="nan"/></sensor></gazebo>',
        "gazebo-with-robot": '<gazebo><robot name="inner"><link name="base"/><joint name="elbow"/>'
                             "</robot></gazebo>",
        "ros2-control": '<ros2_control name="r" type="system"><hardware/><joint name="elbow">'
                        '<command_interface name="position"/></joint><joint name="other"/>'
                        "</ros2_control>",
        "sdf-inside": '<gazebo><link name="tip"><inertial><mass>-1</mass></inertial></link></gazebo>',
        "nested-robot": '<robot name="inner"><link name="base"/><joint/></robot>',
        "own": '<my_extension><joint name="elbow" type="?"><axis xyz="0 0 0"/></joint></my_extension>',
        "with-namespace": '<x:a xmlns:x="urn:x"><link/></x:a>',
        "sensor": '<sensor name="s" type="camera"><parent link="nowhere"/></sensor>',
        "like-link": '<links><link/></links>',
    }
    for name, element in table.items():
        yield Case(f"skip-{name}", add_to_robot(element), "accept", expect=WHOLE)
    yield Case("skip-in-link", edit('<link name="tip"/>', '<link name="tip"><box size="-1"/>'
                                    '<link name="base"/><joint name="elbow"/></link>'), "accept",
               expect=WHOLE)
    yield Case("skip-in-joint", edit(PARENT, PARENT + '<calibration rising="0,1"/><x><parent link="?"/></x>'),
               "accept", expect=WHOLE)
    yield Case("skip-text", add_to_robot("stray words, 1 2 3"), OK, expect=WHOLE)
    yield Case("skip-unknown-attributes", edit(ELBOW, ELBOW[:-1] + ' id="7" lower="nan">'), "accept",
               expect=WHOLE)


def robot_element():
    for version in ("1.0", "1.1", "1.2"):
        yield Case(f"version-{version}", edit(HEAD, f'<robot name="arm" version="{version}">'),
                   "accept", expect=WHOLE)
    for version in ("2.0", "0.9", "1.3", "next", "", "1.0.0", "%n", "9" * 400):
        name = version[:9].replace("%", "percent-") or "empty"
        yield Case(f"version-{name}", edit(HEAD, f'<robot name="arm" version="{version}">'), "warn",
                   "version", at="<robot", expect=WHOLE)
