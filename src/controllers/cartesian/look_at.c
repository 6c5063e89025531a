/* The component around gaze.h: turns a limb, and eyes, to a point. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/cartesian_controller.h"
#include "controllers/cartesian/gaze.h"
#include "controllers/cartesian/one_limb.h"
#include "controllers/cartesian/publish.h"
#include "controllers/cartesian/world.h"
#include "sinew/components.h"
#include "sinew/controller.h"

enum { PITCH, YAW, EYE_COUNT };

typedef struct look_at {
  sn_controller controller;
  const char *eye_names[EYE_COUNT];
  sn_input in_point_ref, in_base;
  sn_output out_limbs_ref;
  sn_requester kinematics_inv, smoothing;

  sn__world world;
  sn__one_limb one;
  sn__gaze *gazes; /* [chains] */
  sn__body_filter *filter;
  double period_s;
  int eyes[EYE_COUNT]; /* joints; -1: none */
  sn_vec3 point;       /* in the base, or in the world */
  bool has_point, is_in_world;
  bool is_short;  /* was reported */
  double *wanted; /* [joint_count] of the limb */
  sn_log_limit refused[3], reported;
} look_at;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES,
    SN_PROPERTY(look_at, "eye_pitch", eye_names[PITCH],
                .doc = "A joint that turns the eyes about the y axis of the limb's end; empty: "
                       "none. It gets what is left of the angle."),
    SN_PROPERTY(look_at, "eye_yaw", eye_names[YAW],
                .doc = "A joint that turns them about its z axis, likewise."),
    {0}};

static const sn_port ports[] = {
    SN__CARTESIAN_PORTS("No weight on the limbs it owns."),
    SN_INPUT(look_at, "in_point_ref", in_point_ref, &sn_point_stamped_type,
             .doc = "The point to look at; header.frame_id is odom, base_link_path or a link, "
                    "empty: the base."),
    SN_INPUT(look_at, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "The base in the world: for points in the world, and for what is upright."),
    SN_OUTPUT(look_at, "out_limbs_ref", out_limbs_ref, &sn_limb_state_type,
              .flags = SN_PORT_DERIVED, .doc = "The commanded end of the limb in the base."),
    {0}};

static const sn_need needs[] = {SN__CARTESIAN_NEEDS(look_at), {0}};

/* ---- limbs ---- */

static sn_pose end_of(const look_at *self, const sn__limb_ik *limb) {
  const sn_link *tip = sn_model_link(self->controller.model, (size_t)limb->chain->last_link);
  return sn_kin_link_pose(self->world.kin, tip);
}

static void owned_changed(sn_component *component, const bool *had) {
  look_at *self = (look_at *)component;
  (void)had;
  if (!sn__one_limb_choose(&self->one, &self->controller)) {
    return;
  }
  self->has_point = self->is_short = false;
  const sn__limb_ik *limb = sn__one_limb_now(&self->one);
  if (limb != NULL) {
    sn__world_update(&self->world, self->controller.pose);
    const sn__body_state start = {.pose = end_of(self, limb)};
    (void)sn__body_filter_reset(self->filter, &start, self->period_s);
  }
}

static sn_status can_take(const sn_component *component, sn_error *err) {
  const look_at *self = (const look_at *)component;
  return sn__one_limb_can_take(&self->one, &self->controller, err);
}

/* ---- the point ---- */

static void refuse(look_at *self, size_t reason) {
  static const char *const texts[] = {
      "a point was refused: it is not finite",
      "a point was refused: its frame is unknown",
      "a point in the world was refused: no base has arrived on in_base",
  };
  sn__one_limb_refuse(&self->controller, &self->refused[reason], texts[reason]);
}

/* A point in the world stays there; one in a link stays where that link is now. */
static void take_point(look_at *self, const sn_point_stamped *msg) {
  const sn_msg_text *frame = &msg->header.frame_id;
  sn_pose in_base;
  if (!isfinite(msg->point.x + msg->point.y + msg->point.z)) {
    refuse(self, 0);
  } else if (!sn__world_find_frame(&self->world, frame, &in_base)) {
    refuse(self, 1);
  } else if (sn__world_is_world(frame) && !self->world.has_base &&
             sn_input_is_connected(&self->in_base)) {
    refuse(self, 2);
  } else {
    self->is_in_world = sn__world_is_world(frame);
    self->point = self->is_in_world ? msg->point : sn_pose_apply(in_base, msg->point);
    self->has_point = true;
  }
}

