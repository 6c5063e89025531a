/* The reader of messages whose numbers belong to names, compared with a plain search. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "msg/msg_names_internal.h"
#include "msg/name_map.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { NAMES = 6, LONGEST = 10 };
static const char *const TABLE[NAMES] = {"a", "bb", "ccc", "a_b", "leg1", "leg10"};
static const char *const OTHERS[] = {"a", "bb", "ccc", "a_b", "leg1", "leg10", "leg", "", "A"};

typedef struct fixture {
  sn_arena arena;
  const sn_names *table;
  sn__name_map map;
  sn_joint_state *msg;
} fixture;

static void fixture_open(fixture *f) {
  sn_arena_init_growing(&f->arena, "names", 0);
  assert_int_equal(sn_names_create(&f->arena, TABLE, NAMES, &f->table, NULL), SN_OK);
  assert_true(sn__name_map_init(&f->map, &f->arena, f->table));
  f->msg = sn_msg_create(&f->arena, &sn_joint_state_type, NULL);
}

static void fixture_close(fixture *f) {
  sn_arena_release(&f->arena);
}

static void add(sn_msg_names *names, const char *name) {
  assert_int_equal(sn_msg_names_add(names, name, strlen(name)), SN_OK);
}

static void set_count(sn_seq_f64 *values, size_t count, double value) {
  values->count = count;
  for (size_t i = 0; i < count; i++) {
    values->data[i] = value;
  }
}

/* Where each entry is, whether there are others, and whether one appears twice. */
static void compare_with_search(const fixture *f, sn__read_verdict verdict) {
  const sn_msg_names *names = &f->msg->name;
  bool has_unknown = false, has_duplicate = false;
  for (size_t i = 0; i < names->count; i++) {
    bool is_known = false;
    for (size_t k = 0; k < NAMES; k++) {
      is_known = is_known || strcmp(sn_msg_names_at(names, i), TABLE[k]) == 0;
    }
    has_unknown = has_unknown || !is_known;
    for (size_t k = 0; is_known && k < i; k++) {
      has_duplicate =
          has_duplicate || strcmp(sn_msg_names_at(names, i), sn_msg_names_at(names, k)) == 0;
    }
  }
  assert_int_equal(verdict, has_duplicate ? SN__READ_DUPLICATE
                            : has_unknown ? SN__READ_UNKNOWN
                                          : SN__READ_GOOD);
  for (size_t k = 0; k < NAMES; k++) {
    assert_int_equal(f->map.at[k], sn__msg_names_index(names, TABLE[k]));
  }
}

/* Lists repeat, change in one name, grow and shrink: what is remembered never shows. */
SN_TEST(random_lists_are_found_as_by_a_search) {
  fixture f;
  fixture_open(&f);
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t n = 0; n < sn_test_cases(20000); n++) {
    const uint64_t kind = sn_random_below(&random, 4);
    if (kind == 0) {
      sn_msg_names_share(&f.msg->name, f.table);
    } else if (kind > 1) { /* else the last list again */
      sn_msg_names_clear(&f.msg->name);
      for (size_t i = sn_random_below(&random, LONGEST); i > 0; i--) {
        add(&f.msg->name, OTHERS[sn_random_below(&random, sizeof OTHERS / sizeof *OTHERS)]);
      }
    }
    set_count(&f.msg->position, f.msg->name.count, 1.0);
    compare_with_search(&f, sn__read_joint_state(&f.map, f.msg, NULL));
  }
  fixture_close(&f);
}

SN_TEST(table_of_another_model_is_looked_up) {
  fixture f;
  fixture_open(&f);
  static const char *const reversed[] = {"leg10", "leg1", "x"};
  const sn_names *other = NULL;
  assert_int_equal(sn_names_create(&f.arena, reversed, 3, &other, NULL), SN_OK);
  for (int n = 0; n < 2; n++) {
    sn_msg_names_share(&f.msg->name, other);
    set_count(&f.msg->position, 3, 0.0);
    assert_int_equal(sn__read_joint_state(&f.map, f.msg, NULL), SN__READ_UNKNOWN);
    assert_int_equal(f.map.at[4], 1);
    assert_int_equal(f.map.at[5], 0);
    assert_int_equal(f.map.at[0], -1);
  }
  fixture_close(&f);
}

SN_TEST(lengths_that_differ_are_refused_and_empty_ones_only_where_allowed) {
  fixture f;
  fixture_open(&f);
  add(&f.msg->name, "a");
  add(&f.msg->name, "bb");
  for (size_t p = 0; p < 4; p++) {
    for (size_t v = 0; v < 4; v++) {
      set_count(&f.msg->position, p, 0.0);
      set_count(&f.msg->velocity, v, 0.0);
      assert_int_equal(sn__read_joint_state(&f.map, f.msg, NULL),
                       p == 2 && (v == 0 || v == 2) ? SN__READ_GOOD : SN__READ_LENGTHS);
    }
  }
  fixture_close(&f);
}

SN_TEST(number_that_is_not_finite_is_reported_with_its_joint) {
  fixture f;
  fixture_open(&f);
  add(&f.msg->name, "leg1");
  add(&f.msg->name, "missing");
  add(&f.msg->name, "a");
  sn_seq_f64 *const values[] = {&f.msg->position, &f.msg->velocity, &f.msg->effort};
  static const int expected[] = {4, -1, 0};
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < 3; i++) {
      for (size_t m = 0; m < 3; m++) {
        set_count(values[m], 3, 0.5);
      }
      values[k]->data[i] = i == 1 ? (double)INFINITY : (double)NAN;
      int joint = 99;
      assert_int_equal(sn__read_joint_state(&f.map, f.msg, &joint), SN__READ_NOT_FINITE);
      assert_int_equal(joint, expected[i]);
    }
  }
  fixture_close(&f);
}

SN_TEST(duplicate_is_reported_with_its_joint) {
  fixture f;
  fixture_open(&f);
  add(&f.msg->name, "ccc");
  add(&f.msg->name, "bb");
  add(&f.msg->name, "ccc");
  set_count(&f.msg->position, 3, 0.0);
  for (int n = 0; n < 2; n++) { /* also if the list is remembered */
    int joint = 99;
    assert_int_equal(sn__read_joint_state(&f.map, f.msg, &joint), SN__READ_DUPLICATE);
    assert_int_equal(joint, 2);
  }
  fixture_close(&f);
}

SN_TEST(values_are_sorted_and_what_is_not_named_stays) {
  fixture f;
  fixture_open(&f);
  add(&f.msg->name, "leg10");
  add(&f.msg->name, "x");
  add(&f.msg->name, "a");
  set_count(&f.msg->position, 3, 0.0);
  f.msg->position.data[0] = 1.0;
  f.msg->position.data[1] = 2.0;
  f.msg->position.data[2] = 3.0;
  double sorted[NAMES] = {9, 9, 9, 9, 9, 9};
  assert_int_equal(sn__read_joint_state(&f.map, f.msg, NULL), SN__READ_UNKNOWN);
  assert_int_equal(sn__name_map_sort(&f.map, &f.msg->position, sorted), 2);
  static const double expected[NAMES] = {3, 9, 9, 9, 9, 1};
  assert_memory_equal(sorted, expected, sizeof sorted);
  assert_int_equal(sn__name_map_sort(&f.map, &f.msg->velocity, sorted), 0); /* it has none */
  assert_memory_equal(sorted, expected, sizeof sorted);
  fixture_close(&f);
}
