/** @file
 *  Internal: parses XML into a small tree of elements. Limits are checked before memory is spent.
 * Reads URDF, SRDF, xacro and `.cpf` files. */
#ifndef SN_FILES_XML_H
#define SN_FILES_XML_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/report.h"
#include "sinew/status.h"

typedef struct sn__xml_attribute {
  const char *name;
  const char *value;
} sn__xml_attribute;

typedef struct sn__xml_node {
  const char *name;
  size_t attribute_count;
  const sn__xml_attribute *attributes;
  const char *text; /**< character data without surrounding blanks; NULL if texts are not kept */
  struct sn__xml_node *first_child;
  struct sn__xml_node *next; /**< sibling */
  size_t offset;             /**< of its '<' in the input, bytes */
  sn_place place;
} sn__xml_node;

/** What to do with an element. */
typedef enum sn__xml_verdict {
  SN__XML_KEEP,
  SN__XML_SKIP, /**< with everything below it */
  SN__XML_STOP  /**< give up; the callback has reported why */
} sn__xml_verdict;

typedef struct sn__xml_config {
  const char *file; /**< name for places; must outlive report and tree */
  size_t size_max;
  size_t depth_max;
  size_t attribute_max;  /**< bytes of a value */
  size_t attributes_max; /**< of one element */
  bool keep_text;
  /** Texts, comments, CDATA sections and processing instructions become children with `text` and
   * the names `#text`, `#comment`, `#cdata` and `#instruction`. */
  bool keep_content;
  const char
      *doctype_name; /**< the one document type that is ignored instead of rejected; NULL: none */
  const char *doctype_system; /**< its system identifier */
  /** Called at each start tag with the enclosing element; NULL for the root. */
  sn__xml_verdict (*judge)(void *context, sn_report *report, const sn__xml_node *parent,
                           const char *name, sn_place place);
  void *context;
} sn__xml_config;

/** Parse. Every problem goes into @p report.
 *  @return SN_OK, SN_ESYNTAX, SN_ELIMIT or SN_ENOMEM; after SN__XML_STOP: SN_ELIMIT */
sn_status sn__xml_parse(sn_arena *arena, const char *text, size_t size,
                        const sn__xml_config *config, sn_report *report, sn__xml_node **root);

/** A copy of the text in which the one accepted document type, without an internal subset, is
 *  blanked out; the text itself if it has none. Expat then sees no document type: it opens nothing,
 *  and an entity that the type might declare is an error. @return NULL if memory runs out */
const char *sn__xml_blank_doctype(sn_arena *arena, const sn__xml_config *config, const char *text,
                                  size_t size);

/** Are two names equal? Most differ in the first few letters, so an inline loop is cheaper than
 * strcmp(). */
static inline bool sn__xml_same(const char *a, const char *b) {
  while (*a == *b && *a != '\0') {
    a++;
    b++;
  }
  return *a == *b;
}

/** A tree with its contents as text, in the layout of xacro's reference, with a NUL behind it. It
 *  recurses: the caller bounds how deep the tree is.
 *  @return NULL: no memory, or more than @p size_max bytes */
const char *sn__xml_write(sn_arena *arena, const sn__xml_node *root, size_t size_max, size_t *size);

/** The elements that a format knows inside an element; the list ends with NULL. */
typedef struct sn__xml_known {
  const char *parent;
  const char *children[9];
} sn__xml_known;

/** Does one of the @p count rows have this element? */
bool sn__xml_is_known(const sn__xml_known *table, size_t count, const char *parent,
                      const char *name);

/** The value of an attribute, or NULL. */
const char *sn__xml_attribute_value(const sn__xml_node *node, const char *name);

/** The first child element of that name, or NULL. */
const sn__xml_node *sn__xml_child(const sn__xml_node *node, const char *name);

/** The place of an attribute; the element's place if it cannot be found (UTF-16). */
sn_place sn__xml_attribute_place(const char *text, size_t size, const sn__xml_node *node,
                                 const char *name);

#endif
