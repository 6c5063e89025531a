#include <stdlib.h>

#include "files/xml_plain.h"
#include "sinew/model.h"
#include "sinew/random.h"
#include "sn_test.h"
#include "xml_both.h"

static const char sample[] =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<!-- a robot - of & < ] sorts -->\r\n"
    "<robot name=\"r\">\n"
    "\t<link name='a b' mass = \"1\n2\t3\"\n  tail=\"'>'\" />\n"
    "  <!-- \xC3\xA9 \xE2\x82\xAC --><node:x y=\"1\"><link/>text > here</node:x >\n"
    "  <joint\r\n    name=\"j\xF0\x9F\xA4\x96-1.2_3:4\"><axis xyz=\"0 0 1\"></axis></joint>\n"
    "</robot>\n"
    "<!-- end -->\n";

static void plain_text_gives_the_tree_of_expat(void **state) {
  (void)state;
  assert_int_equal(xml_both_read(sample, strlen(sample)), XML_BOTH_PLAIN);
}

static void robots_are_plain(void **state) {
  (void)state;
  static const char *const robots[] = {"arm6", "arm7", "arm_ur", "quadruped"};
  for (size_t i = 0; i < sizeof robots / sizeof *robots; i++) {
    char path[400];
    snprintf(path, sizeof path, SINEW_ROBOTS "/%s.urdf", robots[i]);
    size_t size = 0;
    char *text = sn_test_read_file(path, &size);
    assert_int_equal(xml_both_read(text, size), XML_BOTH_PLAIN);
    free(text);
  }
}

/* Each of these is for expat, be it to refuse it or to do what the quick way does not. */
static void what_is_unusual_is_left_to_expat(void **state) {
  (void)state;
  static const char *const texts[] = {
      "",
      " ",
      "<!-- no element -->",
      "<a>",
      "<a></b>",
      "<a></a",
      "<a/><b/>",
      "<a/>text",
      "text<a/>",
      "</a>",
      "<a/></a>",
      "<a b=\"1\" b=\"2\"/>",
      "<a b=\"1\"c=\"2\"/>",
      "<a b=1/>",
      "<a b/>",
      "<a b=\"<\"/>",
      "<a b=\"&lt;\"/>",
      "<a b=\"1\r\n2\"/>",
      "<a b=\"\x01\"/>",
      "<a>&amp;</a>",
      "<a>]]></a>",
      "<a>\xC3</a>",
      "<a>\xC0\x80</a>",
      "<a>\xED\xA0\x80</a>",
      "<a>\xEF\xBF\xBE</a>",
      "<a>\xEF\xBF\xBF</a>",
      "<a>\xF4\x90\x80\x80</a>",
      "<a>\xE2\x82",
      "<\xC3\xA9/>",
      "<a \xC3\xA9=\"\"/>",
      "<a/>\xC3\xA9",
      "<a>\x7F</a>",
      "<a>\r</a>",
      "<a><![CDATA[x]]></a>",
      "<a><?p q?></a>",
      "<a><!-- a -- b --></a>",
      "<a><!-- a --->",
      "<a><!--->",
      "<a><!- a --></a>",
      "<1/>",
      "<a/ >",
      "< a/>",
      "<!DOCTYPE a><a/>",
      " <?xml version=\"1.0\"?><a/>",
      "<?xml version=\"1.1\"?><a/>",
      "<?xml encoding=\"utf-8\"?><a/>",
      "<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><a/>",
      "<?xml version=\"1.0\" standalone=\"yes\"?><a/>",
      "<?xml version=\"1.0\"",
      "\xEF\xBB\xBF<a/>",
      "<a><a><a><a><a><a><a><a><a/></a></a></a></a></a></a></a></a>",
      "<a b='' c='' d='' e='' f='' g='' h='' i='' j='' k='' l=''/>",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    if (xml_both_read(texts[i], strlen(texts[i])) != XML_BOTH_NOT_PLAIN) {
      fail_msg("'%s' is taken for plain", texts[i]);
    }
  }
  const char nul[] = "<a/>\0";
  assert_int_equal(xml_both_read(nul, sizeof nul - 1), XML_BOTH_NOT_PLAIN);
}

