/** @file
 *  Internal: the name that a package.xml states. */
#ifndef SN_MODEL_URDF_PACKAGE_XML_H
#define SN_MODEL_URDF_PACKAGE_XML_H

#include <stdbool.h>
#include <stddef.h>

/** Find `<name>` of a package.xml. Comments are passed over; nothing else of XML is needed.
 *  @param name  out: letters, digits, `_` and `-` only, with NUL
 *  @return whether there is one that fits into @p name_size bytes */
bool sn__package_name(const char *text, size_t size, char *name, size_t name_size);

#endif
