#define _POSIX_C_SOURCE 200809L
#include "child.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void give_up(const char *why) {
  fprintf(stderr, "oracle: %s\n", why);
  exit(3);
}

void child_start(child *c, char *const argv[]) {
  int to[2], from[2];
  if (pipe(to) != 0 || pipe(from) != 0) {
    give_up("no pipe");
  }
  *c = (child){.pid = fork()};
  if (c->pid == 0) {
    dup2(to[0], STDIN_FILENO);
    dup2(from[1], STDOUT_FILENO);
    close(to[0]);
    close(to[1]);
    close(from[0]);
    close(from[1]);
    execv(argv[0], argv);
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  c->in = fdopen(to[1], "w");
  c->out = fdopen(from[0], "r");
  if (c->pid < 0 || c->in == NULL || c->out == NULL) {
    give_up("cannot start the peer");
  }
}

char *child_read(child *c) {
  const ssize_t length = getline(&c->line, &c->line_size, c->out);
  if (length <= 0) {
    return NULL;
  }
  c->line[strcspn(c->line, "\n")] = '\0';
  return c->line;
}

void child_write(child *c, size_t n, const double *x) {
  for (size_t i = 0; i < n; i++) {
    fprintf(c->in, "%.17g ", x[i]);
  }
  fputc('\n', c->in);
  fflush(c->in);
}

void child_read_numbers(child *c, size_t n, double *x) {
  char *at = child_read(c);
  for (size_t i = 0; i < n; i++) {
    char *end = at;
    x[i] = at == NULL ? 0.0 : strtod(at, &end);
    if (end == at) {
      give_up("the peer gave too few numbers");
    }
    at = end;
  }
}

void child_write_doubles(child *c, size_t n, const double *x) {
  if (fwrite(x, sizeof *x, n, c->in) != n) {
    give_up("the peer does not read");
  }
}

void child_read_doubles(child *c, size_t n, double *x) {
  fflush(c->in);
  if (fread(x, sizeof *x, n, c->out) != n) {
    give_up("the peer gave too few numbers");
  }
}

int child_end(child *c) {
  fclose(c->in);
  fclose(c->out);
  free(c->line);
  int status = 0;
  waitpid(c->pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
