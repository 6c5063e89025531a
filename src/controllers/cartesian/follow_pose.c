/* The component around one_limb.h: one limb's end follows a pose. */
#include <string.h>

#include "base/fail.h"
#include "controllers/cartesian/cartesian_controller.h"
#include "controllers/cartesian/one_limb.h"
#include "controllers/cartesian/publish.h"
#include "controllers/cartesian/world.h"
#include "controllers/guided/leader_tool.h"
#include "sinew/components.h"
#include "sinew/controller.h"

typedef struct follow_pose {
  sn_controller controller;
  sn__leader_tool leader;
  sn_input in_pose_ref, in_leader, in_base;
  sn_output out_limbs_ref;
  sn_requester kinematics_inv, smoothing;

  sn__world world;
  sn__one_limb one;
  sn__limb_follower follower;
  sn_pose goal;     /* in the base, or in the world */
  bool has_goal;    /* since the limb is owned */
  bool is_in_world; /* the goal stays in the world when the base moves */
  bool is_short;    /* was reported */
  sn_log_limit refused[5], reported, lost;
} follow_pose;

static const sn_property properties[] = {
    SN_CONTROLLER_PROPERTIES, SN__LEADER_TOOL_PROPERTIES(follow_pose, leader), {0}};

static const sn_port ports[] = {
    SN__CARTESIAN_PORTS("No weight on the limbs it owns."),
    SN_INPUT(follow_pose, "in_pose_ref", in_pose_ref, &sn_pose_stamped_type,
             .doc = "Wanted pose of the limb's end; header.frame_id is odom, base_link_path or a "
                    "link, empty: the base."),
    SN_INPUT(follow_pose, "in_leader", in_leader, &sn_limb_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "Limbs of another arm in its base, as kinematics_fwd publishes them: this limb "
                    "goes where that of leader_limb is, in the base."),
    SN_INPUT(follow_pose, "in_base", in_base, &sn_rigid_body_state_type, .flags = SN_PORT_FEEDBACK,
             .doc = "The base in the world, for poses in the world."),
    SN_OUTPUT(follow_pose, "out_limbs_ref", out_limbs_ref, &sn_limb_state_type,
              .flags = SN_PORT_DERIVED, .doc = "The commanded end of the limb in the base."),
    {0}};

static const sn_need needs[] = {SN__CARTESIAN_NEEDS(follow_pose), {0}};

/* ---- limbs ---- */

static void owned_changed(sn_component *component, const bool *had) {
  follow_pose *self = (follow_pose *)component;
  sn_controller *c = &self->controller;
  (void)had;
  if (!sn__one_limb_choose(&self->one, c)) {
    return;
  }
  self->has_goal = self->is_short = self->leader.is_heard = false;
  sn__limb_ik *limb = sn__one_limb_now(&self->one);
  if (limb != NULL) {
    sn__world_update(&self->world, c->pose);
    const sn_link *tip = sn_model_link(c->model, (size_t)limb->chain->last_link);
    sn__limb_follower_begin(&self->follower, limb, sn_kin_link_pose(self->world.kin, tip));
  }
}

static sn_status can_take(const sn_component *component, sn_error *err) {
  const follow_pose *self = (const follow_pose *)component;
  return sn__one_limb_can_take(&self->one, &self->controller, err);
}

/* ---- every cycle ---- */

static void refuse(follow_pose *self, size_t reason) {
  static const char *const texts[] = {
      "a reference was refused: it is not finite, or its quaternion is not of unit length",
      "a reference was refused: its frame is unknown",
      "a reference in the world was refused: no base has arrived on in_base",
      "a message of the leader was refused: names, poses and twists differ in number",
      "a message of the leader was refused: it lacks the limb of leader_limb",
  };
  sn__one_limb_refuse(&self->controller, &self->refused[reason], texts[reason]);
}

/* A pose in the world or on the path stays there; one in a link stays where that link is now. */
static void take_reference(follow_pose *self, const sn_pose_stamped *msg) {
  const sn_msg_text *frame = &msg->header.frame_id;
  sn_pose wanted, in_base;
  if (sn_ik_pose_from_quat(msg->pose.position, msg->pose.orientation, &wanted) != SN_IK_OK) {
    refuse(self, 0);
    return;
  }
  if (!sn__world_find_frame(&self->world, frame, &in_base)) {
    refuse(self, 1);
    return;
  }
  const bool is_in_world =
      sn__world_is_world(frame) || (frame->count > 0 && strcmp(frame->data, SN__PATH_FRAME) == 0);
  if (is_in_world && !self->world.has_base && sn_input_is_connected(&self->in_base)) {
    refuse(self, 2);
    return;
  }
  const sn_pose goal = sn_pose_mul(in_base, wanted);
  self->is_in_world = is_in_world;
  self->goal = is_in_world ? sn_pose_mul(self->world.base.pose, goal) : goal;
  self->has_goal = true;
}

static void take_leader(follow_pose *self, const sn_limb_state *msg) {
  switch (sn__leader_tool_take(&self->leader, msg, self->controller.now_ns)) {
    case SN__LEADER_TOOL_GOOD:
      self->goal = self->leader.goal;
      self->has_goal = true;
      self->is_in_world = false;
      break;
    case SN__LEADER_TOOL_LENGTHS:
      refuse(self, 3);
      break;
    case SN__LEADER_TOOL_NO_LIMB:
      refuse(self, 4);
      break;
    case SN__LEADER_TOOL_INVALID:
      refuse(self, 0);
      break;
  }
}

