/* The tables of the commands: each entry is in the help, in the completion and in the manual page,
   and every command refuses what its table does not allow. */
#define _POSIX_C_SOURCE 200809L /* dup2(), fileno() */

#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "program_rig.h"
#include "sn_test.h"

static sn_test_run manual;

/* Parse words, blanks between them, and keep what is printed to standard error. */
static int parse_words(const command *c, const char *words, char *errors, size_t size) {
  char room[512];
  const char *argv[16];
  int argc = 0;
  snprintf(room, sizeof room, "%s", words);
  for (char *word = strtok(room, " "); word != NULL && argc < 16; word = strtok(NULL, " ")) {
    argv[argc++] = word;
  }
  void *arguments = calloc(1, c->size + 1);
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  const int code = command_parse(c, argc, argv, arguments);
  fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  rewind(file);
  errors[fread(errors, 1, size - 1, file)] = '\0';
  fclose(file);
  free(arguments);
  return code;
}

/* The parser refuses the words with this message and the usage. */
static void expect_refusal(const command *c, const char *words, const char *message) {
  char errors[4096];
  char usage[64];
  const int code = parse_words(c, words, errors, sizeof errors);
  if (code != EXIT_USAGE) {
    fail_msg("sinew %s %s: not refused", c->name, words);
  }
  sn_assert_contains(errors, message);
  snprintf(usage, sizeof usage, "usage: sinew %s", c->name);
  sn_assert_contains(errors, usage);
}

/* A line of the manual page: hyphens are escaped there. */
static void expect_in_manual(const char *section, const char *name) {
  char line[256] = "\n.B ";
  size_t used = strlen(line);
  for (; *name != '\0'; name++) {
    used += (size_t)snprintf(line + used, sizeof line - used, *name == '-' ? "\\-" : "%c", *name);
  }
  const char *end = strstr(section, "\n.RE\n");
  const char *found = strstr(section, line);
  if (found == NULL || found > end || (found[used] != '\n' && found[used] != ' ')) {
    fail_msg("not in the manual: '%s'", line + 1);
  }
}

static const char *manual_section(const command *c) {
  char line[128] = "\n.RS\n.nh\n.ad l\n.B sinew ";
  size_t used = strlen(line);
  for (const char *at = c->name; *at != '\0'; at++) {
    used += (size_t)snprintf(line + used, sizeof line - used, *at == '-' ? "\\-" : "%c", *at);
  }
  snprintf(line + used, sizeof line - used, "\n");
  const char *section = strstr(manual.output, line);
  assert_non_null(section);
  return section;
}

SN_TEST(every_entry_is_in_help_completion_and_manual) {
  static sn_test_run help;
  sn_test_program_expect(&manual, "/", "man", 0);
  for (size_t i = 0; commands[i] != NULL; i++) {
    const command *c = commands[i];
    char line[256];
    if (c->is_hidden) {
      continue;
    }
    const char *section = manual_section(c);
    snprintf(line, sizeof line, "help %s", c->name);
    sn_test_program_expect(&help, "/", line, 0);
    snprintf(line, sizeof line, "complete %s -", c->name);
    sn_test_program_expect(&program_run, "/", line, 0);
    const command_option *o = NULL;
    for (size_t k = 0; (o = command_option_at(c, k)) != NULL; k++) {
      snprintf(line, sizeof line, "\n  %s%s%s", o->name, o->value == NULL ? "" : " ",
               o->value == NULL ? "" : o->value);
      sn_assert_contains(help.output, line);
      sn_assert_contains(help.output, o->help);
      snprintf(line, sizeof line, "%s\n", o->name);
      sn_assert_contains(program_run.output, line);
      expect_in_manual(section, o->name);
    }
    for (const command_argument *a = c->arguments; a != NULL && a->name != NULL; a++) {
      sn_assert_contains(help.output, a->help);
      expect_in_manual(section, a->name);
    }
  }
}

SN_TEST(unknown_options_are_refused_with_a_suggestion) {
  for (size_t i = 0; commands[i] != NULL; i++) {
    const command *c = commands[i];
    const command_option *o = command_option_at(c, 0);
    if (c->is_raw) {
      continue;
    }
    expect_refusal(c, "--no-such-option", "unknown option '--no-such-option'");
    if (c->arguments == NULL || c->arguments->word != WORD_TEXT) { /* a reason may begin with '-' */
      expect_refusal(c, "-?", "unknown option '-?'");
    }
    if (o != NULL && strlen(o->name) > 3) {
      char words[64];
      char message[128];
      snprintf(words, sizeof words, "%sx", o->name);
      snprintf(message, sizeof message, "unknown option '%sx'; did you mean '%s'?", o->name,
               o->name);
      expect_refusal(c, words, message);
    }
  }
}

SN_TEST(values_that_are_missing_are_refused) {
  for (size_t i = 0; commands[i] != NULL; i++) {
    const command_option *o = NULL;
    for (size_t k = 0; (o = command_option_at(commands[i], k)) != NULL; k++) {
      if (o->value != NULL) {
        char words[64];
        char message[128];
        snprintf(message, sizeof message, "option '%s' needs a value: ", o->name);
        expect_refusal(commands[i], o->name, message);
        snprintf(words, sizeof words, "%s --help-me", o->name); /* an option is not a value */
        expect_refusal(commands[i], words, message);
      }
    }
  }
}

