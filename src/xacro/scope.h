/** @file
 *  Internal: properties and macros by name. */
#ifndef SN_XACRO_SCOPE_H
#define SN_XACRO_SCOPE_H

#include "xacro/context.h"

/** One property, argument or block. A block `b` has the name `*b`, or `**b` if only its content is
 * inserted. */
typedef struct sn__xproperty {
  const char *name;
  uint32_t hash;
  bool is_pending;   /**< its text is evaluated when it is first used */
  bool is_resolving; /**< now */
  bool is_removed;
  sn__xvalue value;
  const sn__xml_node *node; /**< that defined it; NULL: none */
  struct sn__xproperty *next;
} sn__xproperty;

/** A scope. `parent` is asked for names that it does not have. The table grows with the names, so
 * that a file with many takes a time in proportion to its length. */
struct sn__xscope {
  sn__xscope *parent;
  const sn__xscope *caller; /**< asked for values after the parents; NULL: none */
  bool is_namespace;        /**< of an include with `ns` */
  size_t count;             /**< of properties, also removed ones */
  size_t bucket_count;      /**< a power of two */
  sn__xproperty **buckets;
};

/** @param bucket_count  a power of two. @return NULL: no memory */
sn__xscope *sn__xscope_make(sn__xacro *x, sn__xscope *parent, size_t bucket_count);

/** The outermost scope around @p scope. */
sn__xscope *sn__xscope_top(sn__xscope *scope);

/** Where the arguments of a macro in the namespace @p space are evaluated: there, and then around
 * the call. @return NULL: no memory */
sn__xscope *sn__xscope_make_call(sn__xacro *x, sn__xscope *space, const sn__xscope *caller);

/** Set a value as it is. @param name  must outlive the expansion. @return false: no memory */
bool sn__xscope_set(sn__xacro *x, sn__xscope *scope, const char *name, sn__xvalue value);

/** Set a property: a text becomes a number or a bool if it is one.
 *  @param is_lazy  other texts are evaluated when they are first used */
bool sn__xscope_define(sn__xacro *x, sn__xscope *scope, const char *name, sn__xvalue value,
                       bool is_lazy);

bool sn__xscope_contains(const sn__xscope *scope, const char *name);

/** The value, evaluated now if it was not yet. @param is_found  false: there is none
 *  @return false with an error reported */
bool sn__xscope_get(sn__xacro *x, sn__xscope *scope, const char *name, sn__xvalue *out,
                    bool *is_found);

/** The same for a name whose sn__text_hash() is known. */
bool sn__xscope_get_hashed(sn__xacro *x, sn__xscope *scope, const char *name, uint32_t hash,
                           sn__xvalue *out, bool *is_found);

/** Remove a name from this scope and all around it. */
void sn__xscope_remove(sn__xscope *scope, const char *name);

/** A parameter of a macro. */
typedef struct sn__xparameter {
  const char *name;      /**< of a block with its stars */
  bool has_default;      /**< or is forwarded */
  bool is_forwarded;     /**< `^`: the property of the same name around the call */
  const char *otherwise; /**< default; NULL: none */
  struct sn__xparameter *next;
} sn__xparameter;

/** A macro, or a namespace of macros. */
typedef struct sn__xmacro {
  const char *name;
  const sn__xml_node *node;
  sn__xparameter *parameters;
  struct sn__xmacros *space; /**< of a namespace; NULL: it is a macro */
  sn__xscope *scope;         /**< of a namespace: its properties */
  uint32_t hash;
  struct sn__xmacro *next;    /**< of the scope */
  struct sn__xmacro *in_slot; /**< with the same place in the table */
} sn__xmacro;

/** Macros of one scope. `parent` is asked for names that it does not have. All zero: none. */
typedef struct sn__xmacros {
  sn__xmacro *first;
  sn__xmacro **slots;
  size_t count, slot_count; /**< a power of two, or 0 */
  const struct sn__xmacros *parent;
} sn__xmacros;

/** A new or changed entry. @return NULL: no memory */
sn__xmacro *sn__xmacros_put(sn__xacro *x, sn__xmacros *macros, const char *name);

/** `leg`, or `arms.leg` in a namespace.
 *  @param space  receives the namespace, untouched if the name has none
 *  @return NULL: there is no such macro */
const sn__xmacro *sn__xmacros_find(const sn__xmacros *macros, const char *name,
                                   const sn__xmacro **space);

/** What names mean at one place. */
typedef struct sn__xspace {
  sn__xscope *scope;
  sn__xmacros *macros;
} sn__xspace;

/** The value of a text: of `$(...)`, `${...}` and what is around them. A text that is one `${...}`
 * has the value of its expression; others are texts.
 *  @return false with an error reported */
bool sn__xacro_eval(sn__xacro *x, sn__xscope *scope, const char *text, sn__xvalue *out);

/** The same as text. @return NULL with an error reported */
const char *sn__xacro_eval_text(sn__xacro *x, sn__xscope *scope, const char *text);

/** The inside of `$(...)`. */
bool sn__xacro_substitute(sn__xacro *x, const char *command, sn__xvalue *out);

/** $(find NAME), $(env NAME), $(dirname) and $(arg NAME) as functions.
 *  @return NULL with an error reported */
const char *sn__xacro_find(sn__xacro *x, const char *package);
const char *sn__xacro_environment(sn__xacro *x, const char *name, const char *otherwise);
const char *sn__xacro_dirname(sn__xacro *x);
const char *sn__xacro_argument(sn__xacro *x, const char *name);

/** A file that is named in the document: relative to the file with the present element.
 *  @param status  receives why it could not be read
 *  @return NULL with the reason in @p why, and nothing reported */
sn__xacro_file *sn__xacro_read_file(sn__xacro *x, const char *name, sn_status *status,
                                    sn_error *why);

/** The same for a path, which sn__xacro_path() gave. */
sn__xacro_file *sn__xacro_read_path(sn__xacro *x, const char *path, sn_status *status,
                                    sn_error *why);

/** The path of a file that is named in the document. @return NULL: no memory */
const char *sn__xacro_path(sn__xacro *x, const char *name);

#endif
