#include "controllers/ref_interpolator.h"

void sn__ref_interpolator_reset(sn__ref_interpolator *line, double q) {
  *line = (sn__ref_interpolator){.from = q, .to = q};
}

double sn__ref_interpolator_at(const sn__ref_interpolator *line, int64_t period_ns,
                               int64_t now_ns) {
  const int64_t gone_ns = now_ns - line->begun_ns + period_ns;
  return gone_ns >= line->length_ns
             ? line->to
             : line->from + (line->to - line->from) * ((double)gone_ns / (double)line->length_ns);
}

void sn__ref_interpolator_add(sn__ref_interpolator *line, double q, int64_t interval_max_ns,
                              int64_t period_ns, int64_t now_ns) {
  const int64_t gap_ns = now_ns - line->begun_ns;
  if (line->is_running && gap_ns == 0 &&
      interval_max_ns > 0) { /* several in one cycle: the last one counts */
    line->from = line->length_ns == 0 ? q : line->from;
    line->to = q;
    return;
  }
  const bool is_regular = line->is_running && gap_ns > 0 && gap_ns <= interval_max_ns;
  const int64_t longer_ns = gap_ns > line->interval_ns ? gap_ns : line->interval_ns;
  /* The line ended with the cycle before this one. */
  line->from = is_regular ? sn__ref_interpolator_at(line, 0, now_ns) : q;
  line->to = q;
  line->begun_ns = now_ns;
  /* A quarter more than the longer of two intervals: a source that is a little late does not make
     the joint wait. */
  line->length_ns = is_regular && longer_ns > period_ns ? longer_ns + longer_ns / 4 : 0;
  line->interval_ns = is_regular ? gap_ns : 0;
  line->is_running = true;
}
