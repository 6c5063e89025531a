"""How the bytes of a file become characters, and which characters a name may hold."""
from .good import ELBOW, HEAD, PARENT, ROBOT, WHOLE, Case, add_to_joint, add_to_link, edit

ACCENT = edit(HEAD, '<robot name="Bébé">')
ACCENT_NAME = {**WHOLE, "robot": "Bébé"}


def declared(encoding, text=ACCENT):
    return edit('<?xml version="1.0"?>', f'<?xml version="1.0" encoding="{encoding}"?>', text)


def cases():
    yield from byte_orders()
    yield from declarations()
    yield from bad_utf8()
    yield from names()


def byte_orders():
    bom = b"\xef\xbb\xbf"
    yield Case("utf8", ACCENT, "accept", expect=ACCENT_NAME)
    yield Case("utf8-bom", bom + ROBOT.encode(), "accept", expect=WHOLE)
    yield Case("utf8-bom-declared", bom + declared("UTF-8").encode(), "accept", expect=ACCENT_NAME)
    yield Case("utf8-two-boms", bom + bom + ROBOT.encode(), "reject")
    yield Case("utf16-le", b"\xff\xfe" + ACCENT.encode("utf-16-le"), "accept", expect=ACCENT_NAME)
    yield Case("utf16-be", b"\xfe\xff" + ACCENT.encode("utf-16-be"), "accept", expect=ACCENT_NAME)
    yield Case("utf16-le-declared", b"\xff\xfe" + declared("UTF-16").encode("utf-16-le"), "accept",
               expect=ACCENT_NAME)
    yield Case("utf16-be-declared", b"\xfe\xff" + declared("utf-16").encode("utf-16-be"), "accept",
               expect=ACCENT_NAME)
    yield Case("utf16-declared-without-bom", declared("UTF-16").encode("utf-16-le"), "accept",
               expect=ACCENT_NAME)
    yield Case("utf16-bad-number", edit('value="1.5"', 'value="1,5"').encode("utf-16"), "reject",
               ("1,5",), at="<mass")
    yield Case("utf16-odd-length", ACCENT.encode("utf-16")[:-1], "reject")
    yield Case("utf16-nul", edit(HEAD, '<robot name="a\0b">').encode("utf-16"), "reject")
    yield Case("utf16-swapped", b"\xff\xfe" + ACCENT.encode("utf-16-be"), "reject")
    yield Case("utf16-declared-utf8-written", declared("UTF-16").encode(), "reject", "encoding")
    yield Case("utf16-written-latin1-declared", declared("ISO-8859-1").encode("utf-16"), "reject")
    yield Case("utf32", ACCENT.encode("utf-32"), "reject")


def declarations():
    yield Case("latin1", declared("ISO-8859-1").encode("latin-1"), "accept", expect=ACCENT_NAME)
    yield Case("latin1-small-letters", declared("iso-8859-1").encode("latin-1"), "accept",
               expect=ACCENT_NAME)
    yield Case("latin1-not-declared", ACCENT.encode("latin-1"), "reject", at="<robot")
    yield Case("latin1-declared-utf8", declared("UTF-8").encode("latin-1"), "reject", at="<robot")
    yield Case("ascii", declared("US-ASCII", ROBOT), "accept", expect=WHOLE)
    yield Case("ascii-with-accent", declared("US-ASCII").encode("latin-1"), "reject", at="<robot")
    for encoding in ("windows-1252", "UTF-7", "Shift_JIS", "KOI8-R", "EBCDIC-CP-US", "%s%n", "x" * 5000):
        name = encoding.replace("%", "percent-")[:20].lower()
        yield Case(f"declared-{name}", declared(encoding, ROBOT), "reject",
                   "encoding" if encoding[0] != "%" else "", at="<?xml", trace=True)


def bad_utf8():
    table = {"lone-continuation": b"\x80", "never-valid-byte": b"\xff", "overlong-slash": b"\xc0\xaf",
             "overlong-nul": b"\xc0\x80", "surrogate": b"\xed\xa0\x80",
             "beyond-unicode": b"\xf4\x90\x80\x80", "cut-short": b"\xe2\x82",
             "noncharacter": b"\xef\xbf\xbf"}
    for name, data in table.items():
        text = edit(HEAD, '<robot name="a@b">').encode().replace(b"@", data)
        yield Case(f"utf8-{name}", text, "reject", at="<robot")
    yield Case("utf8-bad-in-comment", ROBOT.encode() + b"<!-- \xff -->\n", "reject")


