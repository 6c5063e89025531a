/** @file
 *  Seeded random numbers, the same on every machine: xoshiro256** (Blackman and Vigna, 2018). */
#ifndef SINEW_RANDOM_H
#define SINEW_RANDOM_H

#include <stdint.h>

#include "sinew/api.h"

SN_BEGIN_DECLS

/** A value: copy it to fork the sequence. Not for secrets. */
typedef struct sn_random {
  uint64_t state[4];
} sn_random;

/** Start a sequence; any seed is good, nearby seeds give unrelated sequences. RT: yes. */
SN_API void sn_random_init(sn_random *random, uint64_t seed) SN_RT;

/** 64 random bits. RT: yes.  Threads: one owner. */
SN_API uint64_t sn_random_bits(sn_random *random) SN_RT;

/** Uniform in [0, 1), 53 bits. RT: yes. */
SN_API double sn_random_unit(sn_random *random) SN_RT;

/** Uniform in [lower, upper); lower if they are equal. Both finite, and their difference too.
 *  RT: yes. */
SN_API double sn_random_between(sn_random *random, double lower, double upper) SN_RT;

/** Uniform in 0 .. count-1, without bias; count > 0. RT: yes, less than two rounds on
 *  average. */
SN_API uint64_t sn_random_below(sn_random *random, uint64_t count) SN_RT;

/** Normal with mean 0 and standard deviation 1. RT: yes. */
SN_API double sn_random_normal(sn_random *random) SN_RT;

SN_END_DECLS

#endif
