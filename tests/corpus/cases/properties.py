"""What a property file may say about the robot: each case once as YAML and once as .cpf."""
import copy
from xml.sax.saxutils import escape

from .good import ANY, OK, Case

PROPERTIES = {
    "kinematics_chains": {
        "arm": {"first_link": "base", "last_link": "tip", "default_contact": "palm"},
        "forearm": {"first_link": "upper", "last_link": "lower"},
    },
    "contacts": {
        "palm": {"points": [["0", "0", "0.5"]]},
        "edge": {"points": [["0", "0", "0"], ["0", "0.25", "0"]]},
        "sole": {"points": [["0", "0", "0"], ["0", "1", "0"], ["1", "0", "0"]]},
    },
    "groups": {"all": {"chains": ["arm"]}},
}
KINDS = [{"name": "palm", "kind": "point"}, {"name": "edge", "kind": "axis"},
         {"name": "sole", "kind": "full"}]
WHOLE = {"dof": 2, "pose": ["shoulder", "elbow"], "contacts": KINDS,
         "chains": [{"name": "arm", "first_link": "base", "last_link": "tip",
                     "joints": ["shoulder", "elbow"]},
                    {"name": "forearm", "first_link": "upper", "last_link": "lower",
                     "joints": ["elbow"]}]}


def yaml(value, indent=0):
    """Bags and lists of lists as blocks, lists of texts in brackets."""
    pad = " " * indent
    if isinstance(value, str):
        return f" {value}\n"
    if not value:
        return " {}\n" if isinstance(value, dict) else " []\n"
    if isinstance(value, dict):
        return "\n" + "".join(f"{pad}{key}:{yaml(item, indent + 2)}" for key, item in value.items())
    if all(isinstance(item, str) for item in value):
        return " [" + ", ".join(value) + "]\n"
    return "\n" + "".join(f"{pad}-{yaml(item, indent + 2)}" for item in value)


def cpf(value, name, indent=2):
    pad = " " * indent
    if isinstance(value, str):
        return (f'{pad}<simple name="{escape(name)}" type="string"><value>{escape(value)}</value>'
                "</simple>\n")
    tag, kind, items = "struct", "PropertyBag", value
    if isinstance(value, list):
        tag, kind, items = "sequence", "array", {f"Element{i}": v for i, v in enumerate(value)}
    inner = "".join(cpf(item, key, indent + 2) for key, item in items.items())
    return f'{pad}<{tag} name="{escape(name)}" type="{kind}">\n{inner}{pad}</{tag}>\n'


def as_yaml(properties):
    return yaml(properties).lstrip("\n")


def as_cpf(properties, document_type='<!DOCTYPE properties SYSTEM "cpf.dtd">\n'):
    inner = "".join(cpf(value, key) for key, value in properties.items())
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{document_type}<properties>\n{inner}</properties>\n'


def both(name, properties, verdict, message="", at="", rename=None, expect=None):
    """A case in both languages. `rename` writes keys that a dict cannot hold twice."""
    for suffix, text in ((".yaml", as_yaml(properties)), (".cpf", as_cpf(properties))):
        for old, new in (rename or {}).items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        yield Case(f"{name}-{suffix[1:]}", text, verdict, message, at=at, expect=expect or {},
                   kind="properties", suffix=suffix)


def changed(path, value, base=None):
    """PROPERTIES with one entry set, or taken out if the value is None."""
    result = copy.deepcopy(base or PROPERTIES)
    *parents, last = path.split("/")
    bag = result
    for key in parents:
        bag = bag[key]
    if value is None:
        del bag[last]
    else:
        bag[last] = value
    return result


CHAIN = "kinematics_chains/arm"


def cases():
    yield from both("good", PROPERTIES, "accept", expect=WHOLE)
    yield from chains()
    yield from contacts()
    yield from groups()
    yield from keys()
    yield from wrong_kinds()
    yield from big()


