/** @file
 *  A message on the command line: `field=value ...`, or one word of JSON. */
#ifndef SINEW_APP_FIELDS_H
#define SINEW_APP_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

/** Add a word to a message. `a.b=value` leads into nested fields; a value that is not JSON is a
 * text.
 *  @param command  for messages
 *  @param message  an object; replaced by a word that is all of it
 *  @return false if the word is not understood */
bool fields_add(const char *command, json_t **message, const char *word);

#endif
