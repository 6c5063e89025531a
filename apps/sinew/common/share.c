#define _POSIX_C_SOURCE 200809L

#include "common/share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder of the program; empty if unknown. */
static void find_program(char folder[SHARE_PATH_SIZE]) {
  const ssize_t length = readlink("/proc/self/exe", folder, SHARE_PATH_SIZE - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(folder, '/');
  if (slash != NULL) {
    *slash = '\0';
  }
}

static bool is_there(const char *folder, const char *below, const char *name,
                     char path[SHARE_PATH_SIZE]) {
  const int length = snprintf(path, SHARE_PATH_SIZE, "%s%s/%s", folder, below, name);
  return length > 0 && length < SHARE_PATH_SIZE && access(path, R_OK) == 0;
}

bool share_look(const char *name, char path[SHARE_PATH_SIZE]) {
  char program[SHARE_PATH_SIZE];
  const char *wish = getenv("SINEW_SHARE");
  find_program(program);
  return (wish != NULL && is_there(wish, "", name, path)) ||
         is_there(program, "/../share/sinew", name, path) ||
         is_there(program, "/../..", name, path) || is_there(SINEW_SHARE_FOLDER, "", name, path);
}

bool share_find(const char *command, const char *name, char path[SHARE_PATH_SIZE]) {
  if (share_look(name, path)) {
    return true;
  }
  char program[SHARE_PATH_SIZE];
  find_program(program);
  fprintf(stderr,
          "sinew %s: cannot find %s in %s/../share/sinew, %s/../.. or %s; SINEW_SHARE can name "
          "another folder\n",
          command, name, program, program, SINEW_SHARE_FOLDER);
  return false;
}

bool share_find_program(const char *command, const char *name, const char *remedy,
                        char path[SHARE_PATH_SIZE]) {
  char program[SHARE_PATH_SIZE];
  find_program(program);
  if (is_there(program, "/bench", name, path) ||
      is_there(program, "/../libexec/sinew", name, path) ||
      is_there(SINEW_LIBEXEC_FOLDER, "", name, path)) {
    return true;
  }
  fprintf(stderr, "sinew %s: cannot find %s in %s/bench, %s/../libexec/sinew or %s; %s\n", command,
          name, program, program, SINEW_LIBEXEC_FOLDER, remedy);
  return false;
}
