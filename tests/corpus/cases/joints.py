"""Joint types, axes, limits, soft limits, mimic joints."""
from .good import (AXIS, ELBOW, HEAD, LIMIT, OK, ORIGIN, ROBOT, WHOLE, Case, add_to_joint,
                   add_to_robot, edit, fixed_joint, heavy_link)


def typed(kind, text=ROBOT):
    return edit(ELBOW, f'<joint name="elbow" type="{kind}">', text)


def cases():
    yield from types()
    yield from axes()
    yield from origins()
    yield from limits()
    yield from soft_limits()
    yield from mimics()


def types():
    for kind in ("revolute", "prismatic", "continuous"):
        yield Case(f"type-{kind}", typed(kind), "accept", expect=WHOLE)
    yield Case("type-missing", edit(ELBOW, '<joint name="elbow">'), "reject", ("type", "elbow"),
               at='<joint name="elbow">', column=True)
    for name, kind in (("unknown", "spherical"), ("capital", "Revolute"), ("empty", ""),
                       ("spaced", " revolute "), ("two", "revolute prismatic")):
        yield Case(f"type-{name}", typed(kind), "reject", ("type", kind.strip()),
                   at='<joint name="elbow"')
    yield Case("continuous-without-limit", edit(LIMIT, "", typed("continuous")), "accept",
               expect=WHOLE)
    yield Case("continuous-with-effort-only",
               edit(LIMIT, '<limit effort="1"/>', typed("continuous")), "accept", expect=WHOLE)
    for kind in ("floating", "planar"):
        base = heavy_link("moving") + f'<joint name="free" type="{kind}"><parent link="world"/>' \
            '<child link="moving"/></joint>' + fixed_joint("bolt", "moving", "base")
        yield Case(f"{kind}-at-root", add_to_robot('<link name="world"/>' + base), "accept",
                   expect={"root": "world", "dof": 2})
        yield Case(f"{kind}-elsewhere", edit(LIMIT, "", typed(kind)), "warn", ("elbow", kind),
                   at='<joint name="elbow"', expect={"dof": 1})


def axes():
    yield Case("axis-missing", edit(AXIS, ""), "accept", expect=WHOLE)
    yield Case("axis-without-xyz", edit(AXIS, "<axis/>"), OK, expect=WHOLE)
    yield Case("axis-zero", edit(AXIS, '<axis xyz="0 0 0"/>'), "reject", "axis",
               at='xyz="0 0 0"/', column=True)
    yield Case("axis-minus-zero", edit(AXIS, '<axis xyz="-0 0.0 0e5"/>'), "reject", "axis",
               at='<axis xyz="-0')
    yield Case("axis-zero-on-prismatic", edit(AXIS, '<axis xyz="0 0 0"/>', typed("prismatic")),
               "reject", "axis", at='<axis xyz="0 0 0"')
    yield Case("axis-zero-on-continuous", edit(AXIS, '<axis xyz="0 0 0"/>', typed("continuous")),
               "reject", "axis", at='<axis xyz="0 0 0"')
    yield Case("axis-zero-on-fixed", add_to_joint("flange", '<axis xyz="0 0 0"/>'), OK, expect=WHOLE)
    yield Case("axis-on-fixed", add_to_joint("flange", '<axis xyz="0 0 1"/>'), "accept", expect=WHOLE)
    yield Case("axis-non-unit", edit(AXIS, '<axis xyz="0 2 0"/>'), "warn", "axis",
               at='xyz="0 2 0"', column=True, expect=WHOLE)
    yield Case("axis-short", edit(AXIS, '<axis xyz="0 0.5 0"/>'), "warn", "axis",
               at='<axis xyz="0 0.5 0"')
    yield Case("axis-negative", edit(AXIS, '<axis xyz="0 -1 0"/>'), "accept", expect=WHOLE)
    yield Case("axis-slanted", edit(AXIS, '<axis xyz="0.6 0 0.8"/>'), "accept", expect=WHOLE)
    yield Case("axis-rounded", edit(AXIS, '<axis xyz="0.70711 0.70711 0"/>'), OK, expect=WHOLE)
    # Squared, these vanish or overflow: a sum of squares must not make of them a zero axis or nan.
    yield Case("axis-tiny", edit(AXIS, '<axis xyz="0 1e-300 0"/>'), "warn|reject", "axis", at='<axis xyz="0 1e')
    yield Case("axis-huge", edit(AXIS, '<axis xyz="1e300 1e300 0"/>'), "warn|reject", "axis",
               at='<axis xyz="1e')


