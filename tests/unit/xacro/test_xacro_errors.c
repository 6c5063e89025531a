/* Errors of xacro documents: the place in the source, what was found, what led there. */
#include <string.h>

#include "sn_test.h"
#include "xacro_rig.h"

static const char *problem_of(const char *inside) {
  const char *text = xacro_inside(inside);
  assert_int_equal(strncmp(text, "error: ", 7), 0);
  return text;
}

SN_TEST(errors_name_what_is_wrong) {
  static const struct {
    const char *inside, *message;
  } cases[] = {
      {"<v v='${lenght}'/><xacro:property name='length' value='1'/>", "unknown property 'lenght'"},
      {"<xacro:property name='length' value='1'/><v v='${lenght}'/>", "did you mean 'length'?"},
      {"<xacro:wheel/>", "unknown macro 'wheel' (is the file that defines it included?)"},
      {"<xacro:macro name='m' params='radius'/><xacro:m radios='1'/>",
       "macro 'm' has no parameter 'radios' (did you mean 'radius'?)"},
      {"<xacro:macro name='m' params='a'/><xacro:m/>", "macro 'm' needs the parameter 'a'"},
      {"<xacro:macro name='m' params='*a'/><xacro:m/>", "needs an element for its block '*a'"},
      {"<xacro:macro name='m'/><xacro:m><b/></xacro:m>", "has no block for <b>"},
      {"<xacro:macro name='m' params='a:=^'/><xacro:m/>", "takes 'a' from around the call"},
      {"<xacro:insert_block name='b'/>", "unknown block 'b'"},
      {"<xacro:if value='maybe'/>", "the condition 'maybe' is 'maybe' (expected true, false"},
      {"<xacro:if/>", "<xacro:if> has no attribute 'value'"},
      {"<v v='$(arg a)'/>", "the argument 'a' has no value (give it: a:=VALUE"},
      {"<v v='$(fnd a)'/>", "unknown substitution '$(fnd ...)' (did you mean 'find'?)"},
      {"<v v='$(find no)/x'/>", "unknown package 'no' (only 'pkg' exists)"},
      {"<v v='$(env SINEW_NOT_SET)'/>", "the environment variable 'SINEW_NOT_SET' is not set"},
      {"<v v='${1 +}'/>", "'1 +' is not an expression: expected a value at its end"},
      {"<v v='${1'/>", "'${1' has no closing }"},
      {"<v v='${1/0}'/>", "division by zero in '/'"},
      {"<v v='${1 + \"a\"}'/>", "'+' is not defined for a int and a str"},
      {"<v v='${[1][3]}'/>", "index 3 of a list with 1 items"},
      {"<v v='${__import__(\"os\")}'/>", "names with two leading underscores are refused"},
      {"<v v='${open(\"/etc/passwd\")}'/>", "unknown property 'open'"},
      {"<v v='${\"a\".__class__}'/>", "two leading underscores"},
      {"<v v='${sqrt(-1)}'/>", "sqrt(-1) is not defined"},
      {"<v v='${9**99}'/>", "more than 64 bits"},
      {"<xacro:property name='a b' value='1'/>", "'a b' cannot be the name of a property"},
      {"<xacro:property name='a' value='1' default='2'/>", "more than one of value, default"},
      {"<xacro:property name='a' value='${b}'/><xacro:property name='b' value='${a}'/><v "
       "v='${a}'/>",
       "is defined in terms of itself"},
      {"<xacro:include filename='none.xacro'/>", "none.xacro: No such file or directory"},
      {"<v v=\"${xacro.fatal('use', 5)}\"/>", "use 5"},
      {"<xacro:macro name='a.b'/>", "'a.b' cannot be the name of a macro"},
      {"<xacro:macro name='call'/>", "'call' cannot be the name of a macro (xacro:call calls"},
      {"<xacro:property name='__a' value='1'/>",
       "'__a' cannot be the name of a property (names with two underscores in front"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_assert_contains(problem_of(cases[i].inside), cases[i].message);
  }
}

SN_TEST(places_are_those_of_the_source_with_the_chain_that_led_there) {
  static const xacro_file files[] = {
      {"/pkg/m.xacro",
       "<x xmlns:xacro='x'>\n<xacro:macro name='leg' params='n'>\n"
       "  <link\n    name='${n}'\n    mass='${n.x}'/>\n</xacro:macro>\n</x>"},
      {NULL, NULL}};
  assert_string_equal(
      xacro_expand(
          "<r xmlns:xacro='x'>\n<xacro:include filename='/pkg/m.xacro'/>\n"
          "<xacro:macro name='both'>\n<xacro:leg n='a'/>\n</xacro:macro>\n<xacro:both/></r>",
          files, NULL),
      "error: /pkg/m.xacro:5:5: a str has no 'x' (in macro 'leg' called at r.xacro:4, in macro "
      "'both' called at r.xacro:6)\n");
  assert_string_equal(
      xacro_expand(
          "<r xmlns:xacro='x'>\n<xacro:property name='a' value='${1/0}'/>\n<v\n v='${a}'/></r>",
          NULL, NULL),
      "error: r.xacro:2:26: division by zero in '/' (in property 'a' used at r.xacro:3)\n");
}

SN_TEST(a_problem_in_a_text_is_at_its_first_word) {
  static const struct {
    const char *text, *place;
  } cases[] = {
      {"<r xmlns:xacro='x'>\n<a/>\n  words ${b}\n</r>", "r.xacro:3:3: "},
      {"<r xmlns:xacro='x'><a>\n\n<b>${b}</b></a>\n</r>", "r.xacro:3:4: "},
      {"<r xmlns:xacro='x'>\n\xc3\xa9 <a/> ${b}\n</r>", "r.xacro:2:8: "},
      {"<r xmlns:xacro='x'>\r\n <!-- c -->\r\n\t${b}</r>", "r.xacro:3:2: "},
      {"<r xmlns:xacro='x'>\n<!--xacro:eval-comments-->\n <!-- ${b} --></r>", "r.xacro:3:2: "}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_assert_contains(xacro_expand(cases[i].text, NULL, NULL), cases[i].place);
  }
}

/* Every expansion ends, whatever it asks for. */
SN_TEST(bombs_end_with_a_message) {
  static const struct {
    const char *inside, *message;
  } cases[] = {
      {"<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", "nested more than 1500 deep"},
      {"<xacro:macro name='m'><a/><xacro:n/><xacro:n/></xacro:macro>"
       "<xacro:macro name='n'><xacro:m/><xacro:m/></xacro:macro><xacro:m/>",
       "nested more than 1500 deep"},
      {"<xacro:macro name='m' params='n'><a/><xacro:if value='${n > 0}'><xacro:m n='${n-1}'/>"
       "<xacro:m n='${n-1}'/></xacro:if></xacro:macro><xacro:m n='40'/>",
       "more than"},
      {"<v v='${[0]*9**9}'/>", "more than"},
      {"<v v='${\"a\"*9**9}'/>", "more than"},
      {"<v v='${range(10**9)}'/>", "a list has more than 100000 items"},
      {"<v v='${[[[x for x in range(999)] for y in range(999)] for z in range(999)]}'/>",
       "more than"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_assert_contains(problem_of(cases[i].inside), cases[i].message);
  }
  static char wide[40000] = "<v>";
  for (int i = 0; i < 400; i++) {
    sprintf(wide + strlen(wide), "<xacro:attribute name='a%d' value='1'/>", i);
  }
  strcat(wide, "</v>");
  sn_assert_contains(problem_of(wide), "an element of the result has more than 256 attributes");
  char deep[3000] = "<v v='${";
  memset(deep + strlen(deep), '(', 1000);
  strcat(deep, "1}'/>");
  sn_assert_contains(problem_of(deep), "fewer brackets");
  static const xacro_file laughs[] = {
      {"/pkg/l.yaml",
       "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
       "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
       "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"},
      {"self.xacro", "<x xmlns:xacro='x'><xacro:include filename='self.xacro'/></x>"},
      {NULL, NULL}};
  sn_assert_contains(xacro_expand("<r v=\"${load_yaml('/pkg/l.yaml')}\"/>", laughs, NULL),
                     "more than");
  sn_assert_contains(
      xacro_expand("<r xmlns:xacro='x'><xacro:include filename='self.xacro'/></r>", laughs, NULL),
      "nested more than 1500 deep");
}
