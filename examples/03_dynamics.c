/* Which torques does a motion take, and what motion do torques make? */
#include <math.h>
#include <stdio.h>

#include "sinew/dyn.h"
#include "sinew/model.h"

enum { N = 6 };

static void print(const char *what, const double *v) {
  printf("%-22s", what);
  for (int i = 0; i < N; i++) {
    printf(" %9.4f", v[i]);
  }
  putchar('\n');
}

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "robot", 1 << 16);

  const sn_model *model = NULL;
  const sn_chain *arm = NULL;
  sn_dyn_data *dyn = NULL;
  sn_error err;
  if (sn_model_load(&arena, "robots/arm6.urdf", NULL, NULL, &model, &err) != SN_OK ||
      sn_chain_create(&arena, model, "base_link", "tool0", &arm, &err) != SN_OK ||
      sn_dyn_create(&arena, &arm->tree, &dyn, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }

  const double q[N] = {0.3, -0.4, 0.5, 0.2, 0.8, 0.1};
  const double qd[N] = {0.5, 0.2, -0.3, 1.0, 0.0, 0.4};
  const double qdd[N] = {1.0, 0.0, 0.5, 0.0, -2.0, 0.0};

  double hold[N];
  sn_dyn_inverse(dyn, NULL, q, NULL, NULL, hold, NULL);
  print("torque to hold still", hold);

  double tau[N];
  sn_dyn_inverse(dyn, NULL, q, qd, qdd, tau, NULL);
  print("torque to move", tau);

  /* Forward dynamics takes the torques back to the accelerations. */
  double back[N];
  if (sn_dyn_forward(dyn, NULL, q, qd, tau, back) != SN_OK) {
    return 1;
  }
  print("acceleration", back);
  double worst = 0.0;
  for (int i = 0; i < N; i++) {
    worst = fmax(worst, fabs(back[i] - qdd[i]));
  }
  printf("there and back again: off by %.1e rad/s^2\n", worst);
  sn_arena_release(&arena);
  return worst < 1e-9 ? 0 : 1;
}
