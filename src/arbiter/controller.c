/* What all controllers share: configuration, the pose, the joints they own, what they publish. */
#include "sinew/controller.h"

#include <string.h>

#include "arbiter/controller_internal.h"
#include "base/fail.h"
#include "msg/msg_names_internal.h"
#include "msg/name_map.h"
#include "rt/components/robot_model_client.h"

const sn_port sn_controller_ports[] = {SN_CONTROLLER_PORTS, {0}};
const sn_need sn_controller_needs[] = {SN_CONTROLLER_NEEDS, {0}};
const sn_operation sn_controller_operations[] = {SN_CONTROLLER_OPERATIONS, {0}};

static const void *controller_interface(sn_component *component) {
  return component;
}
const sn_service sn_controller_services[] = {
    {SN_RESOURCE_CONSUMER, controller_interface, "Takes limbs and releases them."}, {0}};

/* ---- what it owns ---- */

static bool owns_joint(const sn_controller *c, size_t joint) {
  const int resource = c->map->resource_of_joint[joint];
  return resource >= 0 && sn__consumer_has(c->consumer, resource);
}

/* A resource may be a group, or have no joints: what bears weight is a chain. It is under control
   if all joints that belong to it are. */
static bool owns_chain(const sn_controller *c, size_t chain) {
  bool has_joint = false;
  for (size_t j = 0; j < c->joint_count; j++) {
    if (sn_model_joint(c->model, j)->chain == (int)chain) {
      has_joint = true;
      if (!c->owned[j]) {
        return false;
      }
    }
  }
  return has_joint;
}

static void fill_supports(const sn_controller *c, sn_support_state *supports) {
  const sn_names *chains = sn_model_chain_names(c->model);
  sn_msg_names_clear(&supports->name);
  for (size_t i = 0; i < sn_names_count(chains); i++) {
    if (owns_chain(c, i)) {
      const char *name = sn_names_at(chains, i);
      (void)sn_msg_names_add(&supports->name, name, strlen(name));
    }
  }
  supports->support.count = supports->name.count;
  for (size_t i = 0; i < supports->support.count; i++) {
    supports->support.data[i] = 0.0;
  }
}

void sn_controller_set_support(sn_controller *c, size_t chain, double support) {
  sn_support_state *supports = c->ref_support.msg;
  if (supports == NULL) {
    return;
  }
  const int index =
      sn__msg_names_index(&supports->name, sn_names_at(sn_model_chain_names(c->model), chain));
  if (index >= 0) {
    supports->support.data[index] = support;
  }
}

void sn_controller_name_joints(const sn_controller *c, sn_msg_names *names) {
  sn_msg_names_clear(names);
  for (size_t j = 0; j < c->joint_count; j++) {
    if (c->owned[j]) {
      const char *name = sn_model_joint(c->model, j)->name;
      (void)sn_msg_names_add(names, name, strlen(name)); /* configure checked the room */
    }
  }
}

/* Names and sizes of what is published change with the owned joints only. */
static void fill_reference(const sn_controller *c, sn_joint_state *ref) {
  sn_controller_name_joints(c, &ref->name);
  ref->position.count = ref->name.count;
  ref->velocity.count = c->has_velocity ? ref->name.count : 0;
}

static void set_changed(void *context, const sn_resource_set *changed,
                        const sn_resource_set *held) {
  sn_controller *c = context;
  (void)changed;
  (void)held;
  bool *had = c->had;
  bool *owned = had + c->joint_count;
  memcpy(had, owned, c->joint_count * sizeof *had);
  for (size_t j = 0; j < c->joint_count; j++) {
    owned[j] = owns_joint(c, j);
    if (owned[j] && !had[j]) {
      c->q[j] = c->pose[j];
      c->qd[j] = 0.0;
    }
  }
  if (c->out_joints_ref.msg != NULL) {
    fill_reference(c, c->out_joints_ref.msg);
  }
  if (c->ref_support.msg != NULL) {
    fill_supports(c, c->ref_support.msg);
  }
  if (c->hooks->owned_changed != NULL) {
    c->hooks->owned_changed(&c->component, had);
  }
}

/* ---- configuration ---- */

static sn_status create_arrays(sn_controller *c, sn_error *err) {
  sn_arena *arena = sn_component_arena(&c->component);
  const size_t n = c->joint_count;
  double *reals = SN_NEW(arena, double, 4 * n);
  bool *flags = SN_NEW(arena, bool, 2 * n);
  c->consumer = SN_NEW(arena, sn_consumer, 1);
  c->names = SN_NEW(arena, sn__name_map, 1);
  if (reals == NULL || flags == NULL || c->consumer == NULL || c->names == NULL ||
      !sn__name_map_init(c->names, arena, sn_model_joint_names(c->model))) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  c->q = reals;
  c->qd = reals + n;
  c->pose = reals + 2 * n; /* constant for the controller; written here through `q` and `had` */
  c->pose_velocity = reals + 3 * n;
  c->had = flags;
  c->owned = flags + n;
  return SN_OK;
}

