/* Help, as the tables of the commands say. */
#include <string.h>

#include "command.h"
#include "commands.h"

enum { COLUMNS = 100, TEXT_SIZE = 128 };

void command_option_text(const command_option *o, char *out, size_t size) {
  snprintf(out, size, "%s%s%s%s%s%s%s", o->is_required ? "" : "[", o->name,
           o->value == NULL ? "" : " ", o->value == NULL ? "" : o->value,
           o->kind == OPTION_WORDS ? "..." : "", o->is_required ? "" : "]",
           o->kind == OPTION_LIST ? "..." : "");
}

void command_argument_text(const command_argument *a, char *out, size_t size) {
  const bool is_needed = a->kind == ARGUMENT_ONE || a->kind == ARGUMENT_MANY;
  const bool is_many = a->kind == ARGUMENT_MANY || a->kind == ARGUMENT_ANY;
  snprintf(out, size, "%s%s%s%s", is_needed ? "" : "[", a->name, is_many ? "..." : "",
           is_needed ? "" : "]");
}

/* One more piece of usage, on the next line if it does not fit. */
static void put_piece(FILE *out, const char *piece, size_t indent, size_t *column) {
  if (*column + 1 + strlen(piece) > COLUMNS) {
    fprintf(out, "\n%*s", (int)indent - 1, "");
    *column = indent - 1;
  }
  fprintf(out, " %s", piece);
  *column += 1 + strlen(piece);
}

void command_print_usage(const command *c, FILE *out) {
  char piece[TEXT_SIZE];
  size_t column = (size_t)fprintf(out, "usage: sinew %s", c->name);
  const size_t indent = column + 1;
  for (const command_argument *a = c->arguments; a != NULL && a->name != NULL; a++) {
    command_argument_text(a, piece, sizeof piece);
    put_piece(out, piece, indent, &column);
  }
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    command_option_text(o, piece, sizeof piece);
    put_piece(out, piece, indent, &column);
  }
  fputc('\n', out);
}

void command_print_help(const command *c, FILE *out) {
  command_print_usage(c, out);
  fprintf(out, "\n%s\n", c->purpose);
  for (const command_argument *a = c->arguments; a != NULL && a->name != NULL; a++) {
    fprintf(out, "%s  %-24s %s\n", a == c->arguments ? "\n" : "", a->name, a->help);
  }
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    char left[TEXT_SIZE];
    snprintf(left, sizeof left, "%s%s%s", o->name, o->value == NULL ? "" : " ",
             o->value == NULL ? "" : o->value);
    fprintf(out, "%s  %-24s%s%s\n", i == 0 ? "\n" : "", left,
            strlen(left) > 24 ? "\n                           " : " ", o->help);
  }
}

void command_print_overview(FILE *out) {
  fputs("usage: sinew COMMAND [ARGUMENTS]\n\n", out);
  for (size_t i = 0; commands[i] != NULL; i++) {
    if (!commands[i]->is_hidden) {
      fprintf(out, "  %-14s %s\n", commands[i]->name, commands[i]->purpose);
    }
  }
  fputs("\n'sinew help COMMAND' prints its arguments and options, 'sinew --version' the version.\n",
        out);
}

/* ---- `sinew help` ---- */

static int run_help(void *arguments) {
  const text_list *words = arguments;
  int used = 0;
  const command *c = command_find((int)words->count, words->items, &used);
  if (words->count == 0) {
    command_print_overview(stdout);
    return EXIT_GOOD;
  }
  if (c != NULL && (size_t)used == words->count) {
    command_print_help(c, stdout);
    return EXIT_GOOD;
  }
  /* All commands that begin with a word such as `bus`. */
  const size_t length = strlen(words->items[0]);
  size_t count = 0;
  for (size_t i = 0; words->count == 1 && commands[i] != NULL; i++) {
    if (strncmp(commands[i]->name, words->items[0], length) == 0 &&
        commands[i]->name[length] == ' ') {
      fputs(count++ == 0 ? "" : "\n", stdout);
      command_print_help(commands[i], stdout);
    }
  }
  return count > 0 ? EXIT_GOOD
                   : command_misused(&command_help, "unknown command '%s'", words->items[0]);
}

static const command_argument help_arguments[] = {
    {"COMMAND", ARGUMENT_ANY, 0, "The command; without one, all commands are listed", WORD_COMMAND,
     NULL},
    {0}};

const command command_help = {.name = "help",
                              .purpose = "Print the arguments and options of a command.",
                              .arguments = help_arguments,
                              .size = sizeof(text_list),
                              .run = run_help};
