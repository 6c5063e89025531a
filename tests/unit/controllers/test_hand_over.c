/* Controllers take limbs from each other at random, in a running system with the aggregator: in
   every cycle each joint has a reference, and the command never jumps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arbiter/controller_internal.h"
#include "loop_rig.h"
#include "rig.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { MS = 1000000, CONTROLLERS = 3, JOINTS_MAX = 64 };
static const char *const names[CONTROLLERS] = {"hold", "a", "b"};

/* A controller that asks in the middle of the cycle, for any limbs, more or fewer than it has. */
typedef struct grabber {
  sn_controller controller;
  sn_random *random;
  sn_resource_set asked; /**< by its last request */
  size_t late_answers;
  uint64_t waiting_id; /**< of the request that had no answer in the last step */
  size_t unanswered;   /**< that has none in this one, either */
  uint64_t late_id;    /**< the last request that had to wait */
  size_t wrong;        /**< late answers to another one, or granted and not held */
} grabber;

static const sn_property grabber_properties[] = {SN_CONTROLLER_PROPERTIES, {0}};

static void request(grabber *g, const sn_resource_set *set) {
  g->asked = *set;
  const sn_consumer *consumer = g->controller.consumer;
  (void)sn__consumer_request_exclusive(g->controller.consumer, set);
  g->late_id = consumer->waiting_id != 0 ? consumer->waiting_id : g->late_id;
}

static void grab(grabber *g) {
  sn_consumer *consumer = g->controller.consumer;
  const size_t count = sn_names_count(g->controller.map->resources);
  sn_resource_set set = sn_resource_set_none();
  for (size_t i = 0; i < count; i++) {
    if (sn_random_below(g->random, 3) == 0) {
      sn_resource_set_add(&set, i);
    }
  }
  switch (sn_random_below(g->random, 4)) {
    case 0:
      g->asked = sn_resource_set_without(g->asked, set);
      sn__consumer_disown(consumer, &set);
      break;
    case 1: /* fewer than it has, or none */
      set = sn_resource_set_common(set, sn__consumer_held(consumer));
      request(g, &set);
      break;
    default:
      request(g, &set);
      break;
  }
}

/* Whenever it gains or loses something it may want something else. */
static void owned_changed(sn_component *component, const bool *had) {
  grabber *g = (grabber *)component;
  (void)had;
  if (sn_random_below(g->random, 4) == 0) {
    grab(g);
  }
}

static void answered(void *context, uint64_t request_id, sn_arbiter_answer answer) {
  grabber *g = context;
  const sn_consumer *consumer = g->controller.consumer;
  const bool is_last = request_id == consumer->last_request_id;
  g->late_answers += answer == SN_ARBITER_GRANTED;
  g->wrong += request_id != g->late_id;
  g->wrong += answer == SN_ARBITER_GRANTED && is_last &&
              !sn_resource_set_includes(&consumer->held, &g->asked);
}

static sn_status grabber_configure(sn_component *component, sn_error *err) {
  static const sn_controller_hooks hooks = {.owned_changed = owned_changed};
  const sn_status status = sn_controller_configure(component, &hooks, err);
  if (status == SN_OK) {
    ((grabber *)component)->controller.consumer->config.hooks.answered = answered;
  }
  return status;
}

static sn_status grabber_step(sn_component *component, int64_t now_ns) {
  grabber *g = (grabber *)component;
  (void)sn_controller_begin_step(&g->controller, now_ns);
  const uint64_t waiting_id = g->controller.consumer->waiting_id;
  g->unanswered += waiting_id != 0 && waiting_id == g->waiting_id;
  g->waiting_id = waiting_id;
  if (sn_random_below(g->random, 3) == 0) {
    grab(g);
  }
  for (size_t j = 0; j < g->controller.joint_count; j++) {
    g->controller.q[j] = 0.3;
  }
  return sn_controller_publish(&g->controller);
}

static const sn_component_type grabber_type =
    SN_CONTROLLER_TYPE("grabber", grabber, .properties = grabber_properties,
                       .configure = grabber_configure, .step = grabber_step);

typedef struct bench {
  rig r;
  sn_test_robot robot;
  size_t n;
  sn_tap *out[CONTROLLERS];
  sn_tap *command, *assignment;
  sn_source *reference[CONTROLLERS];
  sn_caller operate[CONTROLLERS];
  sn_set_operational *request;
  sn_call_outcome *outcome;
  double q[JOINTS_MAX], qd[JOINTS_MAX];
  bool has_command;
  size_t missing, jumps, hand_overs;
  grabber *grabbers[CONTROLLERS];
} bench;

static const char *path(char text[64], const char *component, const char *port) {
  snprintf(text, 64, "%s.%s", component, port);
  return text;
}

