#include <stdlib.h>

#include "program.h"
#include "robot.h"
#include "sinew/value.h"
#include "sn_test.h"

typedef struct bag {
  sn_arena arena;
  sn_report *report;
  const sn_value *root; /* NULL if refused */
  sn_status status;
} bag;

typedef sn_status parse_function(sn_arena *arena, const char *text, size_t size, const char *file,
                                 sn_report *report, const sn_value **out);

static void parse_bytes(bag *b, parse_function *parse, const char *text, size_t size) {
  *b = (bag){0};
  sn_arena_init_growing(&b->arena, "props", 0);
  b->report = sn_report_create(&b->arena);
  assert_non_null(b->report);
  char file[] = "p";
  b->status = parse(&b->arena, text, size, file, b->report, &b->root);
  file[0] = 'X'; /* the name was copied */
  assert_int_equal(b->status == SN_OK, b->root != NULL);
  assert_int_equal(b->status == SN_OK, sn_report_error_count(b->report) == 0);
}

static void parse_yaml(bag *b, const char *text) {
  parse_bytes(b, sn_value_parse_yaml, text, strlen(text));
}

static void parse_cpf(bag *b, const char *text) {
  parse_bytes(b, sn_value_parse_cpf, text, strlen(text));
}

static void release(bag *b) {
  sn_arena_release(&b->arena);
}

static void assert_same_tree(const sn_value *a, const sn_value *b) {
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->kind, b->kind);
  assert_int_equal(a->item_count, b->item_count);
  assert_int_equal(a->text == NULL, a->kind != SN_VALUE_TEXT);
  if (a->kind == SN_VALUE_TEXT) {
    assert_string_equal(a->text, b->text);
  }
  for (size_t i = 0; i < a->item_count; i++) {
    assert_same_tree(a->items[i], b->items[i]);
  }
}

/* Both files of the quadruped; the YAML one also names the robot, and points are lists there, bags
   of X, Y, Z here. So chains and groups are compared as trees, contacts by their numbers. */
static void yaml_and_cpf_say_the_same_of_the_quadruped(void **state) {
  (void)state;
  sn_arena arena;
  sn_arena_init_growing(&arena, "props", 0);
  sn_report *report = sn_report_create(&arena);
  const sn_value *yaml = NULL;
  const sn_value *cpf = NULL;
  assert_int_equal(sn_value_load(&arena, SINEW_ROBOTS "/quadruped.yaml", report, &yaml), SN_OK);
  assert_int_equal(sn_value_load(&arena, SINEW_ROBOTS "/quadruped.cpf", report, &cpf), SN_OK);
  assert_int_equal(yaml->item_count, 4);
  assert_int_equal(cpf->item_count, 3);
  static const char *const parts[] = {"kinematics_chains", "groups"};
  for (size_t i = 0; i < 2; i++) {
    assert_non_null(sn_value_find(yaml, parts[i]));
    assert_same_tree(sn_value_find(yaml, parts[i]), sn_value_find(cpf, parts[i]));
  }
  const sn_value *a = sn_value_find(yaml, "contacts");
  const sn_value *b = sn_value_find(cpf, "contacts");
  assert_int_equal(a->item_count, b->item_count);
  for (size_t i = 0; i < a->item_count; i++) {
    assert_string_equal(a->items[i]->name, b->items[i]->name);
    const sn_value *p = sn_value_find(a->items[i], "points");
    const sn_value *q = sn_value_find(b->items[i], "points");
    assert_int_equal(p->kind, SN_VALUE_LIST);
    assert_int_equal(q->kind, SN_VALUE_LIST);
    assert_int_equal(p->item_count, q->item_count);
    for (size_t k = 0; k < p->item_count; k++) {
      assert_string_equal(q->items[k]->name, ""); /* Element0 means nothing */
      for (size_t j = 0; j < 3; j++) {
        double x = 0.0;
        double y = 1.0;
        assert_true(sn_value_number(p->items[k]->items[j], &x));
        assert_true(sn_value_number(q->items[k]->items[j], &y));
        sn_assert_near(x, y, 0.0);
      }
    }
  }
  sn_arena_release(&arena);
}

