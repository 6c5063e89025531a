/* What xacro documents become. The expected texts follow from the rules of the reference's manual.
 */
#include "sn_test.h"
#include "xacro_rig.h"

typedef struct xacro_case {
  const char *inside, *expected;
} xacro_case;

static void run_cases(const xacro_case *cases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_string_equal(xacro_inside(cases[i].inside), cases[i].expected);
  }
}
#define RUN_CASES(cases) run_cases((cases), sizeof(cases) / sizeof *(cases))

SN_TEST(properties_are_numbers_truths_or_texts) {
  static const xacro_case cases[] = {
      {"<xacro:property name='a' value='1.0'/><v v='${a} ${a+1} ${a*2}'/>",
       "<v v=\"1.0 2.0 2.0\"/>"},
      {"<xacro:property name='a' value='007'/><v v='${a}'/>", "<v v=\"7\"/>"},
      {"<xacro:property name='a' value='1e-3'/><v v='${a}'/>", "<v v=\"0.001\"/>"},
      {"<xacro:property name='a' value='true'/><v v='${a}'/>", "<v v=\"True\"/>"},
      {"<xacro:macro name='m' params='a'><v v=\"${a + 'x'}\"/></xacro:macro><xacro:m a=\"'1'\"/>",
       "<v v=\"1x\"/>"},
      {"<xacro:property name='a' value='1_0'/><v v='${a}'/>", "<v v=\"1_0\"/>"},
      {"<xacro:property name='a' value='x y'/><v v='-${a}-'/>", "<v v=\"-x y-\"/>"},
      {"<xacro:property name='a' value=''/><v v='[${a}]'/>", "<v v=\"[]\"/>"}};
  RUN_CASES(cases);
}

SN_TEST(a_property_is_evaluated_when_it_is_first_used) {
  static const xacro_case cases[] = {
      {"<xacro:property name='a' value='${b}'/><xacro:property name='b' value='2'/><v v='${a}'/>",
       "<v v=\"2\"/>"},
      /* The first use keeps the value; greedy evaluation takes the one before. */
      {"<xacro:property name='b' value='1'/><xacro:property name='a' value='${b}'/>"
       "<v v='${a}'/><xacro:property name='b' value='2'/><v v='${a}'/>",
       "<v v=\"1\"/><v v=\"1\"/>"},
      {"<xacro:property name='b' value='1'/>"
       "<xacro:property name='a' value='${b}' lazy_eval='false'/>"
       "<xacro:property name='b' value='2'/><v v='${a} ${b}'/>",
       "<v v=\"1 2\"/>"},
      {"<xacro:property name='a' value='1'/><xacro:property name='a' default='2'/>"
       "<xacro:property name='c' default='3'/><v v='${a} ${c}'/>",
       "<v v=\"1 3\"/>"},
      {"<xacro:property name='a' value='1'/><xacro:property name='a' remove='true'/>"
       "<xacro:property name='a' default='2'/><v v='${a}'/>",
       "<v v=\"2\"/>"},
      {"<xacro:property name='p' value='x'/><xacro:property name='${p}y' value='5'/><v v='${xy}'/>",
       "<v v=\"5\"/>"}};
  RUN_CASES(cases);
}

/* The tables of names grow; a name that comes again has its newest meaning. */
SN_TEST(many_names_are_all_known) {
  enum { NAMES = 66, LINE = 160 };
  static char text[4 * NAMES * LINE], expected[NAMES * LINE];
  char *at = text + sprintf(text, "<xacro:macro name='all'>");
  char *end = expected;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < NAMES; i++) {
      at += sprintf(at, "<xacro:property name='p%d' value='%d'/>", i, i + turn);
      at += sprintf(at, "<xacro:macro name='m%d'><v v='${p%d}'/></xacro:macro>", i, i);
      at +=
          turn > 0 || i % 3 > 0 ? 0 : sprintf(at, "<xacro:property name='p%d' remove='true'/>", i);
    }
  }
  for (int i = NAMES - 1; i >= 0; i--) {
    at += sprintf(at, "<xacro:m%d/>", i);
    end += sprintf(end, "<v v=\"%d\"/>", i + 1);
  }
  sprintf(at, "</xacro:macro><xacro:all/>");
  assert_string_equal(xacro_inside(text), expected);
}

