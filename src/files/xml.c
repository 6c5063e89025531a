#include "files/xml.h"

#include <expat.h>
#include <string.h>

#include "base/report_internal.h"
#include "base/text.h"
#include "files/xml_syntax.h"

/* State of one run. The stack of open elements is bounded by depth_max, so it is an array. */
typedef struct reader {
  XML_Parser parser;
  sn_arena *arena;
  const sn__xml_config *config;
  sn_report *report;
  sn__xml_node *root;
  sn__xml_node **open; /* [depth_max] kept elements around the current position */
  sn__xml_node **last; /* [depth_max] their newest child */
  size_t depth;        /* of all open elements */
  size_t kept_depth;   /* of those that are kept: the outermost ones */
  sn_status status;    /* why we stopped, if we did */
  char *text;          /* collected character data of the innermost kept element */
  size_t text_size;
  size_t text_capacity;
  bool has_words;      /* it is not blank */
  sn_place text_place; /* of its first word, or of the last of its blanks */
  const char *input;   /* NULL: expat counts lines and columns */
  size_t counted;      /* bytes of the input that were searched for line ends */
  size_t line_begin;   /* offset of the line in which they end */
  unsigned line;       /* its number */
} reader;

/* Size of an element that is about to be copied. */
typedef struct extent {
  size_t attribute_count;
  size_t text_size; /* of all names and values, with their ends */
} extent;

