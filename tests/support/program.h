/** @file
 *  Runs the program `sinew`: arguments and standard input in, output and exit code out. */
#ifndef SN_TEST_PROGRAM_H
#define SN_TEST_PROGRAM_H

#include <stdbool.h>

/** One run. Texts end with NUL and are truncated to their buffers. */
typedef struct sn_test_run {
  int code;             /**< exit code; -1 if a signal ended it */
  char output[1 << 18]; /**< standard output */
  char errors[1 << 18]; /**< standard error */
} sn_test_run;

/** Run `sinew ARGUMENTS` in a shell, in @p folder.
 *  @param arguments  as typed; redirections take precedence over the capture
 *  @param input      standard input; NULL means that it is empty */
void sn_test_program(sn_test_run *run, const char *folder, const char *arguments,
                     const char *input);

/** The same, with empty input; sends the signal @p number as soon as @p is_done, at the latest
 * after a minute, and waits for the end.
 *  @param is_done  receives @p context and the standard error of the program so far
 *  @return false after a minute or if the program ended first */
bool sn_test_program_until(sn_test_run *run, const char *folder, const char *arguments, int number,
                           bool (*is_done)(void *context, const char *errors), void *context);

/** As sn_test_program() with empty input; fails the test and prints the output if the exit code
 * differs.
 */
void sn_test_program_expect(sn_test_run *run, const char *folder, const char *arguments, int code);

/** A new empty folder; sn_test_folder_remove() removes it with its content. */
void sn_test_folder_create(char path[64]);
void sn_test_folder_remove(const char *path);

/** Write a file into a folder. */
void sn_test_write(const char *folder, const char *name, const char *text);

#endif
