"""Robots as shapes in space: vectors, URDF, forward kinematics and the faces of boxes, cylinders and spheres."""

import fnmatch
import math


# ---- vectors -----------------------------------------------------------------------------------------------------


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, k):
    return (a[0] * k, a[1] * k, a[2] * k)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    length = math.sqrt(dot(a, a))
    return scale(a, 1 / length) if length > 0 else (0.0, 0.0, 0.0)


def mat_vec(m, v):
    return (dot(m[0], v), dot(m[1], v), dot(m[2], v))


def mat_mul(a, b):
    columns = list(zip(*b))
    return tuple(tuple(dot(row, column) for column in columns) for row in a)


def rotation(axis, angle):
    """Rodrigues' formula; axis is a unit vector."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    k = 1 - c
    return (
        (c + k * x * x, k * x * y - s * z, k * x * z + s * y),
        (k * x * y + s * z, c + k * y * y, k * y * z - s * x),
        (k * x * z - s * y, k * y * z + s * x, c + k * z * z),
    )


def from_rpy(rpy):
    roll, pitch, yaw = rpy
    return mat_mul(rotation((0, 0, 1), yaw), mat_mul(rotation((0, 1, 0), pitch), rotation((1, 0, 0), roll)))


IDENTITY = (from_rpy((0, 0, 0)), (0.0, 0.0, 0.0))  # a pose is (rotation, position)


def compose(a, b):
    return (mat_mul(a[0], b[0]), add(mat_vec(a[0], b[1]), a[1]))


def apply(pose, point):
    return add(mat_vec(pose[0], point), pose[1])


# ---- URDF --------------------------------------------------------------------------------------------------------


PLAIN = (0.70, 0.70, 0.72)  # a shape without a material


def numbers(text):
    return tuple(float(word) for word in text.split())


def origin_of(element):
    origin = element.find("origin")
    if origin is None:
        return IDENTITY
    return (from_rpy(numbers(origin.get("rpy", "0 0 0"))), numbers(origin.get("xyz", "0 0 0")))


def joint_motion(joint, value):
    axis_element = joint.find("axis")
    axis = unit(numbers(axis_element.get("xyz")) if axis_element is not None else (1.0, 0.0, 0.0))
    kind = joint.get("type")
    if kind in ("revolute", "continuous"):
        return (rotation(axis, value), (0.0, 0.0, 0.0))
    if kind == "prismatic":
        return (IDENTITY[0], scale(axis, value))
    return IDENTITY


def joint_values(joints, settings):
    values = {joint.get("name"): 0.0 for joint in joints}
    for pattern, value in settings:
        names = fnmatch.filter(values, pattern)
        if not names:
            raise ValueError("no joint is named '%s'" % pattern)
        values.update((name, value) for name in names)
    for joint in joints:
        mimic = joint.find("mimic")
        if mimic is not None:
            if mimic.get("joint") not in values:
                raise ValueError("joint '%s' mimics an unknown joint" % joint.get("name"))
            factor, offset = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
            values[joint.get("name")] = factor * values[mimic.get("joint")] + offset
    return values


def link_poses(robot, settings):
    joints = robot.findall("joint")
    values = joint_values(joints, settings)
    children = {joint.find("child").get("link") for joint in joints}
    poses = {link.get("name"): IDENTITY for link in robot.findall("link") if link.get("name") not in children}
    waiting = joints
    while waiting:
        ready = [joint for joint in waiting if joint.find("parent").get("link") in poses]
        if not ready:
            raise ValueError("joints form a loop or name an unknown link")
        for joint in ready:
            parent = poses[joint.find("parent").get("link")]
            motion = joint_motion(joint, values[joint.get("name")])
            poses[joint.find("child").get("link")] = compose(compose(parent, origin_of(joint)), motion)
        waiting = [joint for joint in waiting if joint not in ready]
    return poses


def colour_of(visual, palette):
    material = visual.find("material")
    if material is None:
        return PLAIN
    colour = material.find("color")
    return numbers(colour.get("rgba"))[:3] if colour is not None else palette.get(material.get("name"), PLAIN)


def visuals_of(robot, settings):
    """Yield (pose, geometry element, colour) of every shape."""
    palette = {}
    for material in robot.iter("material"):
        colour = material.find("color")
        if colour is not None:
            palette[material.get("name")] = numbers(colour.get("rgba"))[:3]
    poses = link_poses(robot, settings)
    for link in robot.findall("link"):
        for visual in link.findall("visual"):
            geometry = visual.find("geometry/*")
            if geometry is not None:
                yield compose(poses[link.get("name")], origin_of(visual)), geometry, colour_of(visual, palette)


# ---- shapes: convex solids as lists of faces, counter-clockwise from outside ---------------------------------------


def box_faces(size):
    x, y, z = (s / 2 for s in size)
    corner = [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    order = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return [[corner[i] for i in face] for face in order]


def circle(radius, z, count):
    turn = 2 * math.pi / count
    return [(radius * math.cos(turn * i), radius * math.sin(turn * i), z) for i in range(count)]


def cylinder_faces(radius, length, count):
    low, high = circle(radius, -length / 2, count), circle(radius, length / 2, count)
    sides = [[low[i - 1], low[i], high[i], high[i - 1]] for i in range(count)]
    return sides + [high, low[::-1]]


def sphere_faces(radius, count):
    rings = 2 * max(2, round(count / 4))  # even: one circle is the equator, flush with a cylinder of the same radius
    levels = [math.pi * (i / rings - 0.5) for i in range(1, rings)]
    circles = [circle(radius * math.cos(a), radius * math.sin(a), count) for a in levels]
    faces = []
    for low, high in zip(circles, circles[1:]):
        faces += [[low[i - 1], low[i], high[i], high[i - 1]] for i in range(count)]
    bottom, top = (0.0, 0.0, -radius), (0.0, 0.0, radius)
    faces += [[bottom, circles[0][i], circles[0][i - 1]] for i in range(count)]
    faces += [[circles[-1][i - 1], circles[-1][i], top] for i in range(count)]
    return faces


def faces_of(geometry, fineness):
    """fineness: facets of a circle of one metre radius; smaller circles get fewer, by the square root."""

    def facets(radius):
        return 2 * max(4, min(24, round(fineness * math.sqrt(radius) / 2)))

    if geometry.tag == "box":
        return box_faces(numbers(geometry.get("size")))
    if geometry.tag == "cylinder":
        radius = float(geometry.get("radius"))
        return cylinder_faces(radius, float(geometry.get("length")), facets(radius))
    if geometry.tag == "sphere":
        radius = float(geometry.get("radius"))
        return sphere_faces(radius, facets(radius))
    return []


def normal_of(points):
    """Newell's method: right for any planar polygon, also with short edges."""
    total = (0.0, 0.0, 0.0)
    for i, point in enumerate(points):
        total = add(total, cross(points[i - 1], point))
    return unit(total)
