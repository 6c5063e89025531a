#include "controllers/smoothing.h"

#include <string.h>

#include "base/fail.h"
#include "sinew/components.h"
#include "traj/otg_limits.h"

typedef struct smoothing {
  sn_component component;
  double transient_time_s;
  sn_bags joints; /* of joint_time, or of joint_limits */
  sn__otg_defaults defaults;
  bool synchronise;
  sn_smoothing iface;
} smoothing;

/* The time of one joint. */
typedef struct joint_time {
  const char *joint;
  double transient_time_s;
} joint_time;

/* The limits of one joint; 0: as by default. */
typedef struct joint_limits {
  const char *joint;
  double velocity, acceleration, jerk;
} joint_limits;

static const sn_property limit_properties[] = {
    SN_PROPERTY(joint_limits, "joint", joint, .flags = SN_PROPERTY_REQUIRED,
                .doc = "A movable joint of the robot."),
    SN_PROPERTY(joint_limits, "velocity", velocity, .unit = "rad/s or m/s", .min = 0, .max = 1e6,
                .doc = "Limit of this joint; 0: as by default."),
    SN_PROPERTY(joint_limits, "acceleration", acceleration, .unit = "rad/s² or m/s²", .min = 0,
                .max = 1e6, .doc = "Likewise."),
    SN_PROPERTY(joint_limits, "jerk", jerk, .unit = "rad/s³ or m/s³", .min = 0, .max = 1e9,
                .doc = "Likewise."),
    {0}};

static const sn_property joint_properties[] = {
    SN_PROPERTY(joint_time, "joint", joint, .flags = SN_PROPERTY_REQUIRED,
                .doc = "A movable joint of the robot."),
    SN_PROPERTY(joint_time, "transient_time", transient_time_s, .flags = SN_PROPERTY_REQUIRED,
                .unit = "s", .min = 1e-3, .max = 1e3, .doc = "Time of this joint."),
    {0}};

static const sn_property exp_properties[] = {
    SN_PROPERTY(smoothing, "transient_time", transient_time_s, .initial = "1", .unit = "s",
                .min = 1e-3, .max = 1e3, .doc = "How long the transition takes, to 1 %."),
    SN_PROPERTY_BAGS_OF(smoothing, "joints", joints, joint_time, joint_properties,
                        .doc = "Joints with a transient_time of their own."),
    {0}};

static const sn_property jerk_properties[] = {
    SN_PROPERTY(smoothing, "velocity", defaults.velocity, .initial = "10", .unit = "rad/s or m/s",
                .min = 1e-3, .max = 1e6, .doc = "Of joints whose URDF states no limit."),
    SN_PROPERTY(smoothing, "acceleration_time", defaults.acceleration_time_s, .initial = "0.25",
                .unit = "s", .min = 1e-3, .max = 1e3,
                .doc = "From rest to full speed, where the URDF states no acceleration."),
    SN_PROPERTY(smoothing, "jerk_time", defaults.jerk_time_s, .initial = "0.1", .unit = "s",
                .min = 1e-3, .max = 1e3,
                .doc = "From zero to full acceleration, where it states no jerk."),
    SN_PROPERTY(smoothing, "synchronise", synchronise, .doc = "All joints arrive together."),
    SN_PROPERTY_BAGS_OF(smoothing, "joints", joints, joint_limits, limit_properties,
                        .doc = "Joints with limits of their own."),
    {0}};

/* Every item of `joints` begins with the name of its joint. */
static const char *name_of(const smoothing *self, size_t size, size_t index) {
  const void *item = (const char *)self->joints.data + index * size;
  return *(const char *const *)item;
}

/* The joint that an item of `joints` is about.
   @return SN_OK; SN_ENOENT or SN_EINVAL: a bad list */
static sn_status find_joint(const smoothing *self, const sn_model *model, size_t size, size_t index,
                            size_t *joint, sn_error *err) {
  const char *name = name_of(self, size, index);
  const int found = sn_model_joint_index(model, name);
  if (found < 0) {
    return sn__fail(err, SN_ENOENT, "%s: joints[%zu]: the robot has no movable joint '%s'",
                    self->component.name, index, name);
  }
  for (size_t k = 0; k < index; k++) {
    if (strcmp(name_of(self, size, k), name) == 0) {
      return sn__fail(err, SN_EINVAL, "%s: joints[%zu]: '%s' appears twice", self->component.name,
                      index, name);
    }
  }
  *joint = (size_t)found;
  return SN_OK;
}

