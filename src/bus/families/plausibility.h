/** @file
 *  Internal: whether a position that came over a bus can be true.
 *
 *  A sum of eight bits lets one damaged packet in 256 pass, HerkuleX's parity those whose lowest
 *  bits changed. So a position counts if the servo can be there, going by where it was and how it
 *  moved; otherwise a second reading must confirm it. A true jump (somebody moved the limp arm, a
 *  reading was late) is believed one reading later.
 *
 *  On a line that damages bytes that is not enough: every position is read twice in quick
 *  succession, and counts if both agree. What is still off is so by less than the readings of a
 *  servo that stands differ, and nobody can tell it from that. */
#ifndef SN_BUS_FAMILIES_PLAUSIBILITY_H
#define SN_BUS_FAMILIES_PLAUSIBILITY_H

#include <stdbool.h>
#include <stdint.h>

/** What became of a reading. */
typedef enum sn__trust { SN__TRUST_WAITS, SN__TRUST_DOUBTED, SN__TRUST_BELIEVED } sn__trust;

typedef struct sn__plausibility {
  double speed_max;  /**< counts/s that the servo can do */
  double noise;      /**< counts by which its readings differ while it stands */
  bool has_position; /**< one was believed */
  bool has_doubt;    /**< one waits to be confirmed */
  int32_t counts;    /**< believed last */
  int32_t counts_doubted;
  int32_t check; /**< came with it: the same again, or there is doubt */
  int32_t check_doubted;
  double velocity; /**< counts/s, by the positions believed */
  int64_t at_ns, doubted_ns;
} sn__plausibility;

void sn__plausibility_init(sn__plausibility *trust, double speed_max, double noise);

/** Forget the last position: the servo was away. */
void sn__plausibility_reset(sn__plausibility *trust);

/** @param check     whatever else came with it and seldom changes: if it did, there is doubt
 *  @param is_noisy  the line damages bytes: it takes two
 *  @return SN__TRUST_BELIEVED: the position is in `counts`; SN__TRUST_WAITS: the first of two */
sn__trust sn__plausibility_take(sn__plausibility *trust, int32_t counts, int32_t check,
                                bool is_noisy, int64_t now_ns);

#endif