/* Pieces that turn plain text into text that is nearly plain. */
static const char *const pieces[] = {"<",
                                     ">",
                                     "/",
                                     "\"",
                                     "'",
                                     "=",
                                     "&",
                                     "-",
                                     "!",
                                     "?",
                                     "]]>",
                                     "<!--",
                                     "-->",
                                     "\r",
                                     "\n",
                                     " ",
                                     "\t",
                                     "<a",
                                     "</a>",
                                     "/>",
                                     "a",
                                     "a=\"\"",
                                     "\x80",
                                     "\x1f",
                                     ":",
                                     "1",
                                     "no",
                                     "xml",
                                     "<?",
                                     "?>",
                                     "&lt;",
                                     "]",
                                     "\xC2\xA0",
                                     "\xC3\xA9",
                                     "\xEF\xBF\xBE",
                                     "\xED\x9F\xBF",
                                     "\xF0\x9F\xA4\x96"};

/* Replace some bytes at a random place by a piece, or by a copy of another part of the text. */
static size_t mutate(sn_random *random, char *text, size_t size) {
  const size_t at = sn_random_below(random, size + 1);
  const size_t rest = size - at;
  size_t cut = sn_random_below(random, 4) == 0 ? sn_random_below(random, 20) : 0;
  cut = cut > rest ? rest : cut;
  char piece[16];
  size_t length = 0;
  if (sn_random_below(random, 3) != 0) {
    const char *chosen = pieces[sn_random_below(random, sizeof pieces / sizeof *pieces)];
    length = strlen(chosen);
    memcpy(piece, chosen, length);
  } else if (size > sizeof piece) {
    length = 1 + sn_random_below(random, sizeof piece);
    memcpy(piece, text + sn_random_below(random, size - length), length);
  }
  memmove(text + at + length, text + at + cut, rest - cut);
  memcpy(text + at, piece, length);
  return size - cut + length;
}

static void mutants_are_judged_as_by_expat(void **state) {
  (void)state;
  const uint64_t seed = 20240717;
  const size_t cases = sn_test_cases(30000);
  sn_random random;
  sn_random_init(&random, seed);
  size_t plain_count = 0;
  for (size_t i = 0; i < cases; i++) {
    char text[sizeof sample + 64];
    size_t size = sizeof sample - 1;
    memcpy(text, sample, size);
    for (size_t k = 1 + sn_random_below(&random, 3); k-- > 0;) {
      size = mutate(&random, text, size);
    }
    const xml_both_result result = xml_both_read(text, size);
    if (result == XML_BOTH_DIFFER) {
      fail_msg("seed %llu, case %zu: '%.*s'", (unsigned long long)seed, i, (int)size, text);
    }
    plain_count += result == XML_BOTH_PLAIN;
  }
  assert_in_range(plain_count, cases / 50, cases - cases / 50); /* else it shows nothing */
}

/* A problem that is found while the quick way is being tried stands in the report once. */
static void problems_are_reported_once(void **state) {
  (void)state;
  static const char text[] = "<robot name=\"r\"><xacro:macro/><link name=\"a\"/><xacro:x/></robot>";
  sn_arena arena;
  sn_arena_init_growing(&arena, "test", 0);
  sn_arena notes;
  sn_arena_init_growing(&notes, "notes", 0);
  sn_report *report = sn_report_create(&notes);
  const sn_model *model = NULL;
  assert_int_equal(sn_model_parse(&arena, text, strlen(text), NULL, report, &model, NULL), SN_OK);
  assert_int_equal(sn_model_link_count(model), 1);
  assert_int_equal(sn_report_count(report), 2);
  sn_assert_contains(sn_report_at(report, 0)->message, "xacro:macro");
  sn_assert_contains(sn_report_at(report, 1)->message, "xacro:x");
  sn_arena_release(&arena);
  sn_arena_release(&notes);
}

static void a_full_arena_is_told_apart(void **state) {
  (void)state;
  static char memory[4096];
  const sn__xml_config config = xml_both_config();
  bool was_plain = false;
  for (size_t size = 0; size <= sizeof memory && !was_plain; size += 64) {
    sn_arena arena;
    sn_arena_init(&arena, "small", memory, size);
    sn__xml_node *root = NULL;
    const sn__xml_plain_result result =
        sn__xml_parse_plain(&arena, sample, strlen(sample), &config, &root);
    was_plain = result == SN__XML_PLAIN;
    assert_true(was_plain || result == SN__XML_NO_MEMORY);
    assert_true(was_plain || sn_arena_used(&arena) == 0);
  }
  assert_true(was_plain);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_text_gives_the_tree_of_expat),
      cmocka_unit_test(robots_are_plain),
      cmocka_unit_test(what_is_unusual_is_left_to_expat),
      cmocka_unit_test(mutants_are_judged_as_by_expat),
      cmocka_unit_test(problems_are_reported_once),
      cmocka_unit_test(a_full_arena_is_told_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
