#define _POSIX_C_SOURCE 200809L /* nanosleep() */

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "msg/types/servo_ident_msg.h"
#include "program.h"
#include "rig.h"
#include "servo/servo_store.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

/* servo_ident in a thread of its own, at a thousand cycles a second, with others that start, end,
   undo, ask and set at the same time. */

enum { ROUNDS = 40, CALLERS = 3 };

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='a'/><link name='b'/>"
    "<joint name='one' type='revolute'><parent link='base'/><child link='a'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='9'/></joint>"
    "<joint name='two' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='9'/></joint></robot>";

/* Writes what is commanded, and what two servos make of it. */
typedef struct mover {
  sn_component component;
  sn_output joints, goals, measured;
  double t;
} mover;

static const sn_port mover_ports[] = {
    SN_OUTPUT(mover, "joints", joints, &sn_joint_state_type, .doc = ""),
    SN_OUTPUT(mover, "goals", goals, &sn_servo_goal_type, .doc = ""),
    SN_OUTPUT(mover, "measured", measured, &sn_joint_state_type, .doc = ""),
    {.name = NULL}};

static const sn_servo_params truth = {
    .kp = 100, .kgear = 1, .alpha = {40, 8, 5, 200}, .qs = 0.1, .delta = 1};

static void name_both(sn_msg_names *names) {
  sn_msg_names_clear(names);
  assert_int_equal(sn_msg_names_add(names, "one", 3), SN_OK);
  assert_int_equal(sn_msg_names_add(names, "two", 3), SN_OK);
}

static sn_status mover_step(sn_component *component, int64_t now_ns) {
  mover *m = (mover *)component;
  sn_joint_state *joints = m->joints.msg, *measured = m->measured.msg;
  sn_servo_goal *goals = m->goals.msg;
  m->t += 0.02; /* quicker than time, so that a round is short */
  name_both(&joints->name);
  name_both(&measured->name);
  name_both(&goals->name);
  joints->header.stamp_ns = measured->header.stamp_ns = now_ns;
  joints->position.count = joints->velocity.count = joints->effort.count = goals->goal.count = 2;
  measured->position.count = measured->velocity.count = 2;
  for (size_t i = 0; i < 2; i++) {
    const double w = 1.0 + (double)i;
    const sn_servo_motion motion = {.q = 0.5 * sin(w * m->t) + 0.1 * sin(3.3 * m->t),
                                    .qd = 0.5 * w * cos(w * m->t) + 0.33 * cos(3.3 * m->t),
                                    .tau = 0.2 * sin(2.1 * m->t)};
    joints->position.data[i] = measured->position.data[i] = motion.q;
    joints->velocity.data[i] = measured->velocity.data[i] = motion.qd;
    joints->effort.data[i] = motion.tau;
    goals->goal.data[i] = sn_servo_goal_of(&truth, 12.0, &motion, SN_SERVO_DEAD_ZONE);
  }
  (void)sn_output_write(&m->goals);
  (void)sn_output_write(&m->joints);
  return sn_output_write(&m->measured);
}

static const sn_component_type mover_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "Mover",
                                             .doc = "Moves.",
                                             .size = sizeof(mover),
                                             .ports = mover_ports,
                                             .step = mover_step};

static rig r;
static sn_component *ident;
static atomic_int ended, refused;

