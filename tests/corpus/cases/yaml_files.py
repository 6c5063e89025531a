"""Property files that are bad or odd YAML."""
from .good import ANY, OK, Case
from .properties import PROPERTIES, WHOLE, as_yaml

GOOD = as_yaml(PROPERTIES)
ARM = "    first_link: base\n    last_link: tip\n"


def yaml_case(name, text, verdict, message="", at="", expect=None, **more):
    return Case(f"{name}-yaml", text, verdict, message, at=at, expect=expect or {}, kind="properties",
                suffix=".yaml", **more)


def edit(old, new, text=GOOD):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def cases():
    yield from accepted()
    yield from documents()
    yield from anchors_and_tags()
    yield from characters()
    yield from limits()


def accepted():
    yield yaml_case("empty", "", "accept")
    yield yaml_case("whitespace-only", "\n  \n", "accept")
    yield yaml_case("comment-only", "# nothing\n", "accept")
    yield yaml_case("empty-bag", "{}\n", "accept")
    yield yaml_case("markers", f"---\n{GOOD}...\n", "accept", expect=WHOLE)
    yield yaml_case("comments", edit(ARM, "    first_link: base # the root\n\n    last_link: tip\n"), "accept",
                    expect=WHOLE)
    yield yaml_case("quoted", edit(ARM, "    'first_link': \"base\"\n    \"last_link\": 'tip'\n"), "accept",
                    expect=WHOLE)
    yield yaml_case("flow", '{"chains": {"arm": {"first_link": "base", "last_link": "tip"}}}\n', "accept")
    yield yaml_case("crlf", GOOD.replace("\n", "\r\n"), "accept", expect=WHOLE)
    yield yaml_case("bom", b"\xef\xbb\xbf" + GOOD.encode(), "accept", expect=WHOLE)
    yield yaml_case("no-final-newline", GOOD.rstrip("\n"), "accept", expect=WHOLE)
    yield yaml_case("folded", edit("first_link: base", "first_link: >-\n      base"), "accept", expect=WHOLE)
    yield yaml_case("numbers-of-all-forms", edit("[0, 0, 0.5]", '[+.5, "5.", 5E-1]'), "accept", expect=WHOLE)


def documents():
    yield yaml_case("root-is-a-list", "- a\n- b\n", "reject")
    yield yaml_case("root-is-a-text", "hello\n", "reject")
    yield yaml_case("two-documents", f"{GOOD}---\n{GOOD}", "reject", "document")
    yield yaml_case("second-document-broken", f"{GOOD}---\n]\n", "reject")
    yield yaml_case("tab-indented", edit(ARM, "\tfirst_link: base\n\tlast_link: tip\n"), "reject", at="\tfirst")
    yield yaml_case("unclosed-bracket", edit("[0, 0, 0.5]", "[0, 0, 0.5"), "reject")
    yield yaml_case("unclosed-quote", edit("first_link: base", 'first_link: "base'), "reject")
    yield yaml_case("stray-bracket", GOOD + "]  # stray\n", "reject", at="]  # stray")
    yield yaml_case("bad-indent", edit(ARM, "    first_link: base\n   last_link: tip\n"), "reject")
    yield yaml_case("no-colon", edit("first_link: base", "first_link base"), "reject")
    yield yaml_case("reserved-at-sign", edit("first_link: base", "first_link: @base"), "reject",
                    at="first_link: @")
    yield yaml_case("list-as-key", GOOD + "? [a, b]\n: c\n", "reject", at="? [a")
    yield yaml_case("bag-as-key", GOOD + "? {a: b}\n: c\n", "reject", at="? {a")
    yield yaml_case("null-link", edit("first_link: base", "first_link: ~"), "reject", at="first_link: ~")
    yield yaml_case("xml-inside", "<properties></properties>\n", "reject")
    for percent in (10, 25, 40):
        yield yaml_case(f"truncated-at-{percent}-percent", GOOD[:len(GOOD) * percent // 100], ANY)


def anchors_and_tags():
    yield yaml_case("anchor", edit("first_link: base", "first_link: &x base"), "reject", "anchor|alias",
                    at="&x")
    yield yaml_case("alias", edit(ARM, "    first_link: &x base\n    last_link: *x\n"), "reject",
                    "anchor|alias", at="&x")
    yield yaml_case("alias-of-nothing", edit("first_link: base", "first_link: *nowhere"), "reject",
                    "anchor|alias", at="*nowhere")
    yield yaml_case("alias-of-itself", edit("first_link: base", "more: &x [*x]"), "reject", "anchor|alias",
                    at="&x")
    yield yaml_case("merge-key", edit("  arm:", "  arm: &x") + "more:\n  <<: *x\n", "reject", "anchor|alias",
                    at="&x")
    bomb = 'a0: &a0 "ha"\n' + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10))
    yield yaml_case("alias-bomb", bomb, "reject", "anchor|alias")
    yield yaml_case("alias-bomb-in-chain", edit(ARM, ARM + "".join(
        "    " + line + "\n" for line in bomb.splitlines())), "reject", "anchor|alias", at="a0: &a0")
    for name, tag in (("string", "!!str"), ("own", "!robot"), ("python", "!!python/object/apply:os.system"),
                      ("verbatim", "!<tag:x>"), ("bare", "!")):
        yield yaml_case(f"tag-{name}", edit("first_link: base", f"first_link: {tag} base"), "reject", "tag",
                        at="first_link: !")
    yield yaml_case("tag-on-list", edit("points:\n      - [0, 0, 0.5]", "points: !!set\n      - [0, 0, 0.5]"),
                    "reject", "tag", at="!!set")
    yield yaml_case("include", edit("first_link: base", "first_link: !include /etc/passwd"), "reject", "tag",
                    at="!include", trace=True)


