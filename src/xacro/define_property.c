/* `<xacro:property>`. */
#include <string.h>

#include "xacro/expand.h"
#include "xacro/expr/expr.h"

typedef struct attributes {
  const char *name, *value, *otherwise, *scope;
  bool is_removed, is_lazy;
} attributes;

static bool is_identifier(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char *const words[] = {"and", "or", "not",  "if",   "else",  "for",
                                      "in",  "is", "None", "True", "False", "lambda"};
  const size_t length = strlen(name);
  bool good = length > 0 && !(name[0] >= '0' && name[0] <= '9') && strncmp(name, "__", 2) != 0;
  for (size_t i = 0; good && i < length; i++) {
    good = strchr(letters, name[i]) != NULL || (name[i] >= '0' && name[i] <= '9') ||
           (unsigned char)name[i] >= 0x80;
  }
  for (size_t i = 0; good && i < sizeof words / sizeof *words; i++) {
    good = strcmp(words[i], name) != 0;
  }
  return good;
}

/* A truth value in an attribute. */
static bool read_truth(sn__xacro *x, sn__xscope *scope, const sn__xml_node *node, const char *name,
                       bool otherwise, bool *out) {
  const char *text = sn__xml_attribute_value(node, name);
  sn__xvalue value = sn__xnone();
  *out = otherwise;
  if (text == NULL) {
    return true;
  }
  x->attribute = name;
  return sn__xacro_eval(x, scope, text, &value) &&
         (sn__xliteral_truth(value, out) ||
          sn__xacro_fail(x, SN_EMODEL, NULL, "%s is '%.60s', expected true or false", name, text));
}

static bool read_attributes(sn__xacro *x, sn__xscope *scope, const sn__xml_node *node,
                            attributes *a) {
  const char *name = sn__xacro_required(x, node, "name");
  a->name = name == NULL ? NULL : sn__xacro_eval_text(x, scope, name);
  a->value = sn__xml_attribute_value(node, "value");
  a->otherwise = sn__xml_attribute_value(node, "default");
  a->scope = sn__xml_attribute_value(node, "scope");
  if (a->name == NULL || !read_truth(x, scope, node, "remove", false, &a->is_removed) ||
      !read_truth(x, scope, node, "lazy_eval", true, &a->is_lazy)) {
    return false;
  }
  x->attribute = "name";
  if (!is_identifier(a->name)) {
    const bool is_reserved = strncmp(a->name, "__", 2) == 0;
    return sn__xacro_fail(x, SN_EMODEL,
                          is_reserved ? "names with two underscores in front are reserved"
                                      : "letters, digits and underscores; no word of Python",
                          "'%.80s' cannot be the name of a property", a->name);
  }
  if ((a->value != NULL) + (a->otherwise != NULL) + a->is_removed > 1) {
    return sn__xacro_fail(x, SN_EMODEL, NULL,
                          "property '%.80s' has more than one of value, default and remove",
                          a->name);
  }
  return true;
}

/* The scope to define it in; NULL: there is none around the document. */
static sn__xscope *target_of(sn__xacro *x, sn__xscope *scope, attributes *a) {
  if (a->scope == NULL) {
    return scope;
  }
  a->is_lazy = false;
  if (strcmp(a->scope, "global") == 0) {
    return sn__xscope_top(scope);
  }
  if (strcmp(a->scope, "parent") != 0) {
    sn__xacro_fail(x, SN_EMODEL, NULL, "scope is '%.60s', expected 'parent' or 'global'", a->scope);
  } else if (scope->parent == NULL) {
    sn__xacro_warn(x, "property '%.80s': there is no scope around the document", a->name);
  }
  sn__xscope *target = scope->parent;
  while (!scope->is_namespace && target != NULL && target->is_namespace) {
    target = target->parent; /* of a macro in a namespace: not the namespace, but around it */
  }
  return target;
}

/* Without a value it is a block: its content. */
static bool define_block(sn__xacro *x, sn__xscope *target, const char *name,
                         const sn__xml_node *node) {
  sn__xtext key = {0};
  return sn__xtext_add(x, &key, "**") && sn__xtext_add(x, &key, name) &&
         sn__xtext_end(x, &key) != NULL &&
         sn__xscope_set(x, target, key.text, (sn__xvalue){.kind = SN__X_BLOCK, .as.block = node});
}

bool sn__xacro_property(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                        const sn__xbuild *out) {
  (void)out;
  attributes a;
  if (!read_attributes(x, space->scope, node, &a)) {
    return false;
  }
  if (a.is_removed) {
    sn__xscope_remove(space->scope, a.name);
    return true;
  }
  if (a.otherwise != NULL) {
    if (sn__xscope_contains(space->scope, a.name)) {
      return true;
    }
    a.value = a.otherwise;
  }
  sn__xscope *target = target_of(x, space->scope, &a);
  if (target == NULL) {
    return x->status == SN_OK;
  }
  if (a.value == NULL) {
    return define_block(x, target, a.name, node);
  }
  sn__xvalue value = sn__xstring(a.value);
  x->attribute = a.otherwise == NULL ? "value" : "default";
  return (a.is_lazy || sn__xacro_eval(x, space->scope, a.value, &value)) &&
         sn__xscope_define(x, target, a.name, value, a.is_lazy);
}
