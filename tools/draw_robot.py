#!/usr/bin/env python3
"""Draw a robot: URDF with boxes, cylinders and spheres in, a shaded SVG out.

    tools/draw_robot.py robots/arm6.urdf -o arm6.svg --set joint2=0.3 --set 'joint[35]=0.8'

--set takes shell patterns, later ones win; joints not named stay at zero. Meshes are skipped. Standard library only.

How it works: forward kinematics places every shape; faces that look away are dropped; a binary space partition
(Fuchs, Kedem, Naylor 1980) splits faces that cut each other and sorts all of them back to front; an index buffer then
shows which pieces can be seen, so that the file holds only those.
"""

import argparse
import collections
import itertools
import math
import random
import sys
import xml.etree.ElementTree as ElementTree

from robot_shapes import add, apply, dot, faces_of, mat_vec, normal_of, rotation, scale, sub, unit, visuals_of

EPS = 1e-7  # metres; thinner than any part, thicker than rounding
LIGHT = (-0.45, -0.62, 0.64)  # towards the light, in camera azimuth: from the left, over the viewer's shoulder
BUFFER_SCALE = 2  # pixels of the index buffer per SVG unit
MIN_PIXELS = 4  # of the index buffer; the outline of a neighbour hides a smaller gap
DECIMALS = 10  # SVG coordinates are whole tenths


# ---- visibility --------------------------------------------------------------------------------------------------


class Face:
    """A planar convex piece; `source` is the uncut face it came from."""

    def __init__(self, points, normal, colour, source=None):
        self.points, self.normal, self.colour = points, normal, colour
        self.source = source or self

    def piece(self, points):
        return Face(points, self.normal, self.colour, self.source)


def split(face, normal, offset):
    """Return the parts (behind, on, before) of a plane; absent ones are None."""
    sides = [dot(normal, p) - offset for p in face.points]
    if all(abs(s) <= EPS for s in sides):
        return None, face, None
    if all(s <= EPS for s in sides):
        return face, None, None
    if all(s >= -EPS for s in sides):
        return None, None, face
    behind, before = [], []
    for i, point in enumerate(face.points):
        last, s0, s1 = face.points[i - 1], sides[i - 1], sides[i]
        if (s0 < -EPS and s1 > EPS) or (s0 > EPS and s1 < -EPS):
            cut = add(last, scale(sub(point, last), s0 / (s0 - s1)))
            behind.append(cut)
            before.append(cut)
        if s1 <= EPS:
            behind.append(point)
        if s1 >= -EPS:
            before.append(point)
    return face.piece(behind), None, face.piece(before)


def choose_plane(faces, rng):
    """Of a few candidates, the one that cuts least and halves best."""
    best, best_cost = None, math.inf
    for face in rng.sample(faces, min(12, len(faces))):
        offset = dot(face.normal, face.points[0])
        cuts = balance = 0
        for other in faces:
            sides = [dot(face.normal, p) - offset for p in other.points]
            low, high = min(sides) < -EPS, max(sides) > EPS
            cuts += low and high
            balance += high - low
        cost = 8 * cuts + abs(balance)
        if cost < best_cost:
            best, best_cost = (face.normal, offset), cost
    return best


def back_to_front(faces):
    """Sort by a BSP. All faces look at the viewer, so what lies behind a face's plane is farther away."""
    rng = random.Random(1)
    done, stack = [], [faces]
    while stack:
        todo = stack.pop()
        if isinstance(todo, Face):
            done.append(todo)
            continue
        if len(todo) < 2:
            done.extend(todo)
            continue
        normal, offset = choose_plane(todo, rng)
        behind, on, before = [], [], []
        for face in todo:
            for part, where in zip(split(face, normal, offset), (behind, on, before)):
                if part is not None:
                    where.append(part)
        stack.append(before)
        stack.extend(reversed(on))
        stack.append(behind)
    return done


def spans(polygon, width, height):
    """Yield (row, first, end) of the pixels whose centres lie in a convex polygon."""
    ys = [p[1] for p in polygon]
    for row in range(max(0, math.ceil(min(ys) - 0.5)), min(height, math.floor(max(ys) - 0.5) + 1)):
        y, xs = row + 0.5, []
        for (x0, y0), (x1, y1) in zip(polygon, polygon[1:] + polygon[:1]):
            if (y0 <= y) != (y1 <= y):
                xs.append(x0 + (x1 - x0) * (y - y0) / (y1 - y0))
        if xs:
            first, end = max(0, math.ceil(min(xs) - 0.5)), min(width, math.floor(max(xs) - 0.5) + 1)
            if first < end:
                yield row, first, end


