/** @file
 *  Internal: an element of the result while it is built. Elements are built one inside the other,
 * so the children and attributes of all unfinished ones are on two stacks of the expansion; only
 * the innermost unfinished one may grow. */
#ifndef SN_XACRO_BUILD_H
#define SN_XACRO_BUILD_H

#include "xacro/context.h"

typedef struct sn__xbuild {
  const char *name;
  const sn__xml_node *source; /**< whose place it has */
  size_t first_child;         /**< on the stacks */
  size_t first_attribute;
} sn__xbuild;

sn__xbuild sn__xbuild_begin(const sn__xacro *x, const char *name, const sn__xml_node *source);

/** Set an attribute, or change it. @return false with an error reported */
bool sn__xbuild_attribute(sn__xacro *x, const sn__xbuild *build, const char *name,
                          const char *value);

/** Add an attribute of a name that the element does not have. */
bool sn__xbuild_new_attribute(sn__xacro *x, const char *name, const char *value);

/** The value of an attribute, or NULL. */
const char *sn__xbuild_attribute_value(const sn__xacro *x, const sn__xbuild *build,
                                       const char *name);

/** Add a node, which belongs to no other element. */
bool sn__xbuild_add(sn__xacro *x, const sn__xml_node *node);

/** Add a text, a comment or the like, of the name of @p source. */
bool sn__xbuild_add_text(sn__xacro *x, const sn__xml_node *source, const char *text);

/** Remove the comments directly before what comes next: they are about a directive, and go with
 * it. @return whether sn__xbuild_mark() must follow the directive's result */
bool sn__xbuild_forget_comments(sn__xacro *x, const sn__xbuild *build);

/** A mark, which is not part of the result: comments before it stay. */
bool sn__xbuild_mark(sn__xacro *x);

/** The finished element. Blank texts beside other content are left out.
 *  @return NULL: no memory */
sn__xml_node *sn__xbuild_end(sn__xacro *x, const sn__xbuild *build);

#endif
