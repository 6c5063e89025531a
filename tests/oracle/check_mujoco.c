/* Compare with MuJoCo on a whole robot: check_mujoco FILE.urdf|FILE.xml [TOLERANCE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "child.h"
#include "sinew/dyn.h"
#include "sinew/kin.h"
#include "sinew/random.h"

#define CASES 100
#define JOINTS_MAX 64
#define LINKS_MAX 256

typedef struct robot {
  const sn_model *model;
  const sn_tree *tree;
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  size_t joint_count, link_count; /* of MuJoCo */
  int entry[JOINTS_MAX];          /* of ours that moves the joint */
  double scale[JOINTS_MAX], offset[JOINTS_MAX];
  int link[LINKS_MAX];
} robot;

/* A joint of MuJoCo is scale times our entry plus offset: not 1 and 0 if it is a mimic. */
static void map_joint(robot *r, const char *name) {
  const int index = sn_model_joint_index(r->model, name);
  if (index < 0 || r->joint_count == JOINTS_MAX) {
    fprintf(stderr, "joint '%s' is not ours\n", name);
    exit(3);
  }
  const sn_joint *joint = sn_model_joint(r->model, (size_t)index);
  const size_t k = r->joint_count++;
  r->entry[k] = joint->mimic < 0 ? index : joint->mimic;
  r->scale[k] = joint->mimic < 0 ? 1.0 : joint->mimic_multiplier;
  r->offset[k] = joint->mimic < 0 ? 0.0 : joint->mimic_offset;
}

static void read_names(robot *r, child *peer) {
  char *line = child_read(peer);
  for (char *name = line == NULL ? NULL : strtok(line, " "); name != NULL;
       name = strtok(NULL, " ")) {
    map_joint(r, name);
  }
  line = child_read(peer);
  for (char *name = line == NULL ? NULL : strtok(line, " ");
       name != NULL && r->link_count < LINKS_MAX; name = strtok(NULL, " ")) {
    r->link[r->link_count++] = sn_model_link_index(r->model, name);
  }
}

/* Theirs in our coordinates: with the joints x = S y, forces are S^T f and the mass S^T M S. */
static void fold(const robot *r, const double *tau, const double *mass, double *our_tau,
                 double *our_mass) {
  const size_t n = r->tree->coord_count, m = r->joint_count;
  memset(our_tau, 0, n * sizeof *our_tau);
  memset(our_mass, 0, n * n * sizeof *our_mass);
  for (size_t i = 0; i < m; i++) {
    const size_t row = (size_t)r->entry[i];
    our_tau[row] += r->scale[i] * tau[i];
    for (size_t j = 0; j < m; j++) {
      our_mass[row * n + (size_t)r->entry[j]] += r->scale[i] * r->scale[j] * mass[i * m + j];
    }
  }
}

static void compare(const robot *r, const double *x, const double *want) {
  static double tau[JOINTS_MAX], mass[JOINTS_MAX * JOINTS_MAX], solved[JOINTS_MAX];
  static double want_tau[JOINTS_MAX], want_mass[JOINTS_MAX * JOINTS_MAX];
  const size_t n = r->tree->coord_count, m = r->joint_count;
  const double *q = x, *qd = x + n, *qdd = x + 2 * n;
  sn_kin_update(r->kin, q);
  for (size_t k = 0; k < r->link_count; k++) {
    if (r->link[k] >= 0) {
      const sn_link *link = sn_model_link(r->model, (size_t)r->link[k]);
      check_pose("poses", sn_kin_link_pose(r->kin, link), want + 12 * k);
    }
  }
  if (r->dyn == NULL) {
    return;
  }
  const double *their_tau = want + 12 * r->link_count, *their_mass = their_tau + m;
  fold(r, their_tau, their_mass, want_tau, want_mass);
  sn_dyn_inverse(r->dyn, NULL, q, qd, qdd, tau, NULL);
  check_numbers("inverse dynamics", n, tau, want_tau);
  sn_dyn_mass_matrix(r->dyn, q, mass);
  for (size_t j = 0; j < n; j++) {
    if (want_mass[j * n + j] == 0.0) {
      want_mass[j * n + j] = 1.0; /* an entry that moves nothing */
    }
  }
  check_numbers("mass matrices", n * n, mass, want_mass);
  if (n == m && !r->tree->has_mimic && /* theirs has freedoms more otherwise */
      sn_dyn_forward(r->dyn, NULL, q, qd, want_tau, solved) == SN_OK) {
    double want_solved[JOINTS_MAX];
    for (size_t i = 0; i < m; i++) {
      want_solved[r->entry[i]] = their_mass[m * m + i];
    }
    check_numbers("forward dynamics", n, solved, want_solved);
  }
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    fprintf(stderr, "usage: check_mujoco FILE.urdf|FILE.xml [TOLERANCE]\n");
    return 2;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "check", 1 << 20);
  static robot r;
  sn_error err;
  r.model = check_load(&arena, argv[1]);
  r.tree = sn_model_tree(r.model);
  if (sn_kin_create(&arena, r.tree, &r.kin, &err) != SN_OK || r.tree->coord_count > JOINTS_MAX) {
    return 3;
  }
  if (sn_dyn_create(&arena, r.tree, &r.dyn, &err) != SN_OK) {
    printf("%s: kinematics only\n", err.message);
  }
  child peer;
  static char program[] = MUJOCO_ORACLE;
  child_start(&peer, (char *[]){program, argv[1], NULL});
  read_names(&r, &peer);
  const size_t n = r.tree->coord_count, m = r.joint_count;
  const size_t count = 12 * r.link_count + 2 * m + m * m;
  double *want = SN_NEW(&arena, double, count);
  sn_random random;
  sn_random_init(&random, 62);
  for (size_t k = 0; k < CASES && want != NULL && m > 0; k++) {
    double x[3 * JOINTS_MAX], theirs[3 * JOINTS_MAX];
    for (size_t i = 0; i < 3 * n; i++) {
      x[i] = sn_random_between(&random, -2.0, 2.0);
    }
    for (size_t i = 0; i < 3 * m; i++) {
      const size_t joint = i % m, part = i / m;
      const double offset = part == 0 ? r.offset[joint] : 0.0;
      theirs[i] = r.scale[joint] * x[part * n + (size_t)r.entry[joint]] + offset;
    }
    child_write(&peer, 3 * m, theirs);
    child_read_numbers(&peer, count, want);
    compare(&r, x, want);
  }
  const int peer_status = child_end(&peer);
  sn_arena_release(&arena);
  /* MuJoCo turns inertias into principal axes to about 1e-8 only; KDL is the sharper oracle. */
  return check_summary(argv[1], argc == 3 ? strtod(argv[2], NULL) : 2e-6) | peer_status;
}