static sn_component *add_controller(bench *b, const sn_component_type *type, size_t i) {
  char text[64];
  sn_component *c = rig_add(&b->r, type, names[i]);
  rig_require(&b->r, path(text, names[i], "robot_model"), "robot_model");
  rig_require(&b->r, path(text, names[i], "arbiter"), "resources_control");
  rig_connect(&b->r, "timer.sync", path(text, names[i], "sync"));
  rig_connect(&b->r, path(text, names[i], "out_joints_ref"), "aggregator.in_joints");
  return c;
}

static void add_follower(bench *b, size_t i) {
  char text[64];
  sn_component *c = add_controller(b, &sn_follow_joint_state_component, i);
  rig_connect(&b->r, "aggregator.joints_sorted", path(text, names[i], "in_joints_sorted"));
  rig_set(&b->r, c, "activation_delay", "0.002");
  if (i == 0) {
    rig_set(&b->r, c, "stay_operational", "true");
    rig_set(&b->r, c, "start_operational", "true");
  }
}

static void add_grabber(bench *b, size_t i, sn_random *random) {
  grabber *g = (grabber *)add_controller(b, &grabber_type, i);
  rig_set(&b->r, g, "stay_operational", i == 1 ? "true" : "false");
  g->random = random;
  b->grabbers[i] = g;
}

static void add_model(bench *b) {
  loop_add_quadruped(&b->r, &b->robot);
  b->n = sn_model_pose_size(b->robot.model);
}

static void open_ends(bench *b, bool has_grabbers) {
  char text[64];
  const sn_connection queue = {.buffer = 4};
  for (size_t i = 0; i < CONTROLLERS; i++) {
    assert_int_equal(sn_tap_open(b->r.system, path(text, names[i], "out_joints_ref"), NULL,
                                 &b->out[i], &b->r.err),
                     SN_OK);
    if (i > 0 && has_grabbers) {
      continue;
    }
    assert_int_equal(sn_source_open(b->r.system, path(text, names[i], "in_joints_ref"), &queue,
                                    &b->reference[i], &b->r.err),
                     SN_OK);
    assert_int_equal(sn_caller_open(b->r.system, path(text, names[i], "setOperational"),
                                    &b->operate[i], &b->r.err),
                     SN_OK);
  }
  assert_int_equal(
      sn_tap_open(b->r.system, "aggregator.joints_sorted", NULL, &b->command, &b->r.err), SN_OK);
  assert_int_equal(
      sn_tap_open(b->r.system, "resources_control.assignment", NULL, &b->assignment, &b->r.err),
      SN_OK);
  b->request = sn_msg_create(&b->r.arena, &sn_set_operational_type, NULL);
  b->outcome = sn_msg_create(&b->r.arena, &sn_call_outcome_type, NULL);
}

/* @param grabbers  where they get their ideas from; NULL: all controllers are followers
   @param hold_at   place of the first controller in the order of the cycle */
static void bench_open(bench *b, sn_random *grabbers, size_t hold_at) {
  *b = (bench){.n = 0};
  rig_open(&b->r, MS);
  add_model(b);
  (void)loop_add_gate(&b->r);
  for (size_t k = 0; k < CONTROLLERS; k++) {
    const size_t i = k == hold_at ? 0 : k < hold_at ? k + 1 : k;
    if (grabbers != NULL && i > 0) {
      add_grabber(b, i, grabbers);
    } else {
      add_follower(b, i);
    }
  }
  open_ends(b, grabbers != NULL);
  rig_begin(&b->r);
  rig_run(&b->r, 5 * MS); /* until the first controller holds everything */
}

static void bench_close(bench *b) {
  for (size_t i = 0; i < CONTROLLERS; i++) {
    sn_tap_close(b->out[i]);
    sn_source_close(b->reference[i]); /* nothing, if it was not opened */
    sn_caller_close(&b->operate[i]);
  }
  sn_tap_close(b->command);
  sn_tap_close(b->assignment);
  rig_close(&b->r);
  sn_test_robot_free(&b->robot);
}

/* A random controller takes some limbs, or lets all go. */
static void disturb(bench *b, sn_random *random) {
  const size_t who = 1 + sn_random_below(random, CONTROLLERS - 1);
  const sn_names *chains = sn_model_chain_names(b->robot.model);
  sn_msg_reset(&sn_set_operational_type, b->request);
  b->request->operational = sn_random_below(random, 3) > 0;
  for (size_t i = 0; b->request->operational && i < sn_names_count(chains); i++) {
    if (sn_random_below(random, 2) == 0) {
      const char *name = sn_names_at(chains, i);
      assert_int_equal(sn_msg_names_add(&b->request->resources, name, strlen(name)), SN_OK);
    }
  }
  assert_int_equal(sn_call(&b->operate[who], b->request, b->outcome, &b->r.err), SN_OK);
  b->hand_overs++;
}

