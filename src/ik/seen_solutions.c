#include "ik/seen_solutions.h"

#include <math.h>
#include <string.h>

bool sn__seen_solutions_create(sn_arena *arena, size_t joint_count, sn__seen_solutions *out) {
  out->joint_count = joint_count;
  out->count = 0;
  out->q = SN_NEW(arena, double, SN__SEEN_SOLUTIONS_MAX *joint_count);
  return out->q != NULL;
}

static bool is_same(size_t n, const double *a, const double *b, const bool *periodic,
                    double apart) {
  for (size_t j = 0; j < n; j++) {
    const double difference = a[j] - b[j];
    const double distance = periodic[j] ? remainder(difference, 6.283185307179586) : difference;
    if (fabs(distance) > apart) {
      return false;
    }
  }
  return true;
}

bool sn__seen_solutions_add(sn__seen_solutions *seen, const double *q, const bool *periodic,
                            double apart) {
  const size_t n = seen->joint_count;
  for (size_t i = 0; i < seen->count; i++) {
    if (is_same(n, q, seen->q + i * n, periodic, apart)) {
      return false;
    }
  }
  if (seen->count == SN__SEEN_SOLUTIONS_MAX) {
    return false;
  }
  memcpy(seen->q + seen->count * n, q, n * sizeof *q);
  seen->count++;
  return true;
}
