/* What could follow on the command line, for the shells' completion: `sinew complete WORD ...`,
   where the last word is the one that is being typed. Never says anything but candidates. */
#define _POSIX_C_SOURCE 200809L /* opendir() */

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "live/control_client.h"

#define TIMEOUT_S 1.0

static void offer(const char *prefix, const char *candidate) {
  if (strncmp(prefix, candidate, strlen(prefix)) == 0) {
    puts(candidate);
  }
}

static void offer_commands(const char *prefix) {
  for (const command *c = command_list(); c->name != NULL; c++) {
    if (c->purpose != NULL) {
      offer(prefix, c->name);
    }
  }
  offer(prefix, "--help");
  offer(prefix, "--version");
}

/* The text of usage names every option. */
static void offer_options(const command *c, const char *prefix) {
  for (const char *at = strstr(c->usage, "--"); at != NULL; at = strstr(at + 2, "--")) {
    char option[32];
    snprintf(option, sizeof option, "%.*s",
             (int)(2 + strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-")), at);
    offer(prefix, option);
  }
  offer(prefix, "--help");
}

static void offer_systems(const char *prefix) {
  char folder[CONTROL_PATH_SIZE];
  sn_error err;
  DIR *dir = control_path_folder(folder, &err) == SN_OK ? opendir(folder) : NULL;
  for (struct dirent *entry = dir == NULL ? NULL : readdir(dir); entry != NULL;
       entry = readdir(dir)) {
    const size_t length = strlen(entry->d_name);
    if (length > 5 && strcmp(entry->d_name + length - 5, ".sock") == 0) {
      entry->d_name[length - 5] = '\0';
      offer(prefix, entry->d_name);
    }
  }
  if (dir != NULL) {
    closedir(dir);
  }
}

/* Which names a command takes, as the verb `names` calls them. */
typedef struct subject {
  const char *command;
  bool component; /* the component alone */
  const char *lists[2];
} subject;

static const subject subjects[] = {
    {"ls", true, {"inputs", "outputs"}},  {"get", true, {"properties", NULL}},
    {"set", false, {"properties", NULL}}, {"call", false, {"operations", NULL}},
    {"echo", false, {"outputs", NULL}},   {"pub", false, {"inputs", NULL}},
};

static void offer_component(const subject *s, const json_t *names, const char *prefix) {
  const char *component = json_string_value(json_object_get(names, "component"));
  if (component == NULL) {
    return;
  }
  if (s->component) {
    offer(prefix, component);
  }
  for (size_t k = 0; k < 2 && s->lists[k] != NULL; k++) {
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(names, s->lists[k]), i, name) {
      char whole[512];
      snprintf(whole, sizeof whole, "%s.%s", component, json_string_value(name));
      offer(prefix, whole);
    }
  }
}

static void offer_names(const subject *s, control_options *options, const char *prefix) {
  options->timeout_s = TIMEOUT_S;
  options->json = false;
  json_t *result = NULL;
  if (control_ask_once(options, json_pack("{s:s}", "verb", "names"), &result) == EXIT_GOOD) {
    size_t i;
    json_t *names;
    json_array_foreach(result, i, names) {
      offer_component(s, names, prefix);
    }
  }
  json_decref(result);
}

/* The words of a command that talks to a system: which system, and how many names come before. */
static void offer_subject(const subject *s, int argc, char **argv) {
  control_options options = {.command = "complete"};
  int names = 0;
  for (int i = 1; i < argc - 1; i++) {
    if (control_options_take(&options, argc - 1, argv, &i)) {
      continue;
    }
    const bool has_value = strcmp(argv[i], "--count") == 0 || strcmp(argv[i], "--rate") == 0;
    i += has_value;
    names += !control_is_option(argv[i]) && !has_value;
  }
  if (names == 0) {
    offer_names(s, &options, argv[argc - 1]);
  }
}

static const command *find(const char *name) {
  for (const command *c = command_list(); c->name != NULL; c++) {
    if (strcmp(c->name, name) == 0) {
      return c;
    }
  }
  return NULL;
}

int command_complete(int argc, char **argv) {
  argc--;
  argv++;
  if (freopen("/dev/null", "w", stderr) == NULL || argc == 0) {
    return EXIT_GOOD;
  }
  const char *prefix = argv[argc - 1];
  if (argc == 1) {
    offer_commands(prefix);
    return EXIT_GOOD;
  }
  const command *c = find(argv[0]);
  const char *before = argv[argc - 2];
  if (c == NULL) {
    return EXIT_GOOD;
  }
  if (control_is_option(prefix)) {
    offer_options(c, prefix);
  } else if (strcmp(before, "--name") == 0) {
    offer_systems(prefix);
  } else if (strcmp(before, "--socket") != 0 && strcmp(before, "--timeout") != 0 &&
             strcmp(before, "--count") != 0 && strcmp(before, "--rate") != 0) {
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
      if (strcmp(subjects[i].command, c->name) == 0) {
        offer_subject(&subjects[i], argc, argv);
      }
    }
  }
  return EXIT_GOOD;
}
