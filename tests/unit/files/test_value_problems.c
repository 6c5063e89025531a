#include <stdlib.h>

#include "base/report_internal.h"
#include "files/value_cpf.h"
#include "value_bag.h"

typedef struct problem_case {
  const char *text;
  sn_status status;
  const char *problems;
} problem_case;

static void run_cases(parse_function *parse, const problem_case *cases, size_t count) {
  size_t failed = 0;
  for (size_t i = 0; i < count; i++) {
    bag b;
    parse_bytes(&b, parse, cases[i].text, strlen(cases[i].text));
    const char *actual = sn_test_problems(b.report);
    if (b.status != cases[i].status || strcmp(actual, cases[i].problems) != 0) {
      print_error("%s\nis %s:\n%sexpected\n%s\n", cases[i].text, sn_status_text(b.status), actual,
                  cases[i].problems);
      failed++;
    }
    release(&b);
  }
  assert_int_equal(failed, 0);
}

SN_TEST(problems_of_yaml) {
  static const problem_case cases[] = {
      {"a: 1\nb: 2\na: 3\n", SN_ESYNTAX, "p:3:4: error: 'a' appears twice, first in line 1\n"},
      {"x: {a: 1, a: [2]}\n", SN_ESYNTAX, "p:1:11: error: 'a' appears twice, first in line 1\n"},
      {"[1, 2]", SN_ESYNTAX, "p:1:1: error: a property file is a mapping of names to values\n"},
      {"text", SN_ESYNTAX, "p:1:1: error: a property file is a mapping of names to values\n"},
      {"a: &x 1\n", SN_ESYNTAX,
       "p:1:4: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"a: *x\n", SN_ESYNTAX,
       "p:1:4: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"a: !!str 1\n", SN_ESYNTAX,
       "p:1:4: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"a: &x [1]\n", SN_ESYNTAX,
       "p:1:4: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"&x\na: 1\n", SN_ESYNTAX,
       "p:1:1: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"a: !t [1]\n", SN_ESYNTAX,
       "p:1:4: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"a: !t {b: 1}\n", SN_ESYNTAX,
       "p:1:4: error: anchors, aliases and tags are not allowed (write the value out)\n"},
      {"a: 1\n---\nb: 2\n", SN_ESYNTAX,
       "p:2:1: error: a property file is one document, a second one begins here\n"},
      {"? [a]\n: 1\n", SN_ESYNTAX, "p:1:3: error: a key must be a plain text\n"},
      {"? {a: b}\n: 1\n", SN_ESYNTAX, "p:1:3: error: a key must be a plain text\n"},
      {"?\n: 1\n", SN_ESYNTAX, "p:1:2: error: a key must not be empty\n"},
      {"{a: {'': {}}}\n", SN_ESYNTAX, "p:1:6: error: a key must not be empty\n"},
      {"a:\n  '': 1\n", SN_ESYNTAX, "p:2:3: error: a key must not be empty\n"},
      {"a: [1\n", SN_ESYNTAX,
       "p:2:1: error: not well-formed YAML: did not find expected ',' or ']'\n"},
      {"a: \"\\0\"\n", SN_ESYNTAX, "p:1:4: error: a text must not hold NUL, a control character\n"},
      {"a: \"\\e[31m\"\n", SN_ESYNTAX,
       "p:1:4: error: 'a': a text must not hold a control character\n"},
      {"\"a\\e\": 1\n", SN_ESYNTAX,
       "p:1:8: error: 'a\\x1b': a name must not hold a control character\n"},
      {"a: \xff\n", SN_ESYNTAX,
       "p:1:1: error: not well-formed YAML: invalid leading UTF-8 octet\n"},
      {"a: b: c\n", SN_ESYNTAX,
       "p:1:5: error: not well-formed YAML: mapping values are not allowed in this context\n"},
  };
  run_cases(sn_value_parse_yaml, cases, sizeof cases / sizeof *cases);
}

