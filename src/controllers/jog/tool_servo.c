#include "controllers/jog/tool_servo.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/jog/joint_common.h"
#include "controllers/jog/twist_ramp.h"
#include "math/rotation.h"
#include "sinew/kin.h"

/* How fast the joints put the tool right, 1/s, and how fast the tool moves at most while they do. A
   gain of one cycle would make the tool oscillate where joints are late. */
static const double CORRECTION_Hz = 60.0;
static const double CORRECTION_MAX_M = 0.02;
static const double CORRECTION_MAX_RAD = 0.1;
/* How far the commanded pose may be away from the joints, in a part that is not commanded. */
static const double LEASH_M = 2e-3;
static const double LEASH_RAD = 1e-2;
/* Share of a joint's speed that may be wanted; the rest is for corrections. */
static const double SPEED_SHARE = 0.98;
/* How far the tool may be away from what it keeps, before its motion slows down, and stops. */
static const double KEPT_SLOW = 2e-6;
static const double KEPT_STOP = 8e-6;
/* After it was slowed down, a motion takes that long to recover, s. */
static const double EASE_s = 0.5;
/* Joints are late if they need longer for the wanted velocities, s: the wanted motion changes
   faster than they can follow, and slows down until they do. It takes that long to stop, s. */
static const double LATE_s = 0.01;
static const double LATE_EASE_s = 0.1;
/* A goal this close is reached. */
static const double REACHED_M = 1e-7;
static const double REACHED_RAD = 1e-7;
/* A motion of the tool that is slower has ended. */
static const double ENDED_RAD_s = 1e-3;
static const double ENDED_M_s = 1e-4;
/* Farther away than any goal, m or rad. */
static const double FAR = 1e6;
/* Distance from a limit of a joint that is kept, rad or m. */
static const double LIMIT_MARGIN = 1e-3;

struct sn__tool_servo {
  const sn_chain *chain;
  sn__tool_bounds bounds;
  sn__jog_joint *joints;         /* [joints] */
  sn__vec3_ramp linear, angular; /* the wanted twist */
  sn_pose pose;                  /* commanded: the joints follow it */
  bool is_by_joints;             /* the last command was about joints */
  const double *kept_jac;        /* what was kept in the last cycle; NULL: nothing */
  sn__jog_curve curve;           /* on which it is kept */
  bool is_turned, is_shifted;    /* parts of the tool's motion that are or were commanded */
  double late;                   /* what the joints need to follow, as share of LATE_s */
  double ease;                   /* share of the wanted twist that is left to it, 0 .. 1 */
  double *middle, *wanted;       /* [joints] */
  sn__jog_choice *choices;       /* [joints] */
  sn__servo_outcome outcome;
};

/* ---- creation ---- */

static void prepare_joint(sn__tool_servo *self, size_t j, const sn_otg_limits *limits) {
  const double margin = fmin(LIMIT_MARGIN, 0.25 * (self->chain->upper[j] - self->chain->lower[j]));
  self->joints[j] = (sn__jog_joint){.limits = *limits,
                                    .lower = self->chain->lower[j] + margin,
                                    .upper = self->chain->upper[j] - margin,
                                    .up_max = INFINITY,
                                    .down_max = INFINITY};
}

