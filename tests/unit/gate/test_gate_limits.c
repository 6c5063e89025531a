/* What a gate accepts at its creation, and what it makes of it: ends of ranges, mimics, memory. */
#include "gate/gate_internal.h"
#include "gate_case.h"
#include "sn_test.h"

static sn_status create(const sn_model *model, const sn_gate_config *config, sn_gate **gate) {
  static sn_arena arena;
  sn_arena_release(&arena);
  sn_arena_init_growing(&arena, "gate", 0);
  *gate = NULL;
  const sn_status status = sn__gate_create(&arena, model, config, gate, NULL);
  assert_int_equal(status == SN_OK, *gate != NULL);
  assert_true(status == SN_OK || sn_arena_used(&arena) == 0);
  return status;
}

SN_TEST(values_at_the_end_of_their_range_are_accepted_and_no_others) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  sn_gate_config config = {.source_count = 1};
  const struct {
    double *value;
    double max;
  } cases[] = {{&config.reference_timeout_s, 3600.0},
               {&config.acceleration_time_s, 3600.0},
               {&config.velocity_default, 1e6},
               {&config.period_max_s, 10.0},
               {&config.start_tolerance, 10.0}};
  sn_gate *gate = NULL;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    *cases[i].value = cases[i].max;
    assert_int_equal(create(rig.robot.model, &config, &gate), SN_OK);
    *cases[i].value = nextafter(cases[i].max, INFINITY);
    assert_int_equal(create(rig.robot.model, &config, &gate), SN_EINVAL);
    *cases[i].value = 0.0;
  }
  config.source_count = SN_GATE_SOURCES_MAX;
  assert_int_equal(create(rig.robot.model, &config, &gate), SN_OK);
  config.source_count++;
  assert_int_equal(create(rig.robot.model, &config, &gate), SN_EINVAL);
  gate_rig_close(&rig);
}

SN_TEST(the_start_pose_may_be_at_the_limits_but_not_beyond) {
  static const struct {
    int joint;
    double lower, upper;
  } ends[] = {{GATE_SHOULDER, -1.0, 2.0}, {GATE_ELBOW, -0.5, 0.5}, {GATE_SLIDE, 0.15, 0.35}};
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  for (size_t i = 0; i < 3; i++) {
    for (int end = 0; end < 2; end++) {
      double pose[GATE_JOINTS] = {[GATE_SLIDE] = 0.2};
      sn_gate *gate = NULL;
      const sn_gate_config config = {.source_count = 1, .initial_pose = pose};
      double *q = &pose[ends[i].joint];
      *q = end == 0 ? ends[i].lower : ends[i].upper;
      /* The slide's are computed from those of its finger. */
      *q += ends[i].joint == GATE_SLIDE ? (end == 0 ? 1e-15 : -1e-15) : 0.0;
      assert_int_equal(create(rig.robot.model, &config, &gate), SN_OK);
      sn_assert_near(sn__gate_pose(gate)[ends[i].joint], *q, 1e-15);
      *q += end == 0 ? -1e-9 : 1e-9;
      assert_int_equal(create(rig.robot.model, &config, &gate), SN_EINVAL);
    }
  }
  gate_rig_close(&rig);
}

SN_TEST(a_gate_needs_all_of_its_memory) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  static _Alignas(16) unsigned char memory[1 << 16];
  sn_gate *gate = NULL;
  for (size_t size = 0; gate == NULL; size += 8) {
    sn_arena arena;
    assert_true(size <= sizeof memory);
    sn_arena_init(&arena, "little", memory, size);
    const sn_status status =
        sn__gate_create(&arena, rig.robot.model, &gate_case_one_source, &gate, NULL);
    assert_int_equal(status, gate != NULL ? SN_OK : SN_ENOMEM);
    assert_true(gate != NULL || sn_arena_used(&arena) == 0);
  }
  sn__gate_own(gate, rig.owners, 0);
  assert_non_null(sn__gate_step(gate, 0)); /* it works */
  gate_rig_close(&rig);
}

/* ---- one joint ---- */

