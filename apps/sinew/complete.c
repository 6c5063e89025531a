/* `sinew complete WORD ...`: prints the words that could complete the last one, which may be empty,
   for the shells' completion. `:files` or `:folders` asks the shell for its own names instead.
   Prints nothing else. */
#define _POSIX_C_SOURCE 200809L /* opendir() */

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"

#define TIMEOUT_S 1.0

static void print_match(const char *prefix, const char *candidate) {
  if (strncmp(prefix, candidate, strlen(prefix)) == 0) {
    puts(candidate);
  }
}

/* First words of commands; those after @p first if it is not NULL. Commands of two words follow
   each other in the list. */
static void print_commands(const char *first, const char *prefix) {
  char last[64] = "";
  const size_t skipped = first == NULL ? 0 : strlen(first) + 1;
  for (size_t i = 0; commands[i] != NULL; i++) {
    const char *name = commands[i]->name;
    if (commands[i]->is_hidden ||
        (first != NULL && (strncmp(name, first, skipped - 1) != 0 || name[skipped - 1] != ' '))) {
      continue;
    }
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(name + skipped, " "), name + skipped);
    if (strcmp(word, last) != 0) {
      print_match(prefix, word);
    }
    memcpy(last, word, sizeof last);
  }
}

static void print_options(const command *c, const char *prefix) {
  const command_option *o = NULL;
  for (size_t i = 0; (o = command_option_at(c, i)) != NULL; i++) {
    print_match(prefix, o->name);
  }
  print_match(prefix, "--help");
}

/* ---- names in running systems ---- */

static void print_systems(const char *prefix) {
  char folder[CONTROL_PATH_SIZE];
  sn_error err;
  DIR *dir = control_path_folder(folder, &err) == SN_OK ? opendir(folder) : NULL;
  for (struct dirent *entry = dir == NULL ? NULL : readdir(dir); entry != NULL;
       entry = readdir(dir)) {
    const size_t length = strlen(entry->d_name);
    if (length > 5 && strcmp(entry->d_name + length - 5, ".sock") == 0) {
      entry->d_name[length - 5] = '\0';
      print_match(prefix, entry->d_name);
    }
  }
  if (dir != NULL) {
    closedir(dir);
  }
}

/* Members of the answer to the verb `names`. */
static const struct {
  bool has_component; /* the component alone */
  const char *lists[2];
} names_of[] = {
    [WORD_COMPONENT_OR_PORT] = {true, {"inputs", "outputs"}},
    [WORD_COMPONENT_OR_PROPERTY] = {true, {"properties", NULL}},
    [WORD_PROPERTY] = {false, {"properties", NULL}},
    [WORD_OPERATION] = {false, {"operations", NULL}},
    [WORD_OUTPUT] = {false, {"outputs", NULL}},
    [WORD_INPUT] = {false, {"inputs", NULL}},
};

static void print_component(word_kind kind, const json_t *names, const char *prefix) {
  const char *component = json_string_value(json_object_get(names, "component"));
  if (component == NULL) {
    return;
  }
  if (names_of[kind].has_component) {
    print_match(prefix, component);
  }
  for (size_t k = 0; k < 2 && names_of[kind].lists[k] != NULL; k++) {
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(names, names_of[kind].lists[k]), i, name) {
      char whole[512];
      snprintf(whole, sizeof whole, "%s.%s", component, json_string_value(name));
      print_match(prefix, whole);
    }
  }
}

static void print_names(word_kind kind, const control_options *control, const char *prefix) {
  json_t *result = NULL;
  if (control_ask_once(control, json_pack("{s:s}", "verb", "names"), &result) == EXIT_GOOD) {
    size_t i;
    json_t *names;
    json_array_foreach(result, i, names) {
      print_component(kind, names, prefix);
    }
  }
  json_decref(result);
}

/* ---- one word ---- */

static void print_words(word_kind kind, choice_function *choices, const control_options *control,
                        const char *prefix) {
  const char *name = NULL;
  for (size_t i = 0; choices != NULL && (name = choices(i)) != NULL; i++) {
    print_match(prefix, name);
  }
  if (kind == WORD_FILE || kind == WORD_FOLDER) {
    puts(kind == WORD_FILE ? ":files" : ":folders");
  } else if (kind == WORD_COMMAND) {
    print_commands(NULL, prefix);
  } else if (kind == WORD_SYSTEM) {
    print_systems(prefix);
  } else if (kind > WORD_SYSTEM) {
    print_names(kind, control, prefix);
  }
}

/* Walk over the words before the last one: what may follow, and which system was named. */
static void complete_word(const command *c, const text_list *words, size_t at) {
  control_options control = {.command = "complete", .timeout_s = TIMEOUT_S};
  const char *prefix = words->items[words->count - 1];
  size_t word_count = 0;
  for (; at + 1 < words->count; at++) {
    const command_option *o = command_option_find(c, words->items[at]);
    if (o == NULL) {
      word_count++;
    } else if (o->value != NULL && at + 2 == words->count) {
      print_words(o->word, o->choices, &control, prefix);
      return;
    } else if (o->value != NULL) {
      at++;
      control.socket = strcmp(o->name, "--socket") == 0 ? words->items[at] : control.socket;
      control.name = strcmp(o->name, "--name") == 0 ? words->items[at] : control.name;
    }
  }
  const command_argument *a = command_argument_at(c, word_count);
  if (prefix[0] == '-') {
    print_options(c, prefix);
  } else if (a != NULL) {
    print_words(a->word, a->choices, &control, prefix);
  }
}

static int run_complete(void *arguments) {
  const text_list *words = arguments;
  if (freopen("/dev/null", "w", stderr) == NULL || words->count == 0) {
    return EXIT_GOOD;
  }
  if (words->count == 1) {
    print_commands(NULL, words->items[0]);
    print_match(words->items[0], "--help");
    print_match(words->items[0], "--version");
    return EXIT_GOOD;
  }
  int used = 0;
  const command *c = command_find((int)words->count - 1, words->items, &used);
  if (c != NULL) {
    complete_word(c, words, (size_t)used);
  } else if (words->count == 2) {
    print_commands(words->items[0], words->items[1]);
  }
  return EXIT_GOOD;
}

static const command_argument complete_arguments[] = {
    {"WORD", ARGUMENT_ANY, 0, "Words of a command line after 'sinew'", WORD_TEXT, NULL}, {0}};

const command command_complete = {.name = "complete",
                                  .purpose = "Print what could follow on a command line.",
                                  .arguments = complete_arguments,
                                  .size = sizeof(text_list),
                                  .run = run_complete,
                                  .is_raw = true,
                                  .is_hidden = true};
