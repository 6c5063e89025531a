/** @file
 *  The program `sinew` as others see it: arguments and standard input in, output and exit code
 *  out. */
#ifndef SN_TEST_PROGRAM_H
#define SN_TEST_PROGRAM_H

#include <stdbool.h>

/** One run. Texts end with NUL and are cut at their room. */
typedef struct sn_test_run {
  int code;             /**< exit code; -1 if a signal ended it */
  char output[1 << 18]; /**< standard output */
  char errors[1 << 18]; /**< standard error */
} sn_test_run;

/** Run `sinew ARGUMENTS` in a shell, in @p folder.
 *  @param arguments  as typed; may redirect, which then wins over what is captured here
 *  @param input      standard input; NULL means that it is empty */
void sn_test_program(sn_test_run *run, const char *folder, const char *arguments,
                     const char *input);

/** The same, with empty input; as soon as @p is_done, and after a minute in any case, it gets the
 *  signal @p number, and then its end is waited for.
 *  @param is_done  is given @p context and what the program has written to standard error so far
 *  @return whether it was done, rather than the minute over or the program at its end */
bool sn_test_program_until(sn_test_run *run, const char *folder, const char *arguments, int number,
                           bool (*is_done)(void *context, const char *errors), void *context);

/** As sn_test_program() with empty input; fails the test if the exit code is another, and shows
 * what it said.
 */
void sn_test_program_expect(sn_test_run *run, const char *folder, const char *arguments, int code);

/** A new empty folder, removed with all that is in it by sn_test_folder_remove(). */
void sn_test_folder_create(char path[64]);
void sn_test_folder_remove(const char *path);

/** Write a file into a folder. */
void sn_test_write(const char *folder, const char *name, const char *text);

#endif
