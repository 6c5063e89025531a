/** @file
 *  The exact text and place of problems of a URDF. Each case is a valid robot with one part
 * replaced.
 */
#ifndef SN_TEST_URDF_CASE_H
#define SN_TEST_URDF_CASE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct urdf_case {
  const char *old_part;
  const char *new_part;
  const char *problems;
} urdf_case;

/** Parse all and compare the problems. @param is_refused  by an error; else accepted with warnings
 */
void urdf_cases_run(const urdf_case *cases, size_t count, bool is_refused);

#define URDF_CASES_RUN(cases, is_refused) \
  urdf_cases_run((cases), sizeof(cases) / sizeof *(cases), (is_refused))

#endif
