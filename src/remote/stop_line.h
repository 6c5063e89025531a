/** @file
 *  Recognises an emergency stop in a line of the control socket without allocating, so that the
 * thread that reads the line can stop the robot at once. */
#ifndef SN_REMOTE_STOP_LINE_H
#define SN_REMOTE_STOP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "remote/request.h"

typedef struct sn__stop_line {
  char id[SN__REMOTE_ID_SIZE]; /**< as JSON; `null` if it is missing or cannot be repeated */
  char who[64];                /**< empty: unknown */
  char why[192];
  bool is_call; /**< `call` of an operation `emergencyStop`, not the verb `stop` */
} sn__stop_line;

/** Is the line an object with the verb `stop`, or with the verb `call` and a name that ends with
 *  `.emergencyStop`? Unknown members are skipped.
 *  @param line  @p length bytes, without the end of the line
 *  @return whether it is, with its members in @p out */
bool sn__stop_line_read(const char *line, size_t length, sn__stop_line *out);

/** Read the arguments of an emergency stop, an object with `who` and `why`. Whatever is wrong with
 * them,
 *  @p out holds what could be read; the rest is empty. Does not allocate. */
void sn__stop_arguments_read(const char *json, size_t length, sn__stop_line *out);

/** Does the name of an operation end with `.emergencyStop`? */
bool sn__is_stop_operation(const char *name);

#endif
