#include "bench/bench_guard.h"

#include <math.h>
#include <stdio.h>

#include "collision/objects.h"
#include "command.h"
#include "guard/guard.h"
#include "sinew/clock.h"

enum {
  CALLS = BENCH_GUARD_CALLS,
  WARM_UP = 1000,
  CYCLES_MAX = 20 * CALLS, /* until links have met that often */
  LEG = 500                /* cycles until a joint is sent elsewhere */
};
static const double DT_S = 0.001, ACCEL = 20.0, SPEED = 2.0;

/* ---- motions ---- */

static double clamp(double x, double lower, double upper) {
  return fmax(lower, fmin(upper, x));
}

void bench_draw_pose(const sn_model *model, sn_random *random, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    q[i] = sn_random_between(random, fmax(joint->lower, -3.14), fmin(joint->upper, 3.14));
  }
}

void bench_swing(const sn_model *model, size_t cycle, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    const double range = isfinite(joint->upper - joint->lower) ? joint->upper - joint->lower : 2.0;
    const double amplitude = fmin(0.2, 0.1 * range);
    const double phase = DT_S * (double)cycle * (5.0 + 0.1 * (double)i) + (double)i;
    const double middle = clamp(0.0, joint->lower + amplitude, joint->upper - amplitude);
    q[i] = middle + amplitude * sin(phase);
  }
}

/* ---- a guard ---- */

typedef struct guard_case {
  const sn_model *model;
  sn__guard *guard;
  sn_clock clock;
  double *q, *qd;               /* of the last cycle */
  double *wanted_q, *wanted_qd; /* of this one */
  double *brake_q, *brake_qd;   /* if all joints brake */
  double *target;
} guard_case;

/* Boxes on a ball of 5 m, evenly enough. */
static sn_status add_objects(sn__collision *collision, size_t count, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    static const double GOLDEN = 2.399963229728653, FAR_M = 5.0;
    const double z = 1.0 - (2.0 * (double)i + 1.0) / (double)count;
    const double radius = sqrt(1.0 - z * z), angle = GOLDEN * (double)i;
    sn__object object = {.pose = sn_pose_identity()};
    (void)snprintf(object.name, sizeof object.name, "object %zu", i);
    object.pose.pos =
        sn_vec3_scale(sn_vec3_make(radius * cos(angle), radius * sin(angle), z), FAR_M);
    status = sn__object_shape("box", (double[3]){0.1, 0.1, 0.1}, 3, NULL, 0, &object, err);
    status = status == SN_OK ? sn__collision_add_object(collision, &object, err) : status;
  }
  return status;
}

/* @return SN_OK, or why not */
static sn_status open_guard(robot *r, size_t object_count, guard_case *g, sn_error *err) {
  const size_t n = sn_model_pose_size(r->model);
  sn__guard_limits *limits = SN_NEW(&r->arena, sn__guard_limits, n);
  double *numbers = SN_NEW(&r->arena, double, 7 * n);
  const sn__collision_config shapes = {
      .robot_file = r->urdf, .leaves_out_overlaps = true, .object_capacity = object_count};
  sn__collision *collision = NULL;
  if (limits == NULL || numbers == NULL) {
    return SN_ENOMEM;
  }
  for (size_t i = 0; i < n; i++) {
    limits[i] = (sn__guard_limits){.accel = ACCEL, .brake = ACCEL};
  }
  *g = (guard_case){.model = r->model,
                    .q = numbers,
                    .qd = numbers + n,
                    .wanted_q = numbers + 2 * n,
                    .wanted_qd = numbers + 3 * n,
                    .brake_q = numbers + 4 * n,
                    .brake_qd = numbers + 5 * n,
                    .target = numbers + 6 * n};
  sn_clock_init_monotonic(&g->clock);
  const sn__guard_config config = {.period_max_s = 2.0 * DT_S, .limits = limits};
  sn_status status = sn__collision_create(&r->arena, r->model, &shapes, NULL, &collision, err);
  status = status == SN_OK ? add_objects(collision, object_count, err) : status;
  return status == SN_OK ? sn__guard_create(&r->arena, r->model, collision, &config, &g->guard, err)
                         : status;
}

/* ---- a motion that is free ---- */

