#include "files/xml_syntax.h"

#include "base/report_internal.h"
#include "base/text.h"

/* Translate expat's error into what was found. */
void sn__xml_report_syntax(XML_Parser parser, sn_report *report, const char *file, const char *root,
                           const char *text, size_t size) {
  const enum XML_Error code = XML_GetErrorCode(parser);
  const XML_Index index = XML_GetCurrentByteIndex(parser);
  const size_t offset = index < 0 ? size : (size_t)index;
  const sn_place place = {.file = file,
                          .line = (unsigned)XML_GetCurrentLineNumber(parser),
                          .column = (unsigned)XML_GetCurrentColumnNumber(parser) + 1};
  const char *hint = NULL;
  switch (code) {
    case XML_ERROR_NO_ELEMENTS:
      sn__report_add(report, SN_SEVERITY_ERROR, place,
                     size == 0 ? NULL : "is the file truncated, or not XML?",
                     "the file ends before %s", root == NULL ? "any element" : "its end tag");
      return;
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_PARTIAL_CHAR:
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
      hint = "is the file truncated?";
      break;
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
      sn__report_add(report, SN_SEVERITY_ERROR, place, "a file has one root element",
                     "there is more after the root element <%.60s>", root);
      return;
    case XML_ERROR_BAD_CHAR_REF:
      sn__report_add(report, SN_SEVERITY_ERROR, place, NULL,
                     "a character reference denotes NUL or another control character");
      return;
    case XML_ERROR_INVALID_TOKEN:
      if (offset < size && (unsigned char)text[offset] < 0x20 && !sn__text_is_blank(text[offset])) {
        sn__report_add(report, SN_SEVERITY_ERROR, place, NULL,
                       "%s control character (byte 0x%02x) is not allowed",
                       text[offset] == '\0' ? "the NUL" : "a",
                       (unsigned)(unsigned char)text[offset]);
        return;
      }
      break;
    case XML_ERROR_UNKNOWN_ENCODING:
    case XML_ERROR_INCORRECT_ENCODING:
      hint = "save it as UTF-8, UTF-16 or ISO-8859-1 and declare that";
      break;
    default:
      break;
  }
  sn__report_add(report, SN_SEVERITY_ERROR, place, hint, "not well-formed XML: %s",
                 XML_ErrorString(code));
}