/* And the models made with them are the same. */
static void yaml_and_cpf_make_the_same_quadruped(void **state) {
  (void)state;
  sn_test_robot yaml;
  sn_test_robot_load(&yaml, "quadruped");
  sn_arena arena;
  sn_arena_init_growing(&arena, "cpf", 0);
  sn_model_config config = {0};
  const sn_model *cpf = NULL;
  assert_int_equal(
      sn_value_load(&arena, SINEW_ROBOTS "/quadruped.cpf", yaml.report, &config.properties), SN_OK);
  assert_int_equal(
      sn_model_load(&arena, SINEW_ROBOTS "/quadruped.urdf", &config, yaml.report, &cpf, NULL),
      SN_OK);
  sn_assert_problems(yaml.report, "");
  assert_int_equal(sn_model_pose_size(cpf), sn_model_pose_size(yaml.model));
  for (size_t i = 0; i < sn_model_pose_size(cpf); i++) {
    assert_string_equal(sn_model_joint(cpf, i)->name, sn_model_joint(yaml.model, i)->name);
    assert_int_equal(sn_model_joint(cpf, i)->chain, sn_model_joint(yaml.model, i)->chain);
  }
  for (size_t i = 0; i < sn_names_count(sn_model_contact_names(cpf)); i++) {
    const sn_contact *a = sn_model_contact(cpf, i);
    const sn_contact *b = sn_model_contact(yaml.model, i);
    assert_int_equal(a->kind, b->kind);
    assert_memory_equal(a->points, b->points, a->point_count * sizeof *a->points);
  }
  for (size_t i = 0; i < sn_names_count(sn_model_group_names(cpf)); i++) {
    assert_int_equal(sn_model_group(cpf, i)->joint_count,
                     sn_model_group(yaml.model, i)->joint_count);
  }
  sn_arena_release(&arena);
  sn_test_robot_free(&yaml);
}

static void yaml_keeps_order_kinds_and_places(void **state) {
  (void)state;
  bag b;
  parse_yaml(&b,
             "# comment\n"
             "zeta: 1.50\n"
             "alpha:\n"
             "  - x\n"
             "  - {k: 'v w'}\n"
             "  - [a, \"b\"]\n"
             "empty:\n"
             "flow: {a: 1, b: [2, 3]}\n");
  assert_int_equal(b.status, SN_OK);
  assert_int_equal(b.root->kind, SN_VALUE_BAG);
  assert_string_equal(b.root->name, "");
  assert_int_equal(b.root->item_count, 4);
  const sn_value *zeta = b.root->items[0];
  assert_string_equal(zeta->name, "zeta");
  assert_string_equal(zeta->text, "1.50"); /* as it was written */
  assert_string_equal(zeta->place.file, "p");
  assert_int_equal(zeta->place.line, 2);
  assert_int_equal(zeta->place.column, 7);
  const sn_value *alpha = sn_value_find(b.root, "alpha");
  assert_int_equal(alpha->kind, SN_VALUE_LIST);
  assert_int_equal(alpha->item_count, 3);
  assert_string_equal(alpha->items[0]->text, "x");
  assert_string_equal(alpha->items[0]->name, "");
  assert_int_equal(alpha->items[0]->place.line, 4);
  assert_string_equal(sn_value_find(alpha->items[1], "k")->text, "v w");
  assert_int_equal(alpha->items[2]->kind, SN_VALUE_LIST);
  assert_string_equal(alpha->items[2]->items[1]->text, "b");
  assert_int_equal(alpha->items[2]->place.line, 6);
  assert_int_equal(alpha->items[2]->place.column, 5);
  assert_string_equal(sn_value_find(b.root, "empty")->text, "");
  assert_null(sn_value_find(b.root, "nothing"));
  assert_null(sn_value_find(alpha, "x")); /* a list has no names */
  assert_null(sn_value_find(zeta, ""));
  release(&b);
}

