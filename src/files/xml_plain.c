#include "files/xml_plain.h"

#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* More than this, and the search for an attribute that appears twice would take long. */
#define ATTRIBUTES_MAX 16

/* What a character may be; those without a class, NUL at the end among them, end every loop. */
enum {
  BLANK = 1,      /* between the parts of a tag; '\n' apart, since lines are counted */
  NAME = 2,       /* in a name */
  NAME_START = 4, /* first of a name */
  TEXT = 8,       /* between tags; no ']', which might become the forbidden "]]>" */
  VALUE = 16,     /* in quotes, as it is */
  COMMENT = 32    /* in a comment; '-' apart */
};
#define LETTER (NAME | NAME_START | TEXT | VALUE | COMMENT)
#define DIGIT (NAME | TEXT | VALUE | COMMENT)
#define MARK (TEXT | VALUE | COMMENT)

static unsigned classes(unsigned char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':') {
    return LETTER;
  }
  if ((c >= '0' && c <= '9') || c == '.') {
    return DIGIT;
  }
  switch (c) {
    case ' ':
      return BLANK | MARK;
    case '\t': /* becomes a blank inside quotes */
      return BLANK | TEXT | COMMENT;
    case '-':
      return NAME | TEXT | VALUE;
    case ']':
      return VALUE | COMMENT;
    case '<':
    case '&':
      return COMMENT;
    default:
      return c > ' ' && c < 0x7F ? MARK : 0;
  }
}

typedef struct element {
  const char *name;
  size_t length;
  sn__xml_node *node; /* NULL if it is skipped */
  sn__xml_node *last; /* newest child */
} element;

/* State of one run. The text is a copy that the tree will point into: behind each name and value a
   NUL is put in the place of what stood there. */
typedef struct scanner {
  char *at;
  char *begin;
  char *line_begin;
  unsigned line;
  sn_arena *arena;
  const sn__xml_config *config;
  sn__xml_node *root;
  element *open; /* [depth_max + 1]; the first stands for what is around the root */
  size_t depth;
  size_t attribute_count; /* of the present tag */
  sn__xml_attribute attributes[ATTRIBUTES_MAX];
  bool out_of_memory;
  unsigned char class_of[256];
} scanner;

static bool is(const scanner *s, const char *at, unsigned wanted) {
  return (s->class_of[(unsigned char)*at] & wanted) != 0;
}

static void skip(scanner *s, unsigned wanted) {
  while (is(s, s->at, wanted)) {
    s->at++;
  }
}

/* At the end of a line: go to the next one. */
static bool pass_line_end(scanner *s) {
  if (s->at[0] == '\r' && s->at[1] == '\n') {
    s->at++;
  }
  if (*s->at != '\n') {
    return false;
  }
  s->at++;
  s->line++;
  s->line_begin = s->at;
  return true;
}

/* At a character beyond ASCII: go behind it. All are allowed in XML but U+FFFE and U+FFFF. */
static bool pass_character(scanner *s) {
  const size_t length = sn__text_utf8_length(s->at);
  if (length < 2 || memcmp(s->at, "\xEF\xBF\xBE", 3) == 0 ||
      memcmp(s->at, "\xEF\xBF\xBF", 3) == 0) {
    return false;
  }
  s->at += length;
  s->line_begin += length - 1; /* columns count characters */
  return true;
}

static void skip_blanks(scanner *s) {
  do {
    skip(s, BLANK);
  } while (pass_line_end(s));
}

/* Go on over lines of what is wanted. */
static void skip_lines(scanner *s, unsigned wanted) {
  do {
    skip(s, wanted);
  } while (pass_line_end(s) || pass_character(s));
}

