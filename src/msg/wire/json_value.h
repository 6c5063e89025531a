/** @file
 *  Internal: values of a message from JSON that jansson has parsed, and what error messages say of
 *  their place. */
#ifndef SN_MSG_WIRE_JSON_VALUE_H
#define SN_MSG_WIRE_JSON_VALUE_H

#include <jansson.h>
#include <stdbool.h>

#include "sinew/arena.h"
#include "sinew/msg.h"
#include "sinew/report.h"

/** What one call reads. An existing message is read twice: the first pass checks, the second
 * stores, so that it is never partly read. A message that is made is read once, with the memory
 * that it needs, and dropped on failure. */
typedef struct sn__json_reading {
  const char *subject; /**< what messages begin with */
  bool store;
  sn_arena *arena;     /**< of a message that is made; NULL: it exists */
  sn_report *warnings; /**< about unknown fields; NULL: they are errors */
  void *nothing;       /**< memory of texts and sequences that are not mentioned, if it is made */
  sn_error *err;
} sn__json_reading;

/** A field in the message, or an item of it. */
typedef struct sn__json_place {
  const sn__json_reading *how;
  const struct sn__json_place
      *outer;       /**< the field that holds the struct; NULL: the message itself */
  const char *name; /**< of the field */
  const sn_msg_field *field;
  size_t index; /**< of the item; SIZE_MAX: none */
} sn__json_place;

#define SN__JSON_PATH_SIZE 128

/** `models[1].kp`; cut if it is longer. */
void sn__json_path(const sn__json_place *r, char out[SN__JSON_PATH_SIZE]);

/** `an object`. */
const char *sn__json_found(const json_t *value);

/** @return SN_EINVAL: the value is not what is expected */
sn_status sn__json_complain(const sn__json_place *r, const json_t *value, const char *expected);

/** @return SN_ENOSPC: there are @p count of @p what */
sn_status sn__json_complain_size(const sn__json_place *r, const char *what, size_t count,
                                 size_t room);

/** Read one number, truth value or time.
 *  @return SN_OK or SN_EINVAL */
sn_status sn__json_read_number(const sn__json_place *r, const json_t *value, char *at);

#endif