static void cpf_keeps_order_kinds_and_places(void **state) {
  (void)state;
  bag b;
  parse_cpf(&b,
            "<properties><description>for people</description>\n"
            " <simple name='s' type='string'><description>d</description>"
            "<value> two words\n </value></simple>\n"
            " <simple name='e' type='string'><value/></simple>\n"
            " <struct name='bag' type='PropertyBag'>\n"
            "  <simple name='x' type='double'><value>1e-3</value></simple>\n"
            " </struct>\n"
            " <struct name='array' type='double[]'>"
            "<simple name='Element0' type='double'><value>1</value></simple></struct>\n"
            " <sequence name='list' type='PropertyBag'>"
            "<struct name='Element0' type='x'/><struct name='Element0' type='x'/></sequence>\n"
            "</properties>");
  assert_int_equal(b.status, SN_OK);
  assert_int_equal(b.root->item_count, 5);
  assert_string_equal(b.root->items[0]->text, "two words");
  assert_int_equal(b.root->items[0]->place.line, 2);
  assert_int_equal(b.root->items[0]->place.column, 2);
  assert_string_equal(b.root->items[1]->text, "");
  assert_int_equal(b.root->items[2]->kind, SN_VALUE_BAG);
  assert_int_equal(b.root->items[2]->items[0]->place.line, 6);
  assert_int_equal(b.root->items[3]->kind, SN_VALUE_LIST);
  assert_string_equal(b.root->items[3]->items[0]->name, "");
  assert_int_equal(b.root->items[4]->kind, SN_VALUE_LIST);
  assert_int_equal(b.root->items[4]->item_count, 2); /* names of list items may repeat */
  double x = 0.0;
  assert_true(sn_value_number(b.root->items[2]->items[0], &x));
  sn_assert_near(x, 1e-3, 0.0);
  assert_false(sn_value_number(b.root->items[0], &x));
  assert_false(sn_value_number(b.root->items[3], &x));
  sn_assert_near(x, 1e-3, 0.0);
  release(&b);
}

static void columns_of_yaml_count_characters(void **state) {
  (void)state;
  bag b;
  parse_yaml(&b, "\xC3\xA4: \xE2\x82\xAC\nx: {\xC3\xA4: 1, b: 2}\n");
  assert_int_equal(b.status, SN_OK);
  assert_int_equal(b.root->items[0]->place.column, 4);
  assert_int_equal(sn_value_find(b.root->items[1], "b")->place.column, 14);
  release(&b);
}

static void empty_yaml_is_an_empty_bag(void **state) {
  (void)state;
  static const char *const texts[] = {"", "# nothing\n", "---\n", "{}", "\n\n", "\xEF\xBB\xBF"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    bag b;
    parse_yaml(&b, texts[i]);
    assert_int_equal(b.status, SN_OK);
    assert_int_equal(b.root->kind, SN_VALUE_BAG);
    assert_int_equal(b.root->item_count, 0);
    release(&b);
  }
}

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

