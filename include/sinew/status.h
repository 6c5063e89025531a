/** @file
 *  Errors: a status to branch on, and a text for people. */
#ifndef SINEW_STATUS_H
#define SINEW_STATUS_H

#include "sinew/api.h"

SN_BEGIN_DECLS

/** Every status with its value and its text; the enum and the texts are both made from this list.
 */
#define SN_STATUS_LIST(X)                                \
  X(SN_OK, 0, "ok")                                      \
  X(SN_EINVAL, -1, "invalid argument")                   \
  X(SN_ENOMEM, -2, "out of memory")                      \
  X(SN_ENOENT, -3, "no such thing")                      \
  X(SN_EIO, -4, "input or output failed")                \
  X(SN_ESYNTAX, -5, "not well-formed")                   \
  X(SN_EMODEL, -6, "the description is not valid")       \
  X(SN_ELIMIT, -7, "a built-in limit was exceeded")      \
  X(SN_ENOSPC, -8, "the buffer is too small")            \
  X(SN_ENOTCONFIGURED, -9, "not configured")             \
  X(SN_EBUSY, -10, "in use by others")                   \
  X(SN_EUNSUPPORTED, -11, "not supported by this build") \
  X(SN_ESTOPPED, -12, "not running")                     \
  X(SN_ETIMEDOUT, -13, "no answer in time")              \
  X(SN_EDEADLOCK, -14, "would wait for itself")

/** SN_OK is 0; every failure is negative. */
typedef enum sn_status {
#define SN_STATUS_ENUM(name, value, text) name = (value),
  SN_STATUS_LIST(SN_STATUS_ENUM)
#undef SN_STATUS_ENUM
} sn_status;

/** The reason of a failure, for people. Owned by the caller; written only on failure. */
typedef struct sn_error {
  sn_status code;
  char message[240]; /**< one line, valid UTF-8, no control characters; cut if longer */
} sn_error;

/** The text of a status; "unknown status" for an invalid value.
 *  @return static text, never NULL
 *  RT: yes.  Threads: any. */
SN_API const char *sn_status_text(sn_status status) SN_RT;

SN_END_DECLS

#endif
