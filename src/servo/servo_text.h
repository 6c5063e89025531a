/** @file
 *  Internal: the text of a file of servo models. */
#ifndef SN_SERVO_SERVO_TEXT_H
#define SN_SERVO_SERVO_TEXT_H

#include <stdio.h>

#include "servo/servo_store.h"

/** Write all models. Check the stream for errors afterwards. */
SN_API void sn__servo_text_write(FILE *out, const sn_servo_list *list);

#endif
