#include "controllers/smoothing.h"

#include <string.h>

#include "base/fail.h"
#include "controllers/otg_limits.h"
#include "sinew/components.h"

typedef struct smoothing {
  sn_component component;
  double transient_time_s;
  sn_bags joints; /* of joint_time */
  sn__otg_defaults defaults;
  bool synchronise;
  sn_smoothing iface;
} smoothing;

/* The time of one joint. */
typedef struct joint_time {
  const char *joint;
  double transient_time_s;
} joint_time;

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
    {0}};

/* The time of every joint of the pose. @return SN_OK; SN_ENOENT or SN_EINVAL: a bad list */
static sn_status read_times(const smoothing *self, const sn_model *model, double *times,
                            sn_error *err) {
  const joint_time *items = self->joints.data;
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    times[j] = self->transient_time_s;
  }
  for (size_t i = 0; i < self->joints.count; i++) {
    const int joint = sn_model_joint_index(model, items[i].joint);
    if (joint < 0) {
      return sn__fail(err, SN_ENOENT, "%s: joints[%zu]: the robot has no movable joint '%s'",
                      self->component.name, i, items[i].joint);
    }
    for (size_t k = 0; k < i; k++) {
      if (strcmp(items[k].joint, items[i].joint) == 0) {
        return sn__fail(err, SN_EINVAL, "%s: joints[%zu]: '%s' appears twice", self->component.name,
                        i, items[i].joint);
      }
    }
    times[joint] = items[i].transient_time_s;
  }
  return SN_OK;
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
  for (size_t j = 0; is_jerk_limited && j < n; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(model, j), &self->defaults);
  }
  const sn_status status = is_jerk_limited ? SN_OK : read_times(self, model, times, err);
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

const sn_component_type sn_transient_exp_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "transient_exp",
    .doc = "Removes the initial error of a reference, then lets it pass.",
    .size = sizeof(smoothing),
    .properties = exp_properties,
    .services = services,
    .configure = configure,
    .example =
        "components:\n"
        "  follow:\n"
        "    services:\n"
        "      smoothing: {type: transient_exp, properties: {transient_time: 0.5}}\n",
};

const sn_component_type sn_filter_exp_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "filter_exp",
    .doc = "A critically damped low-pass of second order.",
    .size = sizeof(smoothing),
    .properties = exp_properties,
    .services = services,
    .configure = configure,
    .example =
        "components:\n"
        "  follow:\n"
        "    services:\n"
        "      smoothing: {type: filter_exp, properties: {transient_time: 0.2}}\n",
};

const sn_component_type sn_jerk_limited_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "jerk_limited",
    .doc = "Goes to a reference as fast as velocity, acceleration and jerk allow.",
    .size = sizeof(smoothing),
    .properties = jerk_properties,
    .services = services,
    .configure = configure,
    .example =
        "components:\n"
        "  follow:\n"
        "    services:\n"
        "      smoothing: {type: jerk_limited, properties: {synchronise: true}}\n",
};
