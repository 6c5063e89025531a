/* MuJoCo as oracle: mujoco_oracle FILE.urdf. First two lines out: the names of the joints and of
   the links. Then for each line in, "q qd qdd", a line out: of every link axes and origin (12
   numbers), then inverse dynamics (n), mass matrix (n n), forward dynamics of (q, qd, that torque)
   (n). Gravity -9.81 along z; mimic joints are free. */
#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "mujoco_load.h"

static bool read_numbers(int n, double *x) {
  for (int i = 0; i < n; i++) {
    if (scanf("%lf", &x[i]) != 1) {
      return false;
    }
  }
  return true;
}

static void write_numbers(int n, const double *x) {
  for (int i = 0; i < n; i++) {
    printf("%.17g ", x[i]);
  }
}

static void write_pose(const double *mat, const double *pos) {
  for (int axis = 0; axis < 3; axis++) {
    printf("%.17g %.17g %.17g ", mat[axis], mat[3 + axis], mat[6 + axis]);
  }
  write_numbers(3, pos);
}

static void answer(const mjModel *m, mjData *d, double *work) {
  const int n = m->nv;
  double *tau = work, *solved = work + n, *mass = work + 2 * n;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
  mj_factorM(m, d);
  mj_comVel(m, d);
  for (int body = 1; body < m->nbody; body++) {
    write_pose(d->xmat + 9 * body, d->xpos + 3 * body);
  }
  mj_rne(m, d, 1, tau);
  write_numbers(n, tau);
  mj_fullM(m, mass, d->qM);
  write_numbers(n * n, mass);
  mj_rne(m, d, 0, mass); /* the bias, in memory that is free by now */
  for (int i = 0; i < n; i++) {
    tau[i] -= mass[i];
  }
  mj_solveM(m, d, solved, tau, 1);
  write_numbers(n, solved);
  printf("\n");
  fflush(stdout);
}

int main(int argc, char **argv) {
  mjModel *m = argc == 2 ? mujoco_load(argv[1], 0) : NULL;
  if (m == NULL) {
    return 1;
  }
  for (int j = 0; j < m->njnt; j++) {
    printf("%s ", mj_id2name(m, mjOBJ_JOINT, j));
  }
  printf("\n");
  for (int body = 1; body < m->nbody; body++) {
    printf("%s ", mj_id2name(m, mjOBJ_BODY, body));
  }
  printf("\n");
  fflush(stdout);
  mjData *d = mj_makeData(m);
  double *work = malloc(sizeof *work * (size_t)(m->nv * (m->nv + 2) + 1));
  while (work != NULL && read_numbers(m->nv, d->qpos) && read_numbers(m->nv, d->qvel) &&
         read_numbers(m->nv, d->qacc)) {
    answer(m, d, work);
  }
  free(work);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
