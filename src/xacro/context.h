/** @file
 *  Internal: one expansion: its memory, its bounds, and where it is, for messages. */
#ifndef SN_XACRO_CONTEXT_H
#define SN_XACRO_CONTEXT_H

#include <stdint.h>

#include "base/report_internal.h"
#include "xacro/expr/xvalue.h"
#include "xacro/xacro.h"

/** A file that was read. */
typedef struct sn__xacro_file {
  const char *path;
  const char *text;
  size_t size;
  const sn__xml_node *root; /**< NULL: it is not XML */
  sn__xvalue yaml;          /**< if it was read as YAML */
  bool is_yaml;
  struct sn__xacro_file *next;
} sn__xacro_file;

/** Texts with `${...}` or `$(...)` that were taken apart (template.h), by their address: a table
 * that grows. */
typedef struct sn__xtemplate sn__xtemplate;
typedef struct sn__xtemplates {
  sn__xtemplate **slots;
  size_t count, slot_count;
} sn__xtemplates;

/** A text that grows. */
typedef struct sn__xtext {
  char *text;
  size_t length, capacity;
} sn__xtext;

struct sn__xacro {
  sn_arena *arena;
  sn_report *report;
  const sn__xacro_config *config;
  sn__xscope *globals;   /**< properties of the document */
  sn__xscope *arguments; /**< of `xacro:arg` and of the command line */
  sn__xacro_file *files;
  sn__xtemplates templates;
  sn__xtext scratch; /**< texts while they are put together; those around them are below them */
  const sn__xml_node **children; /**< of all elements that are being built (build.h) */
  size_t child_count, child_capacity;
  sn__xml_attribute *attributes;
  size_t attribute_count, attribute_capacity;
  const sn_origin *origin;  /**< what led to the present element */
  const sn__xml_node *node; /**< being expanded */
  const sn__xml_node *root; /**< of the document */
  const char *attribute;    /**< of it; NULL: its text, or all of it */
  size_t bytes_before;      /**< used in the arena when it began */
  size_t node_count, depth, step_count;
  sn_status status;
};

/** Memory of this expansion, zeroed. @return NULL with the status set */
void *sn__xacro_alloc(sn__xacro *x, size_t size);
char *sn__xacro_copy(sn__xacro *x, const char *text, size_t length);

/** What leads from the present element to others. */
sn_origin sn__xacro_origin(const sn__xacro *x, const char *what, const char *verb,
                           const char *name);

/** The same in the memory of the expansion: elements of the result refer to it.
 *  @return NULL: no memory */
const sn_origin *sn__xacro_new_origin(sn__xacro *x, const char *what, const char *verb,
                                      const char *name);

/** Report an error at the present element with what led to it; only the first one counts.
 *  @return false */
bool sn__xacro_fail(sn__xacro *x, sn_status status, const char *hint, const char *format, ...)
    SN_PRINTF(4, 5);

/** The same as a warning. */
void sn__xacro_warn(sn__xacro *x, const char *format, ...) SN_PRINTF(2, 3);

/** The file that contains the present element. */
const char *sn__xacro_current_file(const sn__xacro *x);

/** One level deeper. @return false with an error if that is too deep */
bool sn__xacro_enter(sn__xacro *x);
void sn__xacro_leave(sn__xacro *x);

/** Count @p count steps of an expression. @return false with an error if there were too many */
bool sn__xacro_step(sn__xacro *x, size_t count);

bool sn__xtext_put(sn__xacro *x, sn__xtext *out, const char *text, size_t length);
bool sn__xtext_add(sn__xacro *x, sn__xtext *out, const char *text);

/** What was written, with a NUL behind it. @return NULL: no memory */
const char *sn__xtext_end(sn__xacro *x, sn__xtext *out);

/** What was written to the scratch text since its length was @p begin, which it then is again.
 *  @return NULL: no memory */
const char *sn__xacro_take_scratch(sn__xacro *x, size_t begin);

#endif