def chains():
    for key in ("first_link", "last_link", "last_link_virtual"):
        yield from both(f"{key}-unknown", changed(f"{CHAIN}/{key}", "nowhere"), "reject", "nowhere",
                        at="nowhere")
        yield from both(f"{key}-percent", changed(f"{CHAIN}/{key}", "'%s%n'"), "reject", "%s%n",
                        at="%s%n")
    for key in ("first_link", "last_link"):
        yield from both(f"{key}-missing", changed(f"{CHAIN}/{key}", None), "reject", (key, "arm"))
        yield from both(f"{key}-empty", changed(f"{CHAIN}/{key}", ""), "reject", at=key)
        yield from both(f"{key}-is-a-joint", changed(f"{CHAIN}/{key}", "elbow"), "reject", "elbow",
                        at="elbow")
    upside_down = changed(f"{CHAIN}/first_link", "tip", changed(f"{CHAIN}/last_link", "base"))
    yield from both("chain-upside-down", upside_down, "reject", ("base", "tip"))
    one = changed(f"{CHAIN}/first_link", "tip")
    yield from both("chain-of-one-link", one, "reject", "arm")
    yield from both("chain-of-fixed-joints", changed(f"{CHAIN}/first_link", "lower"), "reject", "arm")
    yield from both("virtual-link-good", changed(f"{CHAIN}/last_link", "lower", changed(
        f"{CHAIN}/last_link_virtual", "tip")), "accept")
    yield from both("virtual-link-above", changed(f"{CHAIN}/last_link_virtual", "upper"), "reject",
                    "upper")
    yield from both("chain-extra-keys", changed(f"{CHAIN}/solver", "fast", changed(
        f"{CHAIN}/weights", ["1", "2"], changed(f"{CHAIN}/more", {"a": {"b": "c"}}))), "accept",
        expect=WHOLE)
    yield from both("chain-twice", changed("kinematics_chains/again", PROPERTIES["kinematics_chains"]["arm"]),
                    "reject", "arm", rename={"again": "arm"})
    yield from both("chains-that-share-joints", changed("kinematics_chains/second", {
        "first_link": "base", "last_link": "lower"}), "accept", expect={"dof": 2})
    yield from both("chains-none", {"kinematics_chains": {}}, ANY)
    yield from both("chains-by-the-other-key",
                    {"chains": PROPERTIES["kinematics_chains"], "contacts": PROPERTIES["contacts"]}, "accept",
                    expect=WHOLE)
    yield from both("chains-by-both-keys", {**PROPERTIES, "chains": {"x": {
        "first_link": "base", "last_link": "tip"}}}, "reject", "chains")


def contacts():
    yield from both("default-contact-unknown", changed(f"{CHAIN}/default_contact", "nowhere"), "reject",
                    "nowhere", at="nowhere")
    yield from both("default-contact-without-contacts", changed("contacts", None), "reject", "palm",
                    at="palm")
    yield from both("contact-without-points", changed("contacts/hollow", {}), "reject", "hollow",
                    at="hollow")
    yield from both("contact-with-no-points", changed("contacts/hollow", {"points": []}), "reject",
                    "hollow")
    for name, point in (("two-numbers", ["7", "7"]), ("four-numbers", ["7", "7", "7", "7"]),
                        ("no-numbers", []), ("word", ["7", "7", "seven"]), ("nan", ["7", "7", "nan"]),
                        ("inf", ["7", ".inf", "7"]), ("overflow", ["7", "7", "1e999"]),
                        ("hex", ["7", "7", "0x10"]), ("unit", ["7", "7", "1cm"]),
                        ("list-inside", ["7", "7", ["7"]])):
        yield from both(f"point-{name}", changed("contacts/odd", {"points": [["0", "0", "0"], point]}),
                        "reject", "point")
    kinds = {
        "coincident-pair": (["1 2 3", "1 2 3"], "point"),
        "coincident-triple": (["1 2 3", "1 2 3", "1 2 3"], "point"),
        "two-of-three-coincident": (["0 0 0", "1 0 0", "1 0 0"], "axis"),
        "collinear": (["0 0 0", "1 2 3", "2 4 6"], "axis"),
        "collinear-five": (["0 0 0", "1 1 1", "2 2 2", "-3 -3 -3", "9 9 9"], "axis"),
        "collinear-away-from-origin": (["10 0.1 0.3", "10 0.2 0.3", "10 0.3 0.3"], "axis"),
        "square": (["0 0 0", "1 0 0", "1 1 0", "0 1 0"], "full"),
        "late-corner": (["0 0 0", "0 0 0", "1 0 0", "2 0 0", "0 1 0"], "full"),
        "millimetre-foot": (["0 0 0", "0.001 0 0", "0 0.001 0"], "full"),
    }
    for name, (points, kind) in kinds.items():
        contact = {"points": [point.split() for point in points]}
        yield from both(f"contact-{name}", changed("contacts/odd", contact), "accept",
                        expect={"contacts": KINDS + [{"name": "odd", "kind": kind}]})
    far = {"points": [["1e300", "0", "0"], ["0", "1e300", "0"], ["0", "0", "1e300"]]}
    yield from both("contact-of-huge-triangle", changed("contacts/odd", far), OK)
    yield from both("contact-extra-keys", changed("contacts/palm/friction", "0.5"), OK)