static sn_place here(const reader *r) {
  return (sn_place){.file = r->config->file,
                    .line = (unsigned)XML_GetCurrentLineNumber(r->parser),
                    .column = (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1};
}

/* The place of a tag or a text. Line ends are searched 32 bytes at a time; expat counts byte by
 * byte.
 */
static sn_place present_place(reader *r) {
  if (r->input == NULL) {
    return here(r);
  }
  const size_t offset = (size_t)XML_GetCurrentByteIndex(r->parser);
  const char *found = NULL;
  while ((found = memchr(r->input + r->counted, '\n', offset - r->counted)) != NULL) {
    r->line++;
    r->counted = r->line_begin = (size_t)(found - r->input) + 1;
  }
  r->counted = offset;
  return (sn_place){
      .file = r->config->file, .line = r->line, .column = (unsigned)(offset - r->line_begin) + 1};
}

/* Is every byte one character, and every line end one '\n'? */
static bool is_plain(const char *text, size_t size) {
  unsigned char all = 0;
  for (size_t i = 0; i < size; i++) { /* simple enough for the compiler to vectorise */
    all |= (unsigned char)text[i];
  }
  return size > 0 && all < 0x80 && memchr(text, '\r', size) == NULL &&
         memchr(text, '\0', size) == NULL;
}

static void stop(reader *r, sn_status status) {
  if (r->status == SN_OK) {
    r->status = status;
  }
  XML_StopParser(r->parser, XML_FALSE);
}

/* @return the copy of a text at *at, which moves behind it */
static const char *put_text(char **at, const char *text) {
  const size_t size = strlen(text) + 1;
  char *copy = memcpy(*at, text, size);
  *at += size;
  return copy;
}

/* An element, its attributes and their texts in one piece of memory. @return NULL: no memory */
static sn__xml_node *copy_element(const reader *r, const char *name, const char **pairs,
                                  extent size) {
  const size_t array_size = size.attribute_count * sizeof(sn__xml_attribute);
  sn__xml_node *node =
      sn_arena_alloc(r->arena, sizeof *node + array_size + size.text_size, _Alignof(sn__xml_node));
  if (node == NULL) {
    return NULL;
  }
  sn__xml_attribute *attributes = (void *)(node + 1);
  char *text = (char *)(attributes + size.attribute_count);
  node->name = put_text(&text, name);
  for (size_t i = 0; i < size.attribute_count; i++) {
    attributes[i].name = put_text(&text, pairs[2 * i]);
    attributes[i].value = put_text(&text, pairs[2 * i + 1]);
  }
  node->attributes = attributes;
  node->attribute_count = size.attribute_count;
  return node;
}

/* Limits apply to every element, including skipped ones. */
static bool within_limits(reader *r, const char *name, const char **pairs, extent *out) {
  const sn__xml_config *config = r->config;
  if (r->depth > config->depth_max) {
    sn__report_add(r->report, SN_SEVERITY_ERROR, here(r), NULL,
                   "<%.60s> is nested %zu deep, at most %zu elements are allowed", name, r->depth,
                   config->depth_max);
    return false;
  }
  size_t attribute_count = 0;
  size_t text_size = strlen(name) + 1;
  while (pairs[2 * attribute_count] != NULL) {
    if (attribute_count == config->attributes_max) {
      sn__report_add(r->report, SN_SEVERITY_ERROR, here(r), NULL,
                     "<%.60s> has more than %zu attributes", name, config->attributes_max);
      return false;
    }
    const char *attribute = pairs[2 * attribute_count];
    const size_t name_size = strlen(attribute);
    const size_t size = strlen(pairs[2 * attribute_count + 1]);
    if (size > config->attribute_max || name_size > config->attribute_max) {
      sn__report_add(r->report, SN_SEVERITY_ERROR, here(r), NULL,
                     "<%.60s> attribute '%.60s' has %zu bytes, at most %zu are allowed", name,
                     attribute, size > name_size ? size : name_size, config->attribute_max);
      return false;
    }
    text_size += name_size + size + 2;
    attribute_count++;
  }
  *out = (extent){attribute_count, text_size};
  return true;
}

static void link_child(reader *r, sn__xml_node *node) {
  sn__xml_node **last = &r->last[r->kept_depth - 1];
  if (*last == NULL) {
    r->open[r->kept_depth - 1]->first_child = node;
  } else {
    (*last)->next = node;
  }
  *last = node;
}

static void append_child(reader *r, sn__xml_node *node) {
  if (r->kept_depth == 0) {
    r->root = node;
  } else {
    link_child(r, node);
  }
  r->open[r->kept_depth] = node;
  r->last[r->kept_depth] = NULL;
  r->kept_depth++;
}

/* ---- content as nodes ---- */

/* What was collected becomes a node of that name, also if it is empty. */
static void add_content(reader *r, const char *name) {
  const bool is_inside = r->kept_depth > 0 && r->kept_depth == r->depth;
  if (r->status != SN_OK || !is_inside) {
    r->text_size = 0;
    return;
  }
  sn__xml_node *node = SN_NEW(r->arena, sn__xml_node, 1);
  const char *text = sn_arena_text(r->arena, r->text, r->text_size);
  r->text_size = 0;
  if (node == NULL || text == NULL) {
    stop(r, SN_ENOMEM);
    return;
  }
  *node = (sn__xml_node){.name = name, .text = text, .place = r->text_place};
  link_child(r, node);
}

static void flush_content(reader *r, const char *name) {
  if (r->text_size > 0) {
    add_content(r, name);
  }
}

static void XMLCALL on_text(void *data, const char *text, int length);

static void XMLCALL on_comment(void *data, const char *text) {
  flush_content(data, "#text");
  on_text(data, text, (int)strlen(text));
  ((reader *)data)->text_place = present_place(data);
  add_content(data, "#comment");
}

static void XMLCALL on_cdata_start(void *data) {
  flush_content(data, "#text");
}

static void XMLCALL on_cdata_end(void *data) {
  flush_content(data, "#cdata");
}

static void XMLCALL on_instruction(void *data, const char *target, const char *text) {
  flush_content(data, "#text");
  on_text(data, target, (int)strlen(target));
  on_text(data, " ", 1);
  on_text(data, text, (int)strlen(text));
  flush_content(data, "#instruction");
}

/* ---- elements ---- */

static void XMLCALL on_start(void *data, const char *name, const char **pairs) {
  reader *r = data;
  if (r->status != SN_OK) {
    return; /* expat finishes the current tag after a stop */
  }
  if (r->config->keep_content) {
    flush_content(r, "#text");
  }
  r->depth++;
  extent size = {0, 0};
  if (!within_limits(r, name, pairs, &size)) {
    stop(r, SN_ELIMIT);
    return;
  }
  if (r->kept_depth != r->depth - 1) {
    return; /* inside a skipped element */
  }
  const sn__xml_node *parent = r->kept_depth == 0 ? NULL : r->open[r->kept_depth - 1];
  const sn_place place = present_place(r);
  const sn__xml_verdict verdict =
      r->config->judge(r->config->context, r->report, parent, name, place);
  if (verdict == SN__XML_STOP) {
    stop(r, SN_ELIMIT);
  }
  if (verdict != SN__XML_KEEP) {
    return;
  }
  sn__xml_node *node = copy_element(r, name, pairs, size);
  if (node == NULL) {
    stop(r, SN_ENOMEM);
    return;
  }
  node->text = r->config->keep_text ? "" : NULL;
  node->offset = (size_t)XML_GetCurrentByteIndex(r->parser);
  node->place = place;
  append_child(r, node);
  r->text_size = 0;
}

/* The collected text belongs to the element that ends: only leaves have text. */
static void finish_text(reader *r, sn__xml_node *node) {
  if (r->text_size == 0) {
    return;
  }
  const char *begin = r->text;
  const char *end = r->text + r->text_size;
  while (begin < end && sn__text_is_blank(*begin)) {
    begin++;
  }
  while (end > begin && sn__text_is_blank(end[-1])) {
    end--;
  }
  node->text = begin == end ? "" : sn_arena_text(r->arena, begin, (size_t)(end - begin));
  if (node->text == NULL) {
    stop(r, SN_ENOMEM);
  }
  r->text_size = 0;
}

static void XMLCALL on_end(void *data, const char *name) {
  (void)name;
  reader *r = data;
  if (r->status != SN_OK) {
    return;
  }
  if (r->config->keep_content) {
    flush_content(r, "#text");
  }
  if (r->kept_depth == r->depth) {
    r->kept_depth--;
    if (r->config->keep_text) {
      finish_text(r, r->open[r->kept_depth]);
    }
  }
  r->depth--;
}

/* Blanks before the first word do not count: expat reports line ends separately. */
static void place_text(reader *r, const char *text, size_t size) {
  if (r->text_size > 0 && r->has_words) {
    return;
  }
  size_t blanks = 0;
  while (blanks < size && sn__text_is_blank(text[blanks])) {
    blanks++;
  }
  r->has_words = blanks < size;
  r->text_place = present_place(r);
  r->text_place.column += (unsigned)blanks;
}

static void XMLCALL on_text(void *data, const char *text, int length) {
  reader *r = data;
  const size_t size = (size_t)length;
  if (r->status != SN_OK || r->kept_depth != r->depth || size == 0) { /* an empty comment */
    return;
  }
  if (r->config->keep_content) {
    place_text(r, text, size);
  }
  if (r->text_size + size > r->text_capacity) { /* the input is bounded, so is this */
    const size_t capacity = 2 * (r->text_size + size) + 256;
    char *grown = SN_NEW(r->arena, char, capacity);
    if (grown == NULL) {
      stop(r, SN_ENOMEM);
      return;
    }
    if (r->text_size > 0) {
      memcpy(grown, r->text, r->text_size);
    }
    r->text = grown;
    r->text_capacity = capacity;
  }
  memcpy(r->text + r->text_size, text, size);
  r->text_size += size;
}

static void XMLCALL on_doctype(void *data, const char *name, const char *system,
                               const char *public_id, int has_internal_subset) {
  (void)system, (void)public_id, (void)has_internal_subset;
  reader *r = data;
  sn__report_add(r->report, SN_SEVERITY_ERROR, here(r), "remove the <!DOCTYPE ...> declaration",
                 "DOCTYPE '%.60s' is rejected: entities and external files are not read", name);
  stop(r, SN_ESYNTAX);
}

static sn_status run(reader *r, const char *text, size_t size) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetDoctypeDeclHandler(r->parser, on_doctype, NULL);
  if (r->config->keep_text || r->config->keep_content) {
    XML_SetCharacterDataHandler(r->parser, on_text);
  }
  if (r->config->keep_content) {
    XML_SetCommentHandler(r->parser, on_comment);
    XML_SetCdataSectionHandler(r->parser, on_cdata_start, on_cdata_end);
    XML_SetProcessingInstructionHandler(r->parser, on_instruction);
  }
  /* One call over the whole text: nothing is copied, and no token is scanned twice. */
  const enum XML_Status result = XML_Parse(r->parser, text, (int)size, XML_TRUE);
  if (r->status != SN_OK) {
    return r->status;
  }
  if (result != XML_STATUS_OK) {
    if (XML_GetErrorCode(r->parser) == XML_ERROR_NO_MEMORY) {
      return SN_ENOMEM;
    }
    sn__xml_report_syntax(r->parser, r->report, r->config->file,
                          r->root == NULL ? NULL : r->root->name, text, size);
    return SN_ESYNTAX;
  }
  return SN_OK;
}

sn_status sn__xml_parse(sn_arena *arena, const char *text, size_t size,
                        const sn__xml_config *config, sn_report *report, sn__xml_node **root) {
  if (size > config->size_max) {
    sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = config->file}, NULL,
                   "the file has %zu bytes, at most %zu are allowed", size, config->size_max);
    return SN_ELIMIT;
  }
  reader r = {.arena = arena,
              .config = config,
              .report = report,
              .open = SN_NEW(arena, sn__xml_node *, config->depth_max),
              .last = SN_NEW(arena, sn__xml_node *, config->depth_max),
              .line = 1,
              .parser = XML_ParserCreate(NULL)};
  const char *plain = sn__xml_blank_doctype(arena, config, text, size);
  sn_status status = SN_ENOMEM;
  if (r.parser != NULL && r.open != NULL && r.last != NULL && plain != NULL) {
    r.input = is_plain(plain, size) ? plain : NULL;
    status = run(&r, plain, size);
  }
  if (r.parser != NULL) {
    XML_ParserFree(r.parser);
  }
  if (status == SN_OK) {
    *root = r.root;
  }
  return status;
}
