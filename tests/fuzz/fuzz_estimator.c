/* Bytes as a fuzz_input: messages of IMU, joints, contacts, supports and overrides of the base, and
   cycles at any time, in any order. Whatever comes, the estimated base is a finite pose. */
#include <math.h>
#include <string.h>

#include "fuzz_input.h"
#include "rt/system_internal.h"
#include "sinew/components.h"
#include "sinew/fault.h"
#include "sinew/msg_estimation.h"
#include "sinew/msg_types.h"
#include "sinew/system.h"
#include "sinew/tap.h"
#include "sinew/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LEGS = 3, CYCLES_MAX = 300, MS = 1000000, PERIOD = 10 * MS };

#define LEG(n, x, y)                                                                      \
  "<link name='u" n "'/><link name='f" n                                                  \
  "'/>"                                                                                   \
  "<joint name='h" n "' type='revolute'><parent link='base'/><child link='u" n            \
  "'/><origin xyz='" x " " y                                                              \
  " 0'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='3' velocity='2'/></joint>" \
  "<joint name='k" n "' type='revolute'><parent link='u" n "'/><child link='f" n          \
  "'/><origin xyz='0 0 -0.1'/><axis xyz='0 1 0'/><limit lower='-2' upper='2' effort='3' " \
  "velocity='2'/></joint>"

static const char robot[] = "<robot name='r'><link name='base'/>" LEG("1", "0.1", "0.1")
    LEG("2", "0.1", "-0.1") LEG("3", "-0.1", "0") "</robot>";

/* A foot that is a point, one with an axis, and a flat one. */
static const char chains[] =
    "{leg1: {first_link: base, last_link: f1, default_contact: point},"
    " leg2: {first_link: base, last_link: f2, default_contact: line},"
    " leg3: {first_link: base, last_link: f3, default_contact: sole}}";
static const char contacts[] =
    "{point: {points: [[0, 0, -0.1]]},"
    " line: {points: [[0, 0, -0.1], [0, 0, -0.12]]},"
    " sole: {points: [[0.02, 0, -0.1], [-0.02, 0.02, -0.1], [-0.02, -0.02, -0.1]]}}";

static const char *const joint_names[] = {"h1", "k1", "h2", "k2", "h3", "k3"};
static const char *const leg_names[] = {"leg1", "leg2", "leg3"};
static const char *const contact_names[] = {"", "point", "line", "sole", "none"};

typedef struct rig {
  sn_arena arena;
  sn_clock clock;
  sn_system *system;
  sn_component *estimator;
  sn_source *imu, *joints, *contacts, *supports, *in_base;
  sn_tap *base, *status;
  int64_t now_ns;
} rig;

/* ---- the system ---- */

static void set(rig *r, sn_component *component, const char *key, const char *text) {
  sn_report *report = NULL;
  const sn_value *value = NULL;
  SN_ASSERT(sn_report_create(&r->arena, &report, NULL) == SN_OK);
  SN_ASSERT(sn_value_parse_text(&r->arena, text, strlen(text), "fuzz", report, &value) == SN_OK);
  SN_ASSERT(sn_system_set(r->system, component, key, value, report, NULL) == SN_OK);
}

static void set_robot(rig *r, sn_component *robot_model) {
  sn_report *report = NULL;
  const sn_value text = {
      .name = "", .kind = SN_VALUE_TEXT, .text = robot, .place = {.file = "fuzz"}};
  SN_ASSERT(sn_report_create(&r->arena, &report, NULL) == SN_OK);
  SN_ASSERT(sn_system_set(r->system, robot_model, "robot_description", &text, report, NULL) ==
            SN_OK);
  set(r, robot_model, "kinematics_chains", chains);
  set(r, robot_model, "contacts", contacts);
}

static sn_source *source(rig *r, const char *port) {
  sn_source *s = NULL;
  SN_ASSERT(sn_source_open(r->system, port, NULL, &s, NULL) == SN_OK);
  return s;
}

