/** @file
 *  Messages with random values, by their tables. */
#ifndef SN_RANDOM_MSG_H
#define SN_RANDOM_MSG_H

#include <stdbool.h>

#include "sinew/msg.h"
#include "sinew/random.h"

/** What to put into a message. All zero: any values that the types allow. */
typedef struct sn_random_msg_config {
  const sn_names *table; /**< some of the name lists share it; NULL: none */
  bool is_finite;        /**< no infinities, no NaN */
  bool is_ascii;         /**< letters only; otherwise any bytes but NUL */
  bool is_valid_time;    /**< 0 .. 2^31 s, as every wire can hold; otherwise +-292 years */
  bool is_json;          /**< integers below 2^53, no infinities, one kind of NaN, valid UTF-8 */
} sn_random_msg_config;

/** Fill every field with random values, sequences with 0 .. capacity elements. */
void sn_random_msg_fill(const sn_msg_type *type, void *msg, const sn_random_msg_config *config,
                        sn_random *random);

/** Set every byte of numbers and texts in the message, used or not, to @p byte: contents of an
 *  earlier message must not matter. Counts become 0. */
void sn_random_msg_spoil(const sn_msg_type *type, void *msg, int byte);

#endif