SN_TEST(properties_of_a_macro_stay_inside_unless_exported) {
  static const xacro_case cases[] = {
      {"<xacro:property name='a' value='1'/><xacro:macro name='m'>"
       "<xacro:property name='a' value='2'/><v v='${a}'/></xacro:macro><xacro:m/><v v='${a}'/>",
       "<v v=\"2\"/><v v=\"1\"/>"},
      {"<xacro:macro name='m'><xacro:property name='a' value='${1+1}' scope='parent'/>"
       "</xacro:macro><xacro:m/><v v='${a}'/>",
       "<v v=\"2\"/>"},
      {"<xacro:macro name='m'><xacro:property name='a' value='3' scope='global'/></xacro:macro>"
       "<xacro:macro name='n'><xacro:m/></xacro:macro><xacro:n/><v v='${a}'/>",
       "<v v=\"3\"/>"}};
  RUN_CASES(cases);
}

SN_TEST(parameters_have_defaults_and_can_be_forwarded) {
  static const xacro_case cases[] = {
      {"<xacro:macro name='m' params='a b:=2 c:=${a0*2} d:=$(arg z)'><v v='${a} ${b} ${c} ${d}'/>"
       "</xacro:macro><xacro:arg name='z' default='q'/><xacro:property name='a0' value='3'/>"
       "<xacro:m a='1'/><xacro:m a='1' b='x' c='y' d='z'/>",
       "<v v=\"1 2 6 q\"/><v v=\"1 x y z\"/>"},
      {"<xacro:macro name='m' params=\"a:='x y' b = 4 c:=''\"><v "
       "v='${a}|${b}|${c}|'/></xacro:macro>"
       "<xacro:m/>",
       "<v v=\"x y|4||\"/>"},
      {"<xacro:macro name='m' params='a:=^ b:=^|7'><v v='${a} ${b}'/></xacro:macro>"
       "<xacro:property name='a' value='5'/><xacro:m/><xacro:property name='b' value='6'/>"
       "<xacro:m/>",
       "<v v=\"5 7\"/><v v=\"5 6\"/>"},
      {"<xacro:macro name='m' params='a'><v v='${a}'/></xacro:macro><xacro:property name='n' "
       "value='m'/><xacro:call macro='${n}' a='1'/>",
       "<v v=\"1\"/>"},
      {"<xacro:macro name='loop' params='items'><xacro:if value='${len(items) > 0}'>"
       "<v v='${items[0]}'/><xacro:loop items='${items[1:]}'/></xacro:if></xacro:macro>"
       "<xacro:loop items='${[1, 2, 3]}'/>",
       "<v v=\"1\"/><v v=\"2\"/><v v=\"3\"/>"}};
  RUN_CASES(cases);
}

SN_TEST(blocks_are_inserted_whole_or_by_content) {
  static const xacro_case cases[] = {
      {"<xacro:macro name='m' params='*o **p'><a><xacro:insert_block name='o'/></a>"
       "<b><xacro:insert_block name='p'/></b></xacro:macro>"
       "<xacro:m><o x='${1+1}'/><p><q/><q/></p></xacro:m>",
       "<a><o x=\"2\"/></a><b><q/><q/></b>"},
      {"<xacro:property name='p'><q v='${1+2}'/></xacro:property><xacro:insert_block name='p'/>"
       "<xacro:insert_block name='p'/>",
       "<q v=\"3\"/><q v=\"3\"/>"},
      /* A condition inside the call decides which block there is. */
      {"<xacro:macro name='m' params='*o'><xacro:insert_block name='o'/></xacro:macro>"
       "<xacro:m><xacro:if value='false'><x/></xacro:if><xacro:unless value='0'><y/></xacro:unless>"
       "</xacro:m>",
       "<y/>"}};
  RUN_CASES(cases);
}

SN_TEST(conditions_elements_and_attributes) {
  static const xacro_case cases[] = {
      {"<xacro:if value='1'><a/></xacro:if><xacro:if value='True'><b/></xacro:if>"
       "<xacro:if value='${[]}'><c/></xacro:if><xacro:unless value='${0.0}'><d/></xacro:unless>",
       "<a/><b/><d/>"},
      {"<xacro:element xacro:name='${\"l\" + \"ink\"}' k='${2}'><xacro:attribute name='n' "
       "value='${3}'/></xacro:element>",
       "<link k=\"2\" n=\"3\"/>"},
      {"<v v='$${a} $$(b) $5 ${1}$'/>", "<v v=\"${a} $(b) $5 1$\"/>"},
      {"<t>x ${1+1}</t>", "<t>x 2</t>"},
      {"<t><![CDATA[${a}]]></t>", "<t><![CDATA[${a}]]>  </t>"},
      {"<v v='${\"a\" &lt; \"b\"} &quot;'/>", "<v v=\"True &quot;\"/>"}};
  RUN_CASES(cases);
}