sn_status sn__tool_servo_create(sn_arena *arena, const sn__tool_servo_config *config,
                                sn__tool_servo **out, sn_error *err) {
  const size_t n = config->chain->joint_count;
  if (n == 0 || config->chain->tree.body_count != n) {
    return sn__fail(err, SN_EUNSUPPORTED, "the chain has %s, expected revolute or prismatic joints",
                    n == 0 ? "no movable joint" : "a floating or planar joint");
  }
  sn__tool_servo *self = SN_NEW(arena, sn__tool_servo, 1);
  double *numbers = SN_NEW(arena, double, 2 * n);
  sn__jog_joint *joints = SN_NEW(arena, sn__jog_joint, n);
  sn__jog_choice *choices = SN_NEW(arena, sn__jog_choice, n);
  if (self == NULL || numbers == NULL || joints == NULL || choices == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  *self = (sn__tool_servo){.chain = config->chain,
                           .joints = joints,
                           .linear = {.limits = config->linear},
                           .angular = {.limits = config->angular},
                           .middle = numbers,
                           .wanted = numbers + n,
                           .choices = choices};
  for (size_t j = 0; j < n; j++) {
    prepare_joint(self, j, &config->joints[j]);
  }
  const sn_status status = sn__tool_bounds_create(arena, config->chain, &self->bounds, err);
  if (status == SN_OK) {
    *out = self;
  }
  return status;
}

void sn__tool_servo_set_speeds(sn__tool_servo *servo, double linear, double angular) {
  servo->linear.limits.velocity = linear;
  servo->angular.limits.velocity = angular;
}

void sn__tool_servo_set_obstacle(sn__tool_servo *servo, const double *approach, double speed_max) {
  servo->bounds.approach = approach;
  servo->bounds.approach_max = speed_max;
}

static void set_twist(sn__tool_servo *self, sn_spatial twist) {
  self->linear.v = twist.lin;
  self->angular.v = twist.ang;
  self->linear.a = self->angular.a = sn_vec3_make(0.0, 0.0, 0.0);
}

static sn_pose pose_of(sn__tool_servo *self) {
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    self->middle[j] = self->joints[j].q;
  }
  return sn_chain_fk(self->chain, self->middle);
}

void sn__tool_servo_begin(sn__tool_servo *servo, const double *q) {
  for (size_t j = 0; j < servo->chain->joint_count; j++) {
    sn__jog_joint *joint = &servo->joints[j];
    joint->q = q[j];
    joint->qd = joint->qdd = joint->bend = 0.0;
    joint->up_max = joint->down_max = INFINITY;
  }
  set_twist(servo, sn_spatial_zero());
  servo->pose = pose_of(servo);
  servo->is_by_joints = servo->is_turned = servo->is_shifted = false;
  servo->kept_jac = NULL;
  servo->late = 0.0;
  servo->ease = 1.0;
  servo->outcome =
      (sn__servo_outcome){.share = 1.0, .joint = -1, .pose = servo->pose, .is_still = true};
}

void sn__tool_servo_go_on_from(sn__tool_servo *servo, const double *q, const double *qd) {
  for (size_t j = 0; j < servo->chain->joint_count; j++) {
    sn__jog_go_on_from(&servo->joints[j], q[j], qd[j]);
  }
  const sn_pose joints = pose_of(servo);
  if (!sn__vec3_ramp_is_still(&servo->linear)) {
    servo->pose.pos = joints.pos;
  }
  if (!sn__vec3_ramp_is_still(&servo->angular)) {
    servo->pose.rot = joints.rot;
  }
  servo->outcome.twist = sn__tool_bounds_twist(&servo->bounds, servo->joints);
  servo->kept_jac = NULL;
  servo->outcome.is_still = false;
}

/* ---- poses ---- */

static sn_spatial difference(sn_pose from, sn_pose to) {
  return (sn_spatial){sn_mat3_log(sn_mat3_mul(to.rot, sn_mat3_transpose(from.rot))),
                      sn_vec3_sub(to.pos, from.pos)};
}

static sn_pose moved(sn_pose pose, sn_spatial way) {
  return (sn_pose){.rot = sn_mat3_mul(sn__mat3_exp(way.ang), pose.rot),
                   .pos = sn_vec3_add(pose.pos, way.lin)};
}

/* A velocity towards a point, so slow that it can stop there. */
static sn_vec3 towards(sn_vec3 to, const sn_otg_limits *limits, double reached) {
  const sn_vec3 way = sn__vec3_at_most(to, FAR); /* its length may overflow */
  const double length = sn_vec3_norm(way);
  return length > reached ? sn_vec3_scale(way, sn__jog_stop_speed(limits, length) / length)
                          : sn_vec3_make(0.0, 0.0, 0.0);
}

