#include "faults_rig.h"

#include <stdlib.h>

#include "loop_rig.h"

static const sn_property patient_properties[] = {SN_CONTROLLER_PROPERTIES, {0}};

static sn_status patient_configure(sn_component *component, sn_error *err) {
  return sn_controller_configure(component, NULL, err);
}

static sn_status patient_step(sn_component *component, int64_t now_ns) {
  patient *p = (patient *)component;
  (void)sn_controller_begin_step(&p->controller, now_ns);
  for (size_t j = 0; j < p->controller.joint_count; j++) {
    p->controller.q[j] = p->sick == WRITES_NAN ? NAN : 0.2;
  }
  if (p->sick != FALLS_SILENT) {
    (void)sn_controller_publish(&p->controller);
  }
  if (p->sick == HANGS) {
    sn_clock_advance(sn_system_clock(component->system), 5 * MS);
  }
  return p->sick == RETURNS_ERROR ? SN_EIO : SN_OK;
}

static const sn_component_type patient_type =
    SN_CONTROLLER_TYPE("patient", patient, .properties = patient_properties,
                       .configure = patient_configure, .step = patient_step);

static void require(bench *b, const char *component) {
  loop_connect_controller(&b->r, component);
}

static void add_model(bench *b) {
  loop_add_quadruped(&b->r, &b->robot);
  b->n = sn_model_pose_size(b->robot.model);
}

void faults_open(bench *b) {
  *b = (bench){.n = 0};
  rig_open(&b->r, MS);
  add_model(b);
  (void)loop_add_gate(&b->r);
  b->hold = rig_add(&b->r, &sn_follow_joint_state_component, "hold");
  require(b, "hold");
  rig_set(&b->r, b->hold, "stay_operational", "true");
  rig_set(&b->r, b->hold, "start_operational", "true");
  rig_set(&b->r, b->hold, "activation_delay", "0");
  rig_connect(&b->r, "hold.out_joints_ref", "aggregator.in_joints");
  rig_connect(&b->r, "aggregator.joints_sorted", "hold.in_joints_sorted");
  b->patient = rig_add_to(&b->r, &patient_type, "patient", b->r.activity, 2 * MS);
  require(b, "patient");
  rig_connect(&b->r, "patient.out_joints_ref", "aggregator.in_joints");
}

void faults_begin(bench *b) {
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", NULL, &b->pose, &b->r.err),
                   SN_OK);
  rig_begin(&b->r);
}

void faults_close(bench *b) {
  sn_tap_close(b->pose);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

void faults_cycles(bench *b, int count) {
  for (int k = 0; k < count; k++) {
    rig_run(&b->r, MS);
    sn_flow flow = SN_NO_DATA;
    const sn_joint_state *pose = sn_tap_read(b->pose, &flow);
    for (size_t j = 0; flow == SN_NEW_DATA && j < b->n; j++) {
      const double speed = sn_model_joint(b->robot.model, j)->velocity_max;
      const double way = fabs(pose->position.data[j] - b->q[j]);
      /* Twice: after a cycle that took too long the next one makes up for two periods. */
      assert_true(!b->has_pose || way <= 2e-3 * speed + 1e-12);
      b->q[j] = pose->position.data[j];
    }
    b->has_pose = b->has_pose || flow == SN_NEW_DATA;
  }
}

size_t faults_count_lines(bench *b, const char *part) {
  sn_log_record record;
  size_t count = 0;
  while (sn_log_read(b->r.log, &record)) {
    char line[512];
    sn_log_format(&record, line, sizeof line);
    count += strstr(line, part) != NULL;
  }
  return count;
}