/* The swinging motion, cycle by cycle. @return the share that passed */
static double measure_free(guard_case *g, int64_t *times) {
  const size_t n = sn_model_pose_size(g->model);
  size_t passed = 0;
  bench_swing(g->model, 0, g->q);
  sn__guard_start(g->guard, g->q);
  for (size_t k = 0; k < CALLS + WARM_UP; k++) {
    bench_swing(g->model, k + 1, g->wanted_q);
    for (size_t i = 0; i < n; i++) {
      g->wanted_qd[i] = (g->wanted_q[i] - g->q[i]) / DT_S;
    }
    const sn__guard_motion from = {g->q, g->qd}, wanted = {g->wanted_q, g->wanted_qd};
    const int64_t start_ns = sn_clock_now_ns(&g->clock);
    const bool is_safe = sn__guard_admits(g->guard, &from, &wanted, DT_S);
    times[k < WARM_UP ? 0 : k - WARM_UP] = sn_clock_now_ns(&g->clock) - start_ns;
    passed += k >= WARM_UP && is_safe;
    for (size_t i = 0; i < n; i++) {
      g->q[i] = g->wanted_q[i];
      g->qd[i] = g->wanted_qd[i];
    }
  }
  return (double)passed / CALLS;
}

/* ---- a motion that is blocked ---- */

/* Each joint goes to its target as fast as it may, or brakes. */
static void want(guard_case *g) {
  for (size_t i = 0; i < sn_model_pose_size(g->model); i++) {
    const double fastest = clamp(5.0 * (g->target[i] - g->q[i]), -SPEED, SPEED);
    const double step = ACCEL * DT_S;
    g->wanted_qd[i] = g->qd[i] + clamp(fastest - g->qd[i], -step, step);
    g->brake_qd[i] = g->qd[i] - clamp(g->qd[i], -step, step);
    g->wanted_q[i] = g->q[i] + g->wanted_qd[i] * DT_S;
    g->brake_q[i] = g->q[i] + g->brake_qd[i] * DT_S;
  }
}

static void move(guard_case *g, const double *shares) {
  for (size_t i = 0; i < sn_model_pose_size(g->model); i++) {
    const double share = shares == NULL ? 1.0 : shares[i];
    g->q[i] = g->brake_q[i] + share * (g->wanted_q[i] - g->brake_q[i]);
    g->qd[i] = g->brake_qd[i] + share * (g->wanted_qd[i] - g->brake_qd[i]);
  }
}

/* Joints go from one random pose to the next. @return how many cycles were blocked; only these are
   measured */
static size_t measure_blocked(guard_case *g, int64_t *times) {
  sn_random random;
  sn_random_init(&random, 1);
  size_t count = 0;
  bench_swing(g->model, 0, g->q);
  sn__guard_start(g->guard, g->q);
  for (size_t k = 0; k < CYCLES_MAX && count < CALLS; k++) {
    if (k % LEG == 0) {
      bench_draw_pose(g->model, &random, g->target);
    }
    want(g);
    const sn__guard_motion from = {g->q, g->qd}, wanted = {g->wanted_q, g->wanted_qd};
    const sn__guard_motion brake = {g->brake_q, g->brake_qd};
    const double *shares = NULL;
    const int64_t start_ns = sn_clock_now_ns(&g->clock);
    if (!sn__guard_admits(g->guard, &from, &wanted, DT_S)) {
      shares = sn__guard_shares(g->guard, &from, &brake, &wanted);
      times[count++] = sn_clock_now_ns(&g->clock) - start_ns;
    }
    move(g, shares);
  }
  return count;
}

/* ---- all of it ---- */

static void print(const bench_request *request, const char *case_name, const char *robot_name,
                  double good, int64_t *times, size_t count) {
  const bench_result result = {.bench = "collision",
                               .name = case_name,
                               .robot = robot_name,
                               .good = good,
                               .times = times,
                               .count = count};
  bench_print(request, &result);
}

static int run_case(const bench_request *request, robot *r, const char *name, size_t object_count,
                    int64_t *times) {
  guard_case g;
  sn_error err = {0};
  const sn_status status = open_guard(r, object_count, &g, &err);
  if (status != SN_OK) {
    fprintf(stderr, "sinew bench: %s\n", err.message);
    return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
  }
  const double passed = measure_free(&g, times);
  print(request, object_count == 0 ? "guard_motion" : "guard_256_objects", name, passed, times,
        CALLS);
  if (object_count > 0) {
    return EXIT_GOOD;
  }
  for (size_t i = 0; i < sn_model_pose_size(r->model); i++) {
    g.qd[i] = 0.0;
  }
  const size_t count = measure_blocked(&g, times);
  if (count > 0) {
    print(request, "guard_blocked", name, 1.0, times, count);
  }
  return EXIT_GOOD;
}

int bench_guard(const bench_request *request, robot *r, const char *name, int64_t *times) {
  const int code = run_case(request, r, name, 0, times);
  return code == EXIT_GOOD ? run_case(request, r, name, SN__COLLISION_OBJECTS_MAX, times) : code;
}