#define ONE                                                                                     \
  "<robot name='one'><link name='a'/><link name='b'/><joint name='j' type='%s'><parent "        \
  "link='a'/><child link='b'/><axis xyz='0 0 1'/><limit effort='1' lower='%.17g' upper='%.17g'" \
  "%s/></joint></robot>"

typedef struct joint_case {
  const char *type;
  double lower, upper;
  const char *rest; /* of the element <limit> */
  sn_gate_joint_limits given;
  sn__limits limits; /* expected */
  bool is_driven;
} joint_case;

/* Without a velocity 2 per second, which it reaches in a quarter of a second. */
static void check_joint(const joint_case *c) {
  const sn_gate_config config = {.source_count = 1,
                                 .velocity_default = 2.0,
                                 .acceleration_time_s = 0.25,
                                 .initial_pose = &c->lower,
                                 .joint_limits = &c->given};
  char text[1024];
  (void)snprintf(text, sizeof text, ONE, c->type, c->lower, c->upper, c->rest);
  sn_test_robot robot;
  sn_test_robot_init(&robot, text, NULL);
  assert_non_null(robot.model);
  sn_gate *gate = NULL;
  assert_int_equal(create(robot.model, &config, &gate), SN_OK);
  const sn__gate_joint *joint = &gate->joints[0];
  const bool turns = strcmp(c->type, "continuous") == 0;
  assert_true(joint->limits.lower == (turns ? -INFINITY : c->limits.lower));
  assert_true(joint->limits.upper == (turns ? INFINITY : c->limits.upper));
  assert_true(joint->limits.speed == c->limits.speed);
  assert_true(joint->limits.accel == c->limits.accel);
  assert_true(joint->limits.brake == c->limits.brake);
  assert_int_equal(joint->is_driven, c->is_driven);
  assert_int_equal(joint->turns, turns);
  sn_test_robot_free(&robot);
}

SN_TEST(limits_are_those_of_the_deployment_or_of_the_model_and_finite) {
  static const char most[] = " velocity='5e6' acceleration='4e9' deceleration='5e9'";
  static const joint_case cases[] = {
      {"revolute", -1, 2, " velocity='3'", {0, 0}, {-1, 2, 3, 12, 12}, true},
      {"revolute", -1, 2, " velocity='3' acceleration='5'", {0, 0}, {-1, 2, 3, 5, 5}, true},
      {"prismatic",
       -1,
       2,
       " velocity='3' acceleration='5' deceleration='7'",
       {0, 0},
       {-1, 2, 3, 5, 7},
       true},
      {"revolute",
       -1,
       2,
       " velocity='3' acceleration='5' deceleration='7'",
       {4, 8},
       {-1, 2, 4, 8, 8},
       true},
      {"revolute", -1, 2, " velocity='3'", {0.5, 0}, {-1, 2, 0.5, 2, 2}, true},
      {"continuous", 0, 0, "", {0, 0}, {0, 0, 2, 8, 8}, true},
      {"continuous", 0, 0, "", {4, 0}, {0, 0, 4, 16, 16}, true},
      {"continuous", 0, 0, "", {0, 4}, {0, 0, 2, 4, 4}, true},
      /* More than any robot has is cut. */
      {"prismatic", -1e9, 3e9, most, {0, 0}, {-1e9, 1e9, 1e6, 1e9, 1e9}, true},
      {"revolute", -1, 2, " velocity='3'", {2e6, 3e9}, {-1, 2, 1e6, 1e9, 1e9}, true},
      {"revolute", -1, 2, " velocity='1e6'", {0, 0}, {-1, 2, 1e6, 4e6, 4e6}, true},
      /* Too slow to count as driven, and a little faster. */
      {"revolute", -1, 2, " velocity='5e-10'", {0, 0}, {-1, 2, 5e-10, 2e-9, 2e-9}, false},
      {"revolute", -1, 2, " velocity='1.5e-9'", {0, 0}, {-1, 2, 1.5e-9, 6e-9, 6e-9}, true},
      {"revolute",
       -1,
       2,
       " velocity='3' acceleration='5e-10' deceleration='1'",
       {0, 0},
       {-1, 2, 3, 5e-10, 1},
       false},
      {"revolute",
       -1,
       2,
       " velocity='3' acceleration='1' deceleration='5e-10'",
       {0, 0},
       {-1, 2, 3, 1, 5e-10},
       false},
      {"revolute",
       -1,
       2,
       " velocity='3' acceleration='1.5e-9' deceleration='1.5e-9'",
       {0, 0},
       {-1, 2, 3, 1.5e-9, 1.5e-9},
       true},
      {"revolute", -1, 2, " velocity='0'", {0, 0}, {-1, 2, 0, 0, 0}, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_joint(&cases[i]);
  }
}

/* ---- mimics ---- */

/* A chain: each mimic is a relation to the joint at its end, which keeps the limits of all. */
SN_TEST(a_lead_is_as_slow_as_the_slowest_of_its_mimics) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  const sn__gate_joint *slide = &rig.gate->joints[GATE_SLIDE];
  const sn__gate_joint *thumb = &rig.gate->joints[GATE_THUMB];
  assert_int_equal(slide->master, -1);
  assert_int_equal(rig.gate->joints[GATE_FINGER].master, GATE_SLIDE);
  assert_int_equal(thumb->master, GATE_SLIDE);
  assert_true(thumb->scale == -6.0);
  sn_assert_near(thumb->offset, 3.0 * 0.5 + 0.1, 1e-15);
  assert_false(thumb->is_driven);
  /* The finger has 0.6 m/s and is twice as fast; the thumb accelerates by 6, and is six times as
     fast. */
  assert_true(slide->limits.speed == fmin(0.5, fmin(0.6 / 2.0, 3.0 / 6.0)));
  assert_true(slide->limits.accel == fmin(0.5 / 0.1, 6.0 / 6.0));
  assert_true(slide->limits.brake == fmin(0.5 / 0.1, 6.0 / 6.0));
  for (size_t i = 0; i < GATE_JOINTS; i++) { /* without an owner until one is set */
    assert_int_equal(rig.gate->joints[i].former[1], -1);
  }
  gate_rig_close(&rig);
}

