#include "controllers/cartesian/cartesian_smoothing.h"

#include <string.h>

#include "sinew/components.h"

typedef struct smoothing {
  sn_component component;
  double transient_time_s, transient_time_rotation_s;
  double velocity, angular_velocity, acceleration_time_s, jerk_time_s;
  sn__cartesian_smoothing iface;
} smoothing;

static const sn_property pd_properties[] = {
    SN_PROPERTY(smoothing, "transient_time", transient_time_s, .initial = "0.5", .unit = "s",
                .min = 1e-3, .max = 1e3, .doc = "How long the transition takes, to 1 %."),
    SN_PROPERTY(smoothing, "transient_time_rotation", transient_time_rotation_s, .initial = "0",
                .unit = "s", .min = 0, .max = 1e3,
                .doc = "The same for the orientation; 0: as for the position."),
    {0}};

static const sn_property jerk_properties[] = {
    SN_PROPERTY(smoothing, "velocity", velocity, .initial = "0.2", .unit = "m/s", .min = 1e-6,
                .max = 1e6, .doc = "Maximum speed along each axis."),
    SN_PROPERTY(smoothing, "angular_velocity", angular_velocity, .initial = "1.5", .unit = "rad/s",
                .min = 1e-6, .max = 1e6, .doc = "Maximum speed about each axis."),
    SN_PROPERTY(smoothing, "acceleration_time", acceleration_time_s, .initial = "0.25", .unit = "s",
                .min = 1e-3, .max = 1e3, .doc = "From rest to full speed."),
    SN_PROPERTY(smoothing, "jerk_time", jerk_time_s, .initial = "0.1", .unit = "s", .min = 1e-3,
                .max = 1e3, .doc = "From zero to full acceleration."),
    {0}};

static sn_status create_pd(sn_component *component, sn_arena *arena, sn__body_filter **out,
                           sn_error *err) {
  const smoothing *self = (const smoothing *)component;
  const double turn_s = self->transient_time_rotation_s > 0.0 ? self->transient_time_rotation_s
                                                              : self->transient_time_s;
  double times[SN__BODY_COORDS];
  for (size_t i = 0; i < SN__BODY_COORDS; i++) {
    times[i] = i < 3 ? self->transient_time_s : turn_s;
  }
  const sn_smooth_config config = {.joint_count = SN__BODY_COORDS, .transient_times_s = times};
  return sn__body_filter_create(arena, "filter_exp", &config, out, err);
}

static sn_status create_jerk(sn_component *component, sn_arena *arena, sn__body_filter **out,
                             sn_error *err) {
  const smoothing *self = (const smoothing *)component;
  sn_otg_limits limits[SN__BODY_COORDS];
  for (size_t i = 0; i < SN__BODY_COORDS; i++) {
    const double velocity = i < 3 ? self->velocity : self->angular_velocity;
    const double acceleration = velocity / self->acceleration_time_s;
    limits[i] = (sn_otg_limits){.velocity = velocity,
                                .acceleration = acceleration,
                                .jerk = acceleration / self->jerk_time_s};
  }
  const sn_smooth_config config = {
      .joint_count = SN__BODY_COORDS, .limits = limits, .synchronise = true};
  return sn__body_filter_create(arena, "jerk_limited", &config, out, err);
}

sn_status sn__cartesian_smoothing_create(const sn_requester *requester, sn_arena *arena,
                                         sn__body_filter **out, sn_error *err) {
  const sn__cartesian_smoothing *service = requester->iface;
  const sn_smooth_config config = {.joint_count = SN__BODY_COORDS, .transient_time_s = 0.5};
  return service == NULL ? sn__body_filter_create(arena, "filter_exp", &config, out, err)
                         : service->create(service->component, arena, out, err);
}

static sn_status configure_pd(sn_component *component, sn_error *err) {
  (void)err;
  ((smoothing *)component)->iface =
      (sn__cartesian_smoothing){.component = component, .create = create_pd};
  return SN_OK;
}

static sn_status configure_jerk(sn_component *component, sn_error *err) {
  (void)err;
  ((smoothing *)component)->iface =
      (sn__cartesian_smoothing){.component = component, .create = create_jerk};
  return SN_OK;
}

static const void *iface(sn_component *component) {
  return &((smoothing *)component)->iface;
}

static const sn_service services[] = {{SN_CARTESIAN_SMOOTHING, iface, "Makes filters of poses."},
                                      {0}};

/* They differ in their properties and in the filter that they make. */
#define SMOOTHING_TYPE(name_, properties_, configure_, settings_, doc_)                 \
  {                                                                                     \
    .abi = SN_COMPONENT_ABI, .name = (name_), .doc = (doc_), .size = sizeof(smoothing), \
    .properties = (properties_), .services = services, .configure = (configure_),       \
    .example =                                                                          \
        "components:\n"                                                                 \
        "  lean:\n"                                                                     \
        "    type: FollowStance\n"                                                      \
        "    services:\n"                                                               \
        "      smoothing: {type: " name_ ", properties: {" settings_ "}}\n"             \
  }

const sn_component_type sn_filter_rigid_body_pd_component = SMOOTHING_TYPE(
    "filter_rigid_body_pd", pd_properties, configure_pd, "transient_time: 0.4",
    "A critically damped low-pass of second order for a pose, stable at any period.");

const sn_component_type sn_jerk_limited_rigid_body_component = SMOOTHING_TYPE(
    "jerk_limited_rigid_body", jerk_properties, configure_jerk, "velocity: 0.1",
    "Goes to a pose along a line, as fast as velocity, acceleration and jerk allow.");
