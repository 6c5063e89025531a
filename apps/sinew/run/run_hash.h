/** @file
 *  A number that stands for all messages of all outputs: equal runs have equal ones. */
#ifndef SINEW_APP_RUN_HASH_H
#define SINEW_APP_RUN_HASH_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/tap.h"

typedef struct run_hash_output {
  sn_tap *tap;
  uint64_t hash; /**< of all messages so far, in their order */
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

/** Listen to every output of the system.
 *  @param buffer  messages of an output that wait at most until they are taken
 *  @return false with the reason in @p err */
bool run_hash_open(run_hash *h, sn_system *system, size_t buffer, sn_error *err);

/** Take what was written since the last call: often enough, or the buffers overflow. */
void run_hash_drain(run_hash *h);

/** The number, over outputs in the order of the system; and how many messages it stands for, and
 *  how many were lost. */
uint64_t run_hash_value(const run_hash *h, uint64_t *messages, uint64_t *lost);

void run_hash_close(run_hash *h);

#endif
