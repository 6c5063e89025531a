#include "ros/ros1/rpc.h"

#include <expat.h>
#include <string.h>

#include "base/fail.h"

/* ---- XML tree, within limits that hold while parsing ---- */

/* An open element, to which children are appended. */
typedef struct open_node {
  sn__rpc_node *node;
  sn__rpc_node *last_child;
} open_node;

typedef struct reader {
  sn_arena *arena;
  XML_Parser parser;
  open_node open[SN__RPC_DEPTH_MAX];
  size_t depth;
  size_t node_count;
  sn__bytes text; /* characters of the innermost element */
  sn__rpc_node *root;
  sn_status status;
  sn_error *err;
} reader;

static const char *known_name(const char *name) {
  static const char *const names[] = {
      "value",  "string",  "int",    "array",      "data",           "param",           "params",
      "i4",     "boolean", "double", "methodCall", "methodResponse", "methodName",      "fault",
      "struct", "member",  "name",   "nil",        "base64",         "dateTime.iso8601"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strcmp(name, names[i]) == 0) {
      return names[i];
    }
  }
  return NULL;
}

static void stop(reader *r, sn_status status, const char *what) {
  if (r->status == SN_OK) {
    r->status = sn__fail(r->err, status, "XML-RPC, line %lu: %s",
                         (unsigned long)XML_GetCurrentLineNumber(r->parser), what);
    XML_StopParser(r->parser, XML_FALSE);
  }
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes) {
  reader *r = context;
  if (r->status != SN_OK) {
    return;
  }
  const char *known = known_name(name);
  if (known == NULL || *attributes != NULL) {
    stop(r, SN_ESYNTAX, "unknown element or attribute");
    return;
  }
  if (r->depth == SN__RPC_DEPTH_MAX || r->node_count == SN__RPC_NODES_MAX) {
    stop(r, SN_ELIMIT, "too many elements");
    return;
  }
  sn__rpc_node *node = SN_NEW(r->arena, sn__rpc_node, 1);
  if (node == NULL) {
    stop(r, SN_ENOMEM, "out of memory");
    return;
  }
  *node = (sn__rpc_node){.name = known, .text = ""};
  r->node_count++;
  if (r->depth == 0) {
    r->root = node;
  } else {
    open_node *parent = &r->open[r->depth - 1];
    if (parent->last_child == NULL) {
      parent->node->first_child = node;
    } else {
      parent->last_child->next = node;
    }
    parent->last_child = node;
  }
  r->open[r->depth++] = (open_node){.node = node};
  r->text.used = 0; /* white space between elements */
}

static void XMLCALL on_text(void *context, const char *text, int length) {
  reader *r = context;
  if (r->status == SN_OK) {
    sn__bytes_put(&r->text, text, (size_t)length);
    if (r->text.failed) {
      stop(r, SN_ENOMEM, "out of memory");
    }
  }
}

static void XMLCALL on_end(void *context, const char *name) {
  reader *r = context;
  (void)name;
  if (r->status != SN_OK) {
    return;
  }
  const open_node *open = &r->open[--r->depth];
  if (open->last_child == NULL && r->text.used > 0) {
    open->node->text = sn_arena_text(r->arena, r->text.data, r->text.used);
    if (open->node->text == NULL) {
      stop(r, SN_ENOMEM, "out of memory");
    }
  }
  r->text.used = 0;
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system,
                               const char *public, int has_subset) {
  (void)name;
  (void)system;
  (void)public;
  (void)has_subset;
  stop(context, SN_ESYNTAX, "document type is not allowed");
}

static void read_all(reader *r, const char *text, size_t size) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetCharacterDataHandler(r->parser, on_text);
  XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
  if (XML_Parse(r->parser, text, (int)size, XML_TRUE) != XML_STATUS_OK) {
    stop(r, SN_ESYNTAX, XML_ErrorString(XML_GetErrorCode(r->parser)));
  }
}

static sn_status parse_xml(sn_arena *arena, const char *text, size_t size,
                           const sn__rpc_node **root, sn_error *err) {
  if (size > SN__RPC_SIZE_MAX) {
    return sn__fail(err, SN_ELIMIT, "XML-RPC: %zu bytes, at most %zu are allowed", size,
                    SN__RPC_SIZE_MAX);
  }
  reader r = {.arena = arena, .err = err, .parser = XML_ParserCreate(NULL)};
  if (r.parser == NULL) {
    return sn__fail(err, SN_ENOMEM, "XML-RPC: out of memory");
  }
  read_all(&r, text, size);
  XML_ParserFree(r.parser);
  sn__bytes_free(&r.text);
  if (r.status == SN_OK) {
    *root = r.root;
  }
  return r.status;
}

