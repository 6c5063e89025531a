#include <stdio.h>
#include <string.h>

#include "command.h"

const command command_table[] = {{NULL, NULL, NULL, NULL}};

static void print_help(FILE *out) {
  fputs("usage: sinew COMMAND [ARGUMENTS]\n\n", out);
  for (const command *c = command_table; c->name != NULL; c++) {
    fprintf(out, "  sinew %s %s\n      %s\n", c->name, c->usage, c->purpose);
  }
}

int main(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return EXIT_GOOD;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("sinew " SINEW_VERSION);
    return EXIT_GOOD;
  }
  for (const command *c = command_table; c->name != NULL; c++) {
    if (strcmp(argv[1], c->name) == 0) {
      return c->run(argc - 1, argv + 1);
    }
  }
  fprintf(stderr, "sinew: there is no command '%s'; 'sinew --help' lists them\n", argv[1]);
  return EXIT_USAGE;
}