static sn_spatial wanted_twist(const sn__tool_servo *self, const sn__servo_command *command) {
  sn_spatial twist = sn_spatial_zero();
  if (command->kind == SN__SERVO_TWIST) {
    twist = command->twist;
  } else if (command->kind == SN__SERVO_TOOL) {
    twist = (sn_spatial){sn_mat3_apply(self->pose.rot, command->twist.ang),
                         sn_mat3_apply(self->pose.rot, command->twist.lin)};
  } else if (command->kind == SN__SERVO_POSE) {
    const sn_spatial way = difference(self->pose, command->pose);
    twist = (sn_spatial){towards(way.ang, &self->angular.limits, REACHED_RAD),
                         towards(way.lin, &self->linear.limits, REACHED_M)};
  }
  return (sn_spatial){sn__vec3_at_most(twist.ang, command->speed * self->angular.limits.velocity),
                      sn__vec3_at_most(twist.lin, command->speed * self->linear.limits.velocity)};
}

/* ---- the tool ---- */

static bool is_at_rest(const sn__tool_servo *self) {
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    if (fabs(self->joints[j].qd) > 0.0 || fabs(self->joints[j].qdd) > 0.0) {
      return false;
    }
  }
  return true;
}

static bool is_twist_still(const sn__tool_servo *self) {
  return sn__vec3_ramp_is_still(&self->linear) && sn__vec3_ramp_is_still(&self->angular);
}

static sn_spatial correction(sn__tool_servo *self) {
  const sn_spatial error = difference(pose_of(self), self->pose);
  return (sn_spatial){sn__vec3_at_most(sn_vec3_scale(error.ang, CORRECTION_Hz), CORRECTION_MAX_RAD),
                      sn__vec3_at_most(sn_vec3_scale(error.lin, CORRECTION_Hz), CORRECTION_MAX_M)};
}

/* The share of a length along another one, 0 .. 1, in units of the chain. */
static double share_along(const sn__tool_servo *self, sn_spatial wanted, sn_spatial twist) {
  const double square = self->bounds.length_m * self->bounds.length_m;
  const double along =
      sn_vec3_dot(wanted.ang, twist.ang) + sn_vec3_dot(wanted.lin, twist.lin) / square;
  const double full =
      sn_vec3_dot(wanted.ang, wanted.ang) + sn_vec3_dot(wanted.lin, wanted.lin) / square;
  return full > 0.0 ? fmax(0.0, fmin(1.0, along / full)) : 1.0;
}

/* How much of a motion is left to it, by the error of what is kept, m or rad: it slows down at once
   and recovers slowly. Where joints are late it slows down before there is an error: at an edge of
   the bounds or close to a singular pose the wanted direction changes with the pose, and joints
   that follow it too late would swing around it, more and more. */
static void ease(sn__tool_servo *self, double error, double dt_s) {
  const double kept = (KEPT_STOP - error) / (KEPT_STOP - KEPT_SLOW);
  const double change = self->late > 1.0 ? -dt_s / LATE_EASE_s : dt_s / EASE_s;
  self->ease = fmin(fmax(0.0, fmin(kept, 1.0)), fmax(self->ease + change, 0.0));
}

/* With all of its acceleration, the joint that needs longest. */
static double lateness(const sn__tool_servo *self) {
  double late = 0.0;
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    const double way = fabs(self->wanted[j] - self->joints[j].qd);
    late = fmax(late, way / (self->joints[j].limits.acceleration * LATE_s));
  }
  return late;
}

/* Why velocities are scaled down. */
typedef struct slowdown {
  sn__jog_reason reason;
  int joint; /* -1: none */
} slowdown;

/* Scale velocities down until no joint is too fast, and all can stop together. */
static slowdown limit_speeds(sn__tool_servo *self) {
  const size_t n = self->chain->joint_count;
  slowdown why = {SN__JOG_FREE, -1};
  int nearest;
  double share = sn__jog_stop_share(self->joints, n, self->wanted, &nearest);
  if (share < 1.0) {
    why = (slowdown){SN__JOG_LIMIT, nearest};
  }
  for (size_t j = 0; j < n; j++) {
    const double most = SPEED_SHARE * self->joints[j].limits.velocity;
    if (fabs(self->wanted[j]) * share > most) {
      share = most / fabs(self->wanted[j]);
      why = (slowdown){SN__JOG_SPEED, (int)j};
    }
  }
  share = fmin(share, sn__jog_bend_share(self->joints, n, self->wanted));
  for (size_t j = 0; share < 1.0 && j < n; j++) {
    self->wanted[j] *= share;
  }
  return why;
}

