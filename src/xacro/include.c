/* `<xacro:include>`. */
#include <string.h>

#include "xacro/expand.h"

/* The names that properties and macros of the file get: those around it, or a namespace inside
   them. */
static bool make_space(sn__xacro *x, const sn__xspace *around, const sn__xml_node *node,
                       sn__xspace *out) {
  const char *text = sn__xml_attribute_value(node, "ns");
  *out = *around;
  if (text == NULL || *text == '\0') {
    return true;
  }
  x->attribute = "ns";
  const char *name = sn__xacro_eval_text(x, around->scope, text);
  sn__xmacro *entry = name == NULL ? NULL : sn__xmacros_put(x, around->macros, name);
  out->macros = sn__xacro_alloc(x, sizeof *out->macros);
  out->scope = sn__xscope_make(x, around->scope, 64);
  if (entry == NULL || out->macros == NULL || out->scope == NULL) {
    return false;
  }
  out->macros->parent = around->macros;
  out->scope->is_namespace = true;
  entry->space = out->macros;
  entry->scope = out->scope;
  return sn__xscope_set(x, around->scope, name,
                        (sn__xvalue){.kind = SN__X_SCOPE, .as.scope = out->scope});
}

/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
static bool expand_file(sn__xacro *x, const sn__xspace *space, sn__xacro_file *file,
                        const sn__xbuild *out) {
  const sn_origin *origin = sn__xacro_new_origin(x, "file", "included", file->path);
  if (origin == NULL || !sn__xacro_parse(x, file) || !sn__xacro_enter(x)) {
    return false;
  }
  x->origin = origin;
  const bool good = sn__xacro_children(x, space, file->root, out) &&
                    sn__xacro_import_namespaces(x, file->root, out);
  x->origin = origin->place.origin;
  sn__xacro_leave(x);
  return good;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool include_one(sn__xacro *x, const sn__xspace *space, const char *path, bool is_optional,
                        const sn__xbuild *out) {
  sn_error why = {0};
  sn_status status = SN_OK;
  sn__xacro_file *file = sn__xacro_read_path(x, path, &status, &why);
  if (file == NULL) {
    return (is_optional && status == SN_EIO) || sn__xacro_fail(x, status, NULL, "%s", why.message);
  }
  return expand_file(x, space, file, out);
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool include_matching(sn__xacro *x, const sn__xspace *space, const char *pattern,
                             const sn__xbuild *out) {
  const sn__xacro_files *files = &x->config->files;
  const char *path = sn__xacro_path(x, pattern);
  const char **names = NULL;
  size_t count = 0;
  if (path == NULL ||
      (files->match != NULL && !files->match(files->context, x->arena, path, &names, &count))) {
    return sn__xacro_fail(x, SN_ENOMEM, NULL, "no memory");
  }
  if (count == 0) {
    sn__xacro_warn(x, "no file matches '%.200s'", pattern);
  }
  bool good = true;
  for (size_t i = 0; good && i < count; i++) {
    good = include_one(x, space, names[i], false, out);
  }
  return good;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
bool sn__xacro_include(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                       const sn__xbuild *out) {
  const char *text = sn__xacro_required(x, node, "filename");
  const char *name = text == NULL ? NULL : sn__xacro_eval_text(x, space->scope, text);
  const char *optional = sn__xml_attribute_value(node, "optional");
  bool is_optional = false;
  sn__xspace inner;
  if (name == NULL || !make_space(x, space, node, &inner)) {
    return false;
  }
  x->attribute = "filename";
  if (optional != NULL && !sn__xliteral_truth(sn__xstring(optional), &is_optional)) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "optional is '%.60s', expected true or false",
                          optional);
  }
  if (strpbrk(name, "*?[") != NULL) {
    return include_matching(x, &inner, name, out);
  }
  const char *path = sn__xacro_path(x, name);
  return path != NULL && include_one(x, &inner, path, is_optional, out);
}
