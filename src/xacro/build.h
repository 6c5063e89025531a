/** @file
 *  Internal: an element of the result while it is built. */
#ifndef SN_XACRO_BUILD_H
#define SN_XACRO_BUILD_H

#include "xacro/context.h"

typedef struct sn__xbuild {
  const char *name;
  const sn__xml_node *source; /**< whose place it has */
  sn__xml_node **children;
  size_t child_count, child_capacity;
  sn__xml_attribute *attributes;
  size_t attribute_count, attribute_capacity;
} sn__xbuild;

/** Set an attribute, or change it. @return false with an error reported */
bool sn__xbuild_attribute(sn__xacro *x, sn__xbuild *build, const char *name, const char *value);

/** The value of an attribute, or NULL. */
const char *sn__xbuild_attribute_value(const sn__xbuild *build, const char *name);

/** Add a node, which belongs to no other element. */
bool sn__xbuild_add(sn__xacro *x, sn__xbuild *build, sn__xml_node *node);

/** Add a text, a comment or the like: @p name is as in sn__xml_node. */
bool sn__xbuild_add_text(sn__xacro *x, sn__xbuild *build, const sn__xml_node *source,
                         const char *name, const char *text);

/** Remove the comments directly before what comes next: they are about a directive, and go with
 * it. @return whether sn__xbuild_mark() must follow the directive's result */
bool sn__xbuild_forget_comments(sn__xbuild *build);

/** A mark, which is not part of the result: comments before it stay. */
bool sn__xbuild_mark(sn__xacro *x, sn__xbuild *build);

/** The finished element. @return NULL: no memory */
sn__xml_node *sn__xbuild_end(sn__xacro *x, sn__xbuild *build);

#endif