/* In the parts that are commanded the pose moves as the joints do, but for what they put right, so
   that they never have to catch up. In the others it stays, so that the joints come back to it. */
static void move_pose(sn__tool_servo *self, sn_spatial taken, double dt_s) {
  const sn_vec3 none = sn_vec3_make(0.0, 0.0, 0.0);
  const sn_spatial way = {self->is_turned ? sn_vec3_scale(taken.ang, dt_s) : none,
                          self->is_shifted ? sn_vec3_scale(taken.lin, dt_s) : none};
  self->pose = moved(self->pose, way);
  const sn_pose joints = pose_of(self);
  sn_spatial error = difference(joints, self->pose);
  error.ang = self->bounds.is_positional ? none : sn__vec3_at_most(error.ang, LEASH_RAD);
  error.lin = sn__vec3_at_most(error.lin, LEASH_M);
  self->pose = moved(joints, error);
}

static void report(sn__tool_servo *self, sn_spatial wanted, const sn__tool_bound *bound,
                   slowdown why) {
  self->outcome.share = share_along(self, wanted, self->outcome.twist);
  self->outcome.reason = bound != NULL ? bound->reason : why.reason;
  self->outcome.joint = bound != NULL ? bound->joint : why.joint;
}

/* A part of the motion is commanded until the joints, which may be late, have ended it. */
static void find_parts(sn__tool_servo *self) {
  const sn_spatial twist = self->outcome.twist;
  self->is_turned = !sn__vec3_ramp_is_still(&self->angular) ||
                    (self->is_turned && sn_vec3_norm(twist.ang) > ENDED_RAD_s);
  self->is_shifted = !sn__vec3_ramp_is_still(&self->linear) ||
                     (self->is_shifted && sn_vec3_norm(twist.lin) > ENDED_M_s);
}

static sn__jog_kept kept_rows(sn__tool_servo *self, const double *jac, sn_vec3 rate, sn_vec3 was) {
  if (self->kept_jac != jac) { /* another part than in the last cycle */
    self->curve = (sn__jog_curve){0.0, 0.0};
  }
  self->kept_jac = jac;
  return (sn__jog_kept){jac, {rate.x, rate.y, rate.z}, {was.x, was.y, was.z}, &self->curve};
}

/* The part of the tool's motion that was not commanded is kept, but for what is put right. */
static sn__jog_kept kept_part(sn__tool_servo *self, sn_spatial back) {
  const sn__tool_bounds *b = &self->bounds;
  const sn_spatial was = self->outcome.twist;
  if (self->is_turned && !self->is_shifted) {
    return kept_rows(self, b->jac + 3 * self->chain->joint_count,
                     sn_vec3_scale(back.lin, 1.0 / b->length_m),
                     sn_vec3_scale(was.lin, 1.0 / b->length_m));
  }
  if (self->is_shifted && !self->is_turned && !b->is_positional) {
    return kept_rows(self, b->jac, back.ang, was.ang);
  }
  self->kept_jac = NULL;
  return (sn__jog_kept){.jac = NULL};
}

/* The joints stop, if they are late; what was kept before is still kept. */
static void stay(sn__tool_servo *self, double dt_s) {
  const sn_spatial back = correction(self);
  const sn__jog_kept kept = kept_part(self, back);
  memset(self->wanted, 0, self->chain->joint_count * sizeof *self->wanted);
  sn__jog_follow(self->joints, self->chain->joint_count, self->wanted, &kept, self->choices, dt_s);
  self->outcome.twist = sn__tool_bounds_twist(&self->bounds, self->joints);
  if (is_at_rest(self)) {
    self->pose = pose_of(self);
  } else {
    move_pose(self, sn_spatial_sub(self->outcome.twist, back), dt_s);
  }
  report(self, sn_spatial_zero(), NULL, (slowdown){SN__JOG_FREE, -1});
}

