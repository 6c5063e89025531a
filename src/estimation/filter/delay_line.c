#include "estimation/filter/delay_line.h"

#include <math.h>
#include <string.h>

#include "sinew/fault.h"

bool sn__delay_line_init(sn__delay_line *line, sn_arena *arena, size_t foot_count,
                         size_t points_max) {
  const size_t points = foot_count * points_max;
  *line = (sn__delay_line){.foot_count = foot_count, .points_max = points_max};
  for (size_t i = 0; i < SN__DELAY_CYCLES; i++) {
    line->slots[i].points = SN_NEW(arena, sn_vec3, points);
    line->slots[i].velocities = SN_NEW(arena, sn_vec3, points);
    if (line->slots[i].points == NULL || line->slots[i].velocities == NULL) {
      return false;
    }
  }
  return true;
}

void sn__delay_line_clear(sn__delay_line *line) {
  line->count = 0;
  line->time_s = 0.0;
}

sn__delayed_feet *sn__delay_line_push(sn__delay_line *line, double dt_s) {
  line->newest = (line->newest + 1) % SN__DELAY_CYCLES;
  line->count += line->count < SN__DELAY_CYCLES;
  line->time_s += dt_s;
  line->slots[line->newest].time_s = line->time_s;
  return &line->slots[line->newest];
}

void sn__delay_line_copy(const sn__delay_line *line, sn__delayed_feet *slot, size_t foot,
                         const sn__foot *from) {
  SN_ASSERT(foot < line->foot_count && from->point_count <= line->points_max);
  const size_t first = foot * line->points_max;
  const size_t size = from->point_count * sizeof *from->points;
  memcpy(&slot->points[first], from->points, size);
  if (from->velocities != NULL) {
    memcpy(&slot->velocities[first], from->velocities, size);
  }
  slot->feet[foot] =
      (sn__foot){.is_touching = from->is_touching,
                 .point_count = from->point_count,
                 .points = &slot->points[first],
                 .velocities = from->velocities == NULL ? NULL : &slot->velocities[first]};
}

const sn__delayed_feet *sn__delay_line_at(const sn__delay_line *line, double delay_s) {
  SN_ASSERT(line->count > 0);
  const sn__delayed_feet *best = &line->slots[line->newest];
  for (size_t i = 1; i < line->count; i++) {
    const size_t at = (line->newest + SN__DELAY_CYCLES - i) % SN__DELAY_CYCLES;
    const sn__delayed_feet *slot = &line->slots[at];
    if (fabs(line->time_s - slot->time_s - delay_s) >=
        fabs(line->time_s - best->time_s - delay_s)) {
      break;
    }
    best = slot;
  }
  return best;
}
