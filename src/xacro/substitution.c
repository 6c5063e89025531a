/* `$(find ...)`, `$(arg ...)` and the like. */
#define _GNU_SOURCE /* realpath() */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/nearest.h"
#include "base/text.h"
#include "xacro/expr/expr.h"
#include "xacro/scope.h"

enum { PATH_SIZE = 4096 };

const char *sn__xacro_find(sn__xacro *x, const char *package) {
  const sn__xacro_files *files = &x->config->files;
  char folder[PATH_SIZE];
  sn_error why = {0};
  if (files->find_package == NULL ||
      !files->find_package(files->context, package, folder, sizeof folder, &why)) {
    sn__xacro_fail(x, SN_EIO, why.message[0] == '\0' ? NULL : why.message,
                   "unknown package '%.80s'", package);
    return NULL;
  }
  return sn__xacro_copy(x, folder, strlen(folder));
}

const char *sn__xacro_environment(sn__xacro *x, const char *name, const char *otherwise) {
  const char *value = getenv(name);
  value = value == NULL ? otherwise : value;
  if (value == NULL) {
    sn__xacro_fail(x, SN_EMODEL, "$(optenv NAME DEFAULT) has a default",
                   "the environment variable '%.80s' is not set", name);
    return NULL;
  }
  if (sn__text_has_control_in_lines(value)) {
    sn__xacro_fail(x, SN_EMODEL, NULL, "the environment variable '%.80s' is not UTF-8", name);
    return NULL;
  }
  return sn__xacro_copy(x, value, strlen(value));
}

const char *sn__xacro_dirname(sn__xacro *x) {
  const char *file = sn__xacro_current_file(x);
  const char *slash = strrchr(file, '/');
  const char *folder = slash == NULL   ? "."
                       : slash == file ? "/"
                                       : sn__xacro_copy(x, file, (size_t)(slash - file));
  char *real = folder == NULL ? NULL : realpath(folder, NULL);
  const char *copy = real == NULL ? folder : sn__xacro_copy(x, real, strlen(real));
  free(real);
  return copy;
}

static const char *working_folder(sn__xacro *x) {
  char folder[PATH_SIZE];
  if (getcwd(folder, sizeof folder) == NULL) {
    sn__xacro_fail(x, SN_EIO, NULL, "the working folder is unknown");
    return NULL;
  }
  return sn__xacro_copy(x, folder, strlen(folder));
}

const char *sn__xacro_argument(sn__xacro *x, const char *name) {
  sn__xvalue value = sn__xnone();
  bool is_found = false;
  if (sn__xscope_get(x, x->arguments, name, &value, &is_found) && is_found) {
    return value.as.text;
  }
  char hint[200];
  snprintf(hint, sizeof hint,
           "give it: %.80s:=VALUE, or <xacro:arg name=\"%.60s\" default=\"...\"/>", name, name);
  sn__xacro_fail(x, SN_EMODEL, hint, "the argument '%.80s' has no value", name);
  return NULL;
}

/* Arguments are texts; in `$(eval ...)` they are numbers and truth values where they look so. */
static sn__xvalue automatic(const char *text) {
  int64_t integer = 0;
  double number = 0.0;
  if (strchr(text, '.') != NULL ? sn__xliteral_float(text, &number) : false) {
    return sn__xfloat(number);
  }
  if (sn__xliteral_int(text, &integer)) {
    return sn__xint(integer);
  }
  const bool is_true = strcasecmp(text, "true") == 0;
  return is_true || strcasecmp(text, "false") == 0 ? sn__xbool(is_true) : sn__xstring(text);
}

/* A scope of all arguments for one expression. */
static sn__xscope *scope_of_arguments(sn__xacro *x) {
  sn__xscope *scope = sn__xscope_make(x, NULL, 16);
  bool good = scope != NULL && sn__xscope_set(x, scope, "true", sn__xbool(true)) &&
              sn__xscope_set(x, scope, "false", sn__xbool(false));
  for (size_t i = 0; good && i < x->arguments->bucket_count; i++) {
    for (const sn__xproperty *p = x->arguments->buckets[i]; good && p != NULL; p = p->next) {
      good = sn__xscope_set(x, scope, p->name, automatic(p->value.as.text));
    }
  }
  return good ? scope : NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion): an expression cannot contain a substitution */
static bool evaluate(sn__xacro *x, const char *text, sn__xvalue *out) {
  sn__xscope *scope = scope_of_arguments(x);
  if (scope == NULL || !sn__xexpr_run(x, scope, text, out)) {
    return false;
  }
  *out = sn__xstring(sn__xvalue_text(x, *out));
  return out->as.text != NULL;
}

/* The first word of @p text; *rest is behind the blanks after it. */
static const char *first_word(sn__xacro *x, const char *text, const char **rest) {
  const char *begin = text + strspn(text, " \t\r\n");
  const size_t length = strcspn(begin, " \t\r\n");
  *rest = begin + length + strspn(begin + length, " \t\r\n");
  return sn__xacro_copy(x, begin, length);
}

static bool unknown_command(sn__xacro *x, const char *command) {
  char text[120];
  sn__nearest nearest;
  static const char *const commands[] = {"find", "arg", "env", "optenv", "dirname", "eval", "cwd"};
  sn__nearest_init(&nearest, command);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
    sn__nearest_offer(&nearest, commands[i]);
  }
  return sn__xacro_fail(x, SN_EMODEL,
                        sn__nearest_hint(&nearest, text, sizeof text,
                                         "known are find, arg, env, optenv, dirname, eval and cwd"),
                        "unknown substitution '$(%.60s ...)'", command);
}

bool sn__xacro_substitute(sn__xacro *x, const char *inside, sn__xvalue *out) {
  const char *rest = NULL, *end = NULL;
  const char *command = first_word(x, inside, &rest);
  const char *name = command == NULL ? NULL : first_word(x, rest, &end);
  const char *text = NULL;
  if (name == NULL) {
    return false;
  }
  if (strcmp(command, "eval") == 0) {
    return evaluate(x, rest, out);
  }
  if (strcmp(command, "find") == 0) {
    text = sn__xacro_find(x, name);
  } else if (strcmp(command, "arg") == 0) {
    text = sn__xacro_argument(x, name);
  } else if (strcmp(command, "env") == 0) {
    text = sn__xacro_environment(x, name, NULL);
  } else if (strcmp(command, "optenv") == 0) {
    text = sn__xacro_environment(x, name, end);
  } else if (strcmp(command, "dirname") == 0) {
    text = sn__xacro_dirname(x);
  } else if (strcmp(command, "cwd") == 0) {
    text = working_folder(x);
  } else {
    return unknown_command(x, command);
  }
  *out = sn__xstring(text);
  return text != NULL;
}