SN_TEST(arguments_are_given_or_have_defaults) {
  static const char *const arguments[] = {"n:=2", "s:=left", NULL};
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><xacro:arg name='n' default='1'/>"
                   "<xacro:arg name='m' default='${1+4}'/><v v='$(arg n) $(arg m) $(arg s) "
                   "$(eval n * m) $(eval s == \"left\") ${2 if \"$(arg s)\" == \"left\" else 3} "
                   "$(optenv SINEW_NOT_SET a b) ${xacro.arg(\"n\") + \"x\"}'/></r>",
                   NULL, arguments),
      "<r>\n  <v v=\"2 5 left 10 True 2 a b 2x\"/>\n</r>\n");
}

SN_TEST(attributes_of_the_root_use_defaults_given_inside) {
  static const char *const arguments[] = {"n:=2", NULL};
  const char *text =
      "<r xmlns:xacro='x' name='$(arg n)' k='${p}' a='1'><xacro:arg name='n' "
      "default='ur'/><xacro:property name='p' value='3'/>"
      "<xacro:attribute name='a' value='4'/></r>";
  assert_string_equal(xacro_expand(text, NULL, NULL), "<r a=\"4\" k=\"3\" name=\"ur\"/>\n");
  assert_string_equal(xacro_expand(text, NULL, arguments), "<r a=\"4\" k=\"3\" name=\"2\"/>\n");
}

SN_TEST(files_are_included_in_place_or_in_a_namespace) {
  static const xacro_file files[] = {
      {"/pkg/a.xacro",
       "<x xmlns:xacro='x' xmlns:g='http://g'><xacro:property name='p' value='${q}'/>"
       "<xacro:property name='q' value='4'/><xacro:macro name='m'><w/></xacro:macro><y/>"
       "<xacro:include filename='sub/b.xacro'/></x>"},
      {"/pkg/sub/b.xacro", "<x xmlns:xacro='x'><z/></x>"},
      {NULL, NULL}};
  assert_string_equal(xacro_expand("<r xmlns:xacro='x'><xacro:include filename='$(find "
                                   "pkg)/a.xacro'/><v v='${p}'/><xacro:m/></r>",
                                   files, NULL),
                      "<r xmlns:g=\"http://g\">\n  <y/>\n  <z/>\n  <v v=\"4\"/>\n  <w/>\n</r>\n");
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><xacro:property name='q' value='1'/><xacro:include "
                   "filename='/pkg/a.xacro' ns='n'/><v v='${n.p} ${q}'/><xacro:n.m/></r>",
                   files, NULL),
      "<r xmlns:g=\"http://g\">\n  <y/>\n  <z/>\n  <v v=\"4 1\"/>\n  <w/>\n</r>\n");
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><xacro:include filename='none' optional='true'/></r>", files,
                   NULL),
      "<r/>\n");
}

/* As in the reference: a namespace is inside the scope that includes it, its macros see the names
   of the namespace, and what they define for their caller is defined around the namespace. */
SN_TEST(macros_of_a_namespace_see_its_names) {
  static const xacro_file files[] = {
      {"/pkg/a.xacro",
       "<x xmlns:xacro='x'><xacro:property name='q' value='${p + 1}'/>"
       "<xacro:property name='s' value='4'/>"
       "<xacro:macro name='inner'><i q='${q}'/></xacro:macro>"
       "<xacro:macro name='m' params='a b:=${q} p:=^|7 u:=^|8'><xacro:inner/>"
       "<m v='${a} ${b} ${p} ${u}'/><xacro:property name='r' value='5' scope='parent'/>"
       "<xacro:property name='g' value='6' scope='global'/></xacro:macro></x>"},
      {NULL, NULL}};
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><xacro:property name='p' value='1'/>"
                   "<xacro:property name='s' value='3'/>"
                   "<xacro:include filename='/pkg/a.xacro' ns='n'/>"
                   "<xacro:macro name='outer' params='u'><xacro:n.m a='${s + u}'/></xacro:macro>"
                   "<xacro:outer u='10'/>"
                   "<v v='${r} ${g} ${n.p} ${n[\"q\"]} ${\"q\" in n} ${\"z\" in n}'/></r>",
                   files, NULL),
      "<r>\n  <i q=\"2\"/>\n  <m v=\"14 2 1 8\"/>\n  <v v=\"5 6 1 2 True False\"/>\n</r>\n");
}

