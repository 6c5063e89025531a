/* Pure rotation of a tool in the standard deployment: where the simulated arm is, with friction,
   gravity and servos whose models are identified. */
#include <math.h>

#include "jog_bench.h"
#include "sn_test.h"

static const double TURN_rad_s = 0.5;

/* How far centres have been from where they began, m. */
typedef struct moved {
  double command, arm;
} moved;

static double distance(sn_vec3 a, sn_vec3 b) {
  return sn_vec3_norm(sn_vec3_sub(a, b));
}

/* By 360 degrees, or until a limit stops it. */
static moved turn(jog_bench *b, int axis) {
  const sn_vec3 centre = jog_tool(b).pos;
  const sn_vec3 real = sn_chain_fk(b->chain, b->real).pos;
  sn_spatial twist = sn_spatial_zero();
  *(axis == 0 ? &twist.ang.x : axis == 1 ? &twist.ang.y : &twist.ang.z) = TURN_rad_s;
  moved out = {0.0, 0.0};
  for (int k = 0; k < 12600 && (k < 500 || jog_state(b)->share > 0.02); k++) {
    if (k % 20 == 0) {
      jog_want(b, "tool", twist);
    }
    jog_cycles(b, 1);
    out.command = fmax(out.command, distance(jog_tool(b).pos, centre));
    out.arm = fmax(out.arm, distance(sn_chain_fk(b->chain, b->real).pos, real));
  }
  return out;
}

static void check(const char *robot, const double *q) {
  for (int axis = 0; axis < 3; axis++) {
    jog_bench b;
    jog_bench_open_identified(&b, robot, q);
    const moved m = turn(&b, axis);
    print_message("%s, axis %d: command %.2f um, arm %.3f mm\n", robot, axis, 1e6 * m.command,
                  1e3 * m.arm);
    assert_true(m.command <= 20e-6);
    assert_true(m.arm <= 0.2e-3);
    jog_bench_close(&b);
  }
}

SN_TEST(arm6_keeps_the_centre_within_a_fifth_of_a_millimetre) {
  check("arm6", (const double[]){0.2, 0.3, 0.4, 0.1, 0.9, 0.0});
}

SN_TEST(arm_ur_keeps_the_centre_within_a_fifth_of_a_millimetre) {
  check("arm_ur", (const double[]){0.3, -1.2, 1.4, -0.5, 1.2, 0.1});
}

SN_TEST(arm7_keeps_the_centre_within_a_fifth_of_a_millimetre) {
  check("arm7", (const double[]){0.2, 0.5, 0.1, 1.2, 0.1, 0.9, 0.0});
}

SN_TEST(arm_panda_keeps_the_centre_within_a_fifth_of_a_millimetre) {
  check("arm_panda", (const double[]){0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785});
}
