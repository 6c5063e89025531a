#define _POSIX_C_SOURCE 200809L /* mkdtemp() */

#include "program.h"

#include <stdlib.h>
#include <sys/wait.h>
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

void sn_test_program(sn_test_run *run, const char *folder, const char *arguments,
                     const char *input) {
  char scratch[64];
  sn_test_folder_create(scratch);
  sn_test_write(scratch, "in", input == NULL ? "" : input);
  char command[4096];
  /* Runs at the same time must not find each other's control sockets. */
  snprintf(
      command, sizeof command,
      "cd '%s' && XDG_RUNTIME_DIR=\"${SINEW_TEST_RUNTIME:-%s}\" '%s' <%s/in >%s/out 2>%s/err %s",
      folder, scratch, SINEW_PROGRAM, scratch, scratch, scratch, arguments);
  const int status = system(command);
  run->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  read_back(scratch, "out", run->output, sizeof run->output);
  read_back(scratch, "err", run->errors, sizeof run->errors);
  sn_test_folder_remove(scratch);
}

void sn_test_program_expect(sn_test_run *run, const char *folder, const char *arguments, int code) {
  sn_test_program(run, folder, arguments, NULL);
  if (run->code != code) {
    fail_msg("sinew %s: exit code %d, expected %d\n%s%s", arguments, run->code, code, run->output,
             run->errors);
  }
}