def origins():
    for version in ("1.1", "1.2"):
        head = f'<robot name="arm" version="{version}">'

        def quat(text, head=head):
            return edit(HEAD, head, edit(ORIGIN, f'<origin xyz="0 0 0.4" {text}/>'))
        yield Case(f"quat-{version}", quat('quat_xyzw="0 0 0 1"'), "accept", expect=WHOLE)
        yield Case(f"quat-slanted-{version}", quat('quat_xyzw="0.5 -0.5 0.5 0.5"'), "accept",
                   expect=WHOLE)
    place = {"at": "quat_xyzw", "column": True}
    for name, text in (("three", "0 0 1"), ("five", "0 0 0 0 1"), ("empty", "")):
        yield Case(f"quat-{name}-numbers", quat(f'quat_xyzw="{text}"'), "reject", "quat|4 number|four",
                   **place)
    yield Case("quat-zero", quat('quat_xyzw="0 0 0 0"'), "reject", "quat", **place)
    yield Case("quat-nan", quat('quat_xyzw="0 0 0 nan"'), "reject", "nan", **place)
    yield Case("quat-not-unit", quat('quat_xyzw="0 0 0 2"'), "warn|reject", "quat", **place)
    yield Case("quat-huge", quat('quat_xyzw="0 0 1e300 1e300"'), "warn|reject|accept")
    yield Case("quat-and-rpy", quat('rpy="0 0 0" quat_xyzw="0 0 0 1"'), "reject", ("rpy", "quat"),
               **place)
    yield Case("origin-missing", edit(ORIGIN, ""), "accept", expect=WHOLE)
    yield Case("origin-empty", edit(ORIGIN, "<origin/>"), "accept", expect=WHOLE)
    yield Case("origin-rpy-only", edit(ORIGIN, '<origin rpy="0 0 1.57"/>'), "accept", expect=WHOLE)
    yield Case("origin-huge-rpy", edit(ORIGIN, '<origin rpy="1e300 0 0"/>'), OK, expect=WHOLE)


def limits():
    for kind in ("revolute", "prismatic"):
        yield Case(f"limit-missing-{kind}", edit(LIMIT, "", typed(kind)), "reject",
                   ("limit", "elbow"), at='<joint name="elbow"', column=True)
    for attribute in ('effort="20"', 'velocity="4"'):
        name = attribute.split("=")[0]
        text = LIMIT.replace(f" {attribute}", "")
        for kind in ("revolute", "prismatic"):
            yield Case(f"limit-without-{name}-{kind}", edit(LIMIT, text, typed(kind)), "reject",
                       name, at=(text, '<joint name="elbow"'))
        for bad in ("-1", "-1e-9"):
            yield Case(f"limit-{name}-is-{bad}", edit(LIMIT, LIMIT.replace(attribute, f'{name}="{bad}"')),
                       "reject", name, at=f'{name}="{bad}"', column=True)
        yield Case(f"limit-{name}-is-0", edit(LIMIT, LIMIT.replace(attribute, f'{name}="0"')), "warn",
                   name, at=f'{name}="0"', column=True, expect=WHOLE)
        yield Case(f"limit-{name}-is-minus-0", edit(LIMIT, LIMIT.replace(attribute, f'{name}="-0.0"')),
                   "warn", name, at='<limit lower="-2"', expect=WHOLE)
    yield Case("limit-all-zero", edit(LIMIT, '<limit lower="-2" upper="2" effort="0" velocity="0"/>'),
               "warn", "cannot move", at='<limit lower="-2"')
    yield Case("limit-crossed", edit(LIMIT, LIMIT.replace('"-2"', '"3"')), "reject",
               ("lower", "upper"), at='lower="3"', column=True)
    yield Case("limit-equal", edit(LIMIT, LIMIT.replace('"-2"', '"2"')), OK, expect=WHOLE)
    yield Case("limit-lower-left-out", edit(LIMIT, LIMIT.replace('lower="-2" ', "")), OK, expect=WHOLE)
    yield Case("limit-upper-left-out-crossed",
               edit(LIMIT, LIMIT.replace('lower="-2" upper="2"', 'lower="1"')), "reject",
               at='<limit lower="1"')
    yield Case("limit-on-fixed", add_to_joint("flange", '<limit lower="-1" upper="1" effort="1" '
                                              'velocity="3"/>'), "warn", ("limit", "flange|fixed"),
               at=('effort="1" velocity="3"', '<joint name="flange"'), expect=WHOLE)
    newer = 'velocity="4" acceleration="{}" deceleration="{}" jerk="{}"'
    for name, values, verdict in (("good", (8, 9, 100), "accept"), ("negative-acceleration", (-8, 9, 9), "reject"),
                                  ("negative-deceleration", (8, -9, 9), "reject"),
                                  ("negative-jerk", (8, 9, -1), "reject"),
                                  ("nan-jerk", (8, 9, "nan"), "reject")):
        text = edit(HEAD, '<robot name="arm" version="1.2">',
                    edit(LIMIT, LIMIT.replace('velocity="4"', newer.format(*values))))
        yield Case(f"limit-1.2-{name}", text, verdict, name.split("-")[-1] if verdict == "reject" else "",
                   at='<limit lower="-2"' if verdict == "reject" else ())
    for name, element in (("damping", '<dynamics damping="0.1" friction="0.2"/>'),
                          ("empty", "<dynamics/>")):
        yield Case(f"dynamics-{name}", add_to_joint("elbow", element), "accept", expect=WHOLE)


