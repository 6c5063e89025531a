"""Not XML, not one robot, or XML with a document type."""
from .good import (ANY, BOX, HEAD, MASS, ROBOT, WHOLE, Case, add_to_joint, add_to_link,
                   add_to_robot, edit)

NOT_XML = "xml"
NOTHING = "empty|any element|no element"


def cases():
    yield from roots()
    yield from malformed()
    yield from truncated()
    yield from document_types()
    yield from odd_but_good()


def roots():
    yield Case("good", ROBOT, "accept", expect=WHOLE)
    yield Case("empty", "", "reject", NOTHING)
    yield Case("one-byte", "<", "reject")
    yield Case("whitespace-only", " \n\t\r\n ", "reject", NOTHING)
    yield Case("only-bom", b"\xef\xbb\xbf", "reject", NOTHING)
    yield Case("only-declaration", '<?xml version="1.0"?>\n', "reject",
               NOTHING)
    yield Case("only-comment", "<!-- nothing -->\n", "reject", NOTHING)
    yield Case("plain-text", "this is no robot\n", "reject", NOT_XML, at="this")
    yield Case("binary", bytes(range(256)) * 16, "reject")
    yield Case("random-high-bytes", bytes((i * 167 + 13) % 128 + 128 for i in range(4096)),
               "reject")
    yield Case("json", '{"robot": "arm"}\n', "reject", NOT_XML)
    yield Case("sdf-root", '<?xml version="1.0"?>\n<sdf version="1.9"><model name="m"/></sdf>\n',
               "reject", ("robot", "sdf"), at="<sdf")
    yield Case("html-root", "<html><body>404 not found</body></html>\n", "reject",
               ("robot", "html"), at="<html")
    yield Case("root-in-capitals", ROBOT.replace("<robot", "<Robot").replace("</robot", "</Robot"),
               "reject", "robot", at="<Robot")
    yield Case("root-with-prefix",
               ROBOT.replace("<robot", '<u:robot xmlns:u="urn:u"').replace("</robot", "</u:robot"),
               "reject", "robot")
    yield Case("robot-not-at-root",
               ROBOT.replace("<robot", "<file><robot").replace("</robot>", "</robot></file>"),
               "reject", ("robot", "file"), at="<file")
    yield Case("second-robot", ROBOT + '<robot name="second"/>\n', "reject", at='<robot name="second"')
    yield Case("second-root", ROBOT + "<extra/>\n", "reject", at="<extra/>")
    yield Case("text-after-root", ROBOT + "junk\n", "reject", at="junk")
    yield Case("nul-after-root", ROBOT.encode() + b"\0", "reject")
    yield Case("text-before-root", edit("<robot", "junk\n<robot"), "reject", NOT_XML, at="junk")
    yield Case("declaration-not-first", "\n" + ROBOT, "reject", at="<?xml")


def malformed():
    yield Case("mismatched-tag", edit(f"{BOX}\n      </geometry>", f"{BOX}\n      </geometri>"),
               "reject", NOT_XML + "|mismatch|tag", at="</geometri>")
    yield Case("unclosed-tag", edit(MASS, '<mass value="1.5">'), "reject")
    yield Case("unquoted-attribute", edit(MASS, "<mass value=1.5/>"), "reject", at="<mass value=1.5")
    yield Case("attribute-without-value", edit(MASS, "<mass value/>"), "reject", at="<mass value/>")
    yield Case("attribute-twice", edit(MASS, '<mass value="1.5" value="2"/>'), "reject",
               "duplicate|twice", at='<mass value="1.5" value')
    yield Case("less-than-in-attribute", edit(HEAD, '<robot name="a<b">'), "reject",
               at='<robot name="a<b"')
    yield Case("bare-ampersand", edit(HEAD, '<robot name="a & b">'), "reject", at='a & b')
    yield Case("undefined-entity", edit(HEAD, '<robot name="&arm;">'), "reject", at="&arm;")
    yield Case("entity-in-text", add_to_robot("&robot;"), "reject", at="&robot;")
    yield Case("comment-with-dashes", add_to_robot("<!-- a -- b -->"), "reject", at="<!-- a -- b")
    yield Case("bad-standalone", edit('<?xml version="1.0"?>', '<?xml version="1.0" standalone="?"?>'),
               "reject", at="<?xml")
    yield Case("stray-cdata-end", add_to_robot("]]>"), "reject", at="]]>")
    yield Case("no-space-between-attributes", edit(HEAD, '<robot name="arm"version="1.0">'), "reject",
               at="<robot")
    for name, byte in (("nul", b"\0"), ("esc", b"\x1b"), ("bell", b"\a"), ("backspace", b"\b")):
        yield Case(f"{name}-in-name", edit(HEAD, '<robot name="a@b">').encode().replace(b"@", byte),
                   "reject", at="<robot")
        yield Case(f"{name}-between-elements", add_to_robot("@").encode().replace(b"@", byte),
                   "reject")
    yield Case("esc-in-comment", add_to_robot("<!-- \x1b[31m -->"), "reject", at="<!-- ")
    for name, reference in (("nul", "&#0;"), ("esc", "&#27;"), ("surrogate", "&#xd800;"),
                            ("beyond-unicode", "&#x110000;"), ("ffff", "&#xffff;"),
                            ("huge", "&#99999999999999999999;")):
        yield Case(f"reference-{name}", edit(HEAD, f'<robot name="a{reference}">'), "reject",
                   at="<robot")


