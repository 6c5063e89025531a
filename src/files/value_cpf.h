/** @file
 *  Internal: OROCOS property files. */
#ifndef SN_FILES_VALUE_CPF_H
#define SN_FILES_VALUE_CPF_H

#include "sinew/value.h"

/** Parse an OROCOS property file: `properties`, `struct`, `simple`, `sequence`. A `sequence`, a
 *  `struct` whose type ends in `[]`, and a `struct` of Element0, Element1, … are lists; items of
 *  a `sequence` or of a type `[]` need no name. The customary line
 *  `<!DOCTYPE properties SYSTEM "cpf.dtd">` is ignored, and no file is opened for it; any other
 * document type is rejected. Parameters and result as for sn_value_parse_yaml(). */
sn_status sn__value_parse_cpf(sn_arena *arena, const char *text, size_t size, const char *file,
                              sn_report *report, const sn_value **out);

#endif