SN_TEST(problems_of_cpf) {
  static const problem_case cases[] = {
      {"", SN_ESYNTAX, "p:1:1: error: the file ends before any element\n"},
      {"<props/>", SN_ESYNTAX,
       "p:1:1: error: the root element is <props>, expected <properties>\n"},
      {"<properties><simple name='a'/></properties>", SN_ESYNTAX,
       "p:1:13: error: <simple name=\"a\"> must hold one <value> and nothing else\n"},
      {"<properties><simple name='a'><struct name='b'/></simple></properties>", SN_ESYNTAX,
       "p:1:13: error: <simple name=\"a\"> must hold one <value> and nothing else\n"},
      {"<properties><simple name='a'><value>1</value><value>2</value></simple></properties>",
       SN_ESYNTAX, "p:1:13: error: <simple name=\"a\"> must hold one <value> and nothing else\n"},
      {"<!DOCTYPE properties\n SYSTEM 'cpf.dtd' >\n<properties><struct/></properties>", SN_ESYNTAX,
       "p:3:13: error: <struct> has no name\n"},
      {"<properties><struct/></properties>", SN_ESYNTAX, "p:1:13: error: <struct> has no name\n"},
      {"<properties><struct name=''/></properties>", SN_ESYNTAX,
       "p:1:13: error: <struct> has no name\n"},
      {"<properties><value>1</value></properties>", SN_ESYNTAX,
       "p:1:13: error: <value> outside <simple>\n"},
      {"<properties><list name='a'/><list/></properties>", SN_ESYNTAX,
       "p:1:13: error: unknown element <list> (known are struct, sequence, simple, value and "
       "description)\n"
       "p:1:29: error: unknown element <list> (known are struct, sequence, simple, value and "
       "description)\n"},
      {"<properties>\n<struct name='a'/>\n<struct name='a'/></properties>", SN_ESYNTAX,
       "p:3:1: error: 'a' appears twice, first in line 2\n"},
      {"<!DOCTYPE properties SYSTEM 'cpf.dtd' [<!ENTITY x 'y'>]>\n<properties/>", SN_ESYNTAX,
       "p:1:39: error: DOCTYPE 'properties' is rejected: entities and external files are not read "
       "(remove the <!DOCTYPE ...> declaration)\n"},
      {"<!DOCTYPE properties SYSTEM 'other.dtd'>\n<properties/>", SN_ESYNTAX,
       "p:1:40: error: DOCTYPE 'properties' is rejected: entities and external files are not read "
       "(remove the <!DOCTYPE ...> declaration)\n"},
      {"<!DOCTYPE properties PUBLIC 'x' 'cpf.dtd'>\n<properties/>", SN_ESYNTAX,
       "p:1:42: error: DOCTYPE 'properties' is rejected: entities and external files are not read "
       "(remove the <!DOCTYPE ...> declaration)\n"},
      {"<!DOCTYPE robot SYSTEM 'cpf.dtd'>\n<robot/>", SN_ESYNTAX,
       "p:1:33: error: DOCTYPE 'robot' is rejected: entities and external files are not read "
       "(remove the <!DOCTYPE ...> declaration)\n"},
      {"<!DOCTYPE properties>\n<properties/>", SN_ESYNTAX,
       "p:1:21: error: DOCTYPE 'properties' is rejected: entities and external files are not read "
       "(remove the <!DOCTYPE ...> declaration)\n"},
      {"<!DOCTYPE properties SYSTEM 'cpf.dtd'>\n<properties><simple name='a'><value>&x;</value>"
       "</simple></properties>",
       SN_ESYNTAX, "p:2:37: error: not well-formed XML: undefined entity\n"},
      {"<properties><simple name='a&#x85;'><value>1</value></simple></properties>", SN_ESYNTAX,
       "p:1:13: error: 'a\\xc2\\x85': a name must not hold a control character\n"},
  };
  run_cases(sn__value_parse_cpf, cases, sizeof cases / sizeof *cases);
}

static char *nested(const char *opening, const char *middle, const char *closing, size_t depth) {
  const size_t a = strlen(opening);
  const size_t m = strlen(middle);
  const size_t c = strlen(closing);
  char *text = malloc(depth * (a + c) + m + 1);
  assert_non_null(text);
  for (size_t i = 0; i < depth; i++) {
    memcpy(text + i * a, opening, a);
    memcpy(text + depth * a + m + i * c, closing, c);
  }
  memcpy(text + depth * a, middle, m);
  text[depth * (a + c) + m] = '\0';
  return text;
}

/* Below the outermost bag, lists and bags nest SN_VALUE_DEPTH_MAX deep and no deeper. */
SN_TEST(depth_of_yaml_has_a_limit) {
  for (size_t depth = 1; depth < 100000; depth = depth < 70 ? depth + 1 : 10 * depth) {
    char *text = nested("{a: ", "1", "}", depth + 1);
    bag b;
    parse_yaml(&b, text);
    assert_int_equal(b.status, depth <= SN_VALUE_DEPTH_MAX ? SN_OK : SN_ELIMIT);
    if (b.status != SN_OK) {
      sn_assert_contains(sn_test_problems(b.report), "at most 64 levels are allowed");
    }
    release(&b);
    free(text);
  }
}

/* Elements, <properties> among them. */
SN_TEST(depth_of_cpf_has_a_limit) {
  for (size_t depth = 60; depth < 100000; depth = depth < 70 ? depth + 1 : 10 * depth) {
    char *inner = nested("<struct name='a' type='b'>", "", "</struct>", depth - 1);
    char *text = nested("<properties>", inner, "</properties>", 1);
    bag b;
    parse_cpf(&b, text);
    assert_int_equal(b.status, depth <= SN_VALUE_DEPTH_MAX ? SN_OK : SN_ELIMIT);
    release(&b);
    free(inner);
    free(text);
  }
}

SN_TEST(size_has_a_limit) {
  const size_t size = SN_VALUE_SIZE_MAX + 1;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, ' ', size);
  memcpy(text, "<properties/>", 13);
  bag b;
  parse_bytes(&b, sn__value_parse_cpf, text, size - 1);
  assert_int_equal(b.status, SN_OK);
  release(&b);
  parse_bytes(&b, sn__value_parse_cpf, text, size);
  assert_int_equal(b.status, SN_ELIMIT);
  sn_assert_problems(b.report,
                     "p:0:0: error: the file has 16777217 bytes, at most 16777216 are allowed\n");
  release(&b);
  memset(text, '\n', size);
  memcpy(text, "a: 1", 4);
  parse_bytes(&b, sn_value_parse_yaml, text, size);
  assert_int_equal(b.status, SN_ELIMIT);
  sn_assert_problems(b.report,
                     "p:0:0: error: the file has 16777217 bytes, at most 16777216 are allowed\n");
  release(&b);
  free(text);
}

/* Errors already in the report do not affect the next file. */
SN_TEST(earlier_errors_do_not_count) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "props", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = "other", .line = 1, .column = 1},
                 NULL, "old");
  const sn_value *root = NULL;
  assert_int_equal(sn_value_parse_yaml(&arena, "a: 1", 4, "p", report, &root), SN_OK);
  assert_int_equal(sn__value_parse_cpf(&arena, "<properties/>", 13, "p", report, &root), SN_OK);
  sn_arena_release(&arena);
}
