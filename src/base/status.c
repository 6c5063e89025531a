#include "sinew/status.h"

#include <stdarg.h>

#include "base/fail.h"
#include "base/text.h"

const char *sn_status_text(sn_status status) {
  switch (status) {
#define SN_STATUS_CASE(name, value, text) \
  case name:                              \
    return text;
    SN_STATUS_LIST(SN_STATUS_CASE)
#undef SN_STATUS_CASE
  }
  return "unknown status";
}

void sn__fail_text(sn_error *err, sn_status code, const char *format, ...) {
  if (err != NULL) {
    va_list args;
    va_start(args, format);
    err->code = code;
    sn__text_format(err->message, sizeof err->message, format, args);
    va_end(args);
  }
}