static void read_inputs(look_at *self) {
  (void)sn__world_read_base(&self->world, &self->in_base, self->controller.now_ns);
  const sn_point_stamped *msg = sn_input_newest(&self->in_point_ref);
  if (msg != NULL && sn__one_limb_now(&self->one) != NULL) {
    take_point(self, msg);
  }
}

static sn_vec3 point_in_base(const look_at *self) {
  return self->is_in_world ? sn_pose_apply(sn_pose_inverse(self->world.base.pose), self->point)
                           : self->point;
}

/* ---- every cycle ---- */

/* The rotation that the end of the limb should have at its place, in the base. */
static void find_goal(const look_at *self, sn_pose end, sn_pose *goal) {
  const sn_vec3 way = sn_vec3_sub(point_in_base(self), end.pos);
  const sn_vec3 up = sn_mat3_apply_transposed(self->world.base.pose.rot, (sn_vec3){0, 0, 1});
  *goal = end;
  if (sn_vec3_norm(way) > 1e-3) { /* a point inside of the head has no direction */
    goal->rot = sn__gaze_rotation(way, up, &end.rot);
  }
}

/* What is left of the angle, about the axis of an eye joint, whichever way that points. */
static void turn_eye(look_at *self, size_t eye, sn_pose end) {
  sn_controller *c = &self->controller;
  const int j = self->eyes[eye];
  if (j < 0 || !c->owned[j]) {
    return;
  }
  const sn_joint *joint = sn_model_joint(c->model, (size_t)j);
  const sn_pose child =
      sn_kin_link_pose(self->world.kin, sn_model_link(c->model, (size_t)joint->child_link));
  const sn_vec3 axis = sn_mat3_apply(child.rot, joint->axis);
  const sn_vec3 to = sn_mat3_apply_transposed(end.rot, sn_vec3_sub(point_in_base(self), end.pos));
  const double flat = sqrt(to.x * to.x + to.y * to.y);
  const double angle = eye == YAW ? atan2(to.y, to.x) : atan2(-to.z, flat);
  const double sign = sn_vec3_dot(axis, eye == YAW ? end.rot.z : end.rot.y) < 0.0 ? -1.0 : 1.0;
  const double wanted = fmin(fmax(sign * angle, joint->lower), joint->upper);
  const double most = joint->velocity_max * self->period_s;
  const double way = fmin(fmax(wanted - c->q[j], -most), most);
  c->q[j] += way;
  c->qd[j] = way / self->period_s;
}

static void report(look_at *self, double off_rad) {
  static const double reported_rad = 0.02;
  if (off_rad > reported_rad && !self->is_short) {
    const sn_log_arg args[] = {{.kind = SN_LOG_REAL, .value.real = off_rad}};
    sn_component_log_limited(&self->controller.component, &self->reported, self->controller.now_ns,
                             SN_LOG_WARNING, "the limb cannot turn that far: {} rad short", 1,
                             args);
  }
  self->is_short = off_rad > reported_rad;
}

static void publish_end(look_at *self, const sn__body_state *end) {
  sn__publish_limbs_begin(&self->out_limbs_ref, self->controller.now_ns);
  sn__publish_limbs_add(
      &self->out_limbs_ref,
      sn_names_at(sn_model_chain_names(self->controller.model), (size_t)self->one.chain), end);
  (void)sn_output_write(&self->out_limbs_ref); /* what does not fit is counted there */
}

static void look(look_at *self) {
  sn_controller *c = &self->controller;
  const sn__limb_ik *limb = sn__one_limb_now(&self->one);
  const sn_pose first = sn_kin_link_pose(self->world.kin, limb->first);
  const sn_pose end = sn_pose_mul(first, sn_chain_fk(limb->chain, self->wanted));
  sn_pose goal;
  sn__body_state smooth;
  find_goal(self, end, &goal);
  (void)sn__body_filter_update(self->filter, &goal, NULL, &smooth);
  const sn_mat3 wanted = sn_mat3_mul(sn_mat3_transpose(first.rot), smooth.pose.rot);
  report(self, sn__gaze_turn(&self->gazes[self->one.chain], &wanted, self->wanted));
  sn__limb_move(c->model, limb, self->wanted, self->period_s, c->q, c->qd);
  for (size_t i = 0; i < limb->count; i++) {
    self->wanted[i] = c->q[limb->joints[i]];
  }
  const sn__body_state now = {.pose = sn_pose_mul(first, sn_chain_fk(limb->chain, self->wanted)),
                              .twist = smooth.twist};
  turn_eye(self, PITCH, now.pose);
  turn_eye(self, YAW, now.pose);
  publish_end(self, &now);
}

