/** @file
 *  A message on the command line: `field=value ...`, or one word of JSON. */
#ifndef SINEW_APP_FIELDS_H
#define SINEW_APP_FIELDS_H

#include <jansson.h>

#include "command.h"

/** Build a message. `a.b=value` sets a nested field; a value that is not JSON is a text.
 *  @param c  for messages
 *  @return an object, json_decref() it; NULL: a word is invalid, and a message was printed */
json_t *fields_parse(const command *c, const text_list *words);

#endif