def visible_only(pieces, project, width, height):
    """Drop hidden pieces, and undo cuts that no eye can see: returns fewer (face, points) in the same order."""
    width, height = int(width * BUFFER_SCALE), int(height * BUFFER_SCALE)

    def flat(points):
        return [tuple(BUFFER_SCALE * c for c in project(p)) for p in points]

    buffer = [[-1] * width for _ in range(height)]
    for index, piece in enumerate(pieces):
        for row, first, end in spans(flat(piece.points), width, height):
            buffer[row][first:end] = [index] * (end - first)
    pixels = collections.Counter(itertools.chain.from_iterable(buffer))
    seen = sorted(index for index, count in pixels.items() if index >= 0 and count >= MIN_PIXELS)
    last_seen = {pieces[index].source: index for index in seen}
    whole = {face for face, at in last_seen.items() if may_be_whole(face, at, pieces, buffer, flat(face.points))}
    result = []
    for index in seen:
        source = pieces[index].source
        if source not in whole:
            result.append(pieces[index])
        elif last_seen[source] == index:
            result.append(source)
    return result


def may_be_whole(source, at, pieces, buffer, polygon):
    """Painting the uncut face where its last piece stands must not cover anything painted earlier."""
    for row, first, end in spans(polygon, len(buffer[0]), len(buffer)):
        for index in set(buffer[row][first:end]):
            if 0 <= index < at and pieces[index].source is not source:
                return False
    return True


# ---- picture -----------------------------------------------------------------------------------------------------


class Camera:
    """Orthographic view; azimuth turns about z, elevation looks down."""

    def __init__(self, azimuth, elevation):
        self.turn = rotation((0, 0, 1), -math.radians(azimuth))
        self.sin, self.cos = math.sin(math.radians(elevation)), math.cos(math.radians(elevation))
        self.towards = self.from_view((0.0, -self.cos, self.sin))
        self.light = self.from_view(unit(LIGHT))
        self.zoom, self.shift = 1.0, (0.0, 0.0)

    def from_view(self, v):
        """A direction given as (right, away, up) in the ground frame of the viewer, in world axes."""
        return mat_vec(tuple(zip(*self.turn)), v)

    def project(self, point):
        x, y, z = mat_vec(self.turn, point)
        return (self.shift[0] + self.zoom * x, self.shift[1] - self.zoom * (y * self.sin + z * self.cos))

    def fit(self, points, width, height, margin):
        flat = [self.project(p) for p in points]
        low = [min(p[i] for p in flat) for i in (0, 1)]
        high = [max(p[i] for p in flat) for i in (0, 1)]
        self.zoom = min((width - 2 * margin) / (high[0] - low[0]), (height - 2 * margin) / (high[1] - low[1]))
        self.shift = tuple(size / 2 - self.zoom * (a + b) / 2 for size, a, b in zip((width, height), low, high))


def shade(colour, normal, camera):
    """Key light, sky light from above, a little light from the viewer and a soft highlight; shadows turn cool."""
    key = max(0.0, dot(normal, camera.light))
    sky = 0.5 + 0.5 * normal[2]
    face_on = max(0.0, dot(normal, camera.towards))
    light = 0.40 + 0.44 * key + 0.16 * sky + 0.06 * face_on
    gloss = 0.10 * max(0.0, dot(normal, unit(add(camera.light, camera.towards)))) ** 20
    dark = max(0.0, 1.0 - light)
    tint = (1 - 0.10 * dark, 1 - 0.02 * dark, 1 + 0.14 * dark)
    tone = [min(1.0, c * light * t + gloss) for c, t in zip(colour, tint)]
    return "#" + "".join("%02x" % round(255 * c) for c in tone)


def hull(points):
    """Convex hull in the plane, Andrew's monotone chain."""

    def turn(a, b, c):
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

    points = sorted(set(points))
    halves = []
    for sequence in (points, points[::-1]):
        half = []
        for p in sequence:
            while len(half) > 1 and turn(half[-2], half[-1], p) <= 0:
                half.pop()
            half.append(p)
        halves += half[:-1]
    return halves


def path(polygon):
    """Closed path in whole tenths, relative moves; empty if it collapses to a line."""
    points = []
    for x, y in polygon:
        p = (round(x * DECIMALS), round(y * DECIMALS))
        if not points or p != points[-1]:
            points.append(p)
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    if len(points) < 3:
        return ""
    moves = ["%d %d" % (b[0] - a[0], b[1] - a[1]) for a, b in zip(points, points[1:])]
    return ("M%d %dl" % points[0] + " ".join(moves) + "z").replace(" -", "-")


def shadow(solids, camera, floor, light):
    parts = []
    for faces in solids:
        on_floor = [add(p, scale(light, (floor - p[2]) / light[2])) for face in faces for p in face]
        parts.append(path(hull([tuple(round(c, 2) for c in camera.project(p)) for p in on_floor])))
    return "".join(parts)


def grid(camera, centre, radius, floor):
    step = 10 ** math.floor(math.log10(radius))
    step = next(s for s in (step / 5, step / 4, step / 2, step) if radius / s <= 9)
    lines, count = [], math.floor(radius / step)
    for i in range(-count, count + 1):
        reach = math.sqrt(max(0.0, radius * radius - (i * step) ** 2))
        for ends in (((i * step, -reach), (i * step, reach)), ((-reach, i * step), (reach, i * step))):
            a, b = (camera.project((centre[0] + x, centre[1] + y, floor)) for x, y in ends)
            lines.append("M%d %dL%d %d" % tuple(round(c * DECIMALS) for c in a + b))
    return "".join(lines)


