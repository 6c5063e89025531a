/** @file
 *  Internal: expansion of elements. Each function returns false with an error reported. */
#ifndef SN_XACRO_EXPAND_H
#define SN_XACRO_EXPAND_H

#include "xacro/build.h"
#include "xacro/scope.h"

/** Expand the children of an element into @p out. */
bool sn__xacro_children(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                        const sn__xbuild *out);

/** Expand an element of any name, or with its directives, into @p out. */
bool sn__xacro_element(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                       const sn__xbuild *out);

/** A directive: `<xacro:name>`. */
typedef bool sn__xdirective(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                            const sn__xbuild *out);

sn__xdirective sn__xacro_property, sn__xacro_macro, sn__xacro_call, sn__xacro_call_named,
    sn__xacro_include;

/** Calls a macro: @p name is without the prefix. */
bool sn__xacro_call_macro(sn__xacro *x, const sn__xspace *space, const sn__xml_node *node,
                          const char *name, const sn__xbuild *out);

/** An attribute that must exist. @return NULL with an error reported */
const char *sn__xacro_required(sn__xacro *x, const sn__xml_node *node, const char *name);

/** Namespaces that a file or a macro declares are also declared around it. */
bool sn__xacro_import_namespaces(sn__xacro *x, const sn__xml_node *from, const sn__xbuild *to);

/** The tree of a file, parsed once. */
bool sn__xacro_parse(sn__xacro *x, sn__xacro_file *file);

/** The document itself as a file. @return NULL: no memory */
sn__xacro_file *sn__xacro_add_document(sn__xacro *x, const char *text, size_t size);

#endif