static sn_tap *tap(rig *r, const char *port) {
  sn_tap *t = NULL;
  SN_ASSERT(sn_tap_open(r->system, port, NULL, &t, NULL) == SN_OK);
  return t;
}

static void open_rig(rig *r) {
  *r = (rig){.now_ns = MS};
  sn_arena_init_growing(&r->arena, "fuzz", 1 << 16);
  sn_clock_init_simulated(&r->clock, 0);
  const sn_activity_config cycle = {.name = "cycle", .period_ns = PERIOD};
  sn_activity *activity = NULL;
  sn_component *robot_model = NULL;
  r->system = sn_system_create(&(sn_system_config){.clock = &r->clock});
  SN_ASSERT(sn_system_add_activity(r->system, &cycle, &activity, NULL) == SN_OK);
  SN_ASSERT(sn_system_add(r->system, &sn_robot_model_component, "robot_model", &robot_model,
                          NULL) == SN_OK);
  SN_ASSERT(sn_system_add(r->system, &sn_state_estimator_component, "est", &r->estimator, NULL) ==
            SN_OK);
  SN_ASSERT(sn_system_assign(r->system, r->estimator, activity, 0, NULL) == SN_OK);
  SN_ASSERT(sn__system_require(r->system, "est.robot_model", "robot_model", NULL) == SN_OK);
  set_robot(r, robot_model);
  r->imu = source(r, "est.imu");
  r->joints = source(r, "est.joints_measured");
  r->contacts = source(r, "est.contacts");
  r->supports = source(r, "est.in_supports");
  r->in_base = source(r, "est.in_base");
  r->base = tap(r, "est.out_base");
  r->status = tap(r, "est.out_status");
  SN_ASSERT(sn_system_begin(r->system, NULL) == SN_OK);
}

static void close_rig(rig *r) {
  sn_source *const sources[] = {r->imu, r->joints, r->contacts, r->supports, r->in_base};
  for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
    sn_source_close(sources[i]);
  }
  sn_tap_close(r->base);
  sn_tap_close(r->status);
  sn_system_destroy(r->system);
  sn_arena_release(&r->arena);
}

/* ---- messages ---- */

static sn_vec3 next_vec3(fuzz_input *s) {
  const double x = next_number(s), y = next_number(s), z = next_number(s);
  return sn_vec3_make(x, y, z);
}

static void write_imu(fuzz_input *s, rig *r, uint8_t what) {
  sn_imu *msg = sn_source_msg(r->imu);
  sn_msg_reset(&sn_imu_type, msg);
  msg->angular_velocity = next_vec3(s);
  msg->linear_acceleration = next_vec3(s);
  if (what % 2 == 0) { /* an ordinary one */
    msg->linear_acceleration = sn_vec3_make(0, 0, 9.81 + 0.001 * what);
  }
  msg->orientation_covariance[0] = next_number(s);
  msg->orientation = (sn_quat){next_number(s), next_number(s), next_number(s), next_number(s)};
  msg->header.stamp_ns = what < 64 ? INT64_MIN + what : r->now_ns;
  (void)sn_source_write(r->imu);
}

static void next_list(fuzz_input *s, size_t usual, sn_seq_f64 *list) {
  const uint8_t kind = next(s);
  list->count = kind % 16 == 0 ? (size_t)(kind / 16) % 8 : kind % 16 == 1 ? 0 : usual;
  for (size_t i = 0; i < list->count; i++) {
    list->data[i] = next_number(s);
  }
}

static void write_joints(fuzz_input *s, rig *r, uint8_t what) {
  sn_joint_state *msg = sn_source_msg(r->joints);
  sn_msg_reset(&sn_joint_state_type, msg);
  const size_t count = what % 4 == 0 ? next(s) % 7 : 6;
  for (size_t i = 0; i < count; i++) {
    const char *name = joint_names[what % 8 == 0 ? next(s) % 6 : i];
    (void)sn_msg_names_add(&msg->name, name, strlen(name));
  }
  next_list(s, count, &msg->position);
  next_list(s, count, &msg->velocity);
  (void)sn_source_write(r->joints);
}

