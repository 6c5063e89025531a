/** @file
 *  Internal: the quick way through XML that has nothing unusual in it, as nearly every URDF.
 *
 *  Plain is: UTF-8 with names in ASCII, no entities, no CDATA, no document type, no processing
 * instructions, few attributes, within the limits, well-formed, and nothing in it to report.
 * Whatever is not plain is for expat, which then starts from the first byte: so there is one place
 * that reports, and a doubt costs time only. */
#ifndef SN_FILES_XML_PLAIN_H
#define SN_FILES_XML_PLAIN_H

#include "files/xml.h"

typedef enum sn__xml_plain_result {
  SN__XML_PLAIN,     /**< the tree is what expat would have led to */
  SN__XML_NOT_PLAIN, /**< nothing was reported, the arena is as before */
  SN__XML_NO_MEMORY
} sn__xml_plain_result;

/** Try. Texts of elements are not kept; `config->judge` is called without a report. */
sn__xml_plain_result sn__xml_parse_plain(sn_arena *arena, const char *text, size_t size,
                                         const sn__xml_config *config, sn__xml_node **root);

#endif
