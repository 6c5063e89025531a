/* A robot of servos on the ground: bench_ground. The quadruped stands on its four feet, or squats,
   with Sinew's physics and with MuJoCo's: a cycle of 1 ms of the plant, four steps each. `mj_step`
   is MuJoCo alone in the state in which its plant stands, `mj_step_creeping` the same without
   noslip iterations. The engines take turns, so that a machine that is sometimes slower favours
   none. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "plant/mujoco/mujoco_internal.h"
#include "plant/mujoco/mujoco_physics.h"
#include "plant/plant_state.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/report.h"
#include "sinew/value.h"

enum { PEERS = 4, ROUNDS = 9, STEPS = 4, SETTLING = 1000, PERIOD = 1000 };
static const double CYCLE_S = 0.001, DEPTH_RAD = 0.2;

typedef struct bench_context {
  sn_plant *plant;
  sn_servo_goal *goals;
  long cycle;
} bench_context;

/* Share of an angle that a joint has if the knees bend: forwards at the front, backwards at the
   back. */
static double share_of(const char *name) {
  int leg = 0, joint = 0;
  if (sscanf(name, "leg%d_joint%d", &leg, &joint) != 2 || joint < 3 || joint > 5) {
    return 0.0;
  }
  return (leg <= 2 ? -1.0 : 1.0) * (joint == 4 ? -2.0 : 1.0);
}

static void stand(void *context, size_t k) {
  bench_context *c = context;
  (void)k;
  sn__plant_step(c->plant, CYCLE_S);
}

static void squat(void *context, size_t k) {
  bench_context *c = context;
  (void)k;
  const double turn = 6.283185307 / PERIOD * (double)c->cycle++;
  for (size_t i = 0; i < c->goals->goal.count; i++) {
    c->goals->goal.data[i] =
        DEPTH_RAD * (1.0 - cos(turn)) * share_of(sn_msg_names_at(&c->goals->name, i));
  }
  (void)sn__plant_take_goals(c->plant, c->goals);
  sn__plant_step(c->plant, CYCLE_S);
}

static void alone(void *context, size_t k) {
  const bench_context *c = context;
  const sn__mujoco *mujoco = (const sn__mujoco *)c->plant->physics;
  (void)k;
  for (int i = 0; i < STEPS; i++) {
    mj_step(mujoco->m, mujoco->d);
  }
}

static void fast(void *context, size_t k) {
  const bench_context *c = context;
  mjOption *option = &((const sn__mujoco *)c->plant->physics)->m->opt;
  const int iterations = option->noslip_iterations;
  option->noslip_iterations = 0;
  alone(context, k);
  option->noslip_iterations = iterations;
}

static bool open_plant(sn_arena *arena, const sn_model *model, sn__physics_maker *maker,
                       bench_context *out) {
  sn_error err;
  const sn_plant_ground ground = {0};
  const sn_plant_config config = {.ground = &ground};
  if (sn__plant_create_with(arena, model, &config, maker, &out->plant, &err) != SN_OK) {
    fprintf(stderr, "bench_ground: %s\n", err.message);
    return false;
  }
  out->goals = sn_msg_create(arena, &sn_servo_goal_type, NULL);
  sn_msg_names_share(&out->goals->name, sn_model_joint_names(model));
  out->goals->goal.count = sn_model_pose_size(model);
  for (int i = 0; i < SETTLING; i++) {
    sn__plant_step(out->plant, CYCLE_S);
  }
  return true;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, by_size);
  return values[ROUNDS / 2];
}

/* @param functions  NULL: not measured */
static void measure(const char *name, bench_context *contexts[PEERS],
                    bench_function *const *functions, size_t joint_count) {
  static const char *const libraries[PEERS] = {"sinew", "plant_mujoco", "mj_step",
                                               "mj_step_creeping"};
  double times[PEERS][ROUNDS];
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < PEERS; i++) {
      const bench_case what = {.library = libraries[i],
                               .name = name,
                               .robot = "quadruped",
                               .joint_count = joint_count,
                               .calls_per_batch = 10,
                               .batch_count = 50,
                               .is_processor_time = 1};
      times[i][round] = functions[i] == NULL ? NAN : bench_run(&what, functions[i], contexts[i]);
    }
  }
  const double own = median(times[0]);
  for (int i = 1; i < PEERS; i++) {
    if (functions[i] != NULL) {
      const double other = median(times[i]);
      printf("%s: sinew %.1f us, %s %.1f us per cycle of 1 ms, %.1f times\n", name, 1e-3 * own,
             libraries[i], 1e-3 * other, other / own);
    }
  }
}

static const sn_model *load(sn_arena *arena) {
  sn_error err = {0};
  const sn_model *model = NULL;
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "problems", 0);
  sn_report *report = NULL;
  sn_model_config config = {0};
  if (sn_report_create(&scratch, &report, &err) != SN_OK ||
      sn_value_load(&scratch, BENCH_ROBOTS "/quadruped.yaml", report, &config.properties) !=
          SN_OK ||
      sn_model_load(arena, BENCH_ROBOTS "/quadruped.urdf", &config, report, &model, &err) !=
          SN_OK) {
    fprintf(stderr, "bench_ground: %s\n", err.message);
  }
  sn_arena_release(&scratch);
  return model;
}

int main(void) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "bench", 0);
  const sn_model *model = load(&arena);
  if (model == NULL) {
    return 1;
  }
  bench_context own = {NULL}, mujoco = {NULL};
  if (!open_plant(&arena, model, NULL, &own) ||
      !open_plant(&arena, model, sn__mujoco_create, &mujoco)) {
    return 1;
  }
  bench_context *contexts[] = {&own, &mujoco, &mujoco, &mujoco};
  const size_t n = sn_model_pose_size(model);
  measure("ground_stand", contexts, (bench_function *[]){stand, stand, alone, fast}, n);
  measure("ground_squat", contexts, (bench_function *[]){squat, squat, NULL, NULL}, n);
  sn__plant_release(mujoco.plant);
  sn_arena_release(&arena);
  return 0;
}
