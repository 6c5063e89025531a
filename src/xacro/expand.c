/* Elements and directives without a file of their own. */
#include "xacro/expand.h"

#include <string.h>

#include "base/text.h"

/* ---- helpers ---- */

/* Most names begin with another letter, so few of them need a call. */
static bool has_prefix(const char *name, const char *prefix) {
  return name[0] == prefix[0] && strncmp(name, prefix, strlen(prefix)) == 0;
}

const char *sn__xacro_required(sn__xacro *x, const sn__xml_node *node, const char *name) {
  const char *value = sn__xml_attribute_value(node, name);
  if (value == NULL) {
    sn__xacro_fail(x, SN_EMODEL, NULL, "<%.60s> has no attribute '%s'", node->name, name);
  }
  x->attribute = name;
  return value;
}

bool sn__xacro_import_namespaces(sn__xacro *x, const sn__xml_node *from, const sn__xbuild *to) {
  bool good = true;
  for (size_t i = 0; good && i < from->attribute_count; i++) {
    const sn__xml_attribute *a = &from->attributes[i];
    if (has_prefix(a->name, "xmlns:") && !sn__xml_same(a->name, "xmlns:xacro") &&
        sn__xbuild_attribute_value(x, to, a->name) == NULL) {
      good = sn__xbuild_new_attribute(x, a->name, a->value);
    }
  }
  return good;
}

/* ---- plain elements ---- */

/* Attributes of xacro itself are left out. */
static bool is_left_out(const char *name) {
  return has_prefix(name, "xacro:") || sn__xml_same(name, "xmlns:xacro");
}

static bool expand_attributes(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node) {
  for (size_t i = 0; i < node->attribute_count; i++) {
    const sn__xml_attribute *a = &node->attributes[i];
    if (is_left_out(a->name)) {
      continue;
    }
    x->attribute = a->name;
    const char *value = sn__xacro_eval_text(x, space->scope, a->value);
    if (value == NULL || !sn__xbuild_new_attribute(x, a->name, value)) {
      return false;
    }
  }
  x->attribute = NULL;
  return true;
}

/* The root is expanded after its children: its name is often an argument, and the default of that
   argument a child. Whatever can be expanded before the children gives the same text after them. */
static bool copy_attributes(sn__xacro *x, const sn__xml_node *node) {
  bool good = true;
  for (size_t i = 0; good && i < node->attribute_count; i++) {
    const sn__xml_attribute *a = &node->attributes[i];
    good = is_left_out(a->name) || sn__xbuild_new_attribute(x, a->name, a->value);
  }
  return good;
}

static bool expand_copied_attributes(sn__xacro *x, const sn__xspace *space,
                                     const sn__xml_node *node, const sn__xbuild *build) {
  x->node = node;
  for (size_t i = 0; i < node->attribute_count; i++) {
    const sn__xml_attribute *a = &node->attributes[i];
    if (is_left_out(a->name) || sn__xbuild_attribute_value(x, build, a->name) != a->value) {
      continue; /* <xacro:attribute> has replaced it */
    }
    x->attribute = a->name;
    const char *value = sn__xacro_eval_text(x, space->scope, a->value);
    if (value == NULL || !sn__xbuild_attribute(x, build, a->name, value)) {
      return false;
    }
  }
  x->attribute = NULL;
  return true;
}

/* NOLINTBEGIN(misc-no-recursion): sn__xacro_enter() bounds it */

static bool expand_plain(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                         const sn__xbuild *out) {
  (void)out; /* is the innermost one again when this one ends */
  const sn__xbuild inner = sn__xbuild_begin(x, node->name, node);
  const bool is_root = node == x->root;
  if (!(is_root ? copy_attributes(x, node) : expand_attributes(x, space, node)) ||
      !sn__xacro_children(x, space, node, &inner) ||
      (is_root && !expand_copied_attributes(x, space, node, &inner))) {
    return false;
  }
  sn__xml_node *element = sn__xbuild_end(x, &inner);
  return element != NULL && sn__xbuild_add(x, element);
}

/* ---- directives ---- */

/* if and unless, by name. */
static bool expand_if(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                      const sn__xbuild *out) {
  const char *condition = sn__xacro_required(x, node, "value");
  sn__xvalue value = sn__xnone();
  bool truth = false;
  if (condition == NULL || !sn__xacro_eval(x, space->scope, condition, &value)) {
    return false;
  }
  if (!sn__xliteral_truth(value, &truth)) {
    const char *text = sn__xvalue_text(x, value);
    return sn__xacro_fail(x, SN_EMODEL, "expected true, false or an integer",
                          "the condition '%.80s' is '%.80s'", condition, text == NULL ? "" : text);
  }
  const bool is_unless = strcmp(node->name, "xacro:unless") == 0;
  return truth == is_unless || sn__xacro_children(x, space, node, out);
}

static bool expand_arg(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                       const sn__xbuild *out) {
  (void)out;
  const char *name = sn__xacro_required(x, node, "name");
  const char *text = name == NULL ? NULL : sn__xacro_required(x, node, "default");
  if (text == NULL || sn__xscope_contains(x->arguments, name)) {
    return text != NULL;
  }
  const char *value = sn__xacro_eval_text(x, space->scope, text);
  return value != NULL && sn__xscope_set(x, x->arguments, name, sn__xstring(value));
}

static bool expand_named_element(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                                 const sn__xbuild *out) {
  const char *text = sn__xacro_required(x, node, "xacro:name");
  const char *name = text == NULL ? NULL : sn__xacro_eval_text(x, space->scope, text);
  if (name == NULL || *name == '\0') {
    return name != NULL && sn__xacro_fail(x, SN_EMODEL, NULL, "the name of an element is empty");
  }
  sn__xml_node *copy = sn__xacro_alloc(x, sizeof *copy);
  if (copy == NULL) {
    return false;
  }
  *copy = *node;
  copy->name = name;
  return sn__xacro_element(x, space, copy, out);
}

