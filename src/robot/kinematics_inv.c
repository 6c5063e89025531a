/* From where limbs should be to the pose of their joints. */
#include "robot/kinematics_inv.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "msg/types/msg_collision.h"
#include "rt/components/robot_model_client.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/msg_calls.h"
#include "sinew/system.h"

static const sn_property properties[] = {
    SN_PROPERTY(sn__kinematics_inv, "solver", solver, .initial = "auto",
                .doc = "Solver of all chains: auto, analytic, numeric or that of a plugin."),
    SN_PROPERTY(sn__kinematics_inv, "chains", chains,
                .doc = "Chains that are solved; empty: all that can be."),
    SN_PROPERTY_BAGS_OF(sn__kinematics_inv, "free", free, sn__chain_free, sn__chain_free_properties,
                        .doc =
                            "Free axes. For a chain that is not listed: none, or all rotations if "
                            "it has fewer than six joints."),
    SN_PROPERTY_BAGS_OF(sn__kinematics_inv, "limits", limits, sn__chain_limits,
                        sn__chain_limits_properties,
                        .doc = "Limits of solutions; the tighter of these and the robot's apply."),
    SN_PROPERTY_BAGS_OF(sn__kinematics_inv, "nominal", nominal, sn__chain_nominal,
                        sn__chain_nominal_properties,
                        .doc = "Poses that chains prefer where they have a choice."),
    SN_PROPERTY_BAGS_OF(sn__kinematics_inv, "weights", weights, sn__chain_weights,
                        sn__chain_weights_properties,
                        .doc = "What counts how much when a target is out of reach; a chain that "
                               "is not listed has the defaults."),
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
    SN_PROPERTY(sn__kinematics_inv, "collision", avoids_collisions, .initial = "false",
                .doc = "Only poses in which links that the limb moves touch no other link and no "
                       "object of in_world. A limb without one keeps its pose."),
    SN_PROPERTY(sn__kinematics_inv, "collision_margin", collision_margin_m, .initial = "0",
                .unit = "m", .min = 0, .max = 1, .doc = "Distance that these poses keep."),
    SN_PROPERTY(sn__kinematics_inv, "collision_srdf", collision_srdf,
                .flags = SN_PROPERTY_PATH | SN_PROPERTY_INPUT,
                .doc = "SRDF file whose `disable_collisions` name pairs of links that may touch."),
    SN_PROPERTY(sn__kinematics_inv, "timeout", timeout_s, .initial = "0.0005", .unit = "s",
                .min = 1e-6, .max = 1,
                .doc = "Time limit of the solver for one chain; other components that use these "
                       "solvers have a limit of iterations instead."),
    {0}};

static const sn_port ports[] = {
    SN_INPUT(sn__kinematics_inv, "limbs_ref", limbs_ref, &sn_limb_state_type,
             .flags = SN_PORT_EVENT,
             .doc = "Target poses of the last links of some chains; header.frame_id is a link, "
                    "empty: the root."),
    SN_INPUT(sn__kinematics_inv, "joints_sorted", joints_sorted, &sn_joint_state_type,
             .flags = SN_PORT_FEEDBACK | SN_PORT_REQUIRED,
             .doc = "The pose to start from; required for an answer."),
    SN_INPUT(sn__kinematics_inv, "in_world", world, &sn_world_object_list_type,
             .flags = SN_PORT_FEEDBACK,
             .doc = "Objects that limbs avoid if `collision` is set, in the frame of the root "
                    "link: `world` of the gate."),
    SN_OUTPUT(sn__kinematics_inv, "joints_ref", joints_ref, &sn_joint_state_type,
              .doc = "The joints of those chains; velocities if the reference has twists."),
    {0}};

static const sn_need needs[] = {SN_ROBOT_MODEL_NEED(sn__kinematics_inv), {0}};

/* ---- configuration ---- */