def names():
    control = {"csi": "\x9b", "csi-reference": "&#x9b;", "nel": "\x85", "delete": "\x7f",
               "tab-reference": "&#9;", "newline-reference": "&#10;", "return-reference": "&#13;",
               "osc": "\x9d0;title\x9c"}
    for name, text in control.items():
        yield Case(f"control-{name}-in-link-name",
                   ROBOT.replace('"lower"', f'"low{text}er"'), "reject", "control character",
                   at='<link name="low')
        yield Case(f"control-{name}-in-joint-name", edit(ELBOW, ELBOW.replace("el", f"el{text}")),
                   "reject", "control character", at='<joint name="el')
    yield Case("control-csi-in-robot-name", edit(HEAD, '<robot name="a\x9b31m">'), "reject",
               "control character", at="<robot")
    yield Case("control-csi-in-unknown-parent", edit(PARENT, '<parent link="no\x9b2J"/>'), "reject",
               at=('<parent link="no', ELBOW))
    yield Case("control-csi-in-type", edit(ELBOW, '<joint name="elbow" type="\x9b2J">'), "reject",
               at='<joint name="elbow"')
    yield Case("control-csi-in-number", edit('value="1.5"', 'value="1.5\x9b"'), "reject", at="<mass")
    yield Case("control-csi-in-mimic", add_to_joint("elbow", '<mimic joint="\x9b2J"/>'), "reject",
               at=("<mimic", ELBOW))
    yield Case("control-csi-in-mesh", add_to_link(
        "tip", '<visual><geometry><mesh filename="\x9b2J.stl"/></geometry></visual>'),
        "warn|reject", at="<mesh")
    good = {"percent": "%s%n%s%n%x", "long-percent": "%99999999d%n", "umlaut": "Schultergelenkö",
            "chinese": "手臂", "beyond-bmp": "🦾", "right-to-left": "ذراع", "proto": "__proto__",
            "constructor": "constructor", "quotes": "a&quot;b&apos;c", "backslash": "a\\nb\\u0000",
            "markup": "&lt;b&gt;&amp;", "dots": "a.b", "colon": "ns:a", "dash": "-rf", "json": '{}[],:',
            "null": "null", "number": "1e5"}
    for name, text in good.items():
        shown = (text.replace("&quot;", '"').replace("&apos;", "'").replace("&lt;", "<")
                 .replace("&gt;", ">").replace("&amp;", "&"))
        yield Case(f"name-{name}", edit(ELBOW, f'<joint name="{text}" type="revolute">'), "accept",
                   expect={**WHOLE, "pose": ["shoulder", shown]})
    for name, text in (("space", "el bow"), ("slash", "arm/elbow"), ("leading-space", " elbow"),
                       ("trailing-space", "elbow "), ("newline", "el\nbow"), ("tab", "el\tbow")):
        yield Case(f"name-with-{name}", edit(ELBOW, f'<joint name="{text}" type="revolute">'), "warn",
                   "slash" if name == "slash" else "space|blank", at='<joint name="' + text[:2])
        yield Case(f"link-name-with-{name}", ROBOT.replace('"lower"', f'"{text}"'), "warn",
                   "slash" if name == "slash" else "space|blank", at=f'<link name="{text[:2]}')
    # A message that cuts a name short must not cut a character in two.
    for pad in range(3):
        name = "x" * pad + "手" * 400
        yield Case(f"long-chinese-unknown-parent-{pad}", edit(PARENT, f'<parent link="{name}"/>'),
                   "reject", name[:5], at=('<parent link="' + name[:5], ELBOW))
    yield Case("percent-unknown-parent", edit(PARENT, '<parent link="%s%n%s%n"/>'), "reject",
               "%s%n%s%n", at=('<parent link="%', ELBOW))
    yield Case("percent-type", edit(ELBOW, '<joint name="elbow" type="%n%s">'), "reject", "%n%s",
               at=ELBOW[:19])
    yield Case("percent-number", edit('value="1.5"', 'value="%n%s"'), "reject", "%n%s", at="<mass")