def truncated():
    data = ROBOT.encode()
    for percent in (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 99):
        yield Case(f"truncated-at-{percent}-percent", data[:len(data) * percent // 100], "reject")
    places = {"in-declaration": "<?xml vers", "in-root-tag": "<robot na", "after-root-tag": HEAD,
              "in-attribute": '<mass value="1', "before-closing-quote": '<mass value="1.5',
              "in-closing-tag": "</inertia", "before-last-byte": "</robot"}
    for name, last in places.items():
        yield Case(f"truncated-{name}", data[:data.index(last.encode()) + len(last)], "reject")
    for name, tail in (("comment", "<!-- never closed"), ("cdata", "<![CDATA[ never closed"),
                       ("instruction", "<?never closed")):
        yield Case(f"truncated-in-{name}", edit("</robot>\n", tail), "reject")
    accent = edit(HEAD, '<robot name="armé">').encode()
    yield Case("truncated-in-character", accent[:accent.index("é".encode()) + 1], "reject")


def with_document_type(declaration, text=ROBOT):
    return edit('<?xml version="1.0"?>\n', f'<?xml version="1.0"?>\n{declaration}\n', text)


def document_types():
    laughs = "\n".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    named = edit(HEAD, '<robot name="&x;">')
    in_text = add_to_link("tip", "&x;")
    table = {
        "plain": ("<!DOCTYPE robot>", ROBOT),
        "empty-subset": ("<!DOCTYPE robot []>", ROBOT),
        "system": ('<!DOCTYPE robot SYSTEM "file:///etc/passwd">', ROBOT),
        "system-relative": ('<!DOCTYPE robot SYSTEM "good.urdf">', ROBOT),
        "public": ('<!DOCTYPE robot PUBLIC "-//X//Y" "http://127.0.0.1:9/robot.dtd">', ROBOT),
        "customary-cpf": ('<!DOCTYPE properties SYSTEM "cpf.dtd">', ROBOT),
        "internal-entity": ('<!DOCTYPE robot [<!ENTITY x "arm">]>', named),
        "billion-laughs": (f'<!DOCTYPE robot [<!ENTITY l0 "ha">\n{laughs}\n<!ENTITY x "&l9;">]>',
                           named),
        "billion-laughs-in-text": (f'<!DOCTYPE robot [<!ENTITY l0 "ha">\n{laughs}\n'
                                   '<!ENTITY x "&l9;">]>', in_text),
        "quadratic-blowup": (f'<!DOCTYPE robot [<!ENTITY x "{"a" * 50000}">]>',
                             add_to_link("tip", "&x;" * 50000)),
        "recursive-entity": ('<!DOCTYPE robot [<!ENTITY x "&y;"><!ENTITY y "&x;">]>', in_text),
        "external-entity": ('<!DOCTYPE robot [<!ENTITY x SYSTEM "file:///etc/passwd">]>', in_text),
        "external-entity-relative": ('<!DOCTYPE robot [<!ENTITY x SYSTEM "good.urdf">]>', in_text),
        "external-entity-device": ('<!DOCTYPE robot [<!ENTITY x SYSTEM "/dev/zero">]>', in_text),
        "external-entity-network": ('<!DOCTYPE robot [<!ENTITY x SYSTEM "http://127.0.0.1:9/x">]>',
                                    in_text),
        "parameter-entity": ('<!DOCTYPE robot [<!ENTITY % p "<!ENTITY x \'arm\'>"> %p;]>', named),
        "external-parameter-entity": (
            '<!DOCTYPE robot [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]>', ROBOT),
        "default-attributes": ('<!DOCTYPE robot [<!ATTLIST mass value CDATA "7">]>',
                               edit(MASS, "<mass/>")),
        "notation": ('<!DOCTYPE robot [<!NOTATION n SYSTEM "file:///etc/passwd">]>', ROBOT),
    }
    for name, (declaration, text) in table.items():
        yield Case(f"doctype-{name}", with_document_type(declaration, text), "reject",
                   "doctype|document type", at="<!DOCTYPE", trace=True)
    yield Case("doctype-in-utf16", with_document_type("<!DOCTYPE robot>").encode("utf-16"), "reject",
               "doctype|document type", trace=True)
    yield Case("doctype-after-root", ROBOT + "<!DOCTYPE robot>\n", "reject", at="<!DOCTYPE")
    yield Case("doctype-inside-root", add_to_robot("<!DOCTYPE robot>"), "reject", at="<!DOCTYPE")
    yield Case("doctype-in-small-letters", with_document_type("<!doctype robot>"), "reject",
               at="<!doctype")
    yield Case("doctype-never-closed", "<!DOCTYPE robot [" + "<!ENTITY a 'b'>" * 1000, "reject",
               trace=True)
    yield Case("doctype-in-comment", with_document_type("<!-- <!DOCTYPE robot> -->"), "accept",
               expect=WHOLE)
    yield Case("doctype-in-cdata", add_to_robot("<note><![CDATA[<!DOCTYPE robot>]]></note>"),
               "accept", expect=WHOLE)
    yield Case("xinclude", add_to_robot('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" '
                                        'href="file:///etc/passwd" parse="text"/>'),
               "accept", expect=WHOLE, trace=True)
    yield Case("stylesheet", with_document_type('<?xml-stylesheet href="file:///etc/passwd"?>'),
               "accept", expect=WHOLE, trace=True)


def odd_but_good():
    yield Case("comment-before-root", with_document_type("<!-- made by hand -->"), "accept",
               expect=WHOLE)
    yield Case("comment-after-root", ROBOT + "<!-- the end -->\n", "accept", expect=WHOLE)
    yield Case("instruction-after-root", ROBOT + "<?end of file?>\n", "accept", expect=WHOLE)
    yield Case("no-declaration", edit('<?xml version="1.0"?>\n', ""), "accept", expect=WHOLE)
    yield Case("comment-in-link", add_to_link("upper", "<!-- <joint name='no'/> -->"), "accept",
               expect=WHOLE)
    yield Case("comment-in-leaf",
               edit(MASS, '<mass value="1.5"><!-- kg --></mass>'), "accept", expect=WHOLE)
    yield Case("instruction-in-joint", add_to_joint("elbow", '<?php echo "<limit/>"; ?>'), "accept",
               expect=WHOLE)
    yield Case("cdata-in-link", add_to_link("tip", '<![CDATA[<inertial><mass value="-1"/>]]>'),
               "accept", expect=WHOLE)
    yield Case("cdata-in-robot", add_to_robot('<![CDATA[<link name="base"/>]]>'), "accept",
               expect=WHOLE)
    yield Case("single-quotes", ROBOT.replace('"', "'"), "accept", expect=WHOLE)
    yield Case("spaces-around-equals", ROBOT.replace("link=", "link  =\n "), "accept", expect=WHOLE)
    yield Case("all-on-one-line", ROBOT.replace("\n", " "), "accept", expect=WHOLE)
    yield Case("crlf-lines", ROBOT.replace("\n", "\r\n"), "accept", expect=WHOLE)
    yield Case("cr-lines", ROBOT.replace("\n", "\r"), "accept", expect=WHOLE)
    yield Case("crlf-keeps-line-numbers", edit(MASS, '<mass value="x"/>').replace("\n", "\r\n"),
               "reject", "x", at='value="x"', column=True)
    yield Case("default-namespace", edit(HEAD, '<robot xmlns="http://www.ros.org" name="arm">'),
               "accept", expect=WHOLE)
    yield Case("xml-version-1.1", edit('version="1.0"', 'version="1.1"'), ANY)
