/* Random values of every kind: what is printed reads back the same. */
#include "rich_table.h"
#include "robot.h"
#include "rt/components/property_access.h"
#include "sinew/random.h"
#include "sn_test.h"

static sn_arena arena; /* of one case */

static size_t below(sn_random *random, size_t n) {
  return (size_t)(sn_random_bits(random) % n);
}

static double random_real(sn_random *random) {
  union {
    uint64_t bits;
    double real;
  } u;
  do {
    u.bits = sn_random_bits(random);
  } while (!isfinite(u.real));
  return below(random, 4) == 0 ? -0.0 * (double)below(random, 2) : u.real;
}

static const char *random_text(sn_random *random) {
  static const char *const pieces[] = {"a",
                                       "Z",
                                       " ",
                                       "\"",
                                       "\\",
                                       "\n",
                                       "\t",
                                       "#",
                                       ": ",
                                       "- ",
                                       "{",
                                       "]",
                                       "'",
                                       "\xC3\xA4",
                                       "null",
                                       "\xE2\x80\xA8",
                                       "~",
                                       "1.5",
                                       "%",
                                       "&",
                                       "*",
                                       "\xEF\xBB\xBF",
                                       "\xF0\x9F\xA6\xBF",
                                       "true",
                                       "\r",
                                       "|",
                                       ",",
                                       "?",
                                       "!"};
  char text[64] = "";
  for (size_t n = below(random, 7); n > 0; n--) {
    strcat(text, pieces[below(random, sizeof pieces / sizeof *pieces)]);
  }
  return sn_arena_text(&arena, text, strlen(text));
}

static const sn_value *random_tree(sn_random *random, int depth, const char *name) {
  sn_value *prop = SN_NEW(&arena, sn_value, 1);
  *prop = (sn_value){.name = name,
                     .kind = depth == 0 ? SN_VALUE_TEXT : (sn_value_kind)below(random, 3)};
  if (prop->kind == SN_VALUE_TEXT) {
    prop->text = random_text(random);
    return prop;
  }
  prop->item_count = below(random, 4);
  const sn_value **items = SN_NEW(&arena, const sn_value *, prop->item_count);
  for (size_t i = 0; i < prop->item_count; i++) {
    char item[80] = "";
    if (prop->kind == SN_VALUE_BAG) {
      snprintf(item, sizeof item, "%zu", i);
      for (const char *c = random_text(random); *c != '\0'; c++) {
        const char one[2] = {*c >= 0x20 && *c < 0x7F ? *c : 'x', '\0'};
        strcat(item, one); /* a name has no line ends */
      }
    }
    items[i] = random_tree(random, depth - 1, sn_arena_text(&arena, item, strlen(item)));
  }
  prop->items = items;
  return prop;
}

static sn_reals random_reals(sn_random *random, size_t count) {
  double *numbers = SN_NEW(&arena, double, count);
  for (size_t i = 0; i < count; i++) {
    numbers[i] = random_real(random);
  }
  return (sn_reals){numbers, count};
}

/* As the table but without bounds, so that any number is valid. */
static sn_property free_servo_table[4];
static sn_property free_limits_table[4];
static sn_property free_table[11];

static void make_free_tables(void) {
  memcpy(free_servo_table, rich_servo_table, sizeof free_servo_table);
  memcpy(free_limits_table, rich_limits_table, sizeof free_limits_table);
  memcpy(free_table, rich_table, sizeof free_table);
  sn_property *const tables[] = {free_servo_table, free_limits_table, free_table};
  for (size_t t = 0; t < 3; t++) {
    for (sn_property *p = tables[t]; p->name != NULL; p++) {
      p->min = p->max = 0.0;
      p->count_min = p->count_max = 0;
      p->choices = NULL;
      p->items = p->kind == SN_PROPERTY_BAG    ? free_limits_table
                 : p->kind == SN_PROPERTY_BAGS ? free_servo_table
                                               : NULL;
    }
  }
}

static void fill(sn_random *random, rich *value) {
  value->on = below(random, 2) == 1;
  value->steps = (int64_t)sn_random_bits(random) >> below(random, 64);
  value->gain = random_real(random);
  value->mode = random_text(random);
  value->label = random_text(random);
  value->gains = random_reals(random, below(random, 5));
  const char **names = SN_NEW(&arena, const char *, 4);
  for (size_t i = 0; i < 4; i++) {
    names[i] = random_text(random);
  }
  value->names = (sn_texts){names, below(random, 5)};
  value->tree = random_tree(random, 4, "");
  if (value->tree->kind == SN_VALUE_TEXT) { /* an empty scalar is not a tree */
    value->tree = NULL;
  }
  value->limits = (rich_limits){random_real(random), random_real(random), -7};
  const size_t count = below(random, 4);
  rich_servo *servos = SN_NEW(&arena, rich_servo, count);
  for (size_t i = 0; i < count; i++) {
    servos[i] = (rich_servo){random_text(random), random_real(random),
                             random_reals(random, below(random, 3))};
  }
  value->servos = (sn_bags){servos, count};
}

static void check_case(size_t seed) {
  sn_random random;
  sn_random_init(&random, seed);
  static char first[1 << 16];
  static char second[1 << 16];
  rich value = {0}, object = {0};
  sn_report *report = NULL;
  const sn_value *tree = NULL;
  assert_int_equal(sn_report_create(&arena, &report, NULL), SN_OK);
  assert_int_equal(sn__property_init_values(rich_table, &object, &arena), SN_OK);
  fill(&random, &value);
  assert_true(sn__property_print_all(free_table, &value, first, sizeof first) < sizeof first);
  sn_status status = sn_value_parse_text(&arena, first, strlen(first), "f.yaml", report, &tree);
  if (status == SN_OK) {
    status = sn__property_set_all(free_table, &object, tree, "c", &arena, report);
  }
  sn__property_print_all(free_table, &object, second, sizeof second);
  if (status != SN_OK || strcmp(first, second) != 0) {
    fail_msg("seed %zu: %s\n%s\n%s", seed, first, second, sn_test_problems(report));
  }
}

SN_TEST(what_is_printed_reads_back_the_same) {
  make_free_tables();
  const size_t cases = sn_test_cases(2000);
  for (size_t i = 0; i < cases; i++) {
    sn_arena_init_growing(&arena, "values", 0);
    check_case(i);
    sn_arena_release(&arena);
  }
}
