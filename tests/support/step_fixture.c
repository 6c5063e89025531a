#include "step_fixture.h"

#include <math.h>
#include <stdio.h>

#include "math/rotation.h"
#include "sinew/kin.h"
#include "sn_test.h"

static const double STEP_S = 0.05, FIRST_S = 0.2, SWING_S = 0.5, BETWEEN_S = 0.7, LIFT_M = 0.03;
/* The order of the legs. */
static const size_t turn_of[STEP_FIXTURE_LEGS] = {1, 3, 0, 2};

static double length_s(void) {
  return STEP_S * (STEP_FIXTURE_POINTS - 1);
}

static const sn_chain *leg_of(const sn_model *model, size_t leg) {
  char name[8];
  snprintf(name, sizeof name, "leg%zu", leg + 1);
  return sn_model_chain(model, (size_t)sn_model_chain_index(model, name), true);
}

/* Knees bend as their limits allow. */
static double joint_of(const sn_chain *leg, size_t place) {
  static const double stand[] = {0.0, 0.0, -0.6, 1.2, -0.6, 0.0};
  const double side = leg->upper[3] >= 1.0 ? 1.0 : -1.0;
  return side * stand[place];
}

void step_fixture_stand(const sn_model *model, double *q) {
  memset(q, 0, sn_model_pose_size(model) * sizeof *q);
  for (size_t i = 0; i < STEP_FIXTURE_LEGS; i++) {
    const sn_chain *leg = leg_of(model, i);
    for (size_t k = 0; k < leg->joint_count; k++) {
      q[leg->joints[k]] = joint_of(leg, k);
    }
  }
}

/* Where a leg's end is in the base of the robot that stands. */
static sn_pose stand_of(const step_fixture *f, size_t leg) {
  const sn_chain *chain = leg_of(f->model, leg);
  double q[8] = {0};
  for (size_t k = 0; k < chain->joint_count; k++) {
    q[k] = joint_of(chain, k);
  }
  return sn_chain_fk(chain, q);
}

/* From 0 to 1 with a smooth start and end. */
static double smooth(double u) {
  const double x = fmin(fmax(u, 0.0), 1.0);
  return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

sn_pose step_fixture_base(const step_fixture *f, double time_s) {
  const double share = smooth(time_s / f->scale / length_s());
  const double height_m = -stand_of(f, 0).pos.z;
  return (sn_pose){sn_mat3_from_rpy(0.0, 0.0, share * f->turn_rad),
                   {share * f->forward_m, 0.0, height_m}};
}

sn_pose step_fixture_foot(const step_fixture *f, size_t leg, double time_s, bool *contact) {
  const double u = (time_s / f->scale - FIRST_S - BETWEEN_S * (double)turn_of[leg]) / SWING_S;
  const double share = smooth(u);
  const sn_pose from = sn_pose_mul(step_fixture_base(f, 0.0), stand_of(f, leg));
  const sn_pose to = sn_pose_mul(step_fixture_base(f, f->scale * length_s()), stand_of(f, leg));
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(to.rot, sn_mat3_transpose(from.rot)));
  sn_pose pose = {sn_mat3_mul(sn__mat3_exp(sn_vec3_scale(turn, share)), from.rot),
                  sn_vec3_add_scaled(from.pos, share, sn_vec3_sub(to.pos, from.pos))};
  pose.pos.z += 4.0 * LIFT_M * share * (1.0 - share);
  if (contact != NULL) {
    *contact = u <= 1e-9 || u >= 1.0 - 1e-9;
  }
  return pose;
}

/* A leg's end in the base; the base itself for leg -1. */
static sn_pose body_at(const step_fixture *f, int leg, double time_s) {
  const sn_pose base = step_fixture_base(f, time_s);
  return leg < 0 ? base : sn_pose_between(base, step_fixture_foot(f, (size_t)leg, time_s, NULL));
}

static void fill(const step_fixture *f, int leg, double time_s, sn_rigid_body_point *out) {
  const double h = 1e-5;
  const sn_pose now = body_at(f, leg, time_s);
  const sn_pose before = body_at(f, leg, time_s - h), after = body_at(f, leg, time_s + h);
  const sn_vec3 turn = sn_mat3_log(sn_mat3_mul(after.rot, sn_mat3_transpose(before.rot)));
  out->pose = sn_msg_pose_from(now);
  out->twist.lin = sn_vec3_scale(sn_vec3_sub(after.pos, before.pos), 0.5 / h);
  out->twist.ang = sn_vec3_scale(turn, 0.5 / h);
  if (leg >= 0) {
    (void)step_fixture_foot(f, (size_t)leg, time_s, &out->contact);
  }
}

static void fill_body(const step_fixture *f, int leg, const char *name,
                      sn_rigid_body_trajectory *out) {
  assert_int_equal(sn_msg_text_set(&out->name, name), SN_OK);
  out->points.count = STEP_FIXTURE_POINTS;
  for (size_t k = 0; k < STEP_FIXTURE_POINTS; k++) {
    fill(f, leg, f->scale * STEP_S * (double)k, &out->points.data[k]);
  }
}

sn_step_goal *step_fixture_goal(const step_fixture *f, sn_arena *arena) {
  const sn_msg_capacity capacity = {.item_count = STEP_FIXTURE_POINTS};
  sn_step_goal *goal = sn_msg_create(arena, &sn_step_goal_type, &capacity);
  assert_non_null(goal);
  assert_int_equal(sn_msg_text_set(&goal->header.frame_id, "base_link_path"), SN_OK);
  goal->time_from_start.count = STEP_FIXTURE_POINTS;
  for (size_t k = 0; k < STEP_FIXTURE_POINTS; k++) {
    goal->time_from_start.data[k] = f->scale * STEP_S * (double)k;
  }
  fill_body(f, -1, "base_link", &goal->base_motion);
  goal->ee_motion.count = STEP_FIXTURE_LEGS;
  for (int i = 0; i < STEP_FIXTURE_LEGS; i++) {
    char name[8];
    snprintf(name, sizeof name, "leg%d", i + 1);
    fill_body(f, i, name, &goal->ee_motion.data[i]);
  }
  return goal;
}