static const sn__rpc_node *find_child(const sn__rpc_node *node, const char *name) {
  for (const sn__rpc_node *child = node->first_child; child != NULL; child = child->next) {
    if (strcmp(child->name, name) == 0) {
      return child;
    }
  }
  return NULL;
}

/* ---- reading ---- */

static bool is_named(const sn__rpc_node *node, const char *name) {
  return strcmp(node->name, name) == 0;
}

static sn_status read_params(const sn__rpc_node *params, sn__rpc_message *out, sn_error *err) {
  for (const sn__rpc_node *param = params == NULL ? NULL : params->first_child; param != NULL;
       param = param->next) {
    const sn__rpc_node *value = find_child(param, "value");
    if (!is_named(param, "param") || value == NULL) {
      return sn__fail(err, SN_ESYNTAX, "XML-RPC: <%s>, expected <param> with a <value>",
                      param->name);
    }
    if (out->count == SN__RPC_PARAMS_MAX) {
      return sn__fail(err, SN_ELIMIT, "XML-RPC: more than %d parameters", SN__RPC_PARAMS_MAX);
    }
    out->values[out->count++] = value;
  }
  return SN_OK;
}

static sn_status read_message(const sn__rpc_node *root, sn__rpc_message *out, sn_error *err) {
  const sn__rpc_node *params = find_child(root, "params");
  if (is_named(root, "methodCall")) {
    const sn__rpc_node *method = find_child(root, "methodName");
    if (method == NULL || *method->text == '\0') {
      return sn__fail(err, SN_ESYNTAX, "XML-RPC: call without a method");
    }
    out->method = method->text;
    return read_params(params, out, err);
  }
  if (!is_named(root, "methodResponse")) {
    return sn__fail(err, SN_ESYNTAX, "XML-RPC: <%s>, expected a call or a response", root->name);
  }
  const sn__rpc_node *fault = find_child(root, "fault");
  if (fault != NULL) {
    out->is_fault = true;
    return SN_OK;
  }
  const sn_status status = read_params(params, out, err);
  return status != SN_OK || out->count == 1
             ? status
             : sn__fail(err, SN_ESYNTAX, "XML-RPC: response with %zu values, expected one",
                        out->count);
}

sn_status sn__rpc_parse(sn_arena *arena, const char *text, size_t size, sn__rpc_message *out,
                        sn_error *err) {
  sn__rpc_message message = {0};
  const sn__rpc_node *root = NULL;
  sn_status status = parse_xml(arena, text, size, &root, err);
  if (status != SN_OK) {
    return status;
  }
  status = read_message(root, &message, err);
  if (status == SN_OK) {
    *out = message;
  }
  return status;
}

const char *sn__rpc_text(const sn__rpc_value *value) {
  const sn__rpc_node *typed = value->first_child;
  if (typed == NULL) {
    return value->text; /* untyped values are strings */
  }
  return is_named(typed, "string") ? typed->text : NULL;
}

bool sn__rpc_int(const sn__rpc_value *value, int32_t *out) {
  const sn__rpc_node *typed = value->first_child;
  if (typed == NULL ||
      !(is_named(typed, "int") || is_named(typed, "i4") || is_named(typed, "boolean"))) {
    return false;
  }
  const char *at = typed->text;
  const bool is_negative = *at == '-';
  at += *at == '-' || *at == '+';
  int64_t number = 0;
  const char *digits = at;
  for (; *at >= '0' && *at <= '9' && at - digits < 10; at++) {
    number = 10 * number + (*at - '0');
  }
  number = is_negative ? -number : number;
  if (at == digits || *at != '\0' || number < INT32_MIN || number > INT32_MAX) {
    return false;
  }
  *out = (int32_t)number;
  return true;
}

bool sn__rpc_array(const sn__rpc_value *value, const sn__rpc_value **first) {
  const sn__rpc_node *typed = value->first_child;
  const sn__rpc_node *data =
      typed != NULL && is_named(typed, "array") ? find_child(typed, "data") : NULL;
  if (data == NULL) {
    return false;
  }
  for (const sn__rpc_node *item = data->first_child; item != NULL; item = item->next) {
    if (!is_named(item, "value")) {
      return false;
    }
  }
  *first = data->first_child;
  return true;
}