/* Up to the closing quote. Tabs and line ends become blanks. */
static bool scan_value(scanner *s, char quote) {
  while (*s->at != quote) {
    if (is(s, s->at, VALUE)) {
      s->at++;
    } else if (*s->at == '\t') {
      *s->at++ = ' ';
    } else if (*s->at == '\n') {
      pass_line_end(s);
      s->at[-1] = ' ';
    } else if (!pass_character(s)) {
      return false;
    }
  }
  return true;
}

/* `name = "value"`, and NULs behind both. */
static bool scan_attribute(scanner *s, sn__xml_attribute *attribute) {
  attribute->name = s->at;
  if (!is(s, s->at, NAME_START)) {
    return false;
  }
  skip(s, NAME);
  char *name_end = s->at;
  skip_blanks(s);
  if (*s->at++ != '=') {
    return false;
  }
  *name_end = '\0';
  skip_blanks(s);
  const char quote = *s->at++;
  if (quote != '"' && quote != '\'') {
    return false;
  }
  const char *value = attribute->value = s->at;
  if (!scan_value(s, quote)) {
    return false;
  }
  const size_t size_max = s->config->attribute_max;
  if ((size_t)(s->at - value) > size_max || (size_t)(name_end - attribute->name) > size_max) {
    return false;
  }
  *s->at++ = '\0';
  return true;
}

static bool stands_twice(const scanner *s, const char *name) {
  for (size_t i = 0; i < s->attribute_count; i++) {
    if (sn__xml_same(s->attributes[i].name, name)) {
      return true;
    }
  }
  return false;
}

/* All attributes of a tag, up to what ends it. */
static bool scan_attributes(scanner *s) {
  s->attribute_count = 0;
  for (;;) {
    const char *before = s->at;
    skip_blanks(s);
    if (!is(s, s->at, NAME_START)) {
      return true;
    }
    sn__xml_attribute attribute;
    if (s->at == before || s->attribute_count == ATTRIBUTES_MAX ||
        s->attribute_count == s->config->attributes_max || !scan_attribute(s, &attribute) ||
        stands_twice(s, attribute.name)) {
      return false;
    }
    s->attributes[s->attribute_count++] = attribute;
  }
}

/* Ask whether the new innermost element is kept, and hang it on if it is. */
static bool add_node(scanner *s, sn_place place, size_t offset) {
  element *self = &s->open[s->depth];
  element *around = &s->open[s->depth - 1];
  if (s->depth > 1 && around->node == NULL) {
    return true; /* inside something that is skipped */
  }
  const sn__xml_verdict verdict =
      s->config->judge(s->config->context, NULL, around->node, self->name, place);
  if (verdict != SN__XML_KEEP) {
    return verdict == SN__XML_SKIP;
  }
  sn__xml_node *node = SN_NEW(s->arena, sn__xml_node, 1);
  sn__xml_attribute *attributes = SN_NEW(s->arena, sn__xml_attribute, s->attribute_count);
  if (node == NULL || attributes == NULL) {
    s->out_of_memory = true;
    return false;
  }
  memcpy(attributes, s->attributes, s->attribute_count * sizeof *attributes);
  *node = (sn__xml_node){.name = self->name,
                         .attribute_count = s->attribute_count,
                         .attributes = attributes,
                         .offset = offset,
                         .place = place};
  self->node = node;
  if (around->node == NULL) {
    s->root = node;
  } else if (around->last == NULL) {
    around->node->first_child = node;
  } else {
    around->last->next = node;
  }
  around->last = node;
  return true;
}

/* At the '<' of a start tag. */
static bool scan_start_tag(scanner *s) {
  const sn_place place = {
      .file = s->config->file, .line = s->line, .column = (unsigned)(s->at - s->line_begin) + 1};
  const size_t offset = (size_t)(s->at - s->begin);
  const char *name = ++s->at;
  if (s->depth == s->config->depth_max || !is(s, name, NAME_START)) {
    return false;
  }
  skip(s, NAME);
  char *name_end = s->at;
  s->open[++s->depth] = (element){.name = name, .length = (size_t)(name_end - name)};
  if (!scan_attributes(s)) {
    return false;
  }
  const bool is_empty = *s->at == '/';
  s->at += is_empty;
  if (*s->at++ != '>') {
    return false;
  }
  *name_end = '\0';
  const bool added = add_node(s, place, offset);
  s->depth -= is_empty;
  return added;
}

