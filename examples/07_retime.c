/* Two joints along a path through waypoints, as fast as their limits allow. */
#include <stdio.h>

#include "sinew/retime.h"

int main(void) {
  const sn_otg_limits limits[] = {{2.0, 5.0, 40.0}, {1.0, 3.0, 20.0}};
  const sn_retimer_config config = {.joint_count = 2, .waypoint_max = 16, .limits = limits};
  sn_arena arena;
  sn_arena_init_growing(&arena, "motion", 0);
  sn_retimer *retimer = NULL;
  sn_error err;
  if (sn_retimer_create(&arena, &config, &retimer, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }

  const double waypoints[] = {0.0, 0.0, 0.4, 0.1, 0.8, 0.4, 1.0, 1.0};
  const sn_retime_path path = {.q = waypoints, .count = 4};
  double duration_s = 0.0;
  if (sn_retime(retimer, &path, &duration_s, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  for (int k = 0; k <= 10; k++) {
    const double t_s = 0.1 * k * duration_s;
    double q[2];
    double qd[2];
    sn_retimer_at(retimer, t_s, q, qd, NULL);
    printf("%.3f s  q %7.4f %7.4f  qd %7.4f %7.4f\n", t_s, q[0], q[1], qd[0], qd[1]);
  }
  sn_arena_release(&arena);
  return 0;
}
