/** @file
 *  For fuzz targets: the input as a sequence of decisions; zeros after its end. */
#ifndef SN_FUZZ_INPUT_H
#define SN_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_input {
  const uint8_t *data;
  size_t size;
} fuzz_input;

static inline uint8_t next(fuzz_input *in) {
  if (in->size == 0) {
    return 0;
  }
  in->size--;
  return *in->data++;
}

/** Mostly a number in -2 .. 2, sometimes any bit pattern. */
static inline double next_number(fuzz_input *in) {
  double value = 0.0;
  if (next(in) % 4 != 0) {
    return ((double)next(in) - 128.0) / 64.0;
  }
  for (size_t i = 0; i < sizeof value; i++) {
    ((uint8_t *)&value)[i] = next(in);
  }
  return value;
}

#endif
