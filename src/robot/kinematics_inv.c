/* From where limbs should be to the pose of their joints. */
#include "robot/kinematics_inv.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/msg_calls.h"
#include "sinew/system.h"

typedef struct free_axes {
  const char *chain;
  sn_texts axes;
} free_axes;

static const sn_property free_properties[] = {
    SN_PROPERTY(free_axes, "chain", chain, .doc = "A chain."),
    SN_PROPERTY(free_axes, "axes", axes,
                .doc = "Axes of the target frame that are free: x, y, z, rx, ry, rz."),
    {0}};

typedef struct chain_limits {
  const char *chain;
  sn_reals q_min, q_max;
} chain_limits;

static const sn_property limit_properties[] = {
    SN_PROPERTY(chain_limits, "chain", chain, .flags = SN_PROPERTY_REQUIRED, .doc = "A chain."),
    SN_PROPERTY(chain_limits, "q_min", q_min, .unit = "rad or m",
                .doc = "Lower limits of its joints, from base to tip; empty: the robot's."),
    SN_PROPERTY(chain_limits, "q_max", q_max, .unit = "rad or m", .doc = "Upper limits, likewise."),
    {0}};

static const sn_property properties[] = {
    SN_PROPERTY(sn__kinematics_inv, "solver", solver, .initial = "auto",
                .doc = "Solver of all chains: auto, analytic, numeric or that of a plugin."),
    SN_PROPERTY(sn__kinematics_inv, "chains", chains,
                .doc = "Chains that are solved; empty: all that can be."),
    SN_PROPERTY_BAGS_OF(sn__kinematics_inv, "free", free, free_axes, free_properties,
                        .doc =
                            "Free axes. For a chain that is not listed: none, or all rotations if "
                            "it has fewer than six joints."),
    SN_PROPERTY_BAGS_OF(sn__kinematics_inv, "limits", limits, chain_limits, limit_properties,
                        .doc = "Limits of solutions; the tighter of these and the robot's apply."),
    SN_PROPERTY(sn__kinematics_inv, "with_virtual", with_virtual, .initial = "true",
                .doc = "End a chain at its virtual link if it has one."),
    SN_PROPERTY(
        sn__kinematics_inv, "jump_max", jump_max, .initial = "0.5", .unit = "rad or m", .min = 1e-6,
        .max = 100,
        .doc = "Maximum distance of a joint from its position; farther solutions are not used."),
    SN_PROPERTY(sn__kinematics_inv, "unreachable", unreachable, .initial = "nearest",
                .choices = "nearest|hold",
                .doc = "What a limb does whose target is out of reach. nearest: goes as near as "
                       "possible, by at most jump_max at once; hold: keeps its pose."),
    SN_PROPERTY(sn__kinematics_inv, "timeout", timeout_s, .initial = "0.0005", .unit = "s",
                .min = 1e-6, .max = 1, .doc = "Time limit of the solver for one chain."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(sn__kinematics_inv, "limbs_ref", limbs_ref, &sn_limb_state_type,
             .flags = SN_PORT_EVENT,
             .doc = "Target poses of the last links of some chains; header.frame_id is a link, "
                    "empty: the root."),
    SN_INPUT(sn__kinematics_inv, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK | SN_PORT_REQUIRED,
             .doc = "The pose to start from; required for an answer."),
    SN_OUTPUT(sn__kinematics_inv, "joints_ref", joints_ref, &sn_joint_state_type,
              .doc = "The joints of those chains; velocities if the reference has twists."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(sn__kinematics_inv), {0}};

/* ---- configuration ---- */

static sn_status parse_axes(const free_axes *entry, unsigned *axes, sn_error *err) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  *axes = 0;
  for (size_t i = 0; i < entry->axes.count; i++) {
    unsigned axis = 0;
    while (axis < 6 && strcmp(names[axis], entry->axes.data[i]) != 0) {
      axis++;
    }
    if (axis == 6) {
      return sn__fail(err, SN_EINVAL,
                      "free: chain '%s': '%s' is not an axis: x, y, z, rx, ry or rz", entry->chain,
                      entry->axes.data[i]);
    }
    *axes |= 1u << axis; /* SN_IK_FREE_X and so on, in this order */
  }
  return SN_OK;
}

static const free_axes *free_at(const sn__kinematics_inv *self, size_t index) {
  return (const free_axes *)self->free.data + index;
}

static sn_status axes_of(const sn__kinematics_inv *self, size_t chain, unsigned *axes,
                         sn_error *err) {
  const char *name = sn_names_at(sn_model_chain_names(self->model), chain);
  const size_t count = sn_model_chain(self->model, chain, self->with_virtual)->joint_count;
  *axes = count < 6 ? SN_IK_FREE_ROTATION : 0u;
  for (size_t i = 0; i < self->free.count; i++) {
    if (strcmp(free_at(self, i)->chain, name) == 0) {
      return parse_axes(free_at(self, i), axes, err);
    }
  }
  return SN_OK;
}

static const chain_limits *limits_at(const sn__kinematics_inv *self, size_t index) {
  return (const chain_limits *)self->limits.data + index;
}

static sn_status check_limits(const sn__kinematics_inv *self, const chain_limits *entry,
                              sn_error *err) {
  const int chain = sn_model_chain_index(self->model, entry->chain);
  if (chain < 0) {
    return sn__fail(err, SN_ENOENT, "limits: the robot has no chain '%s'", entry->chain);
  }
  const size_t count = sn_model_chain(self->model, (size_t)chain, self->with_virtual)->joint_count;
  const sn_reals *const lists[] = {&entry->q_min, &entry->q_max};
  for (size_t i = 0; i < 2; i++) {
    if (lists[i]->count != 0 && lists[i]->count != count) {
      return sn__fail(err, SN_EINVAL, "limits: chain '%s': %s has %zu numbers, expected %zu",
                      entry->chain, i == 0 ? "q_min" : "q_max", lists[i]->count, count);
    }
  }
  return SN_OK;
}

static sn_status check_names(const sn__kinematics_inv *self, sn_error *err) {
  for (size_t i = 0; i < self->limits.count; i++) {
    const sn_status status = check_limits(self, limits_at(self, i), err);
    if (status != SN_OK) {
      return status;
    }
  }
  for (size_t i = 0; i < self->free.count; i++) {
    if (sn_model_chain_index(self->model, free_at(self, i)->chain) < 0) {
      return sn__fail(err, SN_ENOENT, "free: the robot has no chain '%s'", free_at(self, i)->chain);
    }
  }
  for (size_t i = 0; i < self->chains.count; i++) {
    if (sn_model_chain_index(self->model, self->chains.data[i]) < 0) {
      return sn__fail(err, SN_ENOENT, "chains: the robot has no chain '%s'", self->chains.data[i]);
    }
  }
  return SN_OK;
}

static bool is_asked_for(const sn__kinematics_inv *self, size_t chain) {
  const char *name = sn_names_at(sn_model_chain_names(self->model), chain);
  for (size_t i = 0; i < self->chains.count; i++) {
    if (strcmp(self->chains.data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* The tighter of the limits of the robot and the property. */
static sn_status tighten(const sn__kinematics_inv *self, size_t chain, sn__limb_ik *limb,
                         sn_error *err) {
  const char *name = sn_names_at(sn_model_chain_names(self->model), chain);
  for (size_t i = 0; limb->ik != NULL && i < self->limits.count; i++) {
    const chain_limits *entry = limits_at(self, i);
    if (strcmp(entry->chain, name) != 0) {
      continue;
    }
    double *lower = limb->pose; /* used as scratch: nothing has been solved yet */
    double *upper = limb->rate;
    for (size_t j = 0; j < limb->count; j++) {
      sn_ik_limits(limb->ik, j, &lower[j], &upper[j]);
      lower[j] = j < entry->q_min.count ? fmax(lower[j], entry->q_min.data[j]) : lower[j];
      upper[j] = j < entry->q_max.count ? fmin(upper[j], entry->q_max.data[j]) : upper[j];
    }
    if (sn_ik_set_limits(limb->ik, lower, upper, limb->count, NULL) != SN_OK) {
      return sn__fail(err, SN_EINVAL, "limits: chain '%s': a joint has no range left", name);
    }
  }
  return SN_OK;
}

static sn_status create_limb(sn__kinematics_inv *self, size_t chain, sn_error *err) {
  const bool asked_for = is_asked_for(self, chain);
  if (self->chains.count > 0 && !asked_for) {
    return SN_OK;
  }
  sn_arena *arena = sn_component_arena(&self->component);
  sn__limb_ik_config config = {.model = self->model,
                               .chain = chain,
                               .with_virtual = self->with_virtual,
                               .solver = self->solver,
                               .jump_max = self->jump_max,
                               .timeout_s = self->timeout_s,
                               .goes_near = strcmp(self->unreachable, "nearest") == 0,
                               .clock = sn_system_clock(self->component.system)};
  sn_error reason = {.message = ""};
  sn_status status = axes_of(self, chain, &config.free_axes, err);
  if (status != SN_OK) {
    return status;
  }
  status = sn__limb_ik_create(arena, &config, &self->limbs[chain], &reason);
  if (status == SN_OK) {
    return tighten(self, chain, &self->limbs[chain], err);
  }
  /* A chain without joints does not make the robot invalid. */
  if (!asked_for && (status == SN_EINVAL || status == SN_EUNSUPPORTED)) {
    return SN_OK;
  }
  return sn__fail(err, status, "chain '%s': %s",
                  sn_names_at(sn_model_chain_names(self->model), chain), reason.message);
}

static bool create_arrays(sn__kinematics_inv *self, sn_arena *arena) {
  self->limbs = SN_NEW(arena, sn__limb_ik, self->chain_count);
  self->targets = SN_NEW(arena, sn__limb_target, self->chain_count);
  self->wanted = SN_NEW(arena, size_t, self->chain_count);
  self->wanted_on = SN_NEW(arena, size_t, self->chain_count);
  self->q = SN_NEW(arena, double, self->joint_count);
  self->ref = SN_NEW(arena, double, self->joint_count);
  self->rate = SN_NEW(arena, double, self->joint_count);
  self->named = SN_NEW(arena, bool, self->joint_count);
  self->named_last = SN_NEW(arena, bool, self->joint_count);
  return self->limbs != NULL && self->targets != NULL && self->wanted != NULL &&
         self->wanted_on != NULL && self->q != NULL && self->ref != NULL && self->rate != NULL &&
         self->named != NULL && self->named_last != NULL &&
         sn__name_map_init(&self->names, arena, sn_model_joint_names(self->model));
}

static sn_status create_all(sn_component *component, sn_error *err) {
  sn__kinematics_inv *self = (sn__kinematics_inv *)component;
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_joint_state *out = self->joints_ref.msg;
  self->joint_count = sn_model_pose_size(self->model);
  self->chain_count = sn_names_count(sn_model_chain_names(self->model));
  self->has_pose = self->has_answer = false;
  sn_status status = sn__fits(self->joint_count, out->position.capacity, "joints", err);
  if (status == SN_OK) {
    status = check_names(self, err);
  }
  if (status == SN_OK) {
    status = sn_kin_create(arena, sn_model_tree(self->model), &self->kin, err);
  }
  if (status == SN_OK && !create_arrays(self, arena)) {
    status = sn__fail(err, SN_ENOMEM, "no memory");
  }
  for (size_t i = 0; status == SN_OK && i < self->chain_count; i++) {
    status = create_limb(self, i, err);
  }
  return status;
}

static sn_status configure(sn_component *component, sn_error *err) {
  sn__kinematics_inv *self = (sn__kinematics_inv *)component;
  return sn__configure_with_model(component, &self->robot_model, &self->model, create_all, err);
}

/* What was known before a stop is out of date. */
static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn__kinematics_inv *self = (sn__kinematics_inv *)component;
  (void)now_ns;
  (void)err;
  self->has_pose = false;
  for (size_t i = 0; i < self->chain_count; i++) {
    self->limbs[i].has_pose = self->limbs[i].failed = false;
  }
  return SN_OK;
}

static void cleanup(sn_component *component) {
  sn__kinematics_inv *self = (sn__kinematics_inv *)component;
  sn_msg_names_clear(&((sn_joint_state *)self->joints_ref.msg)->name);
  self->chain_count = 0;
  sn__model_release(&self->robot_model);
}

static sn_status list_failed(sn_component *component, const void *request, void *response,
                             sn_error *err) {
  const sn__kinematics_inv *self = (const sn__kinematics_inv *)component;
  sn_msg_names *names = &((sn_call_names *)response)->names;
  (void)request;
  sn_msg_names_clear(names);
  for (size_t i = 0; i < self->chain_count; i++) {
    const char *name = sn_names_at(sn_model_chain_names(self->model), i);
    if (self->limbs[i].failed && sn_msg_names_add(names, name, strlen(name)) != SN_OK) {
      return sn__fail(err, SN_ENOSPC, "the answer does not fit into the message");
    }
  }
  return SN_OK;
}

static const sn_operation operations[] = {
    {"listFailed", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_call_names_type, list_failed,
     "Chains whose last target could not be reached."},
    {0}};

const sn_component_type sn_kinematics_inv_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "kinematics_inv",
    .doc = "Inverse kinematics: joint positions for target poses of limbs.",
    .size = sizeof(sn__kinematics_inv),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .needs = needs,
    .configure = configure,
    .start = start,
    .step = sn__kinematics_inv_step,
    .cleanup = cleanup,
    .translate = sn__kinematics_inv_translate,
    .example =
        "components:\n"
        "  kinematics_inv:\n"
        "    type: kinematics_inv\n"
        "    properties:\n"
        "      unreachable: hold\n"
        "      free: [{chain: head, axes: [rx, ry, rz]}]\n",
};
