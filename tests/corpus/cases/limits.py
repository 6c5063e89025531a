"""Files at the limits and far beyond them."""
from .good import HEAD, OK, ROBOT, WHOLE, Case, add_to_robot, edit, fixed_joint, heavy_link, revolute_joint

MEGABYTE = 1 << 20
FILE_MAX = 16 * MEGABYTE
ATTRIBUTE_MAX = 64 << 10
ATTRIBUTES_MAX = 256
DEPTH_MAX = 64
LINKS_MAX = 4096


def cases():
    yield from file_sizes()
    yield from attributes()
    yield from depths()
    yield from trees()
    yield from many_problems()


def padded(size, text=ROBOT):
    return text + " " * (size - len(text) - 1) + "\n"


def file_sizes():
    size = "16777216|16 MB"
    yield Case("file-of-16-mb", lambda: padded(FILE_MAX), "accept", expect=WHOLE)
    yield Case("file-of-16-mb-and-a-byte", lambda: padded(FILE_MAX + 1), "reject", size)
    yield Case("file-of-nul", lambda: bytes(MEGABYTE), "reject")
    yield Case("comment-of-15-mb", lambda: add_to_robot("<!--" + "x" * (15 * MEGABYTE) + "-->"), "accept",
               expect=WHOLE)
    yield Case("text-of-15-mb", lambda: add_to_robot("<x>" + "y" * (15 * MEGABYTE) + "</x>"), "accept",
               expect=WHOLE)
    yield Case("line-breaks-15-mb", lambda: add_to_robot("\n" * (15 * MEGABYTE)), "accept", expect=WHOLE)
    yield Case("endless", None, "reject", "regular file", special="endless")
    yield Case("directory", None, "reject", special="directory")
    yield Case("missing", None, "reject", special="missing")


def attributes():
    def attribute(size):
        return edit('<link name="tip"/>', f'<link name="tip" note="{"x" * size}"/>')
    big = "attribute"
    yield Case("attribute-of-64-kb", attribute(ATTRIBUTE_MAX), "accept", expect=WHOLE)
    yield Case("attribute-of-64-kb-and-a-byte", attribute(ATTRIBUTE_MAX + 1), "reject", big,
               at='<link name="tip"')
    yield Case("attribute-of-15-mb", lambda: attribute(15 * MEGABYTE), "reject", big, at='<link name="tip"')
    yield Case("attribute-of-64-mb", lambda: attribute(64 * MEGABYTE), "reject")
    yield Case("attribute-of-1-mb-skipped", add_to_robot(f'<gazebo a="{"x" * MEGABYTE}"/>'), "reject",
               big, at="<gazebo")
    yield Case("attribute-of-1-mb-of-references", edit(HEAD, f'<robot name="{"&amp;" * 200000}">'),
               "reject", big, at="<robot")

    def many(count):
        return edit('<link name="tip"/>', '<link name="tip" '
                    + " ".join(f'a{i}=""' for i in range(count - 1)) + "/>")
    yield Case("attributes-256", many(ATTRIBUTES_MAX), "accept", expect=WHOLE)
    yield Case("attributes-257", many(ATTRIBUTES_MAX + 1), "reject", big, at='<link name="tip"')
    yield Case("attributes-200000", lambda: many(200000), "reject", big, at='<link name="tip"')
    yield Case("attributes-257-skipped",
               add_to_robot("<x><y " + " ".join(f'a{i}=""' for i in range(257)) + "/></x>"), "reject", big)


def depths():
    deep = "depth|deep|nest"

    def nested(depth):
        return edit("</robot>", "<x>" * (depth - 1) + "</x>" * (depth - 1) + "</robot>")
    yield Case("depth-64", nested(DEPTH_MAX), "accept", expect=WHOLE)
    yield Case("depth-65", nested(DEPTH_MAX + 1), "reject", deep, at="<x><x>")
    yield Case("depth-1000000", lambda: nested(1000000), "reject", deep, at="<x><x>")
    yield Case("depth-5000000-never-closed", lambda: HEAD + "<a>" * 5000000, "reject", deep)
    yield Case("depth-100000-of-links", HEAD + '<link name="a">' * 100000, "reject", deep)
    yield Case("siblings-1000000", lambda: add_to_robot("<x/>" * 1000000), "accept", expect=WHOLE)
    yield Case("element-name-of-1-mb", lambda: add_to_robot(f"<{'x' * MEGABYTE}/>"), "accept", expect=WHOLE)


