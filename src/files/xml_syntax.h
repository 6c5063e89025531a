/** @file
 *  Internal: what is wrong with a text that is not well-formed XML. */
#ifndef SN_FILES_XML_SYNTAX_H
#define SN_FILES_XML_SYNTAX_H

#include <expat.h>

#include "sinew/report.h"

/** Translate expat's error into what was found.
 *  @param root  name of the root element; NULL if there was none yet */
void sn__xml_report_syntax(XML_Parser parser, sn_report *report, const char *file, const char *root,
                           const char *text, size_t size);

#endif