def painted(faces, camera):
    """Paths of all faces in order; neighbours of one colour share a path."""
    out, last, data = [], None, ""
    for face in faces:
        colour = shade(face.colour, face.normal, camera)
        if colour != last and data:
            out.append('<path color="%s" d="%s"/>' % (last, data))
            data = ""
        last = colour
        data += path([camera.project(p) for p in face.points])
    out.append('<path color="%s" d="%s"/>' % (last, data))
    return "\n".join(out)


SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img">
<title>{title}</title>
<defs>
<linearGradient id="sky" x2="0" y2="1">
<stop stop-color="#f7f9fb"/><stop offset="1" stop-color="#dfe6ec"/></linearGradient>
<radialGradient id="fade" gradientUnits="userSpaceOnUse" cx="{cx}" cy="{cy}" r="{r}">
<stop stop-color="#5d7487" stop-opacity=".5"/><stop offset="1" stop-color="#5d7487" stop-opacity="0"/></radialGradient>
<filter id="soft" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="{blur}"/></filter>
<filter id="near" x="-20%" y="-20%" width="140%" height="140%"><feGaussianBlur stdDeviation="{blur_near}"/></filter>
</defs>
<rect width="{w}" height="{h}" rx="18" fill="url(#sky)"/>
<g transform="scale(.1)">
<path d="{grid}" fill="none" stroke="url(#fade)" stroke-width="9"/>
<path d="{shadow}" fill="#22384a" opacity=".22" filter="url(#soft)"/>
<path d="{under}" fill="#22384a" opacity=".16" filter="url(#near)"/>
<g fill="currentColor" stroke="currentColor" stroke-width="5" stroke-linejoin="round">
{faces}
</g>
</g>
</svg>
"""


def placed(shape, fineness):
    pose, geometry, _ = shape
    return [[apply(pose, p) for p in face] for face in faces_of(geometry, fineness)]


def draw(robot, settings, args):
    camera = Camera(args.azimuth, args.elevation)
    shapes = [shape for shape in visuals_of(robot, settings) if faces_of(shape[1], 1)]
    if not shapes:
        raise ValueError("nothing to draw: no box, cylinder or sphere")
    solids, coarse = ([placed(shape, fineness) for shape in shapes] for fineness in (args.fineness, args.fineness / 3))
    points = [p for faces in solids for face in faces for p in face]
    floor = min(p[2] for p in points)
    camera.fit(points, args.width, args.height, args.margin)

    faces = []
    for solid, (_, _, colour) in zip(solids, shapes):
        for face in solid:
            normal = normal_of(face)
            if dot(normal, camera.towards) > 1e-4:
                faces.append(Face(face, normal, colour))
    faces = visible_only(back_to_front(faces), camera.project, args.width, args.height)

    low, high = [tuple(pick(p[i] for p in points) for i in (0, 1, 2)) for pick in (min, max)]
    centre = ((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, floor)
    radius = 0.75 * max(math.dist(low[:2], high[:2]), 0.6 * (high[2] - low[2]))
    cx, cy = camera.project(centre)
    return SVG.format(
        w=args.width, h=args.height, title=robot.get("name", "robot"),
        cx=round(cx * DECIMALS), cy=round(cy * DECIMALS), r=round(radius * camera.zoom * DECIMALS),
        blur=7 * DECIMALS, blur_near=4 * DECIMALS,
        grid=grid(camera, centre, radius, floor),
        shadow=shadow(coarse, camera, floor, add(camera.light, (0.0, 0.0, 0.9))),
        under=shadow(coarse, camera, floor, (0.0, 0.0, 1.0)),
        faces=painted(faces, camera),
    )  # fmt: skip


def setting(text):
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("expected NAME=VALUE, got '%s'" % text)
    return name, float(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("urdf")
    parser.add_argument("-o", "--output", help="SVG file; standard output if missing")
    parser.add_argument("--set", type=setting, action="append", default=[], metavar="JOINT=VALUE", help="rad or m")
    parser.add_argument("--azimuth", type=float, default=40, help="where the viewer stands, degrees about z")
    parser.add_argument("--elevation", type=float, default=22, help="how far the viewer looks down, degrees")
    parser.add_argument("--width", type=int, default=960)
    parser.add_argument("--height", type=int, default=640)
    parser.add_argument("--margin", type=int, default=52)
    parser.add_argument("--fineness", type=float, default=135, help="facets of a circle of 1 m radius")
    args = parser.parse_args()
    try:
        text = draw(ElementTree.parse(args.urdf).getroot(), args.set, args)
    except (OSError, ValueError, ElementTree.ParseError) as problem:
        sys.exit("%s: error: %s" % (args.urdf, problem))
    with open(args.output, "w", encoding="utf-8") if args.output else sys.stdout as out:
        out.write(text)


if __name__ == "__main__":
    main()
