/* Two joints on their way, arriving together; the target changes in mid-motion. */
#include <stdio.h>

#include "sinew/otg.h"

int main(void) {
  const sn_otg_limits limits[] = {{2.0, 5.0, 40.0}, {1.0, 3.0, 20.0}};
  const sn_otg_config config = {.joint_count = 2, .limits = limits, .synchronise = true};
  sn_arena arena;
  sn_arena_init_growing(&arena, "motion", 0);
  sn_otg *otg = NULL;
  sn_error err;
  if (sn_otg_create(&arena, &config, &otg, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }

  /* From here on nothing allocates: this is what runs in a control loop. */
  const double first[] = {1.0, 1.0};
  const double second[] = {-0.5, 0.2};
  sn_otg_set_target(otg, first, NULL);
  printf("to the first target: %.3f s\n", sn_otg_duration(otg));
  double q[2] = {0.0, 0.0};
  double qd[2] = {0.0, 0.0};
  for (int k = 1; !sn_otg_is_done(otg); k++) {
    sn_otg_step(otg, 0.001, q, qd, NULL);
    if (k == 400) {
      sn_otg_set_target(otg, second, NULL);
      printf("to the second one:   %.3f s\n", sn_otg_duration(otg));
    }
    if (k % 200 == 0) {
      printf("%.1f s  q %7.4f %7.4f  qd %7.4f %7.4f\n", k * 0.001, q[0], q[1], qd[0], qd[1]);
    }
  }
  printf("arrived at %g, %g\n", q[0], q[1]);
  sn_arena_release(&arena);
  return 0;
}