def soft_limits():
    def soft(text):
        return add_to_joint("elbow", f"<safety_controller {text}/>")
    good = {"tighter": 'k_velocity="1" soft_lower_limit="-1" soft_upper_limit="1"',
            "equal": 'k_velocity="1" soft_lower_limit="-2" soft_upper_limit="2"',
            "lower-only": 'k_velocity="1" soft_lower_limit="-1"',
            "upper-only": 'k_velocity="1" soft_upper_limit="1"',
            "gains-only": 'k_velocity="1" k_position="1"'}
    for name, text in good.items():
        yield Case(f"soft-{name}", soft(text), "accept", expect=WHOLE)
    wide = {"both": 'soft_lower_limit="-3" soft_upper_limit="3"', "lower": 'soft_lower_limit="-3"',
            "upper": 'soft_upper_limit="3"'}
    for name, text in wide.items():
        yield Case(f"soft-outside-{name}", soft(f'k_velocity="1" {text}'), "warn", "soft",
                   at=text.split()[0], column=True, expect=WHOLE)
    yield Case("soft-crossed", soft('k_velocity="1" soft_lower_limit="1" soft_upper_limit="-1"'),
               "warn|reject", "soft", at="<safety_controller")
    yield Case("soft-beyond-hard", soft('k_velocity="1" soft_lower_limit="5" soft_upper_limit="6"'),
               "warn|reject", "soft", at="<safety_controller")


def mimics():
    def follow(text):
        return add_to_joint("elbow", f"<mimic {text}/>")
    cycle = "loop|cycle|circle|itself"
    yield Case("mimic-good", follow('joint="shoulder" multiplier="-2" offset="0.1"'), "accept",
               expect={**WHOLE, "dof": 1, "pose": ["shoulder", "elbow"]})
    yield Case("mimic-defaults", follow('joint="shoulder"'), "accept", expect={"dof": 1})
    yield Case("mimic-of-itself", follow('joint="elbow"'), "reject", ("elbow", cycle),
               at=("<mimic", ELBOW))
    yield Case("mimic-of-unknown", follow('joint="nowhere"'), "reject", "nowhere",
               at=("<mimic", ELBOW))
    yield Case("mimic-of-link", follow('joint="lower"'), "reject", "lower", at=("<mimic", ELBOW))
    yield Case("mimic-of-fixed", follow('joint="flange"'), "reject", "flange", at=("<mimic", ELBOW))
    yield Case("mimic-without-joint", follow('multiplier="2"'), "reject", at="<mimic")
    yield Case("mimic-empty", follow('joint=""'), "reject", at=("<mimic", ELBOW))
    yield Case("mimic-multiplier-0", follow('joint="shoulder" multiplier="0"'), OK)
    wrist = heavy_link("hand") + '\n<joint name="wrist" type="continuous"><parent link="lower"/>' \
        '<child link="hand"/><mimic joint="{}"/></joint>'
    yield Case("mimic-chain", add_to_robot(wrist.format("elbow")).replace(
        LIMIT, LIMIT + '<mimic joint="shoulder"/>'), "accept", expect={"dof": 1})
    yield Case("mimic-chain-backwards", add_to_robot(wrist.format("shoulder")).replace(
        LIMIT, LIMIT + '<mimic joint="wrist"/>'), "accept", expect={"dof": 1})
    shoulder = '<limit lower="-1" upper="1" effort="10" velocity="2"/>'
    yield Case("mimic-cycle-of-2", follow('joint="shoulder"').replace(
        shoulder, shoulder + '<mimic joint="elbow"/>'), "reject", cycle)
    yield Case("mimic-cycle-of-3", add_to_robot(wrist.format("elbow")).replace(
        shoulder, shoulder + '<mimic joint="wrist"/>').replace(
        LIMIT, LIMIT + '<mimic joint="shoulder"/>'), "reject", cycle)
    yield Case("mimic-of-a-cycle", add_to_robot(wrist.format("elbow")).replace(
        shoulder, shoulder + '<mimic joint="elbow"/>').replace(
        LIMIT, LIMIT + '<mimic joint="shoulder"/>'), "reject", cycle)
    yield Case("mimic-by-a-fixed-joint", add_to_joint("flange", '<mimic joint="elbow"/>'), OK,
               expect=WHOLE)