#define PAIR                                                                                    \
  "<robot name='pair'><link name='a'/><link name='b'/><link name='c'/>"                         \
  "<joint name='lead' type='%s'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"         \
  "<limit lower='%g' upper='%g' effort='1' velocity='2'/></joint>"                              \
  "<joint name='mimic' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>" \
  "<limit lower='%g' upper='%g' effort='1' velocity='3'/>"                                      \
  "<mimic joint='lead' multiplier='%.17g' offset='%.17g'/></joint></robot>"

typedef struct pair_case {
  const char *type;
  double lead_lower, lead_upper, lower, upper, scale, offset;
  sn_status status;
  double from, to; /* where the lead can be */
} pair_case;

/* Drive the lead far to both sides: it stops where the mimic has its limit. */
static void drive(sn_gate *gate, const sn_model *model, const pair_case *c) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "message", 0);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  const int owners[2] = {0};
  sn__gate_own(gate, owners, 0);
  assert_int_equal(sn_names_index(sn_model_joint_names(model), "lead"), 0);
  assert_int_equal(sn_msg_names_add(&msg->name, "lead", 4), SN_OK);
  msg->position.count = 1;
  for (int side = 0; side < 2; side++) {
    const sn_gate_command *command = NULL;
    msg->position.data[0] = side == 0 ? -2.5 : 2.5;
    for (int64_t k = 1; k < 4000; k++) {
      assert_int_equal(sn__gate_take(gate, 0, msg, (side * 4000 + k) * MS), SN_OK);
      command = sn__gate_step(gate, (side * 4000 + k) * MS);
    }
    sn_assert_near(command->q[0], side == 0 ? c->from : c->to, 1e-9);
    sn_assert_near(command->q[1], c->scale * command->q[0] + c->offset, 1e-9);
  }
  sn_arena_release(&arena);
}

