/* A component of your own: copy this file, rename `wave`, fill in `step`. It swings one joint; the
 * program runs it for a quarter of a second of simulated time and reads what it wrote. Compiled as
 * a plugin, a deployment file knows it as `type: wave`. */
#include <math.h>
#include <sinew/sinew.h>
#include <stdio.h>

typedef struct wave {
  sn_component component; /* always first */
  const char *joint;      /* properties */
  double amplitude_rad;
  sn_output out; /* ports */
} wave;

static const sn_property properties[] = {
    SN_PROPERTY(wave, "joint", joint, .initial = "knee", .doc = "The joint that swings."),
    SN_PROPERTY(wave, "amplitude", amplitude_rad, .initial = "0.5", .unit = "rad", .min = 0,
                .max = 3, .flags = SN_PROPERTY_LIVE, .doc = "How far it swings."),
    {0}};

static const sn_port ports[] = {
    SN_OUTPUT(wave, "out", out, &sn_joint_state_type, .doc = "The joint's reference."), {0}};

/* Before the first cycle: check everything, take memory. */
static sn_status configure(sn_component *component, sn_error *err) {
  wave *w = (wave *)component;
  const sn_names *names = NULL;
  const sn_status status =
      sn_names_create(sn_component_arena(component), &w->joint, 1, &names, err);
  sn_msg_names_share(&((sn_joint_state *)w->out.msg)->name, names);
  return status;
}

/* Every cycle: no memory, no locks, no system calls; time is an argument. */
static sn_status step(sn_component *component, int64_t now_ns) {
  wave *w = (wave *)component;
  sn_joint_state *msg = w->out.msg;
  msg->header.stamp_ns = now_ns;
  msg->position.count = 1;
  msg->position.data[0] = w->amplitude_rad * sin(6.2831853 * 1e-9 * (double)now_ns);
  return sn_output_write(&w->out);
}

static const sn_component_type wave_type = {.abi = SN_COMPONENT_ABI,
                                            .name = "wave",
                                            .doc = "Swings one joint.",
                                            .size = sizeof(wave),
                                            .properties = properties,
                                            .ports = ports,
                                            .configure = configure,
                                            .step = step};

const sn_component_type *const sn_component_plugin[] = {&wave_type, NULL};

int main(void) {
  const sn_activity_config control = {.name = "control", .period_ns = 10 * 1000 * 1000};
  sn_activity *activity = NULL;
  sn_component *swing = NULL;
  sn_tap *tap = NULL;
  sn_error err;
  sn_clock clock;
  sn_clock_init_simulated(&clock, 0);
  sn_system *system = sn_system_create(&(sn_system_config){.clock = &clock});
  if (sn_system_add_activity(system, &control, &activity, &err) != SN_OK ||
      sn_system_add(system, &wave_type, "swing", &swing, &err) != SN_OK ||
      sn_system_assign(system, swing, activity, 0, &err) != SN_OK ||
      sn_tap_open(system, "swing.out", NULL, &tap, &err) != SN_OK ||
      sn_system_begin(system, &err) != SN_OK ||
      sn_system_run(system, 260 * INT64_C(1000000), NULL, NULL, &err) != SN_OK) {
    fprintf(stderr, "%s\n", err.message);
    return 1;
  }
  const sn_joint_state *msg = sn_tap_read(tap, NULL);
  printf("%s is at %.3f rad\n", sn_msg_names_at(&msg->name, 0), msg->position.data[0]);
  sn_tap_close(tap);
  sn_system_destroy(system);
  return 0;
}
