/* How long it takes to plan steps: one case for each request, in the time of the process.

   usage: bench_gait [URDF PROPERTIES REQUEST.json ...]; without arguments requests to the
   quadruped. Drives are as fast as the joints of the robot allow; torques are not bounded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "gait/nominal.h"
#include "gait/planner.h"
#include "movements/movement.h"
#include "sinew/value.h"

static const double SPEED_MAX = 9.0;

typedef struct robot {
  sn_arena arena, report_arena;
  const sn_model *model;
  sn__planner *planner;
  sn__legs legs;
  sn__plan_request request;
  sn__walk_plan plan;
  size_t failed;
  sn_error err;
} robot;

static void stop(const char *text) {
  fprintf(stderr, "bench_gait: %s\n", text);
  exit(1);
}

static void load(robot *r, const char *urdf, const char *properties) {
  sn_report *report = NULL;
  sn_model_config config = {0};
  sn_error err = {.message = "the robot cannot be loaded"};
  sn_arena_init_growing(&r->arena, "bench", 0);
  sn_arena_init_growing(&r->report_arena, "report", 0);
  if (sn_report_create(&r->report_arena, &report, &err) != SN_OK ||
      sn_value_load(&r->report_arena, properties, report, &config.properties) != SN_OK ||
      sn_model_load(&r->arena, urdf, &config, report, &r->model, &err) != SN_OK) {
    stop(err.message);
  }
}

static void prepare(robot *r) {
  const size_t n = sn_model_pose_size(r->model);
  const size_t chains = sn_names_count(sn_model_chain_names(r->model));
  sn__limb_ik *limbs = SN_NEW(&r->arena, sn__limb_ik, chains);
  sn__step_drive *drives = SN_NEW(&r->arena, sn__step_drive, n);
  sn__step_leg legs[SN__LEGS_MAX];
  sn_balance *balance = NULL;
  sn_error err = {.message = ""};
  for (size_t j = 0; j < n; j++) {
    drives[j] = (sn__step_drive){.speed_max = SPEED_MAX, .torque_max = INFINITY};
  }
  for (size_t i = 0; i < chains; i++) {
    const sn__limb_ik_config config = {
        .model = r->model, .chain = i, .with_virtual = true, .jump_max = 0.8, .timeout_s = 0.005};
    if (sn_model_chain_default_contact(r->model, i) >= 0 &&
        sn__limb_ik_create(&r->arena, &config, &limbs[i], &err) != SN_OK) {
      stop(err.message);
    }
  }
  if (sn__nominal_find(&r->arena, r->model, limbs, &r->legs, &err) != SN_OK ||
      sn__balance_create(&r->arena, r->model, &balance, &err) != SN_OK) {
    stop(err.message);
  }
  for (size_t i = 0; i < r->legs.count; i++) {
    legs[i] = (sn__step_leg){r->legs.leg[i].chain, &limbs[r->legs.leg[i].chain]};
  }
  const sn__planner_config config = {.model = r->model,
                                     .legs = legs,
                                     .leg_count = r->legs.count,
                                     .nominal = r->legs.stance,
                                     .drives = drives,
                                     .balance = balance};
  if (sn__planner_create(&r->arena, &config, &r->planner, &err) != SN_OK) {
    stop(err.message);
  }
}

static void plan(void *context, size_t index) {
  robot *r = context;
  (void)index;
  r->failed +=
      sn__planner_solve(r->planner, &r->request, r->legs.stance, &r->plan, &r->err) != SN_OK;
}

static void measure(robot *r, const char *name, const char *urdf) {
  char short_name[64];
  bench_robot_name(urdf, short_name, sizeof short_name);
  const bench_case c = {.library = "sinew",
                        .name = name,
                        .robot = short_name,
                        .joint_count = sn_model_pose_size(r->model),
                        .calls_per_batch = 1,
                        .batch_count = 30,
                        .is_processor_time = 1};
  r->failed = 0;
  bench_run(&c, plan, r);
  fprintf(stderr, "%s: %s, %zu steps, %.2f s, margin %.4f m, speed %.1f, %zu programmes\n", name,
          r->failed > 0 ? r->err.message : "planned", r->plan.step_count, r->plan.duration_s,
          r->plan.margin_m, r->plan.speed_peak, r->plan.round_count);
}

static void measure_file(robot *r, const char *urdf, const char *path) {
  sn__movement movement;
  sn_error err = {.message = ""};
  int32_t error;
  char name[64];
  if (sn__movement_load(path, &r->arena, &movement, &err) != SN_OK ||
      movement.kind != SN__MOVEMENT_MOVE_BASE ||
      sn__planner_read(r->planner, movement.move_base, sn_pose_identity(), &r->request, &error,
                       &err) != SN_OK) {
    stop(err.message);
  }
  bench_robot_name(path, name, sizeof name);
  measure(r, name, urdf);
}

/* Body lengths, degrees. */
static void measure_own(robot *r, const char *urdf) {
  static const struct {
    const char *name;
    sn__gait_kind kind;
    double x, y, turn_deg;
    size_t steps;
  } cases[] = {{"walk forward", SN__GAIT_WALK, 0.5, 0, 0, 3},
               {"walk_overlap and turn", SN__GAIT_WALK_OVERLAP, 0.3, 0.2, 45, 4},
               {"trot forward", SN__GAIT_TROT, 0.8, 0, 0, 4},
               {"trot sideways", SN__GAIT_TROT, 0, 0.3, 0, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double turn = cases[i].turn_deg * 0.017453292519943295;
    const double length = 2.0 * fabs(r->legs.leg[0].foot.x);
    r->request =
        (sn__plan_request){.kind = cases[i].kind,
                           .duration_s = (double)cases[i].steps,
                           .step_count = cases[i].steps,
                           .base = {sn_mat3_from_rpy(0, 0, turn),
                                    {length * cases[i].x, length * cases[i].y, r->legs.height_m}},
                           .pose_world_path = sn_pose_identity()};
    measure(r, cases[i].name, urdf);
  }
}

int main(int argc, char **argv) {
  static robot r;
  const char *urdf = argc > 2 ? argv[1] : BENCH_ROBOTS "/quadruped.urdf";
  load(&r, urdf, argc > 2 ? argv[2] : BENCH_ROBOTS "/quadruped.yaml");
  prepare(&r);
  for (int i = 3; i < argc; i++) {
    measure_file(&r, urdf, argv[i]);
  }
  if (argc <= 3) {
    measure_own(&r, urdf);
  }
  sn_arena_release(&r.arena);
  sn_arena_release(&r.report_arena);
  return 0;
}
