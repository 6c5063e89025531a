#include <stdlib.h>

#include "base/report_internal.h"
#include "files/xml.h"
#include "robot.h"
#include "sinew/random.h"
#include "sn_test.h"

typedef struct document {
  sn_arena arena;
  sn_report *report;
  sn__xml_node *root;
  sn_status status;
} document;

/* Drops <skip>, stops at <stop>, keeps everything else. */
static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  (void)context;
  if (strcmp(name, "stop") == 0) {
    sn__report_add(report, SN_SEVERITY_ERROR, place, NULL, "stopped inside <%s>",
                   parent == NULL ? "" : parent->name);
    return SN__XML_STOP;
  }
  return strcmp(name, "skip") == 0 ? SN__XML_SKIP : SN__XML_KEEP;
}

static void parse_as(document *d, const char *text, size_t size, bool keep_text) {
  *d = (document){0};
  sn_arena_init_growing(&d->arena, "xml", 0);
  assert_int_equal(sn_report_create(&d->arena, &d->report, NULL), SN_OK);
  const sn__xml_config config = {.file = "robot.urdf",
                                 .size_max = 1000,
                                 .depth_max = 4,
                                 .attribute_max = 8,
                                 .attributes_max = 3,
                                 .keep_text = keep_text,
                                 .judge = judge};
  d->status = sn__xml_parse(&d->arena, text, size, &config, d->report, &d->root);
  assert_int_equal(d->status == SN_OK, d->root != NULL);
  assert_int_equal(d->status == SN_OK, sn_report_error_count(d->report) == 0);
}

static void release(document *d) {
  sn_arena_release(&d->arena);
}

static void parse_bytes(document *d, const char *text, size_t size) {
  parse_as(d, text, size, true);
}

static void parse(document *d, const char *text) {
  parse_bytes(d, text, strlen(text));
}

SN_TEST(elements_attributes_and_places_are_kept) {
  document d;
  parse(&d,
        "<?xml version='1.0'?>\n"
        "<a x='1' y=\"&lt;2&#10;\">\n"
        "  <b/><c z=''/>\n"
        "</a>\n<!-- end -->\n");
  assert_int_equal(d.status, SN_OK);
  assert_string_equal(d.root->name, "a");
  assert_int_equal(d.root->attribute_count, 2);
  assert_string_equal(sn__xml_attribute_value(d.root, "x"), "1");
  assert_string_equal(sn__xml_attribute_value(d.root, "y"), "<2\n");
  assert_null(sn__xml_attribute_value(d.root, "z"));
  assert_int_equal(d.root->place.line, 2);
  assert_int_equal(d.root->place.column, 1);
  assert_int_equal(d.root->offset, 22);
  const sn__xml_node *b = d.root->first_child;
  assert_string_equal(b->name, "b");
  assert_int_equal(b->attribute_count, 0);
  assert_null(b->first_child);
  const sn__xml_node *c = b->next;
  assert_ptr_equal(sn__xml_child(d.root, "c"), c);
  assert_int_equal(c->place.line, 3);
  assert_int_equal(c->place.column, 7);
  assert_string_equal(sn__xml_attribute_value(c, "z"), "");
  assert_null(c->next);
  assert_null(sn__xml_child(d.root, "d"));
  release(&d);
}

SN_TEST(texts_are_trimmed_and_belong_to_their_element) {
  document d;
  parse(&d, "<a> out <b>\n in \t&amp; <![CDATA[<c>]]>er\n</b> side <b/><b> \n </b></a>");
  assert_int_equal(d.status, SN_OK);
  const sn__xml_node *b = d.root->first_child;
  assert_string_equal(b->text, "in \t& <c>er");
  assert_string_equal(b->next->text, "");
  assert_string_equal(b->next->next->text, "");
  release(&d);
}

SN_TEST(texts_are_dropped_unless_the_caller_keeps_them) {
  static const char text[] = "<a>x<b>y</b></a>";
  document d;
  parse_as(&d, text, strlen(text), false);
  assert_int_equal(d.status, SN_OK);
  assert_null(d.root->text);
  assert_null(d.root->first_child->text);
  release(&d);
}

SN_TEST(text_of_any_length_is_kept_whole) {
  char text[1000];
  for (size_t length = 0; length < 900; length += 37) {
    memcpy(text, "<a>", 3);
    for (size_t i = 0; i < length; i++) {
      text[3 + i] = i % 11 == 5 && i + 1 < length
                        ? '\n'
                        : (char)('!' + (i * 7) % 5); /* no markup among them */
    }
    memcpy(text + 3 + length, "</a>", 5);
    document d;
    parse(&d, text);
    assert_int_equal(d.status, SN_OK);
    assert_int_equal(strlen(d.root->text), length);
    assert_memory_equal(d.root->text, text + 3, length);
    release(&d);
  }
}