/* Somebody wants a joint somewhere else, as far away as it can go. */
static void refer(bench *b, sn_random *random) {
  sn_source *source = b->reference[sn_random_below(random, CONTROLLERS)];
  sn_joint_state *msg = sn_source_msg(source);
  sn_msg_names_share(&msg->name, sn_model_joint_names(b->robot.model));
  msg->position.count = b->n;
  for (size_t j = 0; j < b->n; j++) {
    const sn_joint *joint = sn_model_joint(b->robot.model, j);
    msg->position.data[j] = sn_random_between(random, joint->lower, joint->upper);
  }
  assert_int_equal(sn_source_write(source), SN_OK);
}

/* The owner that the gate obeys at the end of the cycle; -1: none. */
static int owner_of(const sn_resource_assignment *table, const sn_model *model, size_t joint) {
  const int chain = sn_model_joint(model, joint)->chain;
  const char *owner = chain < 0 ? "" : sn_msg_names_at(&table->owners, (size_t)chain);
  for (int i = 0; i < CONTROLLERS; i++) {
    if (strcmp(names[i], owner) == 0) {
      return i;
    }
  }
  return -1;
}

/* Who owns a joint has written a reference for it in this very cycle. */
static void check_references(bench *b) {
  bool has_written[CONTROLLERS][JOINTS_MAX] = {{false}};
  for (size_t i = 0; i < CONTROLLERS; i++) {
    sn_flow flow = SN_NO_DATA;
    const sn_joint_state *msg = sn_tap_read(b->out[i], &flow);
    for (size_t k = 0; flow == SN_NEW_DATA && k < msg->name.count; k++) {
      has_written[i][sn_model_joint_index(b->robot.model, sn_msg_names_at(&msg->name, k))] = true;
    }
  }
  const sn_resource_assignment *table = sn_tap_read(b->assignment, NULL);
  for (size_t j = 0; j < b->n; j++) {
    const int owner = owner_of(table, b->robot.model, j);
    b->missing += owner < 0 || !has_written[owner][j];
  }
}

static void check_command(bench *b) {
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *msg = sn_tap_read(b->command, &flow);
  assert_int_equal(flow, SN_NEW_DATA); /* one complete pose every cycle */
  assert_int_equal(msg->position.count, b->n);
  for (size_t j = 0; j < b->n; j++) {
    const sn_joint *joint = sn_model_joint(b->robot.model, j);
    const double q = msg->position.data[j];
    assert_true(isfinite(q) && q >= joint->lower - 1e-12 && q <= joint->upper + 1e-12);
    b->jumps += b->has_command && fabs(q - b->q[j]) > joint->velocity_max * 1e-3 + 1e-12;
    b->q[j] = q;
  }
  b->has_command = true;
}

SN_TEST(random_hand_overs_leave_no_joint_alone_and_nothing_jumps) {
  bench b;
  bench_open(&b, NULL, 0);
  sn_random random;
  sn_random_init(&random, 23);
  for (size_t k = 0; k < sn_test_cases(20000); k++) {
    if (sn_random_below(&random, 2) == 0) {
      disturb(&b, &random);
    }
    if (sn_random_below(&random, 5) == 0) {
      refer(&b, &random);
    }
    rig_run(&b.r, MS);
    check_references(&b);
    check_command(&b);
    rig_drain_log(&b.r, SN_LOG_ERROR, NULL, 0);
  }
  printf("%zu hand-overs\n", b.hand_overs);
  assert_int_equal(b.missing, 0);
  assert_int_equal(b.jumps, 0);
  bench_close(&b);
}

/* Whichever controller is stepped first in a cycle, and whichever asks in the middle of it: the one
   that loses a limb has commanded it, or the one that gains it does. */
SN_TEST(requests_in_the_middle_of_a_cycle_leave_no_joint_alone) {
  for (size_t hold_at = 0; hold_at < CONTROLLERS; hold_at++) {
    bench b;
    sn_random random;
    sn_random_init(&random, 29 + hold_at);
    bench_open(&b, &random, hold_at);
    for (size_t k = 0; k < sn_test_cases(10000); k++) {
      rig_run(&b.r, MS);
      check_references(&b);
      check_command(&b);
      rig_drain_log(&b.r, SN_LOG_ERROR, NULL, 0);
    }
    assert_int_equal(b.missing, 0);
    assert_int_equal(b.jumps, 0);
    for (size_t i = 1; i < CONTROLLERS; i++) { /* hooks did ask in the midst of a cycle */
      assert_true(b.grabbers[i]->late_answers > 0);
      assert_int_equal(b.grabbers[i]->unanswered, 0);
      assert_int_equal(b.grabbers[i]->wrong, 0);
    }
    bench_close(&b);
  }
}
