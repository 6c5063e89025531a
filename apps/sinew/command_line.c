/* Words of the command line, read by the table of a command. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "command.h"
#include "common/numbers.h"

enum { TEXT_SIZE = 512 };

const command_option *command_option_at(const command *c, size_t index) {
  for (size_t t = 0; t < COMMAND_OPTION_TABLES && c->options[t] != NULL; t++) {
    for (const command_option *o = c->options[t]; o->name != NULL; o++) {
      if (index-- == 0) {
        return o;
      }
    }
  }
  return NULL;
}

const command_option *command_option_find(const command *c, const char *name) {
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL && strcmp(o->name, name) != 0; i++) {
  }
  return o;
}

static bool takes_many(const command_argument *a) {
  return a->kind == ARGUMENT_MANY || a->kind == ARGUMENT_ANY;
}

const command_argument *command_argument_at(const command *c, size_t count) {
  const command_argument *a = c->arguments;
  if (a == NULL) {
    return NULL;
  }
  while (count > 0 && a->name != NULL && !takes_many(a)) {
    a++;
    count--;
  }
  return a->name == NULL ? NULL : a;
}

int command_misused(const command *c, const char *format, ...) {
  va_list values;
  va_start(values, format);
  fprintf(stderr, "sinew %s: ", c->name);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  command_print_usage(c, stderr);
  return EXIT_USAGE;
}

/* `a, b, c` */
static void list_choices(choice_function *choices, char *out, size_t size) {
  size_t used = (size_t)snprintf(out, size, "one of: ");
  const char *name = NULL;
  for (size_t i = 0; used < size && (name = choices(i)) != NULL; i++) {
    used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? "" : ", ", name);
  }
}

static const char *expected(const command_option *o, char *text, size_t size) {
  const char *number = o->kind == OPTION_INTEGER ? "a whole number" : "a number";
  if (o->expected != NULL) {
    return o->expected;
  }
  if (o->choices != NULL) {
    list_choices(o->choices, text, size);
  } else if (o->kind != OPTION_NUMBER && o->kind != OPTION_INTEGER) {
    return o->value;
  } else if (isinf(o->max)) {
    snprintf(text, size, "%s, at least %.15g", number, o->min);
  } else {
    snprintf(text, size, "%s from %.15g to %.15g", number, o->min, o->max);
  }
  return text;
}

/* Hexadecimal for registers and models; other numbers as everywhere. */
static bool parse_number(const char *value, double *out) {
  if (strncmp(value, "0x", 2) == 0) {
    char *end = NULL;
    *out = (double)strtoll(value, &end, 16);
    return end != value + 2 && *end == '\0';
  }
  const char *end = number_at(value, out);
  return end != NULL && *end == '\0';
}

static bool store_number(const command_option *o, const char *value, void *member) {
  double number = 0.0;
  const bool is_integer = o->kind == OPTION_INTEGER;
  if ((!is_integer && strncmp(value, "0x", 2) == 0) || !parse_number(value, &number) ||
      number < o->min || number > o->max || (is_integer && number != floor(number))) {
    return false;
  }
  if (is_integer) {
    *(int64_t *)member = (int64_t)number;
  } else {
    *(double *)member = number;
  }
  return true;
}

static bool list_add(text_list *list, const char *word) {
  if (list->count == TEXT_LIST_MAX) {
    return false;
  }
  list->items[list->count++] = word;
  return true;
}

/* @return whether the value is valid */
static bool store(const command_option *o, const char *value, void *member) {
  switch (o->kind) {
    case OPTION_TEXT:
      *(const char **)member = value;
      return true;
    case OPTION_LIST:
    case OPTION_WORDS:
      return list_add(member, value);
    case OPTION_PARSED:
      return o->parse(member, value);
    case OPTION_NUMBER:
    case OPTION_INTEGER:
      return store_number(o, value, member);
    case OPTION_FLAG:
    case OPTION_UNFLAG:
      break; /* have no value */
  }
  return false;
}

static int refuse_unknown(const command *c, const char *name) {
  sn__nearest nearest;
  char hint[TEXT_SIZE];
  sn__nearest_init(&nearest, name);
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    sn__nearest_offer(&nearest, o->name);
  }
  const char *text = sn__nearest_hint(&nearest, hint, sizeof hint, NULL);
  return command_misused(c, "unknown option '%s'%s%s", name, text == NULL ? "" : "; ",
                         text == NULL ? "" : text);
}