sn_status sn__rpc_answer(const sn__rpc_message *response, const sn__rpc_value **value,
                         sn_error *err) {
  const sn__rpc_value *item = NULL;
  int32_t code = 0;
  if (response->is_fault) {
    return sn__fail(err, SN_EINVAL, "the peer returned a fault");
  }
  if (response->method != NULL || response->count != 1 ||
      !sn__rpc_array(response->values[0], &item) || item == NULL || !sn__rpc_int(item, &code) ||
      item->next == NULL || item->next->next == NULL) {
    return sn__fail(err, SN_ESYNTAX, "invalid response, expected [code, text, value]");
  }
  if (code != 1) {
    const char *why = sn__rpc_text(item->next);
    return sn__fail(err, SN_EINVAL, "%s", why == NULL ? "rejected" : why);
  }
  *value = item->next->next;
  return SN_OK;
}

/* ---- writing ---- */

static void open_value(const sn__rpc_writer *w) {
  sn__bytes_text(w->text, w->depth == 0 ? "<param><value>" : "<value>");
}

static void close_value(const sn__rpc_writer *w) {
  sn__bytes_text(w->text, w->depth == 0 ? "</value></param>\n" : "</value>");
}

/* XML cannot represent most control characters; NUL ends the string. */
static void put_escaped(sn__bytes *bytes, const char *text) {
  const char *plain = text;
  for (const char *at = text;; at++) {
    const unsigned char c = (unsigned char)*at;
    const char *instead = c == '&'                             ? "&amp;"
                          : c == '<'                           ? "&lt;"
                          : c == '>'                           ? "&gt;"
                          : c == '\r'                          ? "&#13;"
                          : c < 0x20 && c != '\t' && c != '\n' ? "?"
                                                               : NULL;
    if (instead != NULL) {
      sn__bytes_put(bytes, plain, (size_t)(at - plain));
      plain = at + 1;
      if (c == '\0') {
        return;
      }
      sn__bytes_text(bytes, instead);
    }
  }
}

void sn__rpc_begin_call(sn__rpc_writer *w, sn__bytes *text, const char *method) {
  *w = (sn__rpc_writer){.text = text, .is_call = true};
  sn__bytes_text(text, "<?xml version=\"1.0\"?>\n<methodCall><methodName>");
  put_escaped(text, method);
  sn__bytes_text(text, "</methodName><params>\n");
}

void sn__rpc_begin_response(sn__rpc_writer *w, sn__bytes *text) {
  *w = (sn__rpc_writer){.text = text};
  sn__bytes_text(text, "<?xml version=\"1.0\"?>\n<methodResponse><params>\n");
}

void sn__rpc_put_text(sn__rpc_writer *w, const char *value) {
  open_value(w);
  sn__bytes_text(w->text, "<string>");
  put_escaped(w->text, value);
  sn__bytes_text(w->text, "</string>");
  close_value(w);
}

void sn__rpc_put_int(sn__rpc_writer *w, int64_t value) {
  /* XML-RPC integers have 32 bits; larger counters saturate. */
  const int64_t bounded = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
  open_value(w);
  sn__bytes_text(w->text, "<int>");
  sn__bytes_signed(w->text, bounded);
  sn__bytes_text(w->text, "</int>");
  close_value(w);
}

void sn__rpc_put_bool(sn__rpc_writer *w, bool value) {
  open_value(w);
  sn__bytes_text(w->text, value ? "<boolean>1</boolean>" : "<boolean>0</boolean>");
  close_value(w);
}

void sn__rpc_begin_array(sn__rpc_writer *w) {
  open_value(w);
  sn__bytes_text(w->text, "<array><data>");
  w->depth++;
}

void sn__rpc_end_array(sn__rpc_writer *w) {
  w->depth--;
  sn__bytes_text(w->text, "</data></array>");
  close_value(w);
}

void sn__rpc_end(sn__rpc_writer *w) {
  sn__bytes_text(w->text, w->is_call ? "</params></methodCall>\n" : "</params></methodResponse>\n");
}

void sn__rpc_put_fault(sn__bytes *text, int code, const char *reason) {
  sn__bytes_text(text,
                 "<?xml version=\"1.0\"?>\n<methodResponse><fault><value><struct><member>"
                 "<name>faultCode</name><value><int>");
  sn__bytes_signed(text, code);
  sn__bytes_text(text, "</int></value></member><member><name>faultString</name><value><string>");
  put_escaped(text, reason);
  sn__bytes_text(text, "</string></value></member></struct></value></fault></methodResponse>\n");
}