/* At the "</" of an end tag. */
static bool scan_end_tag(scanner *s) {
  if (s->depth == 0) {
    return false;
  }
  const element *self = &s->open[s->depth];
  s->at += 2;
  if (strncmp(s->at, self->name, self->length) != 0) {
    return false;
  }
  s->at += self->length;
  skip_blanks(s);
  s->depth--;
  return *s->at++ == '>';
}

/* At the "<!" of a comment, if it is one. */
static bool scan_comment(scanner *s) {
  if (s->at[2] != '-' || s->at[3] != '-') {
    return false;
  }
  for (s->at += 4;; s->at++) {
    skip_lines(s, COMMENT);
    if (*s->at != '-') {
      return false;
    }
    if (s->at[1] == '-') {
      s->at += 3;
      return s->at[-1] == '>';
    }
  }
}

/* Before the root element: nothing, or `<?xml version="1.0" encoding="utf-8"?>`. */
static bool scan_declaration(scanner *s) {
  if (strncmp(s->at, "<?xml", 5) != 0) {
    return true;
  }
  s->at += 5;
  if (!scan_attributes(s) || s->attribute_count < 1 || s->attribute_count > 2) {
    return false;
  }
  const sn__xml_attribute *version = &s->attributes[0], *encoding = &s->attributes[1];
  if (strcmp(version->name, "version") != 0 || strcmp(version->value, "1.0") != 0) {
    return false;
  }
  if (s->attribute_count == 2 &&
      (strcmp(encoding->name, "encoding") != 0 ||
       (strcmp(encoding->value, "utf-8") != 0 && strcmp(encoding->value, "UTF-8") != 0))) {
    return false;
  }
  if (s->at[0] != '?' || s->at[1] != '>') {
    return false;
  }
  s->at += 2;
  return true;
}

/* Everything behind the declaration; true at the end of a whole document. */
static bool scan_document(scanner *s, const char *end) {
  for (;;) {
    if (s->depth == 0) {
      skip_blanks(s);
    } else {
      skip_lines(s, TEXT);
    }
    if (s->at == end) {
      return s->depth == 0 && s->root != NULL;
    }
    if (*s->at != '<') {
      return false;
    }
    const char next = s->at[1];
    const bool good = next == '/'   ? scan_end_tag(s)
                      : next == '!' ? scan_comment(s)
                                    : (s->depth > 0 || s->root == NULL) && scan_start_tag(s);
    if (!good) {
      return false;
    }
  }
}

sn__xml_plain_result sn__xml_parse_plain(sn_arena *arena, const char *text, size_t size,
                                         const sn__xml_config *config, sn__xml_node **root) {
  const sn_arena_mark mark = sn_arena_save(arena);
  scanner s = {.line = 1, .arena = arena, .config = config};
  s.begin = s.at = s.line_begin = sn_arena_text(arena, text, size);
  s.open = SN_NEW(arena, element, config->depth_max + 1);
  if (s.begin == NULL || s.open == NULL) {
    sn_arena_restore(arena, mark);
    return SN__XML_NO_MEMORY;
  }
  for (size_t c = 0; c < sizeof s.class_of; c++) {
    s.class_of[c] = (unsigned char)classes((unsigned char)c);
  }
  if (!scan_declaration(&s) || !scan_document(&s, s.begin + size)) {
    sn_arena_restore(arena, mark);
    return s.out_of_memory ? SN__XML_NO_MEMORY : SN__XML_NOT_PLAIN;
  }
  *root = s.root;
  return SN__XML_PLAIN;
}
