#include <stdlib.h>

#include "model/groups.h"
#include "program.h"
#include "value_bag.h"

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
SN_TEST(yaml_and_cpf_of_the_quadruped_are_equal) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "props", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
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
SN_TEST(yaml_and_cpf_make_the_same_quadruped) {
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
  for (size_t i = 0; i < sn_names_count(sn__model_group_names(cpf)); i++) {
    assert_int_equal(sn__model_group(cpf, i)->joint_count,
                     sn__model_group(yaml.model, i)->joint_count);
  }
  sn_arena_release(&arena);
  sn_test_robot_free(&yaml);
}

SN_TEST(yaml_keeps_order_kinds_and_places) {
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

SN_TEST(cpf_keeps_order_kinds_and_places) {
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

SN_TEST(columns_of_yaml_count_characters) {
  bag b;
  parse_yaml(&b, "\xC3\xA4: \xE2\x82\xAC\nx: {\xC3\xA4: 1, b: 2}\n");
  assert_int_equal(b.status, SN_OK);
  assert_int_equal(b.root->items[0]->place.column, 4);
  assert_int_equal(sn_value_find(b.root->items[1], "b")->place.column, 14);
  release(&b);
}

SN_TEST(empty_yaml_is_an_empty_bag) {
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

SN_TEST(files_are_read_by_their_ending) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "props", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
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

SN_TEST(value_may_be_of_any_kind) {
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

SN_TEST(names_have_their_own_place) {
  bag b;
  parse_yaml(&b, "a:   1\nb: [2]\n");
  assert_int_equal(b.root->items[0]->place.column, 6);
  assert_int_equal(b.root->items[0]->name_place.column, 1);
  assert_int_equal(b.root->items[1]->name_place.line, 2);
  assert_int_equal(b.root->items[1]->name_place.column, 1);
  assert_int_equal(b.root->items[1]->items[0]->name_place.column, 5); /* has no name */
  release(&b);
}