static sn_status step(sn_component *component, int64_t now_ns) {
  look_at *self = (look_at *)component;
  sn_controller *c = &self->controller;
  const bool owns_joints = sn__world_begin_step(&self->world, c, now_ns);
  read_inputs(self);
  if (!owns_joints) {
    return SN_OK;
  }
  const sn__limb_ik *limb = sn__one_limb_now(&self->one);
  memset(c->qd, 0, c->joint_count * sizeof *c->qd);
  for (size_t i = 0; limb != NULL && i < limb->count; i++) {
    self->wanted[i] = c->q[limb->joints[i]];
  }
  if (limb != NULL && self->has_point) {
    look(self);
  }
  return sn_controller_publish(c);
}

/* ---- configuration ---- */

static sn_status find_eyes(look_at *self, sn_error *err) {
  for (size_t i = 0; i < EYE_COUNT; i++) {
    const char *name = self->eye_names[i];
    self->eyes[i] = sn_model_joint_index(self->controller.model, name);
    if (*name != '\0' && self->eyes[i] < 0) {
      return sn__fail(err, SN_ENOENT, "%s: the robot has no movable joint '%s'",
                      i == PITCH ? "eye_pitch" : "eye_yaw", name);
    }
  }
  return SN_OK;
}

static sn_status create_gazes(look_at *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->controller.component);
  self->gazes = SN_NEW(arena, sn__gaze, self->one.chain_count + 1);
  self->wanted = SN_NEW(arena, double, self->controller.joint_count + 1);
  sn_status status =
      self->gazes != NULL && self->wanted != NULL ? SN_OK : sn__fail(err, SN_ENOMEM, "no memory");
  for (size_t i = 0; status == SN_OK && i < self->one.chain_count; i++) {
    if (self->one.limbs[i].ik != NULL) {
      status = sn__gaze_create(&self->gazes[i], arena, &self->one.limbs[i], err);
    }
  }
  return status;
}

static sn_status create(sn_component *component, sn_error *err) {
  look_at *self = (look_at *)component;
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(component);
  c->has_velocity = true;
  self->period_s = 1e-9 * (double)sn_component_period_ns(component);
  if (!(self->period_s > 0.0)) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity", component->name);
  }
  sn_status status = sn__world_create(&self->world, arena, c->model, err);
  status = status == SN_OK ? sn__one_limb_create(&self->one, c, &self->kinematics_inv, "head", err)
                           : status;
  status = status == SN_OK ? create_gazes(self, err) : status;
  status = status == SN_OK ? find_eyes(self, err) : status;
  status = status == SN_OK
               ? sn__cartesian_smoothing_create(&self->smoothing, arena, &self->filter, err)
               : status;
  return status == SN_OK ? sn__publish_prepare(c->model, NULL, &self->out_limbs_ref, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {
      .create = create, .can_take = can_take, .owned_changed = owned_changed};
  look_at *self = (look_at *)component;
  const sn_status status = sn_controller_configure(component, &hooks, err);
  if (status != SN_OK) {
    sn__one_limb_forget(&self->one, &self->controller);
  }
  return status;
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  look_at *self = (look_at *)component;
  sn__world_start(&self->world);
  self->has_point = self->is_short = false;
  return sn_controller_start(component, now_ns, err);
}

static void cleanup(sn_component *component) {
  look_at *self = (look_at *)component;
  sn__one_limb_forget(&self->one, &self->controller);
  sn_controller_cleanup(component);
}

const sn_component_type sn_look_at_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "LookAt",
    .doc = "Turns a limb so that the x axis of its end points at a point, upright.",
    .size = sizeof(look_at),
    SN__CONTROLLER_TABLES(properties, ports, needs),
    .example =
        "components:\n"
        "  watch:\n"
        "    type: LookAt\n"
        "    properties: {controlled_chains: [head]}\n"
        "connections:\n"
        "  - timer.sync -> watch.sync\n"
        "  - aggregator.joints_sorted -> watch.in_joints_sorted\n"
        "  - watch.out_joints_ref -> aggregator.in_joints\n"
        "  - watch.out_supports -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = cleanup,
};