def characters():
    for name, text in (("bad-utf8", b"\xff"), ("overlong", b"\xc0\xaf"), ("surrogate", b"\xed\xa0\x80"),
                       ("nul", b"\0"), ("esc", b"\x1b[31m"), ("csi", "\x9b31m".encode()), ("delete", b"\x7f")):
        yield yaml_case(f"{name}-in-value", edit("first_link: base", "first_link: ba@").encode().replace(b"@", text),
                        "reject")
    escapes = {"esc": r"\e[31m", "nul": r"base\0", "csi": r"\x9b2J", "bell": r"\a", "newline": r"base\n"}
    for name, text in escapes.items():
        yield yaml_case(f"escaped-{name}-in-link", edit("first_link: base", f'first_link: "{text}"'), "reject",
                        at='first_link: "')
        yield yaml_case(f"escaped-{name}-in-chain-name", edit("  forearm:", f'  "fore{text}":'), "reject",
                        at='  "fore')
        yield yaml_case(f"escaped-{name}-in-top-level-key", GOOD + f'"{text}": 1\n', "reject", at=f'"{text}"')
    yield yaml_case("unicode-chain-name", edit("  forearm:", "  Unterarm-手:"), "accept")
    yield yaml_case("utf16", GOOD.encode("utf-16"), "accept|reject")


def limits():
    size = "16777216|16 MB"
    deep = "depth|deep|nest"

    def nested(depth):
        """Lists in an extra key of a chain, `depth` lists and bags below the root."""
        return edit(ARM, ARM + "    more: " + "[" * (depth - 2) + "]" * (depth - 2) + "\n")
    yield yaml_case("depth-64", nested(64), "accept", expect=WHOLE)
    yield yaml_case("depth-65", nested(65), "reject", deep, at="more: [")
    yield yaml_case("depth-100000", nested(100000), "reject", at="more: [")
    yield yaml_case("depth-100000-never-closed", "a: " + "[" * 100000, "reject")
    yield yaml_case("depth-100000-of-bags", "{a: " * 100000, "reject")
    yield yaml_case("depth-100000-of-dashes", "- " * 100000, "reject")
    yield yaml_case("depth-100000-of-keys", "? " * 100000, "reject")
    yield yaml_case("file-of-16-mb", lambda: padded(16 << 20), "accept", expect=WHOLE)
    yield yaml_case("file-of-17-mb", lambda: padded(17 << 20), "reject", size)
    yield yaml_case("text-of-15-mb", lambda: edit(ARM, ARM + "    more: " + "x" * (15 << 20) + "\n"), OK)
    yield yaml_case("list-of-200000", lambda: edit(ARM, ARM + "    more: [" + "0," * 200000 + "]\n"), OK)
    yield yaml_case("endless", None, "reject", "regular file", special="endless")
    yield yaml_case("directory", None, "reject", special="directory")
    yield yaml_case("missing", None, "reject", special="missing")
    yield yaml_case("key-of-1-mb", lambda: edit(ARM, ARM + "    ? " + "x" * (1 << 20) + "\n    : y\n"), ANY)


def padded(size):
    lines = (size - len(GOOD)) // 64
    return GOOD + ("#" * 63 + "\n") * lines + "#" * (size - len(GOOD) - 64 * lines - 1) + "\n"