static void look_at_leader(follow_pose *self) {
  const sn_controller *c = &self->controller;
  const sn_limb_state *msg = sn_input_newest(&self->in_leader);
  if (msg != NULL && sn__one_limb_now(&self->one) != NULL) {
    take_leader(self, msg);
  }
  if (sn__leader_tool_lost(&self->leader, c->now_ns)) {
    const sn_log_arg arg = {.kind = SN_LOG_REAL, .value.real = self->leader.timeout_s};
    sn_component_log_limited(&c->component, &self->lost, c->now_ns, SN_LOG_WARNING,
                             "the leader is silent for more than {} s: holding until it is back", 1,
                             &arg);
  }
}

static void read_inputs(follow_pose *self) {
  (void)sn__world_read_base(&self->world, &self->in_base, self->controller.now_ns);
  const sn_pose_stamped *msg = sn_input_newest(&self->in_pose_ref);
  if (msg != NULL && sn__one_limb_now(&self->one) != NULL) {
    take_reference(self, msg);
  }
  look_at_leader(self);
}

static void report(follow_pose *self, bool is_reached) {
  const sn__limb_ik *limb = self->follower.limb;
  if (!is_reached && !self->is_short) {
    const sn_log_arg args[] = {
        {.kind = SN_LOG_TEXT,
         .value.text =
             sn_names_at(sn_model_chain_names(self->controller.model), (size_t)self->one.chain)},
        {.kind = SN_LOG_REAL, .value.real = limb->short_m},
        {.kind = SN_LOG_REAL, .value.real = limb->short_rad}};
    sn_component_log_limited(&self->controller.component, &self->reported, self->controller.now_ns,
                             SN_LOG_WARNING, "{} cannot get there: {} m and {} rad short", 3, args);
  }
  self->is_short = !is_reached;
}

static void move(follow_pose *self) {
  sn_controller *c = &self->controller;
  const sn__body_state *base = &self->world.base;
  const sn__body_state fixed = sn__seen_from_base(base, self->goal);
  const sn_pose *goal = !self->has_goal ? NULL : self->is_in_world ? &fixed.pose : &self->goal;
  const sn_spatial *twist = !self->has_goal         ? NULL
                            : self->is_in_world     ? &fixed.twist
                            : self->leader.is_heard ? &self->leader.twist
                                                    : NULL;
  const sn_pose first = sn_kin_link_pose(self->world.kin, self->follower.limb->first);
  report(self, sn__limb_follower_step(&self->follower, goal, twist, first, c->q, c->qd));
  sn__publish_limbs_begin(&self->out_limbs_ref, c->now_ns);
  sn__publish_limbs_add(&self->out_limbs_ref,
                        sn_names_at(sn_model_chain_names(c->model), (size_t)self->one.chain),
                        &self->follower.end);
  (void)sn_output_write(&self->out_limbs_ref); /* what does not fit is counted there */
}

static sn_status step(sn_component *component, int64_t now_ns) {
  follow_pose *self = (follow_pose *)component;
  sn_controller *c = &self->controller;
  const bool owns_joints = sn__world_begin_step(&self->world, c, now_ns);
  read_inputs(self);
  if (!owns_joints) {
    return SN_OK;
  }
  memset(c->qd, 0, c->joint_count * sizeof *c->qd);
  if (sn__one_limb_now(&self->one) != NULL) {
    move(self);
  }
  return sn_controller_publish(c);
}

/* ---- configuration ---- */

static sn_status create(sn_component *component, sn_error *err) {
  follow_pose *self = (follow_pose *)component;
  sn_controller *c = &self->controller;
  sn_arena *arena = sn_component_arena(component);
  c->has_velocity = true;
  self->follower = (sn__limb_follower){
      .model = c->model, .period_s = 1e-9 * (double)sn_component_period_ns(component)};
  if (!(self->follower.period_s > 0.0)) {
    return sn__fail(err, SN_EINVAL, "%s needs a periodic activity", component->name);
  }
  sn_status status = sn__world_create(&self->world, arena, c->model, err);
  status = status == SN_OK ? sn__one_limb_create(&self->one, c, &self->kinematics_inv, NULL, err)
                           : status;
  status = status == SN_OK ? sn__cartesian_smoothing_create(&self->smoothing, arena,
                                                            &self->follower.filter, err)
                           : status;
  return status == SN_OK ? sn__publish_prepare(c->model, NULL, &self->out_limbs_ref, err) : status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {
      .create = create, .can_take = can_take, .owned_changed = owned_changed};
  return sn_controller_configure(component, &hooks, err);
}

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  follow_pose *self = (follow_pose *)component;
  sn__world_start(&self->world);
  self->has_goal = self->is_short = self->leader.is_heard = false;
  return sn_controller_start(component, now_ns, err);
}

const sn_component_type sn_follow_pose_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "FollowPose",
    .doc = "The end of one limb follows a pose, smoothly.",
    .size = sizeof(follow_pose),
    SN__CONTROLLER_TABLES(properties, ports, needs),
    .example =
        "components:\n"
        "  point:\n"
        "    type: FollowPose\n"
        "    properties: {controlled_chains: [leg1]}\n"
        "    services: {smoothing: {type: filter_rigid_body_pd}}\n"
        "connections:\n"
        "  - timer.sync -> point.sync\n"
        "  - aggregator.joints_sorted -> point.in_joints_sorted\n"
        "  - point.out_joints_ref -> aggregator.in_joints\n"
        "  - point.out_supports -> aggregator.in_supports\n",
    .configure = configure,
    .start = start,
    .step = step,
    .cleanup = sn_controller_cleanup,
};