SN_TEST(a_lead_keeps_within_the_limits_of_its_mimic_and_impossible_pairs_are_refused) {
  static const pair_case cases[] = {
      {"revolute", -1, 1, -1, 1, 1, 0, SN_OK, -1, 1},
      {"revolute", -1, 1, -1, 1, 2, 0, SN_OK, -0.5, 0.5},
      {"revolute", -1, 1, -1, 1, -2, 0.5, SN_OK, -0.25, 0.75},
      {"revolute", -2, 2, -1, 0.5, 1, 0, SN_OK, -1, 0.5},
      {"revolute", -1, 1, -1, 1, 1, 2, SN_OK, -1, -1},        /* one position is left */
      {"revolute", -1, 1, -1, 1, 1, 2.001, SN_EINVAL, 0, 0},  /* none */
      {"revolute", -1, 1, -1, 1, 0, 0.5, SN_OK, -1, 1},       /* the mimic rests */
      {"revolute", -1, 1, -1, 1, 0, 1, SN_OK, -1, 1},         /* at its end */
      {"revolute", -1, 1, -1, 1, 0, -1, SN_OK, -1, 1},        /* at the other one */
      {"revolute", -1, 1, -1, 1, 0, 1.001, SN_EINVAL, 0, 0},  /* outside */
      {"revolute", -1, 1, -1, 1, 0, -1.001, SN_EINVAL, 0, 0}, /* likewise */
      {"continuous", 0, 0, -1, 1, 0.5, 0, SN_OK, -2, 2},      /* turns no more */
      {"revolute", -1, 1, -1, 1, 1e6, 0, SN_OK, -1e-6, 1e-6}, /* the largest multiplier */
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const pair_case *c = &cases[i];
    char text[2048];
    (void)snprintf(text, sizeof text, PAIR, c->type, c->lead_lower, c->lead_upper, c->lower,
                   c->upper, c->scale, c->offset);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    sn_gate *gate = NULL;
    if (create(robot.model, &gate_case_one_source, &gate) != c->status) {
      fail_msg("case %zu: not %s", i, sn_status_text(c->status));
    }
    if (c->status == SN_OK) {
      drive(gate, robot.model, c);
    }
    sn_test_robot_free(&robot);
  }
}

/* The first joint of the pose is a lead, or a mimic. */
#define FIRST                                                                                \
  "<robot name='first'><link name='a'/><link name='b'/><link name='c'/>"                     \
  "<joint name='one' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>" \
  "<limit lower='-1' upper='1' effort='1' velocity='2'/>%s</joint>"                          \
  "<joint name='two' type='revolute'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>" \
  "<limit lower='-1' upper='1' effort='1' velocity='2'/>%s</joint></robot>"

SN_TEST(a_mimic_follows_its_lead_wherever_the_two_are_in_the_pose) {
  static const char *const mimics[] = {"<mimic joint='two' multiplier='0.5'/>",
                                       "<mimic joint='one' multiplier='0.5'/>"};
  for (size_t lead = 0; lead < 2; lead++) {
    const size_t mimic = 1 - lead;
    char text[2048];
    (void)snprintf(text, sizeof text, FIRST, lead == 1 ? mimics[0] : "",
                   lead == 0 ? mimics[1] : "");
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    sn_gate *gate = NULL;
    assert_int_equal(create(robot.model, &gate_case_one_source, &gate), SN_OK);
    const int owners[2] = {0};
    const char *name = lead == 0 ? "one" : "two";
    sn__gate_own(gate, owners, 0);
    sn_joint_state *msg = sn_msg_create(&robot.arena, &sn_joint_state_type, NULL);
    sn_servo_goal *goal = sn_msg_create(&robot.arena, &sn_servo_goal_type, NULL);
    assert_int_equal(sn_msg_names_add(&msg->name, name, 3), SN_OK);
    assert_int_equal(sn_msg_names_add(&goal->name, name, 3), SN_OK);
    msg->position.count = goal->limp.count = 1;
    msg->position.data[0] = 0.8;
    goal->limp.data[0] = true;
    const sn_gate_command *command = NULL;
    for (int64_t k = 1; k <= 1000; k++) {
      assert_int_equal(sn__gate_take(gate, 0, msg, k * MS), SN_OK);
      command = sn__gate_step(gate, k * MS);
      assert_true(command->q[mimic] == 0.5 * command->q[lead]);
      assert_true(command->qd[mimic] == 0.5 * command->qd[lead]);
      assert_true(command->qdd[mimic] == 0.5 * command->qdd[lead]);
      assert_false(command->limp[0] || command->limp[1]);
    }
    sn_assert_near(command->q[lead], 0.8, 1e-12);
    assert_int_equal(sn__gate_let_go(gate, 0, goal, 1001 * MS), SN_OK);
    command = sn__gate_step(gate, 1001 * MS);
    assert_true(command->limp[0] && command->limp[1]);
    sn_test_robot_free(&robot);
  }
}