static void write_supports(fuzz_input *s, sn_source *to, uint8_t what) {
  sn_support_state *msg = sn_source_msg(to);
  sn_msg_reset(&sn_support_state_type, msg);
  for (size_t i = 0; i < LEGS; i++) {
    const char *contact = contact_names[what > 128 ? next(s) % 5 : 0];
    const char *name = what == 255 ? "leg9" : leg_names[what > 240 ? next(s) % LEGS : i];
    (void)sn_msg_names_add(&msg->name, name, 4);
    (void)sn_msg_names_add(&msg->contact, contact, strlen(contact));
    msg->support.data[i] = what % 2 == 0 ? (next(s) % 2 == 0 ? 1.0 : 0.0) : next_number(s);
  }
  msg->support.count = what % 16 == 3 ? next(s) % 4 : LEGS;
  (void)sn_source_write(to);
}

static void write_base(fuzz_input *s, rig *r, uint8_t what) {
  sn_rigid_body_state *msg = sn_source_msg(r->in_base);
  sn_msg_reset(&sn_rigid_body_state_type, msg);
  (void)sn_msg_names_add(&msg->name, what % 8 == 0 ? "f1" : "base", what % 8 == 0 ? 2 : 4);
  msg->pose.count = 1;
  msg->pose.data[0] =
      (sn_msg_pose){next_vec3(s), {next_number(s), next_number(s), next_number(s), next_number(s)}};
  msg->twist.count = what % 4 == 0;
  msg->twist.data[0] = (sn_spatial){next_vec3(s), next_vec3(s)};
  (void)sn_source_write(r->in_base);
}

/* ---- cycles ---- */

static bool is_finite(sn_vec3 v) {
  return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static void check(rig *r) {
  const sn_rigid_body_state *base = sn_tap_read(r->base, NULL);
  if (base != NULL) {
    const sn_quat q = base->pose.data[0].orientation;
    const double norm = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    SN_ASSERT(sn_msg_is_finite(&sn_rigid_body_state_type, base));
    SN_ASSERT(fabs(norm - 1.0) < 1e-6);
  }
  const sn_estimator_status *status = sn_tap_read(r->status, NULL);
  if (status != NULL) {
    SN_ASSERT(is_finite(status->gyro_bias) && is_finite(status->accel_bias));
    SN_ASSERT(status->foot.count == LEGS && status->standing.count == LEGS);
  }
}

/* Mostly the period; sometimes no time, a jump forwards or backwards. */
static void cycle(fuzz_input *s, rig *r, uint8_t what) {
  const int64_t jump_ns = (int64_t)(next(s) + 1) * MS * (what % 4 == 0 ? 1000 : 10);
  r->now_ns += what < 240 ? PERIOD : what < 244 ? 0 : what < 250 ? jump_ns : -jump_ns;
  SN_ASSERT(r->estimator->type->step(r->estimator, r->now_ns) == SN_OK);
  check(r);
}

static void play(fuzz_input *s, rig *r) {
  for (int cycles = 0; s->size > 0 && cycles < CYCLES_MAX;) {
    const uint8_t what = next(s);
    switch (what % 8) {
      case 0:
      case 1:
        write_imu(s, r, next(s));
        break;
      case 2:
        write_joints(s, r, next(s));
        break;
      case 3:
        write_supports(s, r->contacts, next(s));
        break;
      case 4:
        write_supports(s, r->supports, next(s));
        break;
      case 5:
        write_base(s, r, next(s));
        break;
      default:
        cycle(s, r, what);
        cycles++;
        break;
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static rig r;
  fuzz_input s = {data, size};
  open_rig(&r);
  play(&s, &r);
  close_rig(&r);
  return 0;
}
