"""Property files that are bad or odd XML, or not an OROCOS property file."""
from .good import ANY, OK, Case
from .properties import PROPERTIES, WHOLE, as_cpf

GOOD = as_cpf(PROPERTIES)
CUSTOMARY = '<!DOCTYPE properties SYSTEM "cpf.dtd">\n'
FIRST = '<simple name="first_link" type="string"><value>base</value></simple>'


def cpf_case(name, text, verdict, message="", at="", expect=None, **more):
    return Case(f"{name}-cpf", text, verdict, message, at=at, expect=expect or {}, kind="properties",
                suffix=more.pop("suffix", ".cpf"), **more)


def edit(old, new, text=GOOD):
    assert text.count(old) == 1, old
    return text.replace(old, new)


def cases():
    yield from accepted()
    yield from document_types()
    yield from structure()
    yield from characters()
    yield from limits()


def accepted():
    yield cpf_case("empty-properties", "<properties/>\n", "accept")
    yield cpf_case("empty-properties-with-doctype", CUSTOMARY + "<properties></properties>\n", "accept",
                   trace=True)
    yield cpf_case("customary-doctype", GOOD, "accept", expect=WHOLE, trace=True)
    yield cpf_case("no-doctype", as_cpf(PROPERTIES, ""), "accept", expect=WHOLE)
    yield cpf_case("doctype-in-single-quotes", edit(CUSTOMARY, CUSTOMARY.replace('"', "'")), "accept",
                   expect=WHOLE, trace=True)
    yield cpf_case("suffix-xml", GOOD, "accept", expect=WHOLE, suffix=".xml")
    yield cpf_case("descriptions", edit(FIRST, FIRST.replace(
        "<value>", "<description>where the chain begins</description><value>")), "accept", expect=WHOLE)
    yield cpf_case("comments", edit(FIRST, "<!-- base -->" + FIRST), "accept", expect=WHOLE)
    yield cpf_case("cdata", edit(FIRST, FIRST.replace("base", "<![CDATA[base]]>")), "accept", expect=WHOLE)
    yield cpf_case("types-of-numbers", GOOD.replace('name="Element0" type="string"', 'name="Element0" type="double"'),
                   "accept", expect=WHOLE)
    vector = ('<struct name="Element0" type="KDL.Vector">'
              + "".join(f'<simple name="{k}" type="double"><value>0.5</value></simple>' for k in "XYZ")
              + "</struct>")
    start = GOOD.index('<sequence name="points"')
    end = GOOD.index("</sequence>\n", GOOD.index("</sequence>\n") + 1)
    inner = GOOD[start:end]
    listed = inner.replace(inner[inner.index("\n"):], "\n" + vector)
    yield cpf_case("points-as-vectors", GOOD[:start] + listed + GOOD[end:], "accept", expect=WHOLE)
    yield cpf_case("points-as-struct-of-vectors",
                   GOOD[:start] + listed.replace('<sequence name="points" type="array"',
                                                 '<struct name="points" type="KDL.Vector[]"')
                   + GOOD[end:].replace("</sequence>", "</struct>", 1), "accept", expect=WHOLE)
    yield cpf_case("latin1", edit("UTF-8", "ISO-8859-1", edit('name="forearm"', 'name="Bébé"')).encode("latin-1"),
                   "accept")
    yield cpf_case("utf16", edit("UTF-8", "UTF-16", as_cpf(PROPERTIES, "")).encode("utf-16"), "accept",
                   expect=WHOLE)
    # The customary declaration is known by its bytes, and those are not UTF-16.
    yield cpf_case("utf16-with-doctype", edit("UTF-8", "UTF-16").encode("utf-16"), "reject", "DOCTYPE")
    yield cpf_case("bom", b"\xef\xbb\xbf" + GOOD.encode(), "accept", expect=WHOLE)


