/** @file
 *  Internal: the package name in a package.xml. */
#ifndef SN_MODEL_URDF_PACKAGE_XML_H
#define SN_MODEL_URDF_PACKAGE_XML_H

#include <stdbool.h>
#include <stddef.h>

/** Find `<name>` of a package.xml. Comments are skipped; no other XML syntax is needed.
 *  @param name  out: letters, digits, `_` and `-` only, with NUL
 *  @return whether there is one that fits into @p name_size bytes */
bool sn__package_name(const char *text, size_t size, char *name, size_t name_size);

#endif
