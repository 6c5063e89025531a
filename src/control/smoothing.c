#include "sinew/smoothing.h"

#include "base/fail.h"
#include "control/otg_limits.h"
#include "sinew/components.h"

typedef struct smoothing {
  sn_component component;
  double transient_time_s;
  sn__otg_defaults defaults;
  bool synchronise;
  sn_smoothing face;
} smoothing;

static const sn_property exp_properties[] = {
    SN_PROPERTY(smoothing, "transient_time", transient_time_s, .initial = "1", .unit = "s",
                .min = 1e-3, .max = 1e3, .doc = "How long the transition takes, to 1 %."),
    {0}};

static const sn_property jerk_properties[] = {
    SN_PROPERTY(smoothing, "velocity", defaults.velocity, .initial = "10", .unit = "rad/s or m/s",
                .min = 1e-3, .max = 1e6, .doc = "Of joints whose URDF states no limit."),
    SN_PROPERTY(smoothing, "acceleration_time", defaults.acceleration_time_s, .initial = "0.25",
                .unit = "s", .min = 1e-3, .max = 1e3,
                .doc = "From rest to full speed, where the URDF states no acceleration."),
    SN_PROPERTY(smoothing, "jerk_time", defaults.jerk_time_s, .initial = "0.1", .unit = "s",
                .min = 1e-3, .max = 1e3,
                .doc = "From none to full acceleration, where it states no jerk."),
    SN_PROPERTY(smoothing, "synchronise", synchronise, .doc = "All joints arrive together."),
    {0}};

static sn_status create(sn_component *component, sn_arena *arena, const sn_model *model,
                        sn_smooth **out, sn_error *err) {
  const smoothing *self = (const smoothing *)component;
  const size_t n = sn_model_pose_size(model);
  sn_otg_limits *limits = SN_NEW(arena, sn_otg_limits, n);
  if (limits == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for smoothing");
  }
  const bool is_jerk_limited = component->type == &sn_jerk_limited_component;
  for (size_t j = 0; is_jerk_limited && j < n; j++) {
    limits[j] = sn__otg_limits_of(sn_model_joint(model, j), &self->defaults);
  }
  const sn_smooth_config config = {.joint_count = n,
                                   .transient_time_s = self->transient_time_s,
                                   .limits = is_jerk_limited ? limits : NULL,
                                   .synchronise = self->synchronise};
  return sn_smooth_create(arena, component->type->name, &config, out, err);
}

static sn_status configure(sn_component *component, sn_error *err) {
  (void)err;
  ((smoothing *)component)->face = (sn_smoothing){.component = component, .create = create};
  return SN_OK;
}

static const void *face(sn_component *component) {
  return &((smoothing *)component)->face;
}

static const sn_service services[] = {{SN_SMOOTHING, face, "Makes filters of joint references."},
                                      {0}};

const sn_component_type sn_transient_exp_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "transient_exp",
    .doc = "Removes the initial error of a reference, then lets it pass.",
    .size = sizeof(smoothing),
    .properties = exp_properties,
    .services = services,
    .configure = configure,
};

const sn_component_type sn_filter_exp_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "filter_exp",
    .doc = "A critically damped low-pass of second order.",
    .size = sizeof(smoothing),
    .properties = exp_properties,
    .services = services,
    .configure = configure,
};

const sn_component_type sn_jerk_limited_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "jerk_limited",
    .doc = "Goes to a reference as fast as velocity, acceleration and jerk allow.",
    .size = sizeof(smoothing),
    .properties = jerk_properties,
    .services = services,
    .configure = configure,
};
