#include "aggregator_rig.h"

#include "loop_rig.h"
#include "sinew/components.h"

static sn_status mover_step(sn_component *component, int64_t now_ns) {
  static const char *const names[] = {"shoulder", "elbow", "wheel", "spinner"};
  mover *m = (mover *)component;
  sn_joint_state *msg = m->joints.msg;
  for (int k = 0; m->joint >= 0 && k < (m->burst > 0 ? m->burst : 1); k++) {
    msg->header.stamp_ns = now_ns;
    sn_msg_names_clear(&msg->name);
    (void)sn_msg_names_add(&msg->name, names[m->joint], strlen(names[m->joint]));
    msg->position.count = 1;
    m->position += k == 0 ? m->velocity * 1e-3 : 0.0;
    msg->position.data[0] = k + 1 < m->burst ? -m->position : m->position;
    (void)sn_output_write(&m->joints);
  }
  if (m->chain != NULL) {
    sn_support_state *support = m->supports.msg;
    sn_msg_names_clear(&support->name);
    (void)sn_msg_names_add(&support->name, m->chain, strlen(m->chain));
    support->support.count = 1;
    support->support.data[0] = m->support;
    (void)sn_output_write(&m->supports);
  }
  return m->fails ? SN_EIO : SN_OK;
}

static const sn_port mover_ports[] = {
    SN_OUTPUT(mover, "out", joints, &sn_joint_state_type, .doc = "References."),
    SN_OUTPUT(mover, "supports", supports, &sn_support_state_type, .doc = "Supports."),
    {0}};

const sn_component_type aggregator_mover_type = {.abi = SN_COMPONENT_ABI,
                                                 .name = "mover",
                                                 .doc = "Moves one joint.",
                                                 .size = sizeof(mover),
                                                 .ports = mover_ports,
                                                 .step = mover_step};

static sn_status decider_configure(sn_component *component, sn_error *err) {
  (void)err;
  ((judge_part *)component)->owners = sn__owners_create(sn_component_arena(component), GATE_JOINTS);
  return SN_OK;
}

static const void *decider_face(sn_component *component) {
  return ((judge_part *)component)->owners;
}

static const sn_service decider_services[] = {{SN_OWNERS, decider_face, "Owners."}, {0}};

static const sn_component_type decider_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "decider",
                                               .doc = "Decides.",
                                               .size = sizeof(judge_part),
                                               .services = decider_services,
                                               .configure = decider_configure};

static void connect(bench *b, size_t movers, bool with_owners) {
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  if (with_owners) {
    b->decider = rig_add_to(&b->r, &decider_type, "decider", NULL, 0);
    rig_require(&b->r, "aggregator.owners", "decider");
  }
  for (size_t i = 0; i < movers; i++) {
    static const char *const names[] = {"anna", "berta", "clara"};
    b->movers[i] = rig_add(&b->r, &aggregator_mover_type, names[i]);
    b->movers[i]->joint = -1;
    char path[32];
    snprintf(path, sizeof path, "%s.out", names[i]);
    rig_connect(&b->r, path, "aggregator.in_joints");
    snprintf(path, sizeof path, "%s.supports", names[i]);
    rig_connect(&b->r, path, "aggregator.in_supports");
  }
}

void aggregator_open(bench *b, size_t movers, bool with_owners) {
  memset(b, 0, sizeof *b);
  rig_open(&b->r, MS);
  sn_component *model = loop_add_model(&b->r, gate_robot);
  rig_set(&b->r, model, "kinematics_chains", "{arm: {first_link: base, last_link: l6}}");
  rig_add(&b->r, &sn_timer_component, "timer");
  b->aggregator = rig_add(&b->r, &sn_aggregator_component, "aggregator");
  sn_test_robot_init(&b->robot, gate_robot, NULL);
  const sn_gate_config config = {.period_max_s = 2e-3};
  gate_judge_init(&b->judge, b->robot.model, &config);
  connect(b, movers, with_owners);
}

void aggregator_begin(bench *b) {
  rig_begin(&b->r);
  const sn_connection queue = {.buffer = 8};
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.joints_sorted", &queue, &b->tap, &b->r.err),
                   SN_OK);
}

void aggregator_close(bench *b) {
  sn_tap_close(b->tap);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* After each cycle: look at every pose that came out. */
static bool look(void *context, int64_t now_ns) {
  bench *b = context;
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *pose = sn_tap_read(b->tap, &flow);
  while (flow == SN_NEW_DATA) {
    assert_int_equal(pose->position.count, GATE_JOINTS);
    assert_int_equal(pose->velocity.count, GATE_JOINTS);
    assert_true(pose->header.stamp_ns == now_ns);
    const double zeros[GATE_JOINTS] = {0};
    const sn_gate_command command = {
        .q = pose->position.data, .qd = pose->velocity.data, .qdd = zeros};
    const char *trouble = gate_judge_look(&b->judge, &command, now_ns);
    if (trouble != NULL) {
      fail_msg("%s", trouble);
    }
    b->poses++;
    pose = sn_tap_read(b->tap, &flow);
  }
  return true;
}

void aggregator_run(bench *b, int64_t duration_ms) {
  assert_int_equal(sn_system_run(b->r.system, duration_ms * MS, look, b, &b->r.err), SN_OK);
}

void aggregator_own(bench *b, int joint, const void *owner) {
  sn__owners_prepare(b->decider->owners)->owners[joint] = owner;
  sn__owners_commit(b->decider->owners);
}

double aggregator_at(const bench *b, int joint) {
  return b->judge.q[joint];
}
