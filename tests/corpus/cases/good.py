"""A tiny good robot, and how a case is made from it by one edit."""
from dataclasses import dataclass, field

ROBOT = """\
<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="1.5"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
    </inertial>
    <visual>
      <geometry>
        <box size="0.1 0.1 0.3"/>
      </geometry>
    </visual>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0 0.2"/>
      <mass value="0.5"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.4" rpy="0 0 0"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 0.5"/>
    <parent link="upper"/>
    <child link="lower"/>
    <axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="20" velocity="4"/>
  </joint>
  <joint name="flange" type="fixed">
    <parent link="lower"/>
    <child link="tip"/>
  </joint>
</robot>
"""

# Parts of ROBOT that occur once in it.
HEAD = '<robot name="arm">'
MASS = '<mass value="1.5"/>'
INERTIA = '<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>'
BOX = '<box size="0.1 0.1 0.3"/>'
SHOULDER = '<joint name="shoulder" type="revolute">'
ELBOW = '<joint name="elbow" type="revolute">'
ORIGIN = '<origin xyz="0 0 0.4" rpy="0 0 0"/>'  # of the shoulder
AXIS = '<axis xyz="0 1 0"/>'  # of the elbow
LIMIT = '<limit lower="-2" upper="2" effort="20" velocity="4"/>'  # of the elbow
PARENT = '<parent link="upper"/>'  # of the elbow
CHILD = '<child link="lower"/>'  # of the elbow
INERTIAL = ROBOT[ROBOT.index("    <inertial>\n"):ROBOT.index("    <visual>\n")]  # of the upper link
WHOLE = {"robot": "arm", "links": 4, "joints": 3, "dof": 2, "root": "base"}

VERDICTS = {"accept", "warn", "reject"}
OK = "accept|warn"  # must load; whether with a warning is left open
ANY = "accept|warn|reject"  # must only not crash, hang or print nonsense


@dataclass
class Case:
    """One file and the expected verdict.

    name     unique; becomes the file name
    text     str, bytes, or a function that returns either (for big files)
    verdict  accept (no warnings), warn (ok, with warnings), reject; `a|b` means either
    message  parts that must all be in the message of one problem; `a|b` means either. Case is
             ignored
    at       a part of the text: that problem must lie on the line where it first occurs. A tuple
             means: on one of these lines
    column   that problem must also lie on the very column where `at` begins
    expect   values that the JSON must have; lists of objects are compared key by key
    trace    run it under strace too, to see that no file is opened because of it
    kind     urdf, or properties: a property file for ROBOT
    suffix   of the file name
    special  instead of text: endless (a link to /dev/zero), directory, missing
    """
    name: str
    text: object
    verdict: str
    message: object = ()
    at: object = ()
    column: bool = False
    expect: dict = field(default_factory=dict)
    trace: bool = False
    kind: str = "urdf"
    suffix: str = ".urdf"
    special: str = ""

    def __post_init__(self):
        assert set(self.verdict.split("|")) <= VERDICTS, self.name
        self.message = as_tuple(self.message)
        self.at = as_tuple(self.at)


def as_tuple(value):
    """A text alone means one item, an empty one means none."""
    return tuple(part for part in ([value] if isinstance(value, str) else value) if part)


def edit(old, new, text=ROBOT):
    """The robot with one part replaced; the part must occur exactly once."""
    assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    return text.replace(old, new)


def add_to_robot(xml):
    return edit("</robot>", f"  {xml}\n</robot>")


def add_to_link(name, xml):
    if f'<link name="{name}"/>' in ROBOT:
        return edit(f'<link name="{name}"/>', f'<link name="{name}">\n    {xml}\n  </link>')
    return edit(f'<link name="{name}">', f'<link name="{name}">\n    {xml}')


def add_to_joint(name, xml):
    head = ROBOT.index(f'<joint name="{name}"')
    tail = ROBOT.index("  </joint>", head)
    return ROBOT[:tail] + f"    {xml}\n" + ROBOT[tail:]


def fixed_joint(name, parent, child):
    return f'<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'


def revolute_joint(name, parent, child):
    return (f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
            '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>')


def heavy_link(name):
    return (f'<link name="{name}"><inertial><mass value="1"/>'
            '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>')
