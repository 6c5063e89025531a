/** @file
 *  Tests of the program in a separate folder each. */
#ifndef SN_TEST_PROGRAM_RIG_H
#define SN_TEST_PROGRAM_RIG_H

#include "program.h"

extern char program_folder[64]; /**< new and empty for each test */
extern sn_test_run program_run; /**< the last run */

/** Set-up and tear-down of a test: the folder. */
int program_set_up(void **state);
int program_tear_down(void **state);

/** Run `sinew ARGUMENTS` in the folder; fails the test if the exit code differs. */
void program_expect(const char *arguments, int code);
void program_expect_input(const char *arguments, const char *input, int code);

/** Two small robots in the files good.urdf and bad.urdf of the folder. */
void program_write_robots(void);
extern const char program_robot[]; /**< the text of good.urdf */

/** Run a bash script in the folder; fails the test and prints the output unless it succeeds. The
 *  first failing command ends it, together with its child processes. `$sinew` is the
 *  program; `await COMMAND...` repeats a command for a minute until it succeeds; `said TEXT`
 * searches the file `said`. */
void program_expect_script(const char *script);

#endif
