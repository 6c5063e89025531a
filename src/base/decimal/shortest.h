/** @file
 *  Internal: the shortest decimal number that reads back as a given binary one. */
#ifndef SN_BASE_DECIMAL_SHORTEST_H
#define SN_BASE_DECIMAL_SHORTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

/** The powers of ten that doubles need. */
enum { SN__POWER_MIN = -292, SN__POWER_MAX = 324 };
extern const uint64_t sn__powers_of_ten[SN__POWER_MAX - SN__POWER_MIN + 1][2];

/** significand * 2^exponent, or * 10^exponent */
typedef struct sn__scaled {
  uint64_t significand;
  int exponent;
} sn__scaled;

/** The decimal number with the fewest digits that is nearer to @p binary than to its neighbours;
 *  of several the nearest. It may end in zeros.
 *  @param binary          a double or float, more than 0
 *  @param is_lower_close  its lower neighbour is half as far away as the upper one
 *  RT: yes.  Threads: any. */
sn__scaled sn__shortest(sn__scaled binary, bool is_lower_close) SN_RT;

#endif