static void step_tool(sn__tool_servo *self, const sn__servo_command *command, double dt_s) {
  const size_t n = self->chain->joint_count;
  sn_pose ahead;
  for (size_t j = 0; j < n; j++) { /* the mean of a cycle: errors are of third order */
    self->middle[j] = self->joints[j].q + 0.5 * dt_s * self->joints[j].qd;
  }
  sn__tool_bounds_update(&self->bounds, self->middle, &ahead);
  if (self->is_by_joints) {
    set_twist(self, sn__tool_bounds_twist(&self->bounds, self->joints));
    self->is_by_joints = false;
  }
  const sn_spatial wanted = wanted_twist(self, command);
  sn__vec3_ramp_step(&self->linear, wanted.lin, dt_s);
  sn__vec3_ramp_step(&self->angular, wanted.ang, dt_s);
  find_parts(self);
  if (is_twist_still(self)) {
    stay(self, dt_s);
    return;
  }
  const sn_spatial ramped = {self->angular.v, self->linear.v};
  const sn_spatial back = correction(self);
  sn_spatial twist = sn_spatial_add(ramped, back);
  const sn__tool_bound *bound =
      sn__tool_bounds_apply(&self->bounds, self->joints, &twist, self->is_turned, self->is_shifted);
  const double error = self->is_shifted ? sn_vec3_norm(back.ang) : sn_vec3_norm(back.lin);
  ease(self, self->is_shifted && self->is_turned ? 0.0 : error / CORRECTION_Hz, dt_s);
  twist = sn_spatial_add(back, sn_spatial_scale(sn_spatial_sub(twist, back), self->ease));
  sn__tool_bounds_solve(&self->bounds, twist, self->wanted);
  const slowdown why = limit_speeds(self);
  const sn__jog_kept kept = kept_part(self, back);
  sn__jog_follow(self->joints, n, self->wanted, &kept, self->choices, dt_s);
  self->late = lateness(self);
  self->outcome.twist = sn__tool_bounds_twist(&self->bounds, self->joints);
  move_pose(self, sn_spatial_sub(self->outcome.twist, back), dt_s);
  report(self, ramped, bound, why);
}

/* ---- joints ---- */

static void step_joints(sn__tool_servo *self, const sn__servo_command *command, double dt_s) {
  double share = 1.0;
  self->outcome.reason = SN__JOG_FREE;
  self->outcome.joint = -1;
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    const sn__jog_joint *joint = &self->joints[j];
    const double most = command->speed * SPEED_SHARE * joint->limits.velocity;
    const double wanted = command->kind == SN__SERVO_JOINTS ? command->qd[j] : 0.0;
    const double qd = fmax(-most, fmin(most, wanted));
    const double stop = sn__jog_speed_max(joint, qd);
    self->wanted[j] = fmax(-stop, fmin(stop, qd));
    if (fabs(self->wanted[j]) < share * fabs(qd)) {
      share = self->wanted[j] / qd;
      self->outcome.reason = SN__JOG_LIMIT;
      self->outcome.joint = (int)j;
    }
  }
  sn__jog_follow_each(self->joints, self->chain->joint_count, self->wanted, dt_s);
  self->pose = pose_of(self);
  sn__tool_bounds_update(&self->bounds, self->middle, &self->pose);
  self->outcome.twist = sn__tool_bounds_twist(&self->bounds, self->joints);
  self->outcome.share = share;
  self->is_by_joints = true;
}

static void read_joints(const sn__tool_servo *self, double *q, double *qd) {
  for (size_t j = 0; j < self->chain->joint_count; j++) {
    q[j] = self->joints[j].q;
    qd[j] = self->joints[j].qd;
  }
}

const sn__servo_outcome *sn__tool_servo_step(sn__tool_servo *servo, double dt_s,
                                             const sn__servo_command *command, double *q,
                                             double *qd) {
  if (command->kind == SN__SERVO_STILL && servo->outcome.is_still) { /* not even a bit changes */
    read_joints(servo, q, qd);
    return &servo->outcome;
  }
  servo->outcome.is_still = true;
  if (command->kind == SN__SERVO_JOINTS ||
      (command->kind == SN__SERVO_STILL && servo->is_by_joints)) {
    step_joints(servo, command, dt_s);
  } else {
    step_tool(servo, command, dt_s);
    servo->outcome.is_still = is_twist_still(servo);
  }
  servo->outcome.is_still = servo->outcome.is_still && is_at_rest(servo);
  servo->outcome.pose = servo->pose;
  read_joints(servo, q, qd);
  return &servo->outcome;
}
