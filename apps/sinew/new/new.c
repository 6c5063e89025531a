/* `sinew new controller`: a folder with a controller that builds and runs. Its source is the
   example examples/06_controller.c with another name. */
#define _XOPEN_SOURCE 700 /* readlink(), realpath() */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "common/share.h"
#include "sinew/arena.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/value.h"

enum { NAME_MAX_SIZE = 40, WORD_SIZE = 64 };

/* Embedded when the program is built (cmake/programs.cmake). */
extern const char new_controller_source[], new_controller_yaml[], new_controller_cmake[],
    new_controller_readme[];

typedef struct new_arguments {
  const char *name, *folder;
} new_arguments;

typedef struct replacement {
  const char *from, *to;
} replacement;

/* ---- text ---- */

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does @p from begin at @p at, and not in the middle of a word? */
static bool matches(const char *text, const char *at, const char *from) {
  const size_t length = strlen(from);
  return strncmp(at, from, length) == 0 && !(is_word(from[0]) && at > text && is_word(at[-1])) &&
         !(is_word(from[length - 1]) && is_word(at[length]));
}

static void put(FILE *out, const char *text, const replacement *list) {
  for (const char *at = text; *at != '\0';) {
    const replacement *r = list;
    while (r->from != NULL && !matches(text, at, r->from)) {
      r++;
    }
    if (r->from == NULL) {
      fputc(*at++, out);
    } else {
      fputs(r->to, out);
      at += strlen(r->from);
    }
  }
}

static bool put_file(const char *folder, const char *name, const char *text,
                     const replacement *list) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "wx");
  if (out != NULL) {
    put(out, text, list);
  }
  if (out == NULL || (ferror(out) != 0) + (fclose(out) != 0) > 0) {
    fprintf(stderr, "sinew new controller: cannot write %s: %s\n", path, strerror(errno));
    return false;
  }
  printf("%s\n", path);
  return true;
}

/* ---- checks ---- */

static bool is_valid_name(const char *name) {
  const size_t length = strlen(name);
  return length > 0 && length <= NAME_MAX_SIZE && name[0] >= 'a' && name[0] <= 'z' &&
         strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length;
}

/* A component of the standard deployment, or a type that the program has. */
static bool is_taken(const char *name) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "names", 0);
  sn_report *report = NULL;
  sn_component_registry *registry = sn_component_registry_create(&arena);
  const sn_value *root = NULL;
  size_t size = 0;
  const char *text = sn_standard_deployment(&size);
  bool is_found = registry != NULL && sn_components_add(registry, NULL) == SN_OK &&
                  sn_component_registry_find(registry, name) != NULL;
  if (sn_report_create(&arena, &report, NULL) == SN_OK &&
      sn_value_parse_yaml(&arena, text, size, "standard.yaml", report, &root) == SN_OK) {
    const sn_value *components = sn_value_find(root, "components");
    is_found = is_found || (components != NULL && sn_value_find(components, name) != NULL);
  }
  sn_arena_release(&arena);
  return is_found;
}

/* Create the folder, unless it is there and empty. */
static bool prepare_folder(const char *folder) {
  if (mkdir(folder, 0777) == 0) {
    return true;
  }
  const int reason = errno;
  DIR *dir = opendir(folder);
  if (dir == NULL) {
    fprintf(stderr, "sinew new controller: cannot create folder %s: %s\n", folder,
            strerror(reason));
    return false;
  }
  const struct dirent *entry = NULL;
  bool is_empty = true;
  while ((entry = readdir(dir)) != NULL) {
    is_empty = is_empty && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0);
  }
  closedir(dir);
  if (!is_empty) {
    fprintf(stderr, "sinew new controller: folder %s is not empty\n", folder);
  }
  return is_empty;
}

/* The folder above `bin` of the program, or the build tree: CMake finds the package there. */
static void find_prefix(char prefix[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", prefix, PATH_MAX - 1);
  prefix[length < 0 ? 0 : length] = '\0';
  for (int i = 0; i < 2; i++) {
    char *slash = strrchr(prefix, '/');
    if (slash != NULL && (i == 0 || strcmp(slash, "/bin") == 0)) {
      *slash = '\0';
    }
  }
}

/* ---- the command ---- */

static bool put_all(const char *folder, const char *name, const char *robot) {
  char prefix[PATH_MAX];
  char quoted[WORD_SIZE];
  char type[WORD_SIZE];
  char structure[WORD_SIZE];
  char file[WORD_SIZE];
  find_prefix(prefix);
  snprintf(quoted, sizeof quoted, "\"%s\"", name);
  snprintf(type, sizeof type, "%s_type", name);
  snprintf(structure, sizeof structure, "%s_controller", name);
  const replacement source[] = {
      {"\"nod\"", quoted}, {"nod_type", type}, {"nod", structure}, {NULL, NULL}};
  const replacement words[] = {
      {"@NAME@", name}, {"@ROBOT@", robot}, {"@PREFIX@", prefix}, {NULL, NULL}};
  snprintf(file, sizeof file, "%s.c", name);
  /* Its first comment is about the example. */
  bool is_good = put_file(folder, file, strstr(new_controller_source, "#include"), source);
  snprintf(file, sizeof file, "%s.yaml", name);
  is_good = is_good && put_file(folder, file, new_controller_yaml, words);
  is_good = is_good && put_file(folder, "CMakeLists.txt", new_controller_cmake, words);
  return is_good && put_file(folder, "README.md", new_controller_readme, words);
}

static int run_new(void *arguments) {
  const new_arguments *a = arguments;
  const char *folder = a->folder == NULL ? a->name : a->folder;
  char found[SHARE_PATH_SIZE];
  char robot[PATH_MAX];
  if (!is_valid_name(a->name)) {
    return command_misused(&command_new_controller,
                           "argument NAME: '%s' is not valid, expected at most %d lower-case "
                           "letters, digits and '_', beginning with a letter",
                           a->name, NAME_MAX_SIZE);
  }
  if (is_taken(a->name)) {
    return command_misused(&command_new_controller,
                           "argument NAME: the standard deployment uses '%s'", a->name);
  }
  if (!share_find("new controller", "robots/quadruped.yaml", found) ||
      realpath(found, robot) == NULL || !prepare_folder(folder)) {
    return EXIT_NO;
  }
  return put_all(folder, a->name, robot) ? EXIT_GOOD : EXIT_FAULT;
}

static const command_argument new_argument_table[] = {
    {"NAME", ARGUMENT_ONE, offsetof(new_arguments, name), "Name of the controller", WORD_NAME,
     NULL},
    {"FOLDER", ARGUMENT_OPTIONAL, offsetof(new_arguments, folder),
     "New or empty folder to write to; NAME unless given", WORD_FOLDER, NULL},
    {0}};

const command command_new_controller = {
    .name = "new controller",
    .purpose =
        "Write a controller that builds and runs, with its deployment, as a start for yours.",
    .arguments = new_argument_table,
    .size = sizeof(new_arguments),
    .run = run_new};