static bool expand_attribute(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                             const sn__xbuild *out) {
  const char *name = sn__xacro_required(x, node, "name");
  name = name == NULL ? NULL : sn__xacro_eval_text(x, space->scope, name);
  const char *value = name == NULL ? NULL : sn__xacro_required(x, node, "value");
  value = value == NULL ? NULL : sn__xacro_eval_text(x, space->scope, value);
  if (value == NULL || *name == '\0') {
    return value != NULL && sn__xacro_fail(x, SN_EMODEL, NULL, "the name of an attribute is empty");
  }
  return sn__xbuild_attribute(x, out, name, value);
}

/* A block `*name` is inserted as it is, of `**name` its content. */
static bool expand_block(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                         const sn__xbuild *out) {
  const char *name = sn__xacro_required(x, node, "name");
  bool is_found = false;
  for (int stars = 2; name != NULL && stars > 0; stars--) {
    sn__xtext key = {0};
    sn__xvalue block = sn__xnone();
    if (!sn__xtext_put(x, &key, "**", (size_t)stars) || !sn__xtext_add(x, &key, name) ||
        sn__xtext_end(x, &key) == NULL ||
        !sn__xscope_get(x, space->scope, key.text, &block, &is_found)) {
      return false;
    }
    if (is_found && block.kind == SN__X_BLOCK) {
      return stars == 2 ? sn__xacro_children(x, space, block.as.block, out)
                        : sn__xacro_element(x, space, block.as.block, out);
    }
  }
  return name != NULL && sn__xacro_fail(x, SN_EMODEL, NULL, "unknown block '%.80s'", name);
}

/* ---- all ---- */

static const struct {
  const char *name;
  sn__xdirective *run;
  bool takes_comments; /* those before it go with it */
} directives[] = {
    {"xacro:property", sn__xacro_property, true},
    {"xacro:if", expand_if, true},
    {"xacro:unless", expand_if, true},
    {"xacro:macro", sn__xacro_macro, true},
    {"xacro:include", sn__xacro_include, true},
    {"xacro:arg", expand_arg, true},
    {"xacro:insert_block", expand_block, false},
    {"xacro:element", expand_named_element, false},
    {"xacro:attribute", expand_attribute, false},
    {"xacro:call", sn__xacro_call_named, true},
};

static bool run_directive(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                          sn__xdirective *run, bool takes_comments, const sn__xbuild *out) {
  const bool has_mark = takes_comments && sn__xbuild_forget_comments(x, out) && node->next != NULL;
  return run(x, space, node, out) && (!has_mark || sn__xbuild_mark(x));
}

static bool dispatch(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                     const sn__xbuild *out) {
  if (!has_prefix(node->name, "xacro:")) {
    return expand_plain(x, space, node, out);
  }
  for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
    if (sn__xml_same(directives[i].name + 6, node->name + 6)) {
      return run_directive(x, space, node, directives[i].run, directives[i].takes_comments, out);
    }
  }
  return run_directive(x, space, node, sn__xacro_call, true, out);
}

bool sn__xacro_element(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                       const sn__xbuild *out) {
  if (!sn__xacro_enter(x)) {
    return false;
  }
  const sn__xml_node *outer = x->node;
  x->node = node;
  x->attribute = NULL;
  const bool good = dispatch(x, space, node, out);
  x->node = outer;
  x->attribute = NULL;
  sn__xacro_leave(x);
  return good && x->status == SN_OK;
}

/* Problems are at the text, which may be far below the tag of its element. */
static const char *eval_content(sn__xacro *x, const sn__xspace *space, const sn__xml_node *text) {
  const sn__xml_node *outer = x->node;
  x->node = text;
  const char *result = sn__xacro_eval_text(x, space->scope, text->text);
  x->node = outer;
  return result;
}

static bool expand_child(sn__xacro *x, const sn__xspace *space, const sn__xml_node *child,
                         const sn__xbuild *out) {
  if (child->name[0] != '#') {
    return sn__xacro_element(x, space, child, out);
  }
  const char *text = child->text;
  if (sn__xml_same(child->name, "#text")) {
    text = eval_content(x, space, child);
  }
  return text != NULL && sn__xbuild_add_text(x, child, text);
}

/* `xacro:eval-comments` in a comment: those after it are evaluated, up to the next element, text or
   `xacro:eval-comments:off`. These marks are left out. */
static bool expand_comment(sn__xacro *x, const sn__xspace *space, const sn__xml_node *comment,
                           bool *evaluates) {
  if (strstr(comment->text, "xacro:eval-comments") != NULL) {
    *evaluates = strstr(comment->text, "xacro:eval-comments:off") == NULL;
    return true;
  }
  const char *text = *evaluates ? eval_content(x, space, comment) : comment->text;
  return text != NULL && sn__xbuild_add_text(x, comment, text);
}

bool sn__xacro_children(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                        const sn__xbuild *out) {
  bool good = true, evaluates = false;
  for (const sn__xml_node *child = node->first_child; good && child != NULL; child = child->next) {
    if (sn__xml_same(child->name, "#comment")) {
      good = expand_comment(x, space, child, &evaluates);
      continue;
    }
    evaluates = evaluates && child->name[0] == '#' && sn__text_is_empty(child->text);
    good = expand_child(x, space, child, out);
  }
  return good;
}

/* NOLINTEND(misc-no-recursion) */