def groups():
    def group(name, **content):
        return changed(f"groups/{name}", content)
    yield from both("group-of-joints", changed("groups/all", {"joints": ["elbow"]}), "accept", expect=WHOLE)
    yield from both("group-of-both", changed("groups/all", {"chains": ["forearm"], "joints": ["shoulder"]}),
                    "accept", expect=WHOLE)
    yield from both("groups-overlap", group("second", joints=["elbow"]), "reject", "elbow")
    yield from both("groups-overlap-by-chains", group("second", chains=["forearm"]), "reject", "elbow")
    yield from both("group-unknown-chain", group("second", chains=["nowhere"]), "reject", "nowhere",
                    at="nowhere")
    yield from both("group-unknown-joint", group("second", joints=["nowhere"]), "reject", "nowhere",
                    at="nowhere")
    yield from both("group-names-joint-twice", changed("groups/all", {"joints": ["elbow", "elbow"]}), ANY)
    yield from both("group-of-fixed-joint", group("second", joints=["flange"]), "reject", "flange",
                    at="flange")


def keys():
    yield from both("top-level-key-unknown", changed("kinematic_trees", {}), "reject", "kinematic_trees",
                    at="kinematic_trees")
    yield from both("top-level-scalar-unknown", changed("gravity", "9.81"), "reject", "gravity", at="gravity")
    yield from both("top-level-key-twice", changed("again", {}), "reject", "contacts",
                    rename={"again": "contacts"})
    yield from both("chain-key-twice", changed(f"{CHAIN}/again", "upper"), "reject", "first_link",
                    rename={"again": "first_link"})
    yield from both("extra-key-twice", changed(f"{CHAIN}/once", "1", changed(f"{CHAIN}/again", "2")),
                    "reject", "once", rename={"again": "once"})
    yield from both("contact-twice", changed("contacts/again", {"points": [["1", "1", "1"]]}), "reject",
                    "palm", rename={"again": "palm"})
    yield from both("empty-bags", {"kinematics_chains": {}, "contacts": {}, "groups": {}}, ANY)


def wrong_kinds():
    """A list where a bag is wanted, a text where a list is, and so on."""
    text, texts, bag = "text", ["a", "b"], {"a": "b"}
    table = {
        "kinematics_chains": (text, texts), CHAIN: (text, texts), f"{CHAIN}/first_link": (texts, bag),
        f"{CHAIN}/default_contact": (texts, bag), "contacts": (text, texts), "contacts/palm": (text, texts),
        "contacts/palm/points": (text, bag, texts), "groups": (text, texts), "groups/all": (text, texts),
        "groups/all/chains": (text, bag, [["arm"]]),
    }
    for path, values in table.items():
        for value in values:
            kind = {str: "text", list: "list", dict: "bag"}[type(value)]
            yield from both(f"kind-{path.replace('/', '-')}-is-{kind}", changed(path, value), "reject")


def big():
    """Looking up every name from the start would take 10^9 steps and more."""
    def made(build):
        return lambda suffix: (as_yaml if suffix == ".yaml" else as_cpf)(build())
    many = 50000
    builders = {
        "extra-keys-50000": (lambda: changed(f"{CHAIN}/more", {f"k{i}": "1" for i in range(many)}), OK),
        "contacts-20000": (lambda: changed("contacts", {"palm": {"points": [["1", "1", "1"]]}, **{
            f"c{i}": {"points": [["1", "1", "1"]]} for i in range(20000)}}), ANY),
        "points-50000": (lambda: changed("contacts/odd", {"points": [["1", "1", str(i)] for i in range(many)]}),
                         OK),
        "chains-20000": (lambda: changed("kinematics_chains", {"arm": {"first_link": "base", "last_link": "tip",
                                                                       "default_contact": "palm"}, **{
            f"c{i}": {"first_link": "base", "last_link": "tip"} for i in range(20000)}}), ANY),
        "groups-20000": (lambda: changed("groups", {f"g{i}": {"joints": ["elbow"]} for i in range(20000)}),
                         "reject"),
        "top-level-keys-50000": (lambda: {f"k{i}": "1" for i in range(many)}, "reject"),
    }
    for name, (build, verdict) in builders.items():
        for suffix in (".yaml", ".cpf"):
            yield Case(f"{name}-{suffix[1:]}", lambda s=suffix, b=build: made(b)(s), verdict,
                       kind="properties", suffix=suffix)
