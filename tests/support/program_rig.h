/** @file
 *  Tests of the program that work in a folder of their own. */
#ifndef SN_TEST_PROGRAM_RIG_H
#define SN_TEST_PROGRAM_RIG_H

#include "program.h"

extern char program_folder[64]; /**< new and empty for each test */
extern sn_test_run program_run; /**< the last one */

/** Set-up and tear-down of a test: the folder. */
int program_set_up(void **state);
int program_tear_down(void **state);

/** Run `sinew ARGUMENTS` in the folder; fails the test if the exit code is another. */
void program_expect(const char *arguments, int code);

/** Run a script of bash in the folder; fails the test, and shows what it wrote, unless it succeeds.
 *  Its first command that fails ends it, and what it has started ends with it. `$sinew` is the
 *  program; `await COMMAND...` repeats a command for a minute until it succeeds; `said TEXT` looks
 *  into the file `said`. */
void program_expect_script(const char *script);

#endif
