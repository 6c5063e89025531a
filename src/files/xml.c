#include "files/xml.h"

#include <expat.h>
#include <string.h>

#include "base/report_internal.h"
#include "base/text.h"

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
} reader;

static sn_place here(const reader *r) {
  return (sn_place){.file = r->config->file,
                    .line = (unsigned)XML_GetCurrentLineNumber(r->parser),
                    .column = (unsigned)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static void stop(reader *r, sn_status status) {
  if (r->status == SN_OK) {
    r->status = status;
  }
  XML_StopParser(r->parser, XML_FALSE);
}

/* Copy the attributes of an element; false if memory runs out. */
static bool copy_attributes(reader *r, sn__xml_node *node, const char **pairs, size_t count) {
  sn__xml_attribute *attributes = SN_NEW(r->arena, sn__xml_attribute, count);
  if (attributes == NULL) {
    stop(r, SN_ENOMEM);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    attributes[i].name = sn_arena_text(r->arena, pairs[2 * i], strlen(pairs[2 * i]));
    attributes[i].value = sn_arena_text(r->arena, pairs[2 * i + 1], strlen(pairs[2 * i + 1]));
    if (attributes[i].name == NULL || attributes[i].value == NULL) {
      stop(r, SN_ENOMEM);
      return false;
    }
  }
  node->attributes = attributes;
  node->attribute_count = count;
  return true;
}

/* Limits apply to every element, including skipped ones. */
static bool within_limits(reader *r, const char *name, const char **pairs, size_t *count) {
  const sn__xml_config *config = r->config;
  if (r->depth > config->depth_max) {
    sn__report_add(r->report, SN_SEVERITY_ERROR, here(r), NULL,
                   "<%.60s> is nested %zu deep, at most %zu elements are allowed", name, r->depth,
                   config->depth_max);
    return false;
  }
  size_t attribute_count = 0;
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
    attribute_count++;
  }
  *count = attribute_count;
  return true;
}

static void append_child(reader *r, sn__xml_node *node) {
  if (r->kept_depth == 0) {
    r->root = node;
  } else {
    sn__xml_node **last = &r->last[r->kept_depth - 1];
    if (*last == NULL) {
      r->open[r->kept_depth - 1]->first_child = node;
    } else {
      (*last)->next = node;
    }
    *last = node;
  }
  r->open[r->kept_depth] = node;
  r->last[r->kept_depth] = NULL;
  r->kept_depth++;
}

static void XMLCALL on_start(void *data, const char *name, const char **pairs) {
  reader *r = data;
  if (r->status != SN_OK) {
    return; /* expat finishes the current tag after a stop */
  }
  r->depth++;
  size_t attribute_count = 0;
  if (!within_limits(r, name, pairs, &attribute_count)) {
    stop(r, SN_ELIMIT);
    return;
  }
  if (r->kept_depth != r->depth - 1) {
    return; /* inside a skipped element */
  }
  const sn__xml_node *parent = r->kept_depth == 0 ? NULL : r->open[r->kept_depth - 1];
  const sn_place place = here(r);
  const sn__xml_verdict verdict =
      r->config->judge(r->config->context, r->report, parent, name, place);
  if (verdict == SN__XML_STOP) {
    stop(r, SN_ELIMIT);
  }
  if (verdict != SN__XML_KEEP) {
    return;
  }
  sn__xml_node *node = SN_NEW(r->arena, sn__xml_node, 1);
  const char *name_copy = sn_arena_text(r->arena, name, strlen(name));
  if (node == NULL || name_copy == NULL) {
    stop(r, SN_ENOMEM);
    return;
  }
  *node = (sn__xml_node){.name = name_copy,
                         .text = r->config->keep_text ? "" : NULL,
                         .offset = (size_t)XML_GetCurrentByteIndex(r->parser),
                         .place = place};
  if (copy_attributes(r, node, pairs, attribute_count)) {
    append_child(r, node);
    r->text_size = 0;
  }
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
  if (r->kept_depth == r->depth) {
    r->kept_depth--;
    if (r->config->keep_text) {
      finish_text(r, r->open[r->kept_depth]);
    }
  }
  r->depth--;
}

static void XMLCALL on_text(void *data, const char *text, int length) {
  reader *r = data;
  const size_t size = (size_t)length;
  if (r->status != SN_OK || r->kept_depth != r->depth) {
    return;
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

/* Translate expat's error into what was found. */
static void report_syntax(const reader *r, const char *text, size_t size) {
  const enum XML_Error code = XML_GetErrorCode(r->parser);
  const XML_Index index = XML_GetCurrentByteIndex(r->parser);
  const size_t offset = index < 0 ? size : (size_t)index;
  const sn_place place = here(r);
  const char *hint = NULL;
  switch (code) {
    case XML_ERROR_NO_ELEMENTS:
      sn__report_add(r->report, SN_SEVERITY_ERROR, place,
                     size == 0 ? NULL : "is the file truncated, or not XML?",
                     "the file ends before %s", r->root == NULL ? "any element" : "its end tag");
      return;
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_PARTIAL_CHAR:
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
      hint = "is the file truncated?";
      break;
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
      sn__report_add(r->report, SN_SEVERITY_ERROR, place, "a file has one root element",
                     "there is more after the root element <%.60s>", r->root->name);
      return;
    case XML_ERROR_BAD_CHAR_REF:
      sn__report_add(r->report, SN_SEVERITY_ERROR, place, NULL,
                     "a character reference denotes NUL or another control character");
      return;
    case XML_ERROR_INVALID_TOKEN:
      if (offset < size && (unsigned char)text[offset] < 0x20 && !sn__text_is_blank(text[offset])) {
        sn__report_add(r->report, SN_SEVERITY_ERROR, place, NULL,
                       "%s control character (byte 0x%02x) is not allowed",
                       text[offset] == '\0' ? "the NUL" : "a",
                       (unsigned)(unsigned char)text[offset]);
        return;
      }
      break;
    case XML_ERROR_UNKNOWN_ENCODING:
    case XML_ERROR_INCORRECT_ENCODING:
      hint = "save it as UTF-8, UTF-16 or ISO-8859-1 and declare that";
      break;
    default:
      break;
  }
  sn__report_add(r->report, SN_SEVERITY_ERROR, place, hint, "not well-formed XML: %s",
                 XML_ErrorString(code));
}

static sn_status run(reader *r, const char *text, size_t size) {
  XML_SetUserData(r->parser, r);
  XML_SetElementHandler(r->parser, on_start, on_end);
  XML_SetDoctypeDeclHandler(r->parser, on_doctype, NULL);
  if (r->config->keep_text) {
    XML_SetCharacterDataHandler(r->parser, on_text);
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
    report_syntax(r, text, size);
    return SN_ESYNTAX;
  }
  return SN_OK;
}

/* Does the text at `at` begin with these words, separated by blanks? @return their end, or NULL */
static const char *match_words(const char *at, const char *end, const char *const *words) {
  for (; *words != NULL; words++) {
    const size_t length = strlen(*words);
    while (at < end && sn__text_is_blank(*at)) {
      at++;
    }
    if ((size_t)(end - at) < length || memcmp(at, *words, length) != 0) {
      return NULL;
    }
    at += length;
  }
  return at;
}

static const char *match_doctype(const sn__xml_config *config, const char *at, const char *end) {
  static const char *const quotes[] = {"\"", "'"};
  const char *name = config->doctype_name, *system = config->doctype_system;
  const char *behind = NULL;
  for (size_t i = 0; behind == NULL && i < 2; i++) {
    const char *q = quotes[i];
    const char *const words[] = {"<!DOCTYPE", name, "SYSTEM", q, system, q, ">", NULL};
    behind = match_words(at, end, words);
  }
  return behind;
}

/* A copy of the text in which the one accepted document type, without an internal subset, is
 * blanked out; the text itself if it has none. Expat then sees no document type: it opens nothing,
 * and an entity that the type might declare is an error. @return NULL if memory runs out */
static const char *blank_doctype(sn_arena *arena, const sn__xml_config *config, const char *text,
                                 size_t size) {
  const char *end = text + size;
  const char *at = config->doctype_name == NULL || size == 0 ? NULL : memchr(text, '<', size);
  while (at != NULL) {
    const char *behind = match_doctype(config, at, end);
    if (behind != NULL) {
      char *copy = sn_arena_text(arena, text, size);
      for (size_t i = (size_t)(at - text); copy != NULL && i < (size_t)(behind - text); i++) {
        copy[i] = copy[i] == '\n' ? '\n' : ' ';
      }
      return copy;
    }
    at = memchr(at + 1, '<', (size_t)(end - at) - 1);
  }
  return text;
}

sn_status sn__xml_parse(sn_arena *arena, const char *text, size_t size,
                        const sn__xml_config *config, sn_report *report, sn__xml_node **root) {
  if (size > config->size_max) {
    sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){config->file, 0, 0}, NULL,
                   "the file has %zu bytes, at most %zu are allowed", size, config->size_max);
    return SN_ELIMIT;
  }
  reader r = {.arena = arena,
              .config = config,
              .report = report,
              .open = SN_NEW(arena, sn__xml_node *, config->depth_max),
              .last = SN_NEW(arena, sn__xml_node *, config->depth_max),
              .parser = XML_ParserCreate(NULL)};
  const char *plain = blank_doctype(arena, config, text, size);
  sn_status status = SN_ENOMEM;
  if (r.parser != NULL && r.open != NULL && r.last != NULL && plain != NULL) {
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

const char *sn__xml_attribute_value(const sn__xml_node *node, const char *name) {
  for (size_t i = 0; i < node->attribute_count; i++) {
    if (sn__xml_same(node->attributes[i].name, name)) {
      return node->attributes[i].value;
    }
  }
  return NULL;
}

const sn__xml_node *sn__xml_child(const sn__xml_node *node, const char *name) {
  for (const sn__xml_node *child = node->first_child; child != NULL; child = child->next) {
    if (sn__xml_same(child->name, name)) {
      return child;
    }
  }
  return NULL;
}

sn_place sn__xml_attribute_place(const char *text, size_t size, const sn__xml_node *node,
                                 const char *name) {
  sn_place place = node->place;
  const size_t length = strlen(name);
  if (node->offset >= size || text[node->offset] != '<') {
    return place;
  }
  char quote = '\0';
  for (size_t i = node->offset; i < size && (quote != '\0' || text[i] != '>'); i++) {
    const char c = text[i];
    if (quote == '\0' && i > node->offset && sn__text_is_blank(text[i - 1]) && size - i > length &&
        memcmp(text + i, name, length) == 0 &&
        (text[i + length] == '=' || sn__text_is_blank(text[i + length]))) {
      return place;
    }
    if (c == '"' || c == '\'') {
      quote = quote == '\0' ? c : quote == c ? '\0' : quote;
    }
    place.column += ((unsigned char)c & 0xC0) != 0x80 ? 1 : 0; /* once for each UTF-8 character */
    if (c == '\n') {
      place.line++;
      place.column = 1;
    }
  }
  return node->place;
}
