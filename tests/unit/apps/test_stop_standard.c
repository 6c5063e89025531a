/* The emergency stop in the standard deployment in simulated time: what reaches the servos. */
#include <math.h>
#include <string.h>

#include "common/app_system.h"
#include "plant/plant_component.h"
#include "sinew/estop.h"
#include "sinew/msg_calls.h"
#include "sinew/random.h"
#include "sinew/tap.h"
#include "sn_test.h"

#define MS INT64_C(1000000)

typedef struct stage {
  app_system app;
  const sn__plant_component *plant;
  sn_source *joints;
  sn_random random;
  size_t n;
  double reference[64];
  double goal[64]; /* of the cycle before */
  double speed;    /* of the fastest joint, by its goal, rad/s */
  sn_error err;
} stage;

static void open_stage(stage *s, uint64_t seed) {
  static const app_system_options options = {.is_headless = true};
  *s = (stage){.n = 0};
  sn_random_init(&s->random, seed);
  sn_clock_init_simulated(&s->app.clock, 0);
  assert_true(app_system_load(&s->app, SINEW_ROBOTS "/arm6.urdf", &options));
  assert_non_null(s->app.system);
  s->n = sn_model_pose_size(sn_deployment_model(s->app.deployment));
  assert_int_equal(sn_system_begin(s->app.system, &s->err), SN_OK);
  assert_int_equal(sn_source_open(s->app.system, "follow.in_joints_ref", NULL, &s->joints, &s->err),
                   SN_OK);
  s->plant = (const sn__plant_component *)sn_system_find(s->app.system, "plant");
}

static void close_stage(stage *s) {
  sn_source_close(s->joints);
  app_system_free(&s->app);
}

/* A controller that ignores the stop. */
static void write_reference(stage *s) {
  sn_joint_state *msg = sn_source_msg(s->joints);
  sn_msg_names_share(&msg->name, sn_model_joint_names(sn_deployment_model(s->app.deployment)));
  msg->position.count = s->n;
  memcpy(msg->position.data, s->reference, s->n * sizeof *s->reference);
  assert_int_equal(sn_source_write(s->joints), SN_OK);
}

static void cycle(stage *s) {
  write_reference(s);
  assert_int_equal(sn_system_run(s->app.system, MS, NULL, NULL, &s->err), SN_OK);
  sn_log_record record;
  while (sn_log_read(s->app.log, &record)) {
  }
  s->speed = 0.0;
  for (size_t i = 0; i < s->n; i++) {
    const double goal = s->plant->plant->now.goal[i] / s->plant->plant->servos[i].params.kgear;
    s->speed = fmax(s->speed, fabs(goal - s->goal[i]) * 1e3);
    s->goal[i] = goal;
  }
}

static void cycles(stage *s, int count) {
  for (int i = 0; i < count; i++) {
    cycle(s);
  }
}

static void choose_reference(stage *s, double scale) {
  for (size_t i = 0; i < s->n; i++) {
    s->reference[i] = sn_random_between(&s->random, -scale, scale);
  }
}

static void post(stage *s, const char *operation, const void *request) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(s->app.system, operation, &caller, &s->err), SN_OK);
  assert_int_equal(sn_caller_post(&caller, request, &s->err), SN_OK);
  sn_caller_close(&caller);
}

/* The arm moves at full speed. */
static void set_off(stage *s) {
  const sn_call_switch on = {.data = true};
  cycles(s, 50);
  post(s, "follow.rosSetOperational", &on);
  cycles(s, 300);
  choose_reference(s, 0.9);
  for (int i = 0; i < 2000 && s->speed < 0.3; i++) {
    cycle(s);
  }
  assert_true(s->speed >= 0.3);
}

static void resume(stage *s) {
  char name[] = "test";
  const sn_call_name request = {.name = {.data = name, .count = 4, .capacity = 4}};
  post(s, "aggregator.resume", &request);
  cycles(s, 2);
}

static bool is_obeyed(const stage *s) {
  sn_estop_state stop;
  sn_estop_look(s->app.system, 0, &stop);
  return stop.is_latched && stop.is_obeyed;
}