SN_TEST(skipped_elements_go_with_all_that_is_in_them) {
  document d;
  parse(&d, "<a>1<skip q='1'>x<b>2</b><skip/></skip><c>3</c></a>");
  assert_int_equal(d.status, SN_OK);
  assert_string_equal(d.root->first_child->name, "c");
  assert_string_equal(d.root->first_child->text, "3");
  assert_null(d.root->first_child->next);
  release(&d);
}

SN_TEST(stop_ends_parsing_at_once) {
  document d;
  parse(&d, "<a><b/><stop/><stop/><</a>");
  assert_int_equal(d.status, SN_ELIMIT);
  sn_assert_problems(d.report, "1:8: error: stopped inside <a>\n");
  release(&d);
}

/* Limits also apply inside skipped elements. */
SN_TEST(limits_stop_the_parser_at_once) {
  static const struct {
    const char *text;
    sn_status status;
    const char *problems;
  } cases[] = {
      {"<a><a><a><a/></a></a></a>", SN_OK, ""},
      {"<a><a><a><a><a/></a></a></a></a>", SN_ELIMIT,
       "1:13: error: <a> is nested 5 deep, at most 4 elements are allowed\n"},
      {"<a><skip><a><a><b/></a></a></skip></a>", SN_ELIMIT,
       "1:16: error: <b> is nested 5 deep, at most 4 elements are allowed\n"},
      {"<a b='12345678'/>", SN_OK, ""},
      {"<a b='123456789'/>", SN_ELIMIT,
       "1:1: error: <a> attribute 'b' has 9 bytes, at most 8 are allowed\n"},
      {"<a><skip b='123456789'/></a>", SN_ELIMIT,
       "1:4: error: <skip> attribute 'b' has 9 bytes, at most 8 are allowed\n"},
      {"<a nameoflength13=''/>", SN_ELIMIT,
       "1:1: error: <a> attribute 'nameoflength13' has 14 bytes, at most 8 are allowed\n"},
      {"<a b='' c='' d=''/>", SN_OK, ""},
      {"<a b='' c='' d='' e=''/>", SN_ELIMIT, "1:1: error: <a> has more than 3 attributes\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    document d;
    parse(&d, cases[i].text);
    assert_int_equal(d.status, cases[i].status);
    sn_assert_problems(d.report, cases[i].problems);
    release(&d);
  }
  static char large[1001];
  memset(large, ' ', sizeof large);
  memcpy(large, "<a/>", 4);
  document d;
  parse_bytes(&d, large, 1000);
  assert_int_equal(d.status, SN_OK);
  release(&d);
  parse_bytes(&d, large, 1001);
  assert_int_equal(d.status, SN_ELIMIT);
  sn_assert_problems(d.report, "0:0: error: the file has 1001 bytes, at most 1000 are allowed\n");
  release(&d);
}

static void assert_attribute_at(const char *text, const char *name, unsigned line,
                                unsigned column) {
  document d;
  parse(&d, text);
  assert_int_equal(d.status, SN_OK);
  const sn__xml_node *node = d.root->first_child == NULL ? d.root : d.root->first_child;
  const sn_place place = sn__xml_attribute_place(text, strlen(text), node, name);
  if (place.line != line || place.column != column) {
    fail_msg("'%s' in %s is at %u:%u, expected %u:%u", name, text, place.line, place.column, line,
             column);
  }
  release(&d);
}

SN_TEST(attributes_are_found_at_their_place) {
  assert_attribute_at("<a b='1' c='2'/>", "b", 1, 4);
  assert_attribute_at("<a b='1' c='2'/>", "c", 1, 10);
  assert_attribute_at("<a\n  b = '1'\n\tc\n=\n'2'/>", "c", 3, 2);
  assert_attribute_at("<a b='c=1' c='2'/>", "c", 1, 12);
  assert_attribute_at("<a b=' c=1' c='2'/>", "c", 1, 13);
  assert_attribute_at("<a b=\"' c='\" c='2'/>", "c", 1, 14);
  assert_attribute_at("<a b='>' c='2'/>", "c", 1, 10);
  assert_attribute_at("<a bc='' c='2'/>", "c", 1, 10);
  assert_attribute_at("<a cb='' c='2'/>", "c", 1, 10);
  assert_attribute_at("<a>\n <b c='2'/></a>", "c", 2, 5);
  assert_attribute_at("<a b='1'/>", "q", 1, 1); /* missing: the element */
}

/* Columns count characters, as editors do, also after multi-byte characters. */
SN_TEST(columns_count_characters) {
  document d;
  parse(&d, "<a><!-- \xC3\xA4\xE2\x82\xAC\xF0\x9F\xA4\x96 --><b/></a>");
  assert_int_equal(d.status, SN_OK);
  assert_int_equal(d.root->first_child->offset, 21);
  assert_int_equal(d.root->first_child->place.line, 1);
  assert_int_equal(d.root->first_child->place.column, 16);
  release(&d);
  assert_attribute_at("<a>\n<!-- \xC3\xA4 --><b c='2'/></a>", "c", 2, 14);
  assert_attribute_at("<a b='\xC3\xA4' c='2'/>", "c", 1, 10);
  assert_attribute_at("<a b='\xF0\x9F\xA4\x96\n\xE2\x82\xAC' c='2'/>", "c", 2, 4);
  parse(&d, "<a>\n\xC3\xA4\xC3\xA4<b c='&x;'/></a>");
  sn_assert_problems(d.report, "2:3: error: not well-formed XML: undefined entity\n");
  release(&d);
}

SN_TEST(line_ends_of_every_system_are_counted) {
  document d;
  parse(&d, "<a>\r\n\r\n <b/></a>");
  assert_int_equal(d.root->first_child->place.line, 3);
  assert_int_equal(d.root->first_child->place.column, 2);
  release(&d);
  assert_attribute_at("<a>\r\n<b\r\n c='1'/></a>", "c", 3, 2);
}

/* UTF-16 is read, in both orders of bytes; attributes cannot be found in it, so the element's place
 * is given. */
/* Oracle: expat counts lines and columns of a text that has another character than ASCII. */
SN_TEST(places_in_plain_texts_are_those_that_expat_counts) {
  static const char *const pieces[] = {"<b/>", "\n", "  ", "<b\n x='1'/>", "<!-- -->", "<b>\n</b>"};
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t n = 0; n < sn_test_cases(500); n++) {
    char plain[400] = "<a>", other[440];
    for (size_t i = sn_random_below(&random, 20); i > 0; i--) {
      strcat(plain, pieces[sn_random_below(&random, 6)]);
    }
    snprintf(other, sizeof other, "%s</a><!-- \xC3\xA4 -->", plain);
    strcat(plain, "</a>");
    document d, e;
    parse(&d, plain);
    parse(&e, other);
    const sn__xml_node *by_expat = e.root->first_child;
    for (const sn__xml_node *b = d.root->first_child; b != NULL; b = b->next) {
      assert_int_equal(b->place.line, by_expat->place.line);
      assert_int_equal(b->place.column, by_expat->place.column);
      assert_int_equal(b->offset, by_expat->offset);
      by_expat = by_expat->next;
    }
    assert_null(by_expat);
    release(&d);
    release(&e);
  }
}

