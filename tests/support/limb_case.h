/** @file
 *  What the tests of limb_divide share. */
#ifndef SN_LIMB_CASE_H
#define SN_LIMB_CASE_H

#include "robot.h"
#include "sn_test.h"

typedef struct text {
  char data[64 * 1024];
  size_t used;
} text;

void limb_put(text *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Limbs as lines: `NAME FIRST TIP: JOINT JOINT`. */
const char *limb_list_limbs(const sn_model *model);

/** Whatever the robot: every driven joint is in one limb, the first joints of a limb are a run from
   its first to its last link, and the sorted pose goes limb by limb. */
void limb_check_rules(const sn_model *model);

void limb_check_limbs(const char *root, const char *lines, const char *expected);

#define ARM(prefix, base, side)                  \
  "r " prefix "j1 " base " " prefix "a1 0 " side \
  " 0.3\n"                                       \
  "r " prefix "j2 " prefix "a1 " prefix          \
  "a2 0 0 0.1\n"                                 \
  "r " prefix "j3 " prefix "a2 " prefix          \
  "a3 0 0 0.3\n"                                 \
  "r " prefix "j4 " prefix "a3 " prefix          \
  "a4 0 0 0.1\n"                                 \
  "r " prefix "j5 " prefix "a4 " prefix          \
  "a5 0 0 0.3\n"                                 \
  "r " prefix "j6 " prefix "a5 " prefix "a6 0 0 0.1\n"

#define ARM_JOINTS " j1 j2 j3 j4 j5 j6\n"

#endif
