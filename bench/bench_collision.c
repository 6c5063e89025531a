/* Self-collision: bench_collision [FILE.urdf...]. In a motion of 1 ms cycles about the zero pose
   and in random poses: is anything in contact (`collide`), and how far is the nearest pair
   (`distance`); FCL does the same with the same shapes and pairs. Meshes are left out. That for
   some rounds, and a summary. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "collision/collision_internal.h"
#include "sinew/random.h"
#include "sinew/report.h"

typedef struct bench_context {
  const sn_model *model;
  sn__collision *collision;
  double *poses; /* [BENCH_INPUTS][pose_size] */
} bench_context;

static const double *pose_at(const bench_context *c, size_t k) {
  return c->poses + k * sn_model_pose_size(c->model);
}

static void collide(void *context, size_t k) {
  bench_context *c = context;
  const sn__near *list = NULL;
  (void)sn__collision_check(c->collision, pose_at(c, k), 0.0, &list);
}

static void measure(void *context, size_t k) {
  bench_context *c = context;
  sn__near near;
  (void)sn__collision_nearest(c->collision, pose_at(c, k), &near);
}

static void fill_random(bench_context *c) {
  sn_random random;
  sn_random_init(&random, 1);
  const size_t n = sn_model_pose_size(c->model);
  for (size_t i = 0; i < BENCH_INPUTS * n; i++) {
    const sn_joint *joint = sn_model_joint(c->model, i % n);
    c->poses[i] = sn_random_between(&random, fmax(joint->lower, -3.14), fmin(joint->upper, 3.14));
  }
}

/* Back and forth, so that the last pose is next to the first. */
static void fill_motion(bench_context *c) {
  const size_t n = sn_model_pose_size(c->model);
  for (size_t i = 0; i < BENCH_INPUTS * n; i++) {
    const size_t j = i % n;
    const sn_joint *joint = sn_model_joint(c->model, j);
    const double range = isfinite(joint->upper - joint->lower) ? joint->upper - joint->lower : 2.0;
    const double swing = fmin(0.02, 0.1 * range);
    const double middle = fmax(joint->lower + swing, fmin(joint->upper - swing, 0.0));
    const double turn = 6.283185307179586 / BENCH_INPUTS * (double)(i / n);
    c->poses[i] = middle + swing * sin(turn + (double)j);
  }
}

static void write_pose(FILE *file, const sn_pose *p) {
  fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g\n",
          p->rot.x.x, p->rot.y.x, p->rot.z.x, p->rot.x.y, p->rot.y.y, p->rot.z.y, p->rot.x.z,
          p->rot.y.z, p->rot.z.z, p->pos.x, p->pos.y, p->pos.z);
}

static void write_scene(const bench_context *context, FILE *file) {
  sn__collision *c = context->collision;
  fprintf(file, "%zu\n", c->solid_count);
  for (size_t i = 0; i < c->solid_count; i++) {
    const sn__convex *shape = &c->solids[i].convex;
    fprintf(file, "%d %.17g %.17g %.17g %.17g\n", (int)shape->kind, shape->half.x, shape->half.y,
            shape->half.z, shape->radius);
  }
  size_t count = 0;
  for (size_t i = 0; i < c->pair_count; i++) {
    count += c->pairs[i].count;
  }
  fprintf(file, "%zu\n", count);
  for (size_t i = 0; i < c->pair_count; i++) {
    for (size_t k = 0; k < c->pairs[i].count; k++) {
      const sn__solid_pair *pair = &c->solid_pairs[c->pairs[i].first + k];
      fprintf(file, "%d %d\n", pair->a, pair->b);
    }
  }
  for (size_t k = 0; k < BENCH_INPUTS; k++) {
    sn_kin_update(c->kin, pose_at(context, k));
    for (size_t i = 0; i < c->solid_count; i++) {
      const sn_pose pose =
          sn_pose_mul(sn_kin_body_pose(c->kin, c->solids[i].body), c->solids[i].pose_body_solid);
      write_pose(file, &pose);
    }
  }
}

static void run_peer(const bench_context *context, const char *robot, const char *motion) {
  char path[] = "/tmp/sinew_scene_XXXXXX";
  const int descriptor = mkstemp(path);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (file == NULL) {
    return;
  }
  write_scene(context, file);
  fclose(file);
  char joints[16], name[64], kind[16];
  snprintf(joints, sizeof joints, "%zu", sn_model_pose_size(context->model));
  snprintf(name, sizeof name, "%s", robot);
  snprintf(kind, sizeof kind, "%s", motion);
  static const bench_library peer = {"peer_fcl", "libfcl-dev"};
  bench_peer_beside(&peer, (char *[]){name, joints, kind, path, NULL});
  (void)unlink(path);
}

static void run_motion(bench_context *context, const char *robot, const char *motion) {
  static const struct {
    const char *name;
    bench_function *function;
  } cases[] = {{"collide", collide}, {"distance", measure}};
  for (size_t i = 0; i < 2; i++) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", cases[i].name, motion);
    const bench_case what = {.library = "sinew",
                             .name = name,
                             .robot = robot,
                             .joint_count = sn_model_pose_size(context->model),
                             .calls_per_batch = 4,
                             .batch_count = BENCH_ROUND_BATCHES};
    bench_run(&what, cases[i].function, context);
  }
  run_peer(context, robot, motion);
}

static void run_robot(const char *path) {
  sn_arena arena, problems;
  sn_arena_init_growing(&arena, "bench", 0);
  sn_arena_init_growing(&problems, "problems", 0);
  sn_report *report = NULL;
  bench_context context = {NULL};
  sn_error err = {0};
  char robot[64];
  bench_robot_name(path, robot, sizeof robot);
  if (sn_report_create(&problems, &report, &err) != SN_OK ||
      sn_model_load(&arena, path, &(sn_model_config){0}, report, &context.model, &err) != SN_OK ||
      sn__collision_create(&arena, context.model, &(sn__collision_config){0}, report,
                           &context.collision, &err) != SN_OK) {
    fprintf(stderr, "bench_collision: %s: %s\n", path, err.message);
  } else {
    context.poses = SN_NEW(&arena, double, BENCH_INPUTS *sn_model_pose_size(context.model) + 1);
    for (size_t round = 0; round < BENCH_ROUNDS; round++) {
      fill_motion(&context);
      run_motion(&context, robot, "motion");
      fill_random(&context);
      run_motion(&context, robot, "random");
    }
  }
  sn_arena_release(&problems);
  sn_arena_release(&arena);
}

int main(int argc, char **argv) {
  static const char *const robots[] = {"quadruped", "arm6", "arm7", "arm_ur"};
  for (int i = 1; i < argc; i++) {
    run_robot(argv[i]);
  }
  for (size_t i = 0; argc < 2 && i < sizeof robots / sizeof *robots; i++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.urdf", BENCH_ROBOTS, robots[i]);
    run_robot(path);
  }
  bench_summary();
  return 0;
}
