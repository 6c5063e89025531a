/** @file
 *  Internal: the feet of the last cycles. An IMU that is late is joined with the feet of the time
 *  that it measured.
 *
 *  Every function but the first: RT: yes.  Threads: one owner. */
#ifndef SN_ESTIMATION_FILTER_DELAY_LINE_H
#define SN_ESTIMATION_FILTER_DELAY_LINE_H

#include "estimation/feet.h"
#include "estimation/filter/base_filter.h"
#include "sinew/arena.h"

enum { SN__DELAY_CYCLES = 64 };

/** The feet of one cycle. */
typedef struct sn__delayed_feet {
  double time_s;
  sn__foot feet[SN__FILTER_FEET_MAX];
  bool commanded[SN__FILTER_FEET_MAX], is_flat[SN__FILTER_FEET_MAX];
  sn_vec3 turn[SN__FILTER_FEET_MAX];
  sn_vec3 *points, *velocities; /**< [foot_count][points_max] */
} sn__delayed_feet;

typedef struct sn__delay_line {
  size_t foot_count, points_max;
  double time_s;
  size_t newest, count;
  sn__delayed_feet slots[SN__DELAY_CYCLES];
} sn__delay_line;

/** @return false: no memory.  RT: no. */
bool sn__delay_line_init(sn__delay_line *line, sn_arena *arena, size_t foot_count,
                         size_t points_max);

void sn__delay_line_clear(sn__delay_line *line) SN_RT;

/** The slot of this cycle, to be filled; the oldest one is forgotten.
 *  @param dt_s  since the last cycle */
sn__delayed_feet *sn__delay_line_push(sn__delay_line *line, double dt_s) SN_RT;

/** Copy a foot into a slot. */
void sn__delay_line_copy(const sn__delay_line *line, sn__delayed_feet *slot, size_t foot,
                         const sn__foot *from) SN_RT;

/** @return the cycle nearest to @p delay_s before the newest one; the oldest one if all are newer
 */
const sn__delayed_feet *sn__delay_line_at(const sn__delay_line *line, double delay_s) SN_RT;

#endif