SN_TEST(utf16_is_read) {
  static const char text[] = "<a>\n<b c='1'/></a>";
  for (int is_big = 0; is_big < 2; is_big++) {
    char wide[2 * sizeof text];
    size_t size = 0;
    wide[size++] = is_big ? '\xFE' : '\xFF';
    wide[size++] = is_big ? '\xFF' : '\xFE';
    for (const char *c = text; *c != '\0'; c++) {
      wide[size++] = is_big ? '\0' : *c;
      wide[size++] = is_big ? *c : '\0';
    }
    document d;
    parse_bytes(&d, wide, size);
    assert_int_equal(d.status, SN_OK);
    const sn__xml_node *b = d.root->first_child;
    assert_string_equal(b->name, "b");
    assert_string_equal(sn__xml_attribute_value(b, "c"), "1");
    assert_int_equal(b->place.line, 2);
    const sn_place place = sn__xml_attribute_place(wide, size, b, "c");
    assert_int_equal(place.line, 2);
    assert_int_equal(place.column, b->place.column);
    release(&d);
  }
}

/* A prefix of a valid document is rejected, and nothing past its end is read. */
SN_TEST(no_prefix_of_a_document_is_valid) {
  static const char text[] =
      "<?xml version='1.0' encoding='UTF-8'?><!-- c --><a b='&#x41;'><c>t<![CDATA[u]]>&lt;</c></a>";
  for (size_t size = 0; size < sizeof text - 1; size++) {
    char *copy = malloc(size + 1); /* so that ASan sees a read past the end */
    memcpy(copy, text, size);
    document d;
    parse_bytes(&d, copy, size);
    assert_int_equal(d.status, SN_ESYNTAX);
    release(&d);
    free(copy);
  }
  document d;
  parse(&d, text);
  assert_int_equal(d.status, SN_OK);
  release(&d);
}