/* The time of every joint of the pose. */
static sn_status read_times(const smoothing *self, const sn_model *model, double *times,
                            sn_error *err) {
  const joint_time *items = self->joints.data;
  sn_status status = SN_OK;
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    times[j] = self->transient_time_s;
  }
  for (size_t i = 0; status == SN_OK && i < self->joints.count; i++) {
    size_t joint = 0;
    status = find_joint(self, model, sizeof *items, i, &joint, err);
    times[joint] = status == SN_OK ? items[i].transient_time_s : times[joint];
  }
  return status;
}

/* A joint that states its velocity keeps the times of acceleration and jerk. */
static sn_otg_limits limits_of(const smoothing *self, const sn_joint *joint,
                               const joint_limits *item) {
  sn_joint own = *joint;
  own.velocity_max = item->velocity > 0.0 ? item->velocity : own.velocity_max;
  if (item->acceleration > 0.0) {
    own.acceleration_max = own.deceleration_max = item->acceleration;
  }
  own.jerk_max = item->jerk > 0.0 ? item->jerk : own.jerk_max;
  return sn__otg_limits_of(&own, &self->defaults);
}

static sn_status read_limits(const smoothing *self, const sn_model *model, sn_otg_limits *limits,
                             sn_error *err) {
  const joint_limits *items = self->joints.data;
  sn_status status = SN_OK;
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(model, j), &self->defaults);
  }
  for (size_t i = 0; status == SN_OK && i < self->joints.count; i++) {
    size_t joint = 0;
    status = find_joint(self, model, sizeof *items, i, &joint, err);
    if (status == SN_OK) {
      limits[joint] = limits_of(self, sn_model_joint(model, joint), &items[i]);
    }
  }
  return status;
}

static sn_status create(sn_component *component, sn_arena *arena, const sn_model *model,
                        sn_smooth **out, sn_error *err) {
  const smoothing *self = (const smoothing *)component;
  const size_t n = sn_model_pose_size(model);
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, n);
  double *times = SN_NEW(arena, double, n);
  if (limits == NULL || times == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for smoothing");
  }
  const bool is_jerk_limited = strcmp(component->type->name, "jerk_limited") == 0;
  const sn_status status =
      is_jerk_limited ? read_limits(self, model, limits, err) : read_times(self, model, times, err);
  if (status != SN_OK) {
    return status;
  }
  const sn_smooth_config config = {.joint_count = n,
                                   .transient_times_s = is_jerk_limited ? NULL : times,
                                   .limits = is_jerk_limited ? limits : NULL,
                                   .synchronise = self->synchronise};
  return sn__smooth_create(arena, component->type->name, &config, out, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  (void)err;
  ((smoothing *)component)->iface = (sn_smoothing){.component = component, .create = create};
  return SN_OK;
}

static const void *iface(sn_component *component) {
  return &((smoothing *)component)->iface;
}

static const sn_service services[] = {{SN_SMOOTHING, iface, "Makes filters of joint references."},
                                      {0}};

/* They differ in their properties only. */
#define SMOOTHING_TYPE(name_, properties_, settings_, doc_)                             \
  {                                                                                     \
    .abi = SN_COMPONENT_ABI, .name = (name_), .doc = (doc_), .size = sizeof(smoothing), \
    .properties = (properties_), .services = services, .configure = configure,          \
    .example =                                                                          \
        "components:\n"                                                                 \
        "  follow:\n"                                                                   \
        "    services:\n"                                                               \
        "      smoothing: {type: " name_ ", properties: {" settings_ "}}\n"             \
  }

const sn_component_type sn_transient_exp_component =
    SMOOTHING_TYPE("transient_exp", exp_properties, "transient_time: 0.5",
                   "Removes the initial error of a reference, then lets it pass.");

const sn_component_type sn_filter_exp_component =
    SMOOTHING_TYPE("filter_exp", exp_properties, "transient_time: 0.2",
                   "A critically damped low-pass of second order.");

const sn_component_type sn_jerk_limited_component =
    SMOOTHING_TYPE("jerk_limited", jerk_properties, "synchronise: true",
                   "Goes to a reference as fast as velocity, acceleration and jerk allow.");
