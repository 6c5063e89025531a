/** @file
 *  For tests of property files: a text, its tree and its problems. */
#ifndef SN_TEST_VALUE_BAG_H
#define SN_TEST_VALUE_BAG_H

#include "files/value_cpf.h"
#include "robot.h"
#include "sinew/value.h"
#include "sn_test.h"

typedef struct bag {
  sn_arena arena;
  sn_report *report;
  const sn_value *root; /* NULL if rejected */
  sn_status status;
} bag;

typedef sn_status parse_function(sn_arena *arena, const char *text, size_t size, const char *file,
                                 sn_report *report, const sn_value **out);

static inline void parse_bytes(bag *b, parse_function *parse, const char *text, size_t size) {
  *b = (bag){0};
  sn_arena_init_growing(&b->arena, "props", 0);
  assert_int_equal(sn_report_create(&b->arena, &b->report, NULL), SN_OK);
  assert_non_null(b->report);
  char file[] = "p";
  b->status = parse(&b->arena, text, size, file, b->report, &b->root);
  file[0] = 'X'; /* the name was copied */
  assert_int_equal(b->status == SN_OK, b->root != NULL);
  assert_int_equal(b->status == SN_OK, sn_report_error_count(b->report) == 0);
}

static inline void parse_yaml(bag *b, const char *text) {
  parse_bytes(b, sn_value_parse_yaml, text, strlen(text));
}

static inline void parse_cpf(bag *b, const char *text) {
  parse_bytes(b, sn__value_parse_cpf, text, strlen(text));
}

static inline void release(bag *b) {
  sn_arena_release(&b->arena);
}

#endif
