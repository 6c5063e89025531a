#include "remote/remote_fail.h"

#include <stdarg.h>
#include <stdio.h>

sn_status sn__remote_fail(sn_error *err, sn_status status, const char *format, ...) {
  va_list args;
  va_start(args, format);
  err->code = status;
  vsnprintf(err->message, sizeof err->message, format, args);
  va_end(args);
  return status;
}