static bool is_option(const command *c, const char *word, const command_argument *next) {
  const bool is_text = next != NULL && next->word == WORD_TEXT;
  return !c->is_raw && (strncmp(word, "--", 2) == 0 || command_option_find(c, word) != NULL ||
                        (word[0] == '-' && word[1] != '\0' && !is_text));
}

/* @param value  the next word, or NULL */
static int take_option(const command *c, const char *name, const char *value, char *arguments) {
  char text[TEXT_SIZE];
  const command_option *o = command_option_find(c, name);
  if (o == NULL) {
    return refuse_unknown(c, name);
  }
  void *member = arguments + o->offset;
  if (o->value == NULL) {
    *(bool *)member = o->kind == OPTION_FLAG;
    return EXIT_GOOD;
  }
  if (value == NULL || strncmp(value, "--", 2) == 0) {
    return command_misused(c, "option '%s' needs a value: %s", name,
                           expected(o, text, sizeof text));
  }
  if (!store(o, value, member)) {
    return command_misused(c, "option '%s': '%s' is not valid, expected %s", name, value,
                           expected(o, text, sizeof text));
  }
  return EXIT_GOOD;
}

/* Values of an option from word @p i on. @return how many words they are */
static int count_values(const command *c, const command_option *o, int argc,
                        const char *const *argv, int i) {
  int count = o != NULL && o->value != NULL;
  while (o != NULL && o->kind == OPTION_WORDS && i + count < argc &&
         !is_option(c, argv[i + count], NULL)) {
    count++;
  }
  return count;
}

static bool is_choice(choice_function *choices, const char *word) {
  const char *name = NULL;
  for (size_t i = 0; (name = choices(i)) != NULL; i++) {
    if (strcmp(name, word) == 0) {
      return true;
    }
  }
  return false;
}

static int take_word(const command *c, const command_argument *a, const char *word,
                     char *arguments) {
  if (a == NULL) {
    return command_misused(c, "unexpected argument '%s'", word);
  }
  if (a->choices != NULL && !is_choice(a->choices, word)) {
    char text[TEXT_SIZE];
    list_choices(a->choices, text, sizeof text);
    return command_misused(c, "argument %s: '%s' is not valid, expected %s", a->name, word, text);
  }
  char *member = arguments + a->offset;
  if (!takes_many(a)) {
    *(const char **)(void *)member = word;
  } else if (!list_add((void *)member, word)) {
    return command_misused(c, "more than %d arguments", TEXT_LIST_MAX);
  }
  return EXIT_GOOD;
}

/* Values never begin with "--", so a word that equals the name of an option is that option. */
static bool is_given(int argc, const char *const *argv, const char *name) {
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static int check_all(const command *c, int argc, const char *const *argv, size_t word_count) {
  const command_argument *next = command_argument_at(c, word_count);
  const bool has_enough =
      next == NULL || next->kind == ARGUMENT_OPTIONAL || next->kind == ARGUMENT_ANY ||
      (next->kind == ARGUMENT_MANY && word_count > (size_t)(next - c->arguments));
  if (!has_enough) {
    return command_misused(c, "argument %s is missing", next->name);
  }
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    const bool is_here = is_given(argc, argv, o->name);
    if (o->is_required && !is_here) {
      return command_misused(c, "option '%s' is missing", o->name);
    }
    if (is_here && o->excludes != NULL && is_given(argc, argv, o->excludes)) {
      return command_misused(c, "options '%s' and '%s' exclude each other", o->name, o->excludes);
    }
  }
  return EXIT_GOOD;
}

int command_parse(const command *c, int argc, const char *const *argv, void *arguments) {
  size_t word_count = 0;
  for (int i = 0; i < argc; i++) {
    const command_argument *next = command_argument_at(c, word_count);
    int code = EXIT_GOOD;
    if (is_option(c, argv[i], next)) {
      const command_option *o = command_option_find(c, argv[i]);
      const int last = i + count_values(c, o, argc, argv, i + 1);
      const char *name = argv[i];
      code = take_option(c, name, i + 1 < argc ? argv[i + 1] : NULL, arguments);
      for (i++; code == EXIT_GOOD && i < last; i++) {
        code = take_option(c, name, argv[i + 1], arguments);
      }
      i = last;
    } else {
      code = take_word(c, next, argv[i], arguments);
      word_count++;
    }
    if (code != EXIT_GOOD) {
      return code;
    }
  }
  return check_all(c, argc, argv, word_count);
}
