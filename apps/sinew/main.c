#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "command.h"
#include "commands.h"
#include "common/print.h"

/* Output that could not be written (a full disk, a closed pipe) and input that could not be read
   must not pass for success. */
static int finish(int code) {
  if (ferror(stdin)) {
    fputs("sinew: cannot read the input\n", stderr);
    return EXIT_FAULT;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fputs("sinew: cannot write the output\n", stderr);
    return EXIT_FAULT;
  }
  return code;
}

static int run_command(const command *c, int argc, const char *const *argv) {
  for (int i = 0; i < argc && !c->is_raw; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      command_print_help(c, stdout);
      return EXIT_GOOD;
    }
  }
  void *arguments = calloc(1, c->size == 0 ? 1 : c->size);
  if (arguments == NULL) {
    return out_of_memory();
  }
  if (c->initial != NULL) {
    memcpy(arguments, c->initial, c->size);
  }
  int code = command_parse(c, argc, argv, arguments);
  if (code == EXIT_GOOD) {
    code = c->run(arguments);
  }
  free(arguments);
  return code;
}

/* The second words of commands such as `bus scan`. @return whether there are any */
static bool refuse_second_word(const char *first, const char *second) {
  const size_t length = strlen(first);
  size_t count = 0;
  for (size_t i = 0; commands[i] != NULL; i++) {
    const char *name = commands[i]->name;
    if (strncmp(name, first, length) != 0 || name[length] != ' ') {
      continue;
    }
    if (count++ == 0) {
      fprintf(stderr, "sinew %s: %s%s%s, expected one of: ", first,
              second == NULL ? "a word is missing" : "unknown command '",
              second == NULL ? "" : second, second == NULL ? "" : "'");
    }
    fprintf(stderr, "%s%s", count == 1 ? "" : ", ", name + length + 1);
  }
  fputs(count == 0 ? "" : "\n", stderr);
  return count > 0;
}

static int refuse_command(const char *first, const char *second) {
  if (refuse_second_word(first, second)) {
    return EXIT_USAGE;
  }
  sn__nearest nearest;
  char hint[128];
  sn__nearest_init(&nearest, first);
  for (size_t i = 0; commands[i] != NULL; i++) {
    sn__nearest_offer(&nearest, commands[i]->name);
  }
  fprintf(stderr, "sinew: unknown command '%s'; %s\n", first,
          sn__nearest_hint(&nearest, hint, sizeof hint, "'sinew help' lists the commands"));
  return EXIT_USAGE;
}

static int run(int argc, const char *const *argv) {
  int used = 0;
  if (strcmp(argv[0], "--help") == 0) {
    command_print_overview(stdout);
    return EXIT_GOOD;
  }
  if (strcmp(argv[0], "--version") == 0) {
    puts("sinew " SINEW_VERSION);
    return EXIT_GOOD;
  }
  const command *c = command_find(argc, argv, &used);
  if (c != NULL) {
    return run_command(c, argc - used, argv + used);
  }
  if (argc == 2 && strcmp(argv[1], "--help") == 0) { /* `sinew bus --help` */
    return run_command(&command_help, 1, argv);
  }
  return refuse_command(argv[0], argc > 1 ? argv[1] : NULL);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    command_print_overview(stderr);
    return EXIT_USAGE;
  }
  return finish(run(argc - 1, (const char *const *)(argv + 1)));
}
