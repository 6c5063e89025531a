#define _POSIX_C_SOURCE 200809L

#include "common/file_limit.h"

#include <stdio.h>
#include <sys/resource.h>

bool file_limit_raise(void) {
  const rlim_t wanted = 4096;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
    return true;
  }
  limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
  (void)setrlimit(RLIMIT_NOFILE, &limit); /* what counts is what it is now */
  (void)getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= FILES_NEEDED) {
    return true;
  }
  fprintf(
      stderr,
      "sinew run: error: at most %lu files may be open, at least %d are needed: raise the limit "
      "(ulimit -n 1024, or LimitNOFILE=1024 of the unit)\n",
      (unsigned long)limit.rlim_cur, FILES_NEEDED);
  return false;
}
