/** @file
 *  Internal: whether a position received over a bus is plausible.
 *
 *  An eight-bit checksum accepts one damaged packet in 256; HerkuleX's parity misses changes of the
 *  lowest bits. So a position is accepted if the servo can be there, given its last position and
 *  velocity; otherwise a second reading must confirm it. A real jump (a limp arm moved by hand, a
 *  late reading) is accepted one reading later.
 *
 *  On a noisy line that is not enough: every position is read twice in quick succession and
 *  accepted if both agree. The remaining errors are smaller than the noise of a servo at rest. */
#ifndef SN_BUS_FAMILIES_PLAUSIBILITY_H
#define SN_BUS_FAMILIES_PLAUSIBILITY_H

#include <stdbool.h>
#include <stdint.h>

/** Verdict on a reading. */
typedef enum sn__reading_verdict {
  SN__READING_PENDING,
  SN__READING_DOUBTED,
  SN__READING_ACCEPTED
} sn__reading_verdict;

typedef struct sn__plausibility {
  double speed_max;  /**< highest velocity of the servo, counts/s */
  double noise;      /**< of its readings at rest, counts */
  bool has_position; /**< a position was accepted */
  bool has_doubt;    /**< a reading waits for confirmation */
  int32_t counts;    /**< last accepted position */
  int32_t counts_doubted;
  int32_t check; /**< received with it; a change causes doubt */
  int32_t check_doubted;
  double velocity; /**< counts/s, from accepted positions */
  int64_t at_ns, doubted_ns;
} sn__plausibility;

void sn__plausibility_init(sn__plausibility *filter, double speed_max, double noise);

/** Forget the last position: the servo was absent. */
void sn__plausibility_reset(sn__plausibility *filter);

/** @param check     other data of the answer that rarely changes: a change causes doubt
 *  @param is_noisy  two readings are required
 *  @return SN__READING_ACCEPTED: the position is in `counts`; SN__READING_PENDING: the first of two
 */
sn__reading_verdict sn__plausibility_take(sn__plausibility *filter, int32_t counts, int32_t check,
                                          bool is_noisy, int64_t now_ns);

#endif