/* Offsets of mimics of mimics add up; multipliers are bounded by the model. */
#define CHAIN                                                                                    \
  "<robot name='chain'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"         \
  "<joint name='lead' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"   \
  "<limit lower='-1' upper='1' effort='1' velocity='2'/></joint>"                                \
  "<joint name='m1' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>"     \
  "<limit lower='-9e8' upper='9e8' effort='1' velocity='3'/>"                                    \
  "<mimic joint='lead' multiplier='%g' offset='%g'/></joint>"                                    \
  "<joint name='m2' type='prismatic'><parent link='c'/><child link='d'/><axis xyz='0 0 1'/>"     \
  "<limit lower='-9e8' upper='9e8' effort='1' velocity='3'/><mimic joint='m1' multiplier='%g'/>" \
  "</joint></robot>"

SN_TEST(a_chain_of_mimics_has_the_limits_of_a_single_one) {
  static const struct {
    double first, offset, second;
    sn_status status;
  } cases[] = {{1e3, 0.0, 1e3, SN_OK}, {1e-6, 8e8, 1.0, SN_OK}, {1e-6, 8e8, 2.0, SN_EINVAL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[2048];
    (void)snprintf(text, sizeof text, CHAIN, cases[i].first, cases[i].offset, cases[i].second);
    sn_test_robot robot;
    sn_test_robot_init_good(&robot, text, NULL);
    sn_gate *gate = NULL;
    assert_int_equal(create(robot.model, &gate_case_one_source, &gate), cases[i].status);
    sn_test_robot_free(&robot);
  }
}

/* ---- times ---- */

SN_TEST(ages_do_not_overflow) {
  static const struct {
    int64_t later_ns, earlier_ns, age_ns;
  } cases[] = {{5, 3, 2},
               {3, 5, -2},
               {INT64_MAX, 0, INT64_MAX},
               {INT64_MAX - 1, -1, INT64_MAX},
               {INT64_MAX, -1, INT64_MAX},
               {INT64_MAX, INT64_MIN, INT64_MAX},
               {-1, INT64_MIN, INT64_MAX},
               {0, INT64_MIN, INT64_MAX},
               {INT64_MIN, 0, INT64_MIN},
               {INT64_MIN, 1, INT64_MIN},
               {INT64_MIN, INT64_MAX, INT64_MIN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_true(sn__gate_age_ns(cases[i].later_ns, cases[i].earlier_ns) == cases[i].age_ns);
  }
}

/* ---- events ---- */

/* Events that are not read fill the queue; those that do not fit are counted in the next one. */
SN_TEST(a_full_queue_of_events_loses_no_count) {
  gate_rig rig;
  gate_rig_open(&rig, &gate_case_one_source);
  const size_t capacity = (size_t)SN_GATE_REASON_COUNT * 2;
  const size_t sent = capacity + 5;
  for (size_t i = 0; i < sent; i++) {
    assert_int_equal(gate_rig_take(&rig, 0, GATE_SHOULDER, 100.0), SN_OK);
    rig.now_ns += 1000 * MS;
  }
  sn_gate_event event;
  for (size_t i = 0; i < capacity; i++) {
    assert_true(sn__gate_next_event(rig.gate, &event));
    assert_int_equal(event.reason, SN_GATE_CLAMPED);
    assert_int_equal(event.count, 1);
  }
  assert_false(sn__gate_next_event(rig.gate, &event));
  assert_int_equal(gate_rig_take(&rig, 0, GATE_SHOULDER, 100.0), SN_OK);
  assert_true(sn__gate_next_event(rig.gate, &event));
  assert_int_equal(event.count, sent - capacity + 1);
  gate_rig_close(&rig);
}