def document_types():
    table = {
        "other-name": '<!DOCTYPE robot SYSTEM "cpf.dtd">',
        "other-file": '<!DOCTYPE properties SYSTEM "/etc/passwd">',
        "other-url": '<!DOCTYPE properties SYSTEM "http://127.0.0.1:9/cpf.dtd">',
        "no-file": "<!DOCTYPE properties>",
        "public": '<!DOCTYPE properties PUBLIC "x" "cpf.dtd">',
        "empty-subset": '<!DOCTYPE properties SYSTEM "cpf.dtd" []>',
        "internal-subset": '<!DOCTYPE properties SYSTEM "cpf.dtd" [<!ELEMENT properties ANY>]>',
        "entity": '<!DOCTYPE properties SYSTEM "cpf.dtd" [<!ENTITY x "base">]>',
        "external-entity": '<!DOCTYPE properties SYSTEM "cpf.dtd" [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        "parameter-entity": '<!DOCTYPE properties SYSTEM "cpf.dtd" [<!ENTITY % x SYSTEM "/etc/passwd"> %x;]>',
        "default-attribute": '<!DOCTYPE properties SYSTEM "cpf.dtd" [<!ATTLIST simple name CDATA "a">]>',
    }
    for name, declaration in table.items():
        text = edit(CUSTOMARY, declaration + "\n")
        if "ENTITY x" in declaration:
            text = edit(FIRST, FIRST.replace("base", "&x;"), text)
        verdict = "reject" if name not in ("empty-subset",) else ANY
        yield cpf_case(f"doctype-{name}", text, verdict, "doctype|document type" if verdict == "reject" else "",
                       at="<!DOCTYPE" if verdict == "reject" else "", trace=True)
    laughs = "\n".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    yield cpf_case("doctype-billion-laughs", edit(FIRST, FIRST.replace("base", "&l9;"), edit(
        CUSTOMARY, f'<!DOCTYPE properties [<!ENTITY l0 "ha">\n{laughs}]>\n')), "reject",
        "doctype|document type", at="<!DOCTYPE", trace=True)
    # With an external subset an undeclared entity is not a syntax error: do not drop it.
    yield cpf_case("undeclared-entity", edit(FIRST, FIRST.replace("base", "&x;base")), "reject", at="&x;",
                   trace=True)
    yield cpf_case("undeclared-entity-in-name", edit('name="forearm"', 'name="fore&x;arm"'), "reject",
                   at="fore&x;arm", trace=True)