static void wait_ms(long ms) {
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* One who does everything, again and again; what the others do in between is refused to him. */
static void *meddle(void *argument) {
  const size_t number = *(const size_t *)argument;
  sn_arena arena;
  sn_arena_init_growing(&arena, "caller", 0);
  const sn_msg_capacity room = {.text_size = 256};
  sn_ident_request *request = sn_msg_create(&arena, &sn_ident_request_type, &room);
  sn_ident_answer *answer = sn_msg_create(&arena, &sn_ident_answer_type, &room);
  sn_caller caller = {0};
  sn_error err;
  assert_int_equal(sn_caller_open(r.system, "ident.identification", &caller, &err), SN_OK);
  caller.timeout_ns = INT64_C(20000000000);
  static const char *const verbs[] = {"start", "status", "end", "undo", "abort"};
  for (size_t i = 0; i < ROUNDS; i++) {
    const char *verb = verbs[(i + number) % 5];
    name_both(&request->servos);
    assert_int_equal(sn_msg_text_set(&request->verb, verb), SN_OK);
    const sn_status status = sn_call(&caller, request, answer, &err);
    if (status != SN_OK && status != SN_EBUSY && status != SN_ETIMEDOUT) {
      fail_msg("%s: %s", verb, err.message);
    }
    atomic_fetch_add(answer->names.count > 0 ? &ended : &refused, 1);
    wait_ms(verb[0] == 's' ? 30 : 1);
  }
  sn_caller_close(&caller);
  sn_arena_release(&arena);
  return NULL;
}

/* Undisturbed it ends with new models; on a busy machine a first try may see too few cycles. */
static bool identify_alone(void) {
  const sn_msg_capacity room = {.text_size = 256};
  sn_ident_request *request = sn_msg_create(&r.arena, &sn_ident_request_type, &room);
  sn_ident_answer *answer = sn_msg_create(&r.arena, &sn_ident_answer_type, &room);
  sn_caller caller = {0};
  static const char *const verbs[] = {"abort", "start", "end"};
  assert_int_equal(sn_caller_open(r.system, "ident.identification", &caller, &r.err), SN_OK);
  caller.timeout_ns = INT64_C(20000000000);
  bool is_accepted = false;
  for (size_t i = 0; i < 40 && !is_accepted; i++) {
    for (size_t k = 0; k < 3; k++) {
      name_both(&request->servos);
      assert_int_equal(sn_msg_text_set(&request->verb, verbs[k]), SN_OK);
      (void)sn_call(&caller, request, answer, &r.err); /* there may be nothing to abort */
      wait_ms(k == 1 ? 100 * ((long)i + 1) : 0);
    }
    is_accepted = answer->names.count == 2;
  }
  sn_caller_close(&caller);
  return is_accepted;
}

SN_TEST(many_callers_at_once_do_no_harm) {
  char folder[64], path[128];
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/models.yaml", folder);
  rig_open_real(&r, 1000000);
  sn_component *model = rig_add_to(&r, &sn_robot_model_component, "robot_model", NULL, 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&r.arena, &report, NULL), SN_OK);
  const sn_value text = {
      .name = "", .kind = SN_VALUE_TEXT, .text = robot, .place = {.file = "test"}};
  assert_int_equal(sn_system_set(r.system, model, "robot_description", &text, report, &r.err),
                   SN_OK);
  rig_add(&r, &mover_type, "mover");
  ident = rig_add(&r, &sn_servo_ident_component, "ident");
  rig_require(&r, "ident.robot_model", "robot_model");
  rig_connect(&r, "mover.joints", "ident.joints_sorted");
  rig_connect(&r, "mover.goals", "ident.goals");
  rig_connect(&r, "mover.measured", "ident.joints_measured");
  rig_set(&r, ident, "servo_models", "[{name: one, kp: 100}, {name: two, kp: 100}]");
  rig_set(&r, ident, "servo_models_file", path);
  rig_set(&r, ident, "smoothing", "0");
  rig_begin(&r);
  assert_int_equal(sn_system_launch(r.system, &r.err), SN_OK);
  pthread_t threads[CALLERS];
  size_t numbers[CALLERS];
  for (size_t i = 0; i < CALLERS; i++) {
    numbers[i] = i;
    assert_int_equal(pthread_create(&threads[i], NULL, meddle, &numbers[i]), 0);
  }
  for (int i = 0; i < 30; i++) { /* and one who looks and sets */
    (void)rig_get(&r, ident, "servo_models");
    (void)rig_try_set(&r, ident, "threshold", i % 2 == 0 ? "0.01" : "0.02");
    wait_ms(10);
  }
  for (size_t i = 0; i < CALLERS; i++) {
    pthread_join(threads[i], NULL);
  }
  print_message("%d times models changed, %d times nothing did\n", atomic_load(&ended),
                atomic_load(&refused));
  assert_true(identify_alone());
  assert_int_equal(sn_component_state_now(ident), SN_STATE_RUNNING);
  sn_system_halt(r.system);
  sn_servo_list list;
  assert_int_equal(sn__servo_store_load(&r.arena, path, report, &list), SN_OK);
  assert_int_equal(list.count, 2);
  rig_close(&r);
  sn_test_folder_remove(folder);
}