static sn_status attach(sn_controller *c, sn_error *err) {
  const sn__resource_arbiter *arbiter = c->arbiter.iface;
  if (arbiter == NULL) {
    return sn__fail(err, SN_ENOTCONFIGURED, "no arbiter: connect '%s'", SN_RESOURCE_ARBITER);
  }
  const sn_consumer_hooks hooks = {.context = c, .acquired = set_changed, .released = set_changed};
  c->keep_subset = c->stay_operational;
  return arbiter->attach(arbiter->context, c, &hooks, err);
}

/* A mistyped limb is reported now, not when it is asked for. */
static sn_status create(sn_component *component, sn_error *err) {
  sn_controller *c = (sn_controller *)component;
  const sn_joint_state *ref = c->out_joints_ref.msg;
  c->joint_count = sn_model_pose_size(c->model);
  sn_status status =
      ref == NULL ? SN_OK : sn__fits(c->joint_count, ref->position.capacity, "joints", err);
  status = status == SN_OK ? create_arrays(c, err) : status;
  if (status == SN_OK && c->hooks->create != NULL) {
    status = c->hooks->create(component, err);
  }
  status = status == SN_OK ? attach(c, err) : status;
  sn_resource_set set;
  return status == SN_OK ? sn__controller_find(c, c->controlled_chains.data,
                                               c->controlled_chains.count, &set, err)
                         : status;
}

sn_status sn_controller_configure(sn_component *component, const sn_controller_hooks *hooks,
                                  sn_error *err) {
  static const sn_controller_hooks none = {.create = NULL};
  sn_controller *c = (sn_controller *)component;
  c->hooks = hooks == NULL ? &none : hooks;
  return sn__configure_with_model(component, &c->robot_model, &c->model, create, err);
}

void sn_controller_cleanup(sn_component *component) {
  sn__model_release(&((sn_controller *)component)->robot_model);
}

sn_status sn_controller_find_joint(const sn_controller *c, const char *name, size_t *joint,
                                   sn_error *err) {
  const int j = sn_model_joint_index(c->model, name);
  if (j < 0) {
    return sn__fail(err, SN_ENOENT, "the robot has no joint '%s'", name);
  }
  *joint = (size_t)j;
  return SN_OK;
}

/* ---- every cycle ---- */

static void begin_asking(sn_controller *c) {
  c->must_start = c->start_operational;
  c->has_logged = false;
  c->renewals_seen = c->renewals;
}

sn_status sn_controller_start(sn_component *component, int64_t now_ns, sn_error *err) {
  sn_controller *c = (sn_controller *)component;
  (void)err;
  c->now_ns = now_ns;
  c->has_pose = false;
  begin_asking(c);
  return SN_OK;
}

static void read_pose(sn_controller *c) {
  const sn_joint_state *msg = sn_input_newest(&c->in_joints_sorted);
  double *pose = c->q + 2 * c->joint_count;
  double *velocity = pose + c->joint_count;
  if (msg != NULL && sn__read_is_good(sn__read_joint_state(c->names, msg, NULL)) &&
      sn__name_map_sort(c->names, &msg->position, pose) == c->joint_count) {
    memset(velocity, 0, c->joint_count * sizeof *velocity);
    (void)sn__name_map_sort(c->names, &msg->velocity, velocity);
    c->has_pose = true;
  }
}

void sn__controller_read_measured(const sn_controller *c, sn_input *input,
                                  struct sn__name_map *names, double *measured,
                                  bool *has_measured) {
  size_t left = SN_INPUT_BURST_MAX;
  for (const sn_joint_state *msg; (msg = sn_input_next(input, &left)) != NULL;) {
    if (sn__read_is_good(sn__read_joint_state(names, msg, NULL))) {
      const size_t count = sn__name_map_sort(names, &msg->position, measured);
      *has_measured = *has_measured || count == c->joint_count;
    }
  }
}

bool sn_controller_begin_step(sn_controller *c, int64_t now_ns) {
  c->now_ns = now_ns;
  read_pose(c);
  if (c->renewals_seen != c->renewals) {
    begin_asking(c); /* the arbiter started again: nothing is held or wanted any more */
  }
  if (c->must_start) {
    sn__controller_ask(c);
  }
  return sn__controller_owns_joints(c);
}

bool sn__controller_owns_joints(const sn_controller *c) {
  return memchr(c->owned, true, c->joint_count) != NULL;
}

sn_status sn_controller_publish(sn_controller *c) {
  if (!sn__controller_owns_joints(c)) {
    return SN_OK;
  }
  if (c->ref_support.msg != NULL) {
    ((sn_support_state *)c->ref_support.msg)->header.stamp_ns = c->now_ns;
    (void)sn_output_write(&c->ref_support); /* what does not fit is counted there */
  }
  sn_joint_state *ref = c->out_joints_ref.msg;
  if (ref == NULL) {
    return SN_OK; /* it has an output of another kind */
  }
  ref->header.stamp_ns = c->now_ns;
  for (size_t i = 0, j = 0; j < c->joint_count; j++) {
    if (c->owned[j]) {
      ref->position.data[i] = c->q[j];
      if (c->has_velocity) {
        ref->velocity.data[i] = c->qd[j];
      }
      i++;
    }
  }
  return sn_output_write(&c->out_joints_ref);
}

void sn_controller_warn(sn_controller *c, const char *format, size_t arg_count,
                        const sn_log_arg *args) {
  sn_component_log_limited(&c->component, &c->warnings, c->now_ns, SN_LOG_WARNING, format,
                           arg_count, args);
}