static void problems_of_yaml(void **state) {
  (void)state;
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

static void problems_of_cpf(void **state) {
  (void)state;
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
  run_cases(sn_value_parse_cpf, cases, sizeof cases / sizeof *cases);
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
static void depth_of_yaml_has_a_limit(void **state) {
  (void)state;
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
static void depth_of_cpf_has_a_limit(void **state) {
  (void)state;
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

static void size_has_a_limit(void **state) {
  (void)state;
  const size_t size = SN_VALUE_SIZE_MAX + 1;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, ' ', size);
  memcpy(text, "<properties/>", 13);
  bag b;
  parse_bytes(&b, sn_value_parse_cpf, text, size - 1);
  assert_int_equal(b.status, SN_OK);
  release(&b);
  parse_bytes(&b, sn_value_parse_cpf, text, size);
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

/* An old report with errors in it does not spoil the next file. */
static void errors_of_before_do_not_count(void **state) {
  (void)state;
  sn_arena arena;
  sn_arena_init_growing(&arena, "props", 0);
  sn_report *report = sn_report_create(&arena);
  sn_report_add(report, SN_SEVERITY_ERROR, (sn_place){"other", 1, 1}, NULL, "old");
  const sn_value *root = NULL;
  assert_int_equal(sn_value_parse_yaml(&arena, "a: 1", 4, "p", report, &root), SN_OK);
  assert_int_equal(sn_value_parse_cpf(&arena, "<properties/>", 13, "p", report, &root), SN_OK);
  sn_arena_release(&arena);
}

static void files_are_read_by_their_ending(void **state) {
  (void)state;
  sn_arena arena;
  sn_arena_init_growing(&arena, "props", 0);
  sn_report *report = sn_report_create(&arena);
  const sn_value *root = NULL;
  assert_int_equal(sn_value_load(&arena, "no/such/file.yaml", report, &root), SN_EIO);
  assert_null(root);
  sn_assert_problems(
      report, "no/such/file.yaml:0:0: error: cannot read the file: No such file or directory\n");
  assert_int_equal(sn_value_load(&arena, SINEW_ROBOTS, report, &root), SN_EIO);
  sn_assert_contains(sn_test_problems(report), "Is a directory");
  /* Neither .cpf nor .xml, so it is read as YAML, which it is not. */
  assert_int_equal(sn_value_load(&arena, SINEW_ROBOTS "/arm6.urdf", report, &root), SN_ESYNTAX);
  sn_assert_contains(sn_test_problems(report), "arm6.urdf:1:1: error: ");
  char folder[64];
  char path[128];
  sn_test_folder_create(folder);
  sn_test_write(folder, "p.xml", "<properties><struct name='s' type='t'/></properties>");
  snprintf(path, sizeof path, "%s/p.xml", folder);
  assert_int_equal(sn_value_load(&arena, path, report, &root), SN_OK);
  assert_non_null(sn_value_find(root, "s"));
  sn_test_write(folder, "p", "t: 1");
  path[strlen(path) - 4] = '\0';
  assert_int_equal(sn_value_load(&arena, path, report, &root), SN_OK);
  assert_non_null(sn_value_find(root, "t"));
  sn_test_folder_remove(folder);
  sn_arena_release(&arena);
}

static void parse_value(bag *b, const char *text) {
  parse_bytes(b, sn_value_parse_text, text, strlen(text));
}

static void value_may_be_of_any_kind(void **state) {
  (void)state;
  static const struct {
    const char *yaml;
    sn_value_kind kind;
    const char *text; /* of a scalar */
    size_t item_count;
  } cases[] = {{"0.5", SN_VALUE_TEXT, "0.5", 0},     {"  'a: b'", SN_VALUE_TEXT, "a: b", 0},
               {"", SN_VALUE_TEXT, "", 0},           {"# nothing", SN_VALUE_TEXT, "", 0},
               {"''", SN_VALUE_TEXT, "", 0},         {"[left, right]", SN_VALUE_LIST, NULL, 2},
               {"{gain: 2}", SN_VALUE_BAG, NULL, 1}, {"gain: 2", SN_VALUE_BAG, NULL, 1},
               {"[]", SN_VALUE_LIST, NULL, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bag b;
    parse_value(&b, cases[i].yaml);
    assert_int_equal(b.status, SN_OK);
    assert_int_equal(b.root->kind, cases[i].kind);
    assert_int_equal(b.root->item_count, cases[i].item_count);
    assert_string_equal(b.root->name, "");
    assert_int_equal(b.root->place.line, 1);
    if (cases[i].kind == SN_VALUE_TEXT) {
      assert_string_equal(b.root->text, cases[i].text);
    }
    release(&b);
  }
  static const char *const bad[] = {"[a", "{a: 1, a: 2}", "*x", "!t a", "a\n---\nb", "[\"\\x01\"]"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    bag b;
    parse_value(&b, bad[i]);
    assert_int_equal(b.status, SN_ESYNTAX);
    release(&b);
  }
}

static void names_have_a_place_of_their_own(void **state) {
  (void)state;
  bag b;
  parse_yaml(&b, "a:   1\nb: [2]\n");
  assert_int_equal(b.root->items[0]->place.column, 6);
  assert_int_equal(b.root->items[0]->name_place.column, 1);
  assert_int_equal(b.root->items[1]->name_place.line, 2);
  assert_int_equal(b.root->items[1]->name_place.column, 1);
  assert_int_equal(b.root->items[1]->items[0]->name_place.column, 5); /* has no name */
  release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(value_may_be_of_any_kind),
      cmocka_unit_test(names_have_a_place_of_their_own),
      cmocka_unit_test(yaml_and_cpf_say_the_same_of_the_quadruped),
      cmocka_unit_test(yaml_and_cpf_make_the_same_quadruped),
      cmocka_unit_test(yaml_keeps_order_kinds_and_places),
      cmocka_unit_test(cpf_keeps_order_kinds_and_places),
      cmocka_unit_test(columns_of_yaml_count_characters),
      cmocka_unit_test(empty_yaml_is_an_empty_bag),
      cmocka_unit_test(problems_of_yaml),
      cmocka_unit_test(problems_of_cpf),
      cmocka_unit_test(depth_of_yaml_has_a_limit),
      cmocka_unit_test(depth_of_cpf_has_a_limit),
      cmocka_unit_test(size_has_a_limit),
      cmocka_unit_test(errors_of_before_do_not_count),
      cmocka_unit_test(files_are_read_by_their_ending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