SN_TEST(a_macro_inside_a_macro_ends_with_it) {
  assert_string_equal(xacro_expand("<r xmlns:xacro='x'><xacro:macro name='i'><a/></xacro:macro>"
                                   "<xacro:macro name='o'><xacro:macro name='i'><b/></xacro:macro>"
                                   "<xacro:i/></xacro:macro><xacro:o/><xacro:i/></r>",
                                   NULL, NULL),
                      "<r>\n  <b/>\n  <a/>\n</r>\n");
}

SN_TEST(yaml_files_become_lists_and_dicts) {
  static const xacro_file files[] = {
      {"/pkg/c.yaml",
       "limits: &l {effort: 10.0, velocity: !degrees 180}\n"
       "joints:\n- {name: a, <<: *l, lower: !radians -pi/2}\n- {name: b, on: yes, n: ~, h: 0x10, "
       "t: 1e3, f: 1.5e+3, q: '5', o: 010}\n"
       "lengths: [!meters 2, !millimeters 5+3, !foot 10, !inches 100]\n"},
      {NULL, NULL}};
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><xacro:property name='c' value=\"${xacro.load_yaml("
                   "'$(find pkg)/c.yaml')}\"/><v v=\"${c.joints[0].velocity} "
                   "${c['joints'][0]['lower']} ${c.joints[1]} ${[j.name for j in c.joints]} "
                   "${c.lengths}\"/></r>",
                   files, NULL),
      "<r>\n  <v v=\"3.141592653589793 -1.5707963267948966 {'name': 'b', True: True, 'n': None, "
      "'h': 16, 't': '1e3', 'f': 1500.0, 'q': '5', 'o': 8} ['a', 'b'] "
      "[2.0, 0.008, 3.048, 2.54]\"/>\n</r>\n");
}

SN_TEST(texts_are_split_into_parts) {
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><v v='${xacro.tokenize(\"a,b; c\")} "
                   "${xacro.tokenize(\"a,,b,\", \",\", False)} ${xacro.tokenize(\"\")}'/></r>",
                   NULL, NULL),
      "<r>\n  <v v=\"['a', 'b', 'c'] ['a', '', 'b', ''] []\"/>\n</r>\n");
}

/* Parsers of other formats, such as SDF, ask for it. */
SN_TEST(the_root_names_the_namespace_of_the_result) {
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x' xacro:targetNamespace='urn:${1+1}' a='1'><b/></r>", NULL,
                   NULL),
      "<r a=\"1\" xmlns=\"urn:2\">\n  <b/>\n</r>\n");
}

/* A comment directly before a directive belongs to it; others stay. */
SN_TEST(comments_stay_unless_they_are_about_a_directive) {
  assert_string_equal(xacro_expand("<r xmlns:xacro='x'>\n  <!-- one -->\n\n  <!-- two -->\n"
                                   "  <!-- three -->\n  <xacro:property name='a' value='1'/>\n"
                                   "  <!-- four -->\n  <v/>\n  <!-- five -->\n</r>",
                                   NULL, NULL),
                      "<r>\n  <!-- one -->\n  <!-- four -->\n  <v/>\n  <!-- five -->\n</r>\n");
  assert_string_equal(xacro_expand("<r><!----><v><![CDATA[]]></v></r>", NULL, NULL),
                      "<r>\n  <!---->\n  <v/>\n</r>\n"); /* as the reference: an empty one stays */
}

SN_TEST(comments_are_evaluated_where_the_author_asks_for_it) {
  assert_string_equal(
      xacro_expand("<r xmlns:xacro='x'><!-- xacro:eval-comments --><!-- ${1+1} --><v/>"
                   "<!-- ${1+1} --><!-- xacro:eval-comments:on --> <!-- ${2+2} -->"
                   "<!-- xacro:eval-comments:off --><!-- ${3} --></r>",
                   NULL, NULL),
      "<r>\n  <!-- 2 -->\n  <v/>\n  <!-- ${1+1} -->\n  <!-- 4 -->\n  <!-- ${3} -->\n</r>\n");
}
