/* The module `xacro`, and the functions of `$(eval ...)`. */
#include <string.h>

#include "xacro/expr/expr.h"
#include "xacro/scope.h"

/* Argument @p index as text. @return NULL with an error reported */
static const char *text_of(sn__xacro *x, const sn__xcall *call, size_t index) {
  if (call->arguments[index].kind == SN__X_TEXT) {
    return call->arguments[index].as.text;
  }
  sn__xacro_fail(x, SN_EMODEL, NULL, "%s(): the argument is a %s, expected a text", call->name,
                 sn__xkind_name(call->arguments[index].kind));
  return NULL;
}

static bool give(const char *text, sn__xvalue *out) {
  *out = sn__xstring(text);
  return text != NULL;
}

static bool run_load_yaml(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *path = text_of(x, call, 0);
  return path != NULL && sn__xyaml_load(x, path, out);
}

static bool run_abs_filename(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *name = text_of(x, call, 0);
  return name != NULL && give(sn__xacro_path(x, name), out);
}

/* All dicts have dotted access. */
static bool run_dotify(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  *out = call->arguments[0];
  return out->kind == SN__X_DICT || sn__xacro_fail(x, SN_EMODEL, NULL, "dotify(): expected a dict");
}

/* The arguments with blanks between them. */
static const char *joined(sn__xacro *x, const sn__xcall *call) {
  sn__xtext out = {0};
  for (size_t i = 0; i < call->count; i++) {
    const char *text = sn__xvalue_text(x, call->arguments[i]);
    if (text == NULL || (i > 0 && !sn__xtext_add(x, &out, " ")) || !sn__xtext_add(x, &out, text)) {
      return NULL;
    }
  }
  return sn__xtext_end(x, &out);
}

/* A message of the document's author; nothing is left of it in the text. */
static bool run_warning(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *text = joined(x, call);
  if (text != NULL && strcmp(call->name, "message") != 0) {
    sn__xacro_warn(x, "%.300s", text);
  }
  return text != NULL && give("", out);
}

static bool run_fatal(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  (void)out;
  const char *text = joined(x, call);
  return sn__xacro_fail(x, SN_EMODEL, NULL, "%.300s", text == NULL ? "" : text);
}

/* The parts between commas, semicolons and blanks; empty ones only if the third argument says so.
 */
static bool run_tokenize(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *text = text_of(x, call, 0);
  const char *separators = call->count < 2 ? ",; " : text_of(x, call, 1);
  const bool skips_empty = call->count < 3 || sn__xvalue_truth(call->arguments[2]);
  bool good = text != NULL && separators != NULL && sn__xlist_make(x, SN__X_LIST, out);
  for (bool is_last = false; good && !is_last;) {
    const size_t length = strcspn(text, separators);
    const char *part = sn__xacro_copy(x, text, length);
    is_last = text[length] == '\0';
    good = part != NULL &&
           ((length == 0 && skips_empty) || sn__xlist_add(x, out->as.list, sn__xstring(part)));
    text += length + (is_last ? 0 : 1);
  }
  return good;
}

static bool run_find(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *name = text_of(x, call, 0);
  return name != NULL && give(sn__xacro_find(x, name), out);
}

static bool run_env(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *name = text_of(x, call, 0);
  const char *otherwise = call->count == 2 ? text_of(x, call, 1) : NULL;
  otherwise = otherwise == NULL && strcmp(call->name, "optenv") == 0 ? "" : otherwise;
  return name != NULL && give(sn__xacro_environment(x, name, otherwise), out);
}

/* In `${...}` an argument is a text, as it was given. */
static bool run_arg_text(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *name = text_of(x, call, 0);
  return name != NULL && give(sn__xacro_argument(x, name), out);
}

static bool run_arg(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  const char *name = text_of(x, call, 0);
  const char *value = name == NULL ? NULL : sn__xacro_argument(x, name);
  if (value != NULL) {
    *out = sn__xliteral(x, value);
  }
  return value != NULL;
}

static bool run_dirname(sn__xacro *x, const sn__xcall *call, sn__xvalue *out) {
  (void)call;
  return give(sn__xacro_dirname(x), out);
}

const sn__xfunction sn__xtool_functions[] = {
    {"xacro", "load_yaml", 1, 1, false, run_load_yaml, NULL},
    {"xacro", "abs_filename", 1, 1, false, run_abs_filename, NULL},
    {"xacro", "arg", 1, 1, false, run_arg_text, NULL},
    {"xacro", "dotify", 1, 1, false, run_dotify, NULL},
    {"xacro", "message", 0, 16, true, run_warning, NULL},
    {"xacro", "warning", 0, 16, true, run_warning, NULL},
    {"xacro", "error", 0, 16, true, run_warning, NULL},
    {"xacro", "print_location", 0, 0, false, run_warning, NULL},
    {"xacro", "fatal", 0, 16, false, run_fatal, NULL},
    {"xacro", "tokenize", 1, 3, false, run_tokenize, NULL},
    {"eval", "find", 1, 1, false, run_find, NULL},
    {"eval", "env", 1, 1, false, run_env, NULL},
    {"eval", "optenv", 1, 2, false, run_env, NULL},
    {"eval", "arg", 1, 1, false, run_arg, NULL},
    {"eval", "dirname", 0, 0, false, run_dirname, NULL},
    {0}};
