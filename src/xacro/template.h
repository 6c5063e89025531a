/** @file
 *  Internal: texts with `${...}` and `$(...)`, taken apart once however often they are evaluated.
 */
#ifndef SN_XACRO_TEMPLATE_H
#define SN_XACRO_TEMPLATE_H

#include "xacro/expr/expr.h"

typedef enum sn__xpart_kind {
  SN__XPART_PLAIN,
  SN__XPART_EXPRESSION, /**< `${...}` */
  SN__XPART_NESTED,     /**< `${...}` with brackets inside: an expression after these */
  SN__XPART_COMMAND     /**< `$(...)` */
} sn__xpart_kind;

typedef struct sn__xpart {
  sn__xpart_kind kind;
  const char *text; /**< plain, or the inside of a bracket */
  size_t length;
  const sn__xexpr *expr; /**< of SN__XPART_EXPRESSION */
  struct sn__xpart *next;
} sn__xpart;

struct sn__xtemplate {
  const char *text; /**< whose parts they are; its address is the key */
  const sn__xpart *first;
};

/** The parts of a text, which stays as it is until the expansion ends.
 *  @return NULL with an error reported */
const sn__xtemplate *sn__xtemplate_get(sn__xacro *x, const char *text);

#endif
