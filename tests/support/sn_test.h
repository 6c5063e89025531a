/** @file
 *  Common header of all tests: cmocka and additional assertions. */
#ifndef SN_TEST_H
#define SN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sinew/pose.h"

/** A test; its name is a true sentence. The tests of a file run in their order, by the main
 * function of the support library. */
#define SN_TEST(name)                                         \
  static void name(void **state);                             \
  __attribute__((constructor)) static void name##_add(void) { \
    sn_test_add(#name, name);                                 \
  }                                                           \
  static void name(__attribute__((unused)) void **state)

/** What runs before and after each test of the file, or once around all of them. */
#define SN_TEST_EACH(set_up, tear_down)                         \
  __attribute__((constructor)) static void set_up##_add(void) { \
    sn_test_each(set_up, tear_down);                            \
  }
#define SN_TEST_GROUP(set_up, tear_down)                        \
  __attribute__((constructor)) static void set_up##_add(void) { \
    sn_test_group(set_up, tear_down);                           \
  }

void sn_test_add(const char *name, CMUnitTestFunction function);
void sn_test_each(CMFixtureFunction set_up, CMFixtureFunction tear_down);
void sn_test_group(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/** |actual - expected| <= tol; prints both, the difference and the tolerance. NaN fails. */
#define sn_assert_near(actual, expected, tol) \
  sn_test_near((actual), (expected), (tol), #actual, __FILE__, __LINE__)

/** The same for each component. */
#define sn_assert_vec3_near(actual, expected, tol) \
  do {                                             \
    const sn_vec3 actual_ = (actual);              \
    const sn_vec3 expected_ = (expected);          \
    sn_assert_near(actual_.x, expected_.x, (tol)); \
    sn_assert_near(actual_.y, expected_.y, (tol)); \
    sn_assert_near(actual_.z, expected_.z, (tol)); \
  } while (0)

/** Largest difference of positions (m) and of rotation matrix entries is at most tol. */
#define sn_assert_pose_near(actual, expected, tol) \
  sn_test_pose_near((actual), (expected), (tol), #actual, __FILE__, __LINE__)

/** The text contains the part; prints both if not. */
#define sn_assert_contains(text, part) sn_test_contains((text), (part), __FILE__, __LINE__)

void sn_test_near(double actual, double expected, double tol, const char *what, const char *file,
                  int line);
void sn_test_pose_near(sn_pose actual, sn_pose expected, double tol, const char *what,
                       const char *file, int line);
void sn_test_contains(const char *text, const char *part, const char *file, int line);

/** The statement must end in a fault whose line on standard error contains the part. It runs in a
 *  child process. */
#define sn_assert_fault(statement, part)                         \
  do {                                                           \
    if (sn_test_fault_fork()) {                                  \
      statement;                                                 \
      sn_test_fault_missing();                                   \
    }                                                            \
    sn_test_fault_check((part), #statement, __FILE__, __LINE__); \
  } while (0)

/** True in the child; in the parent, false after the child has ended. */
int sn_test_fault_fork(void);
__attribute__((noreturn)) void sn_test_fault_missing(void);
void sn_test_fault_check(const char *part, const char *what, const char *file, int line);

/** Largest difference of the twelve numbers of two poses. */
double sn_test_pose_distance(sn_pose a, sn_pose b);

/** How many random cases to run: @p desk at a desk, times SINEW_TEST_SCALE if that is set. */
size_t sn_test_cases(size_t desk);

/** The seed of random cases: SINEW_TEST_SEED if that is set, otherwise @p desk. Long runs are made
 *  in pieces, each with its own seed. */
uint64_t sn_test_seed(uint64_t desk);

/** A whole file in memory with a NUL after it; fails the test if it cannot be read.
 *  Free it. */
char *sn_test_read_file(const char *path, size_t *size);

#endif