static void expect_bad_value(const command *c, const command_option *o, const char *value) {
  char words[64];
  char message[128];
  snprintf(words, sizeof words, "%s %s", o->name, value);
  snprintf(message, sizeof message, "option '%s': '%s' is not valid, expected a", o->name, value);
  expect_refusal(c, words, message);
}

SN_TEST(bad_numbers_are_refused) {
  static const char *const bad[] = {"x", "1x", "nan", "inf", "1e999", "0x", "-1e300"};
  size_t count = 0;
  for (size_t i = 0; commands[i] != NULL; i++) {
    const command_option *o = NULL;
    for (size_t k = 0; (o = command_option_at(commands[i], k)) != NULL; k++) {
      if (o->kind != OPTION_NUMBER && o->kind != OPTION_INTEGER) {
        continue;
      }
      for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        expect_bad_value(commands[i], o, bad[b]);
      }
      if (o->kind == OPTION_INTEGER) {
        expect_bad_value(commands[i], o, "1.5");
      }
      if (o->max < 1e15) {
        char above[32];
        snprintf(above, sizeof above, "%.17g", 2.0 * o->max + 1.0);
        expect_bad_value(commands[i], o, above);
      }
      count++;
    }
  }
  assert_true(count > 20);
}

SN_TEST(arguments_are_counted) {
  for (size_t i = 0; commands[i] != NULL; i++) {
    const command *c = commands[i];
    char words[64] = "";
    size_t count = 0;
    bool is_many = false;
    for (const command_argument *a = c->arguments; a != NULL && a->name != NULL; a++, count++) {
      is_many = is_many || a->kind == ARGUMENT_MANY || a->kind == ARGUMENT_ANY;
      if (a->kind == ARGUMENT_ONE || a->kind == ARGUMENT_MANY) {
        char message[64];
        snprintf(message, sizeof message, "argument %s is missing", a->name);
        expect_refusal(c, words, message);
      }
      strcat(words, "1 ");
    }
    if (!is_many) {
      strcat(words, "more");
      expect_refusal(c, words, "unexpected argument 'more'");
    }
  }
}

/* ---- the parser alone ---- */

typedef struct sample {
  bool flag;
  const char *text, *first;
  text_list list, rest;
  double number;
  int64_t integer;
} sample;

static const command_argument sample_arguments[] = {
    {"FIRST", ARGUMENT_ONE, offsetof(sample, first), "", WORD_NAME, NULL},
    {"REST", ARGUMENT_ANY, offsetof(sample, rest), "", WORD_TEXT, NULL},
    {0}};
static const command_option sample_options[] = {
    {"--flag", NULL, OPTION_FLAG, offsetof(sample, flag), .help = ""},
    {"--no-flag", NULL, OPTION_UNFLAG, offsetof(sample, flag), .help = ""},
    {"-t", "TEXT", OPTION_TEXT, offsetof(sample, text), .help = ""},
    {"--list", "TEXT", OPTION_LIST, offsetof(sample, list), .help = ""},
    {"--number", "N", OPTION_NUMBER, offsetof(sample, number), .help = "", .min = -1, .max = 1},
    {"--integer", "N", OPTION_INTEGER, offsetof(sample, integer), .help = "", .max = 1e15},
    {0}};
static const command sample_command = {.name = "sample",
                                       .arguments = sample_arguments,
                                       .options = {sample_options},
                                       .size = sizeof(sample)};

#define PARSE(out, ...) parse(out, (const char *const[]){__VA_ARGS__, NULL})

static int parse(sample *out, const char *const *words) {
  int count = 0;
  while (words[count] != NULL) {
    count++;
  }
  return command_parse(&sample_command, count, words, out);
}

SN_TEST(words_are_stored_where_the_table_says) {
  sample s = {0};
  assert_int_equal(PARSE(&s, "--number", "-0.5", "one", "-t", "-5", "--list", "a", "-3", "--flag",
                         "--list", "b", "--integer", "0x10", "-x"),
                   EXIT_GOOD);
  assert_true(s.flag);
  assert_string_equal(s.text, "-5");
  assert_string_equal(s.first, "one");
  assert_true(s.number == -0.5);
  assert_int_equal(s.integer, 16);
  assert_int_equal(s.list.count, 2);
  assert_string_equal(s.list.items[1], "b");
  assert_int_equal(s.rest.count, 2); /* free text may begin with a dash */
  assert_string_equal(s.rest.items[0], "-3");
  assert_string_equal(s.rest.items[1], "-x");
  assert_int_equal(PARSE(&s, "one", "--integer", "1e3", "--no-flag"), EXIT_GOOD);
  assert_int_equal(s.integer, 1000);
  assert_false(s.flag);
}

/* The program parses before it runs anything. */
SN_TEST(the_program_refuses_what_the_parser_refuses) {
  for (size_t i = 0; commands[i] != NULL; i++) {
    char line[64];
    if (!commands[i]->is_raw) {
      snprintf(line, sizeof line, "%s --no-such-option", commands[i]->name);
      sn_test_program_expect(&program_run, "/", line, 2);
      assert_string_equal(program_run.output, "");
      sn_assert_contains(program_run.errors, "unknown option '--no-such-option'");
    }
  }
}