def whole(*parts):
    return "\n".join(['<robot name="big">', *parts, "</robot>", ""])


def chain(count, link, joint):
    """A chain of `count` links l0, l1, ..."""
    names = [f"{i:x}" for i in range(count)]
    return whole(f'<link name="{names[0]}"/>', *(link(n) for n in names[1:]),
                 *(joint(b, a, b) for a, b in zip(names, names[1:])))


def star(count, link, joint):
    return whole('<link name="hub"/>', *(link(f"{i:x}") for i in range(count)),
                 *(joint(f"{i:x}", "hub", f"{i:x}") for i in range(count)))


def comb(teeth):
    """A movable spine with a movable tooth at each vertebra: every tooth ends a long chain."""
    parts = ['<link name="s0"/>']
    for i in range(1, teeth):
        parts += [heavy_link(f"s{i}"), revolute_joint(f"s{i}", f"s{i - 1}", f"s{i}")]
    for i in range(teeth):
        parts += [heavy_link(f"t{i}"), revolute_joint(f"t{i}", f"s{i}", f"t{i}")]
    return whole(*parts)


def light(name):
    return f'<link name="{name}"/>'


def trees():
    links = "4096|links"
    yield Case("chain-of-4096", lambda: chain(LINKS_MAX, light, fixed_joint), "accept",
               expect={"links": LINKS_MAX, "joints": LINKS_MAX - 1, "dof": 0})
    yield Case("chain-of-4096-movable", lambda: chain(LINKS_MAX, heavy_link, revolute_joint), "accept",
               expect={"links": LINKS_MAX, "dof": LINKS_MAX - 1})
    yield Case("chain-of-4097", lambda: chain(LINKS_MAX + 1, light, fixed_joint), "reject", links)
    yield Case("chain-of-200000", lambda: chain(200000, light, fixed_joint), "reject", links + "|16777216")
    yield Case("links-200000", lambda: whole("\n".join(light(i) for i in range(200000))), "reject", links)
    yield Case("links-200000-of-one-name", lambda: whole('<link name="a"/>' * 200000), "reject")
    yield Case("joints-200000-of-one-name", lambda: whole(light("a"), '<joint name="a"/>' * 200000),
               "reject")
    yield Case("children-4000", lambda: star(4000, light, fixed_joint), "accept",
               expect={"links": 4001, "dof": 0})
    yield Case("children-4000-movable", lambda: star(4000, heavy_link, revolute_joint), OK,
               expect={"links": 4001, "dof": 4000})
    yield Case("children-20000", lambda: star(20000, light, fixed_joint), "reject", links)
    # One chain per tooth would have two million joints in all.
    yield Case("comb-of-2048-teeth", lambda: comb(2048), OK, expect={"links": 4096, "dof": 4095})
    yield Case("mimic-chain-of-4000", lambda: chain(4000, heavy_link, follower), "accept",
               expect={"links": 4000, "dof": 1})
    yield Case("mimic-cycle-of-4000", lambda: chain(4000, heavy_link, follower).replace(
        "<master/>", '<mimic joint="f9f"/>'), "reject", "loop|cycle|circle|itself")


def follower(name, parent, child):
    """A joint that follows the next one nearer to the root."""
    mimic = "<master/>" if name == "1" else f'<mimic joint="{parent}"/>'
    return revolute_joint(name, parent, child).replace("</joint>", mimic + "</joint>")


def many_problems():
    yield Case("problems-4000", lambda: star(4000, light, lambda n, p, c: fixed_joint(n, f"no{n}", c)),
               "reject", "no")
    yield Case("problems-100000", lambda: add_to_robot('<link name="upper"/>' * 3000
                                                       + "<joint/>" * 100000), "reject")
    yield Case("warnings-50000", lambda: edit('<link name="tip"/>', '<link name="tip">' + "<visual/>\n" * 50000
                                              + "</link>"), "warn", "visual|geometry")
    # Looking for the line of each problem from the start of the file would read gigabytes.
    yield Case("warnings-1000-behind-15-mb", lambda: edit(
        '<link name="tip"/>', "\n" * (15 * MEGABYTE) + '<link name="tip">' + "<visual/>\n" * 1000 + "</link>"),
        "warn", "visual|geometry")
    # The error must be told, however many warnings stand before it.
    yield Case("error-after-5000-warnings", lambda: edit(
        '<link name="tip"/>', '<link name="tip">' + "<visual/>\n" * 5000 + "</link>").replace(
            '<child link="tip"/>', '<child link="nowhere"/>'), "reject", "nowhere")
