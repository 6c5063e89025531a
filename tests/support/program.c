#define _POSIX_C_SOURCE 200809L /* mkdtemp(), nanosleep() */

#include "program.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sn_test.h"

void sn_test_folder_create(char path[64]) {
  strcpy(path, "/tmp/sinew-test-XXXXXX");
  assert_non_null(mkdtemp(path));
}

void sn_test_folder_remove(const char *path) {
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", path);
  assert_int_equal(system(command), 0);
}

void sn_test_write(const char *folder, const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

static void read_back(const char *folder, const char *name, char *text, size_t size) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  text[fread(text, 1, size - 1, file)] = '\0';
  fclose(file);
}

/* @param how  "exec", and the child is the program itself; "", and more may follow in the shell */
static pid_t start(const char *how, const char *scratch, const char *folder, const char *arguments,
                   const char *input) {
  sn_test_write(scratch, "in", input == NULL ? "" : input);
  sn_test_write(scratch, "err", "");
  char command[4096];
  /* Runs at the same time must not find each other's control sockets. */
  snprintf(command, sizeof command,
           "cd '%s' && export XDG_RUNTIME_DIR=\"${SINEW_TEST_RUNTIME:-%s}\" && %s '%s' <%s/in "
           ">%s/out 2>%s/err %s",
           folder, scratch, how, SINEW_PROGRAM, scratch, scratch, scratch, arguments);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  return child;
}

static void finish(sn_test_run *run, const char *scratch, int status) {
  run->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  read_back(scratch, "out", run->output, sizeof run->output);
  read_back(scratch, "err", run->errors, sizeof run->errors);
  sn_test_folder_remove(scratch);
}

void sn_test_program(sn_test_run *run, const char *folder, const char *arguments,
                     const char *input) {
  char scratch[64];
  int status = 0;
  sn_test_folder_create(scratch);
  const pid_t child = start("", scratch, folder, arguments, input);
  assert_int_equal(waitpid(child, &status, 0), child);
  finish(run, scratch, status);
}

bool sn_test_program_until(sn_test_run *run, const char *folder, const char *arguments, int number,
                           bool (*is_done)(void *context, const char *errors), void *context) {
  enum { NAPS = 12000 };
  char scratch[64];
  int status = 0;
  sn_test_folder_create(scratch);
  const pid_t child = start("exec", scratch, folder, arguments, NULL);
  bool done = false;
  pid_t ended = 0;
  for (size_t n = 0; n < NAPS && !done && ended == 0; n++) {
    const struct timespec nap = {.tv_nsec = 5000000};
    nanosleep(&nap, NULL);
    read_back(scratch, "err", run->errors, sizeof run->errors);
    done = is_done(context, run->errors);
    ended = waitpid(child, &status, WNOHANG);
  }
  if (ended == 0) {
    kill(child, number);
    assert_int_equal(waitpid(child, &status, 0), child);
  }
  finish(run, scratch, status);
  return done;
}

void sn_test_program_expect(sn_test_run *run, const char *folder, const char *arguments, int code) {
  sn_test_program(run, folder, arguments, NULL);
  if (run->code != code) {
    fail_msg("sinew %s: exit code %d, expected %d\n%s%s", arguments, run->code, code, run->output,
             run->errors);
  }
}