SN_TEST(the_gate_brakes_and_then_no_goal_moves) {
  for (uint64_t seed = 1; seed <= sn_test_cases(4); seed++) {
    stage s;
    open_stage(&s, seed);
    set_off(&s);
    const double speed = s.speed;
    (void)sn_estop_request(s.app.system, "test", "");
    cycles(&s, 3);
    assert_true(is_obeyed(&s));
    assert_true(s.speed > 0.0 && s.speed < 1.05 * speed + 0.2); /* no jump: it brakes */
    int braking = 0;
    for (; s.speed > 0.0 && braking < 2000; braking++) {
      choose_reference(&s, 0.9);
      cycle(&s);
    }
    assert_true(braking < 1000);
    cycles(&s, 60);
    assert_int_equal(s.plant->guard.order, SN__ORDER_HOLD);
    double held[64];
    memcpy(held, s.goal, sizeof held);
    for (int i = 0; i < 500; i++) {
      choose_reference(&s, 0.9);
      cycle(&s);
      assert_memory_equal(held, s.goal, s.n * sizeof *held);
    }
    resume(&s);
    choose_reference(&s, 0.9);
    cycles(&s, 300);
    assert_true(s.speed > 0.0);
    close_stage(&s);
  }
}

/* Without the gate, or what connects it, the plant freezes in place. */
static void assert_freezes_without(const char *part, uint64_t seed) {
  stage s;
  open_stage(&s, seed);
  set_off(&s);
  sn_component *component = sn_system_find(s.app.system, part);
  assert_int_equal(sn_system_stop(s.app.system, component, &s.err), SN_OK);
  cycle(&s);
  (void)sn_estop_request(s.app.system, "test", "");
  cycles(&s, 50);
  assert_false(s.plant->guard.order == SN__ORDER_FREEZE); /* a gate could still brake */
  cycles(&s, 2);
  assert_int_equal(s.plant->guard.order, SN__ORDER_FREEZE);
  assert_true(is_obeyed(&s));
  double held[64], q[64];
  memcpy(held, s.goal, sizeof held);
  memcpy(q, sn__plant_q(s.plant->plant), s.n * sizeof *q);
  assert_int_equal(sn_system_start(s.app.system, component, &s.err), SN_OK);
  for (int i = 0; i < 500; i++) {
    choose_reference(&s, 0.9);
    cycle(&s);
    assert_memory_equal(held, s.goal, s.n * sizeof *held);
  }
  /* Motion resumes from the pose of the robot. */
  resume(&s);
  for (int i = 0; i < 20; i++) {
    for (size_t k = 0; k < s.n; k++) {
      sn_assert_near(s.goal[k], sn__plant_q(s.plant->plant)[k], 0.1);
    }
    cycle(&s);
  }
  cycles(&s, 500);
  assert_true(memcmp(held, s.goal, s.n * sizeof *held) != 0);
  close_stage(&s);
}

SN_TEST(the_plant_freezes_when_the_gate_does_not_brake) {
  assert_freezes_without("aggregator", 11);
  assert_freezes_without("timer", 12);
}

/* The goals of the gate do not arrive, so it cannot brake. */
SN_TEST(the_plant_freezes_when_the_goals_of_the_gate_do_not_arrive) {
  stage s;
  open_stage(&s, 21);
  set_off(&s);
  sn_component *component = sn_system_find(s.app.system, "servo_inv_7param");
  assert_int_equal(sn_system_stop(s.app.system, component, &s.err), SN_OK);
  cycles(&s, 100);
  (void)sn_estop_request(s.app.system, "test", "");
  cycles(&s, 5);
  assert_false(is_obeyed(&s));
  double held[64];
  memcpy(held, s.goal, sizeof held);
  cycles(&s, 80);
  assert_true(is_obeyed(&s));
  for (int i = 0; i < 300; i++) {
    choose_reference(&s, 0.9);
    cycle(&s);
  }
  assert_true(s.plant->guard.order >= SN__ORDER_HOLD);
  close_stage(&s);
}
