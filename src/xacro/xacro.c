#include "xacro/xacro.h"

#include <string.h>

#include "xacro/expand.h"

/* `name:=value` of the command line. */
static bool give_arguments(sn__xacro *x) {
  const char *const *argument = x->config->arguments;
  for (; argument != NULL && *argument != NULL; argument++) {
    const char *sign = strstr(*argument, ":=");
    if (sign == NULL || sign == *argument) {
      return sn__xacro_fail(x, SN_EMODEL, "name:=value", "'%.120s' is not an argument", *argument);
    }
    const char *name = sn__xacro_copy(x, *argument, (size_t)(sign - *argument));
    const char *value = sn__xacro_copy(x, sign + 2, strlen(sign + 2));
    if (name == NULL || value == NULL ||
        !sn__xscope_set(x, x->arguments, name, sn__xstring(value))) {
      return false;
    }
  }
  return true;
}

/* `xacro:targetNamespace` of the root is the default namespace of the result, its last attribute.
   @return the root with it; NULL: no memory */
static const sn__xml_node *name_target(sn__xacro *x, const sn__xml_node *root) {
  const char *target = sn__xml_attribute_value(root, "xacro:targetNamespace");
  if (target == NULL || *target == '\0') {
    return root;
  }
  sn__xml_node *copy = sn__xacro_alloc(x, sizeof *copy);
  const size_t count = root->attribute_count;
  sn__xml_attribute *attributes = sn__xacro_alloc(x, (count + 1) * sizeof *attributes);
  if (copy == NULL || attributes == NULL) {
    return NULL;
  }
  *copy = *root;
  copy->attributes = attributes;
  copy->attribute_count = 0;
  for (size_t i = 0; i < count; i++) {
    if (strcmp(root->attributes[i].name, "xmlns") != 0) {
      attributes[copy->attribute_count++] = root->attributes[i];
    }
  }
  attributes[copy->attribute_count++] = (sn__xml_attribute){"xmlns", target};
  return copy;
}

/* The root itself is an element like any other. */
static const sn__xml_node *expand_root(sn__xacro *x, const sn__xml_node *document_root) {
  const sn__xml_node *root = name_target(x, document_root);
  if (root == NULL) {
    return NULL;
  }
  x->root = root;
  sn__xmacros macros = {0};
  const sn__xspace space = {x->globals, &macros};
  const sn__xbuild document = sn__xbuild_begin(x, "#document", root);
  if (!sn__xacro_element(x, &space, root, &document)) {
    return NULL;
  }
  if (x->child_count != 1 || x->children[0]->name[0] == '#') {
    sn__xacro_fail(x, SN_EMODEL, NULL, "the document <%.60s> does not become one element",
                   root->name);
    return NULL;
  }
  return x->children[0];
}

sn_status sn__xacro_expand(sn_arena *arena, const char *text, size_t size,
                           const sn__xacro_config *config, sn_report *report,
                           const sn__xml_node **root) {
  sn__xacro x = {
      .arena = arena, .report = report, .config = config, .bytes_before = sn_arena_used(arena)};
  x.globals = sn__xscope_make(&x, NULL, 256);
  x.arguments = sn__xscope_make(&x, NULL, 32);
  sn__xacro_file *document = sn__xacro_add_document(&x, text, size);
  if (x.globals == NULL || x.arguments == NULL || document == NULL) {
    return SN_ENOMEM;
  }
  const sn__xml_node *result = NULL;
  if (give_arguments(&x) && sn__xacro_parse(&x, document)) {
    result = expand_root(&x, document->root);
  }
  if (result == NULL) {
    return x.status == SN_OK ? SN_ENOMEM : x.status;
  }
  *root = result;
  return SN_OK;
}
