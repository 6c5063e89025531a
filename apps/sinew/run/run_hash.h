/** @file
 *  A hash of all messages of all outputs: equal runs have equal hashes. */
#ifndef SINEW_APP_RUN_HASH_H
#define SINEW_APP_RUN_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/tap.h"

typedef struct run_hash_output {
  sn_tap *tap;
  uint64_t hash; /**< of all messages so far, in order */
  uint64_t count;
} run_hash_output;

/** Zero-initialise. */
typedef struct run_hash {
  run_hash_output *outputs;
  size_t output_count, output_capacity;
  uint8_t *bytes; /**< of one message */
  size_t byte_capacity;
  bool is_out_of_memory;
} run_hash;

/** Tap every output of the system.
 *  @param buffer  messages per output that are queued until the next drain
 *  @return false with the reason in @p err */
bool run_hash_open(run_hash *h, sn_system *system, size_t buffer, sn_error *err);

/** Hash the messages since the last call. Call often enough, or the buffers overflow. */
void run_hash_drain(run_hash *h);

/** The hash over all outputs in the order of the system, the number of messages in it, and the
 *  number of lost ones. */
uint64_t run_hash_value(const run_hash *h, uint64_t *messages, uint64_t *lost);

void run_hash_close(run_hash *h);

#endif
