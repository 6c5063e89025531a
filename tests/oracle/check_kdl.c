/* Compare with KDL on a chain: check_kdl FILE.urdf BASE TIP */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "child.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"

#define CASES 200
#define JOINTS_MAX 32

static void compare(const sn_chain *chain, sn_dyn_data *dyn, const double *x, const double *want) {
  const size_t n = chain->joint_count;
  const double *q = x, *qd = x + n, *qdd = x + 2 * n;
  double jac[6 * JOINTS_MAX], tau[JOINTS_MAX], mass[JOINTS_MAX * JOINTS_MAX], solved[JOINTS_MAX];
  sn_pose pose;
  sn_chain_fk_jacobian(chain, q, &pose, jac);
  check_pose("poses", pose, want);
  check_numbers("Jacobians", 6 * n, jac, want + 12);
  if (dyn == NULL) {
    return;
  }
  sn_dyn_inverse(dyn, NULL, q, qd, qdd, tau, NULL);
  check_numbers("inverse dynamics", n, tau, want + 12 + 6 * n);
  sn_dyn_mass_matrix(dyn, q, mass);
  check_numbers("mass matrices", n * n, mass, want + 12 + 7 * n);
  if (sn_dyn_forward(dyn, NULL, q, qd, want + 12 + 6 * n, solved) == SN_OK) {
    check_numbers("forward dynamics", n, solved, want + 12 + 7 * n + n * n);
  }
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: check_kdl FILE.urdf BASE TIP\n");
    return 2;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "check", 1 << 20);
  const sn_model *model = check_load(&arena, argv[1]);
  const sn_chain *chain = NULL;
  sn_dyn_data *dyn = NULL;
  sn_error err;
  if (sn_chain_create(&arena, model, argv[2], argv[3], &chain, &err) != SN_OK ||
      chain->joint_count > JOINTS_MAX) {
    fprintf(stderr, "%s\n", err.message);
    return 3;
  }
  if (sn_dyn_create(&arena, &chain->tree, &dyn, &err) != SN_OK) {
    printf("%s: kinematics only\n", err.message);
  }
  child peer;
  static char program[] = KDL_ORACLE;
  child_start(&peer, (char *[]){program, argv[1], argv[2], argv[3], NULL});
  child_read(&peer); /* joints of a chain have one order only */
  const size_t n = chain->joint_count;
  sn_random random;
  sn_random_init(&random, 61);
  for (size_t k = 0; k < CASES; k++) {
    double x[3 * JOINTS_MAX], want[12 + 8 * JOINTS_MAX + JOINTS_MAX * JOINTS_MAX];
    for (size_t i = 0; i < 3 * n; i++) {
      x[i] = sn_random_between(&random, -3.0, 3.0);
    }
    child_write(&peer, 3 * n, x);
    child_read_numbers(&peer, 12 + 8 * n + n * n, want);
    compare(chain, dyn, x, want);
  }
  const int peer_status = child_end(&peer);
  sn_arena_release(&arena);
  return check_summary(argv[1], 1e-9) | peer_status;
}
