/* `<xacro:macro>`, and calls of macros. */
#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "xacro/expand.h"

/* ---- definition ---- */

static const char *skip_blanks(const char *at) {
  while (sn__text_is_blank(*at)) {
    at++;
  }
  return at;
}

/* Length of `${...}` or `$(...)` that ends a word; 0: there is none. */
static size_t bracket_length(const char *at) {
  const char end = at[0] == '$' && at[1] == '{' ? '}' : at[0] == '$' && at[1] == '(' ? ')' : '\0';
  for (size_t i = 2; end != '\0' && at[i - 1] != '\0' && at[i] != '\0'; i++) {
    if (at[i] == end && (at[i + 1] == '\0' || sn__text_is_blank(at[i + 1]))) {
      return i + 1;
    }
  }
  return 0;
}

/* Length of a default: blanks end it outside of quotes and brackets. */
static size_t default_length(const char *at) {
  size_t length = bracket_length(at);
  if (length > 0) {
    return length;
  }
  while (at[length] != '\0' && !sn__text_is_blank(at[length])) {
    const char *end =
        at[length] == '\'' || at[length] == '"' ? strchr(at + length + 1, at[length]) : NULL;
    length = end == NULL ? length + 1 : (size_t)(end - at) + 1;
  }
  return length;
}

/* `name`, `name:=default`, `name:=^` or `name:=^|default`. @return behind it; NULL: no memory */
static const char *parse_parameter(sn__xacro *x, const char *at, sn__xparameter *out) {
  size_t length = strcspn(at, " \t\r\n:=");
  length = length == 0 ? strcspn(at, " \t\r\n") : length;
  out->name = sn__xacro_copy(x, at, length);
  at += length;
  const char *sign = skip_blanks(at);
  sign += *sign == ':' && sign[1] == '=' ? 1 : 0;
  if (out->name == NULL || *sign != '=') {
    return out->name == NULL ? NULL : at + strcspn(at, " \t\r\n");
  }
  at = skip_blanks(sign + 1);
  if (*at == '^') {
    out->is_forwarded = true;
    at += at[1] == '|' ? 2 : 1;
  }
  length = default_length(at);
  out->otherwise = length == 0 ? NULL : sn__xacro_copy(x, at, length);
  out->has_default = out->is_forwarded || length > 0;
  return at + length;
}

static bool parse_parameters(sn__xacro *x, const char *text, sn__xmacro *macro) {
  sn__xparameter **link = &macro->parameters;
  const char *at = text == NULL ? "" : skip_blanks(text);
  while (at != NULL && *at != '\0') {
    sn__xparameter *parameter = sn__xacro_alloc(x, sizeof *parameter);
    if (parameter == NULL) {
      return false;
    }
    *link = parameter;
    link = &parameter->next;
    at = parse_parameter(x, at, parameter);
    at = at == NULL ? NULL : skip_blanks(at);
  }
  return at != NULL;
}

bool sn__xacro_macro(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                     const sn__xbuild *out) {
  (void)out;
  const char *name = sn__xacro_required(x, node, "name");
  if (name == NULL) {
    return false;
  }
  name += strncmp(name, "xacro:", 6) == 0 ? 6 : 0;
  if (strcmp(name, "call") == 0 || strchr(name, '.') != NULL || *name == '\0') {
    return sn__xacro_fail(x, SN_EMODEL,
                          strcmp(name, "call") == 0 ? "xacro:call calls a macro by its name"
                                                    : "a dot separates a namespace from a name",
                          "'%.80s' cannot be the name of a macro", name);
  }
  sn__xmacro *macro = sn__xmacros_put(x, space->macros, name);
  if (macro == NULL) {
    return false;
  }
  macro->node = node;
  return parse_parameters(x, sn__xml_attribute_value(node, "params"), macro);
}

/* ---- call ---- */

static bool unknown_macro(sn__xacro *x, const sn__xmacros *macros, const char *name) {
  char text[120];
  sn__nearest nearest;
  sn__nearest_init(&nearest, name);
  for (; macros != NULL; macros = macros->parent) {
    for (const sn__xmacro *m = macros->first; m != NULL; m = m->next) {
      sn__nearest_offer(&nearest, m->name);
    }
  }
  return sn__xacro_fail(
      x, SN_EMODEL,
      sn__nearest_hint(&nearest, text, sizeof text, "is the file that defines it included?"),
      "unknown macro '%.80s'", name);
}

static const sn__xparameter *find_parameter(const sn__xmacro *macro, const char *name) {
  const sn__xparameter *p = macro->parameters;
  while (p != NULL && !sn__xml_same(p->name, name)) {
    p = p->next;
  }
  return p;
}

static bool unknown_parameter(sn__xacro *x, const sn__xmacro *macro, const char *name) {
  char text[120];
  sn__nearest nearest;
  sn__nearest_init(&nearest, name);
  for (const sn__xparameter *p = macro->parameters; p != NULL; p = p->next) {
    sn__nearest_offer(&nearest, p->name);
  }
  return sn__xacro_fail(x, SN_EMODEL, sn__nearest_hint(&nearest, text, sizeof text, NULL),
                        "macro '%.80s' has no parameter '%.80s'", macro->name, name);
}

/* Values of the attributes, evaluated around the call. */
static bool give_attributes(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                            const sn__xmacro *macro, const char *skipped, sn__xscope *scope) {
  for (size_t i = 0; i < node->attribute_count; i++) {
    const sn__xml_attribute *a = &node->attributes[i];
    sn__xvalue value = sn__xnone();
    if ((skipped != NULL && strcmp(a->name, skipped) == 0) || strncmp(a->name, "xmlns:", 6) == 0) {
      continue;
    }
    x->attribute = a->name;
    if (find_parameter(macro, a->name) == NULL) {
      return unknown_parameter(x, macro, a->name);
    }
    if (!sn__xacro_eval(x, space->scope, a->value, &value) ||
        !sn__xscope_define(x, scope, a->name, value, false)) {
      return false;
    }
  }
  x->attribute = NULL;
  return true;
}