def structure():
    yield cpf_case("empty", "", "accept|reject")
    yield cpf_case("root-is-robot", '<robot name="a"/>\n', "reject", ("properties",), at="<robot")
    yield cpf_case("root-is-struct", '<struct name="a"/>\n', "reject", "properties", at="<struct")
    yield cpf_case("not-xml", "kinematics_chains:\n  arm: {}\n", "reject")
    yield cpf_case("second-root", GOOD + "<properties/>\n", "reject", at="<properties/>")
    yield cpf_case("unknown-element", edit(FIRST, FIRST + "<complex/>"), "reject", "complex", at="<complex")
    yield cpf_case("unknown-element-at-top", edit("</properties>", "<robot/></properties>"), "reject", "robot",
                   at="<robot")
    yield cpf_case("simple-without-value", edit(FIRST, '<simple name="first_link" type="string"></simple>'),
                   "reject", ("value",), at='<simple name="first_link" type="string"></simple>')
    yield cpf_case("simple-with-text", edit(FIRST, '<simple name="first_link" type="string">base</simple>'),
                   "reject", at='type="string">base<')
    yield cpf_case("simple-with-two-values", edit(FIRST, FIRST.replace("</value>", "</value><value>tip</value>")),
                   "reject", at="<value>tip</value></simple>")
    yield cpf_case("simple-with-struct", edit(FIRST, FIRST.replace("</simple>", '<struct name="x"/></simple>')),
                   "reject", at='<struct name="x"')
    yield cpf_case("value-with-element", edit(FIRST, FIRST.replace("base", "<b>base</b>")), "reject", at="<b>")
    yield cpf_case("value-at-top", edit("</properties>", "<value>1</value></properties>"), "reject",
                   at="<value>1</value></properties>")
    yield cpf_case("properties-inside", edit(FIRST, FIRST + "<properties/>"), "reject", at="<properties/>")
    yield cpf_case("simple-without-name", edit(FIRST, FIRST.replace(' name="first_link"', "")), "reject", "name",
                   at='<simple type="string"><value>base')
    yield cpf_case("struct-without-name", edit('<struct name="forearm" ', "<struct "), "reject", "name",
                   at='<struct type="PropertyBag">')
    yield cpf_case("struct-with-empty-name", edit('<struct name="forearm" ', '<struct name="" '), "reject", "name",
                   at='<struct name=""')
    yield cpf_case("no-type", edit(FIRST, FIRST.replace(' type="string"', "")), OK)
    yield cpf_case("value-padded", edit(FIRST, FIRST.replace("base", "\n  base\n  ")), ANY)
    for percent in (5, 20, 40, 60, 80, 99):
        yield cpf_case(f"truncated-at-{percent}-percent", GOOD.encode()[:len(GOOD) * percent // 100], "reject")


def characters():
    for name, text in (("bad-utf8", b"\xff"), ("nul", b"\0"), ("esc", b"\x1b[31m"), ("csi", b"\xc2\x9b31m"),
                       ("delete", b"\x7f"), ("newline-reference", b"&#10;x")):
        yield cpf_case(f"{name}-in-value", edit(FIRST, FIRST.replace("base", "base@")).encode().replace(b"@", text),
                       "reject", at="<value>base" if name != "bad-utf8" else "")
    yield cpf_case("csi-in-chain-name", edit('name="forearm"', 'name="fore\x9b2J"'), "reject", "control character",
                   at='name="fore')
    yield cpf_case("csi-in-contact-name", edit('name="edge"', 'name="ed\x9b2J"'), "reject", "control character",
                   at='name="ed')
    yield cpf_case("csi-in-group-name", edit('name="all"', 'name="al\x9b2J"'), "reject", "control character",
                   at='name="al')
    yield cpf_case("csi-in-extra-value", edit(FIRST, FIRST + FIRST.replace("base", "\x9b2J").replace(
        "first_link", "extra")), "reject", "control character", at='name="extra"')
    yield cpf_case("csi-in-element", edit(FIRST, FIRST + "<a\xb7\u0300/>"), "reject")


def limits():
    size = "16777216|16 MB"
    deep = "depth|deep|nest"

    def nested(depth):
        """Structs in an extra key of a chain, `depth` elements in all."""
        return edit(FIRST, FIRST + '<struct name="x">' * (depth - 3) + "</struct>" * (depth - 3))
    yield cpf_case("depth-64", nested(64), "accept", expect=WHOLE)
    yield cpf_case("depth-65", nested(65), "reject", deep, at='<struct name="x">')
    yield cpf_case("depth-100000", nested(100000), "reject", deep, at='<struct name="x">')
    yield cpf_case("file-of-17-mb", lambda: GOOD + " " * (17 << 20), "reject", size)
    yield cpf_case("file-of-15-mb", lambda: GOOD + " " * (15 << 20), "accept", expect=WHOLE)
    yield cpf_case("value-of-15-mb", lambda: edit(FIRST, FIRST.replace("base", "x" * (15 << 20))), "reject")
    yield cpf_case("attribute-of-15-mb", lambda: edit('name="forearm"', f'name="{"x" * (15 << 20)}"'), "reject")
    yield cpf_case("endless", None, "reject", "regular file", special="endless")
    yield cpf_case("attributes-257", edit(FIRST, FIRST.replace("<simple", "<simple " + " ".join(
        f'a{i}=""' for i in range(256)))), "reject", at="<simple a")