static sn_status check_names(const sn__kinematics_inv *self, sn_error *err) {
  for (size_t i = 0; i < self->chains.count; i++) {
    if (sn_model_chain_index(self->model, self->chains.data[i]) < 0) {
      return sn__fail(err, SN_ENOENT, "chains: the robot has no chain '%s'", self->chains.data[i]);
    }
  }
  return sn__kinematics_inv_check_chains(self, err);
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

static sn_status create_limb(sn__kinematics_inv *self, size_t chain, sn_error *err) {
  const bool asked_for = is_asked_for(self, chain);
  if (self->chains.count > 0 && !asked_for) {
    return SN_OK;
  }
  sn_arena *arena = sn_component_arena(&self->component);
  sn__limb_ik *limb = &self->limbs[chain];
  sn_status status = sn__kinematics_inv_create_limb(
      self, arena, chain, sn_system_clock(self->component.system), limb, err);
  if (status == SN_OK && self->collision != NULL) {
    status = sn__kinematics_inv_avoid(self, arena, self->collision, limb, err);
  }
  /* A chain without joints does not make the robot invalid. */
  const bool is_unsolvable = status == SN_EINVAL || status == SN_EUNSUPPORTED;
  return !asked_for && is_unsolvable ? SN_OK : status;
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
  self->collision = NULL;
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
  if (status == SN_OK && self->avoids_collisions) {
    status = sn__kinematics_inv_create_checker(
        self, arena, sn_input_is_connected(&self->world) ? SN__COLLISION_OBJECTS_MAX : 0,
        &self->collision, err);
  }
  for (size_t i = 0; status == SN_OK && i < self->chain_count; i++) {
    status = create_limb(self, i, err);
  }
  return status;
}

static sn_status create_for_others(sn_component *component, sn_arena *arena, size_t chain,
                                   sn__limb_ik *limb, sn_error *err) {
  const sn__kinematics_inv *self = (const sn__kinematics_inv *)component;
  sn__limb_ik made;
  sn__collision *collision = NULL; /* of its own: others may step in another thread */
  sn_status status = sn__kinematics_inv_create_limb(self, arena, chain, &self->stopped, &made, err);
  if (status == SN_OK && self->avoids_collisions) {
    status = sn__kinematics_inv_create_checker(self, arena, 0, &collision, err);
  }
  if (status == SN_OK && self->avoids_collisions) {
    status = sn__kinematics_inv_avoid(self, arena, collision, &made, err);
  }
  if (status == SN_OK) {
    *limb = made;
  }
  return status;
}

static const void *iface(sn_component *component) {
  return &((sn__kinematics_inv *)component)->iface;
}

static const sn_service services[] = {
    {SN_INVERSE_KINEMATICS, iface, "Makes solvers of limbs with these settings."}, {0}};

static sn_status configure(sn_component *component, sn_error *err) {
  sn__kinematics_inv *self = (sn__kinematics_inv *)component;
  self->iface = (sn__inverse_kinematics){.component = component, .create = create_for_others};
  sn_clock_init_simulated(&self->stopped, 0);
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
    .doc =
        "Inverse kinematics: joint positions for target poses of limbs; solvers for controllers.",
    .size = sizeof(sn__kinematics_inv),
    .properties = properties,
    .ports = ports,
    .operations = operations,
    .translate = sn__kinematics_inv_translate,
    .services = services,
    .needs = needs,
    .example =
        "components:\n"
        "  kinematics_inv:\n"
        "    type: kinematics_inv\n"
        "    properties:\n"
        "      unreachable: hold\n"
        "      free: [{chain: head, axes: [rx, ry, rz]}]\n"
        "      nominal: [{chain: head, q: [0, 0, 0, 0]}]\n"
        "      weights: [{chain: head, rotation: 0.1, nominal: 0.01}]\n",
    .configure = configure,
    .start = start,
    .step = sn__kinematics_inv_step,
    .cleanup = cleanup,
};
