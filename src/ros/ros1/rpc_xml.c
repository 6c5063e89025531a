#include "ros/ros1/rpc_xml.h"

#include <expat.h>
#include <stdbool.h>
#include <string.h>

#include "base/fail.h"
#include "ros/bytes.h"

/* A node while its element is open: children are hung to its end. */
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
  sn__bytes text; /* of the innermost element */
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
    stop(r, SN_ESYNTAX, "an element or attribute that XML-RPC does not have");
    return;
  }
  if (r->depth == SN__RPC_DEPTH_MAX || r->node_count == SN__RPC_NODES_MAX) {
    stop(r, SN_ELIMIT, "too many elements");
    return;
  }
  sn__rpc_node *node = SN_NEW(r->arena, sn__rpc_node, 1);
  if (node == NULL) {
    stop(r, SN_ENOMEM, "no memory");
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
  r->text.used = 0; /* blanks between elements */
}

static void XMLCALL on_text(void *context, const char *text, int length) {
  reader *r = context;
  if (r->status == SN_OK) {
    sn__bytes_put(&r->text, text, (size_t)length);
    if (r->text.is_lost) {
      stop(r, SN_ENOMEM, "no memory");
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
      stop(r, SN_ENOMEM, "no memory");
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
  stop(context, SN_ESYNTAX, "a document type, which XML-RPC does not have");
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

sn_status sn__rpc_xml_parse(sn_arena *arena, const char *text, size_t size,
                            const sn__rpc_node **root, sn_error *err) {
  if (size > SN__RPC_SIZE_MAX) {
    return sn__fail(err, SN_ELIMIT, "XML-RPC: %zu bytes, at most %zu are taken", size,
                    SN__RPC_SIZE_MAX);
  }
  reader r = {.arena = arena, .err = err, .parser = XML_ParserCreate(NULL)};
  if (r.parser == NULL) {
    return sn__fail(err, SN_ENOMEM, "XML-RPC: no memory");
  }
  read_all(&r, text, size);
  XML_ParserFree(r.parser);
  sn__bytes_free(&r.text);
  if (r.status == SN_OK) {
    *root = r.root;
  }
  return r.status;
}

const sn__rpc_node *sn__rpc_child(const sn__rpc_node *node, const char *name) {
  for (const sn__rpc_node *child = node->first_child; child != NULL; child = child->next) {
    if (strcmp(child->name, name) == 0) {
      return child;
    }
  }
  return NULL;
}