static const sn__xml_node *next_element(const sn__xml_node *node) {
  while (node != NULL && node->name[0] == '#') {
    node = node->next;
  }
  return node;
}

/* The elements inside the call are the blocks, in the order of the parameters. */
/* NOLINTNEXTLINE(misc-no-recursion): sn__xacro_enter() bounds it */
static bool give_blocks(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                        const sn__xmacro *macro, sn__xscope *scope) {
  const sn__xbuild inner = sn__xbuild_begin(x, node->name, node);
  if (!sn__xacro_children(x, space, node, &inner)) {
    return false;
  }
  const sn__xml_node *inside = sn__xbuild_end(x, &inner);
  const sn__xml_node *block = inside == NULL ? NULL : next_element(inside->first_child);
  for (const sn__xparameter *p = macro->parameters; p != NULL; p = p->next) {
    if (p->name[0] != '*') {
      continue;
    }
    if (block == NULL) {
      return sn__xacro_fail(x, SN_EMODEL, NULL,
                            "macro '%.80s' needs an element for its block '%.60s'", macro->name,
                            p->name);
    }
    if (!sn__xscope_set(x, scope, p->name, (sn__xvalue){.kind = SN__X_BLOCK, .as.block = block})) {
      return false;
    }
    block = next_element(block->next);
  }
  return block == NULL ||
         sn__xacro_fail(x, SN_EMODEL, NULL, "macro '%.80s' has no block for <%.60s>", macro->name,
                        block->name);
}

/* The default of a parameter, evaluated around the call. */
static bool give_default(sn__xacro *x, const sn__xspace *space, const sn__xmacro *macro,
                         const sn__xparameter *p, sn__xscope *scope) {
  sn__xvalue value = sn__xnone();
  bool is_found = false;
  if (!p->has_default) {
    return sn__xacro_fail(x, SN_EMODEL, NULL, "macro '%.80s' needs the parameter '%.80s'",
                          macro->name, p->name);
  }
  if (p->is_forwarded && !sn__xscope_get(x, space->scope, p->name, &value, &is_found)) {
    return false;
  }
  if (!is_found && p->otherwise == NULL) {
    return sn__xacro_fail(
        x, SN_EMODEL, NULL,
        "macro '%.80s' takes '%.80s' from around the call, where it is not defined", macro->name,
        p->name);
  }
  return (is_found || sn__xacro_eval(x, space->scope, p->otherwise, &value)) &&
         sn__xscope_define(x, scope, p->name, value, false);
}

static bool give_defaults(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                          const sn__xmacro *macro, sn__xscope *scope) {
  bool good = true;
  for (const sn__xparameter *p = macro->parameters; good && p != NULL; p = p->next) {
    if (p->name[0] != '*' && sn__xml_attribute_value(node, p->name) == NULL) {
      good = give_default(x, space, macro, p, scope);
    }
  }
  return good;
}

/* What names mean in the body: the parameters, then what they mean around the call. For a macro of
   a namespace, what they mean there. */
static bool give_parameters(sn__xacro *x, const sn__xspace *around, const sn__xml_node *node,
                            const sn__xmacro *macro, const sn__xmacro *space, const char *skipped,
                            sn__xspace *out) {
  sn__xspace given = *around; /* where arguments and blocks are evaluated */
  sn__xspace defaults = *around;
  if (space != NULL) {
    defaults = (sn__xspace){space->scope, space->space};
    given.scope = sn__xscope_make_call(x, space->scope, around->scope);
  }
  out->scope = sn__xscope_make(x, defaults.scope, 16);
  out->macros = sn__xacro_alloc(x, sizeof *out->macros);
  if (given.scope == NULL || out->scope == NULL || out->macros == NULL) {
    return false;
  }
  out->macros->parent = defaults.macros;
  return give_attributes(x, &given, node, macro, skipped, out->scope) &&
         give_blocks(x, &given, node, macro, out->scope) &&
         give_defaults(x, &defaults, node, macro, out->scope);
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
static bool call(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node, const char *name,
                 const char *skipped, const sn__xbuild *out) {
  const sn__xmacro *named = NULL;
  const sn__xmacro *macro = sn__xmacros_find(space->macros, name, &named);
  if (macro == NULL) {
    return unknown_macro(x, space->macros, name);
  }
  const sn__xmacro called = *macro; /* its body may define another of the same name */
  sn__xspace inner;
  if (!give_parameters(x, space, node, &called, named, skipped, &inner)) {
    return false;
  }
  const sn_origin *origin = sn__xacro_new_origin(x, "macro", "called", called.name);
  if (origin == NULL) {
    return false;
  }
  x->origin = origin;
  const bool good = sn__xacro_children(x, &inner, called.node, out) &&
                    sn__xacro_import_namespaces(x, called.node, out);
  x->origin = origin->place.origin;
  return good;
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
bool sn__xacro_call(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                    const sn__xbuild *out) {
  return call(x, space, node, node->name + strlen("xacro:"), NULL, out);
}

/* NOLINTNEXTLINE(misc-no-recursion): as above */
bool sn__xacro_call_named(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                          const sn__xbuild *out) {
  const char *text = sn__xacro_required(x, node, "macro");
  const char *name = text == NULL ? NULL : sn__xacro_eval_text(x, space->scope, text);
  return name != NULL && call(x, space, node, name, "macro", out);
}
