/* The collision guard in a system: what it logs and publishes, and objects that come and go. */
#include "aggregator_rig.h"
#include "loop_rig.h"
#include "msg/base_message.h"
#include "msg/types/msg_collision.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"

/* Two arms with a ball at each end, a metre apart; the mover's names. */
#define MASS                                                                     \
  "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' " \
  "iyz='0'/></inertial>"
#define BALL(name)                                                                \
  "<link name='" name "'>" MASS                                                   \
  "<collision><origin xyz='0 0 0.8'/><geometry><sphere radius='0.1'/></geometry>" \
  "</collision></link>"
#define HINGE(name, child, x)                              \
  "<joint name='" name "' type='revolute'><origin xyz='" x \
  " 0 0'/><parent link='base'/><child link='" child        \
  "'/><axis xyz='0 1 0'/><limit lower='-1.5' upper='1.5' effort='1' velocity='3'/></joint>"
static const char TWO_BALLS[] = "<robot name='balls'><link name='base'/>" BALL("left") BALL("right")
    HINGE("shoulder", "left", "-0.5") HINGE("elbow", "right", "0.5") "</robot>";

typedef struct collision_bench {
  rig r;
  void *aggregator;
  mover *mover;
  sn_tap *tap;
  int64_t end_ns;
} collision_bench;

static void open_bench(collision_bench *b, const char *property, const char *value) {
  memset(b, 0, sizeof *b);
  rig_open(&b->r, MS);
  (void)loop_add_model(&b->r, TWO_BALLS);
  (void)rig_add(&b->r, &sn_timer_component, "timer");
  b->aggregator = rig_add(&b->r, &sn_aggregator_component, "aggregator");
  b->mover = rig_add(&b->r, &aggregator_mover_type, "anna");
  b->mover->joint = -1;
  rig_connect(&b->r, "timer.sync", "aggregator.sync");
  rig_require(&b->r, "aggregator.robot_model", "robot_model");
  rig_connect(&b->r, "anna.out", "aggregator.in_joints");
  rig_set(&b->r, b->aggregator, "collision_margin", "0.01");
  rig_set(&b->r, b->aggregator, property, value);
}

static void begin_bench(collision_bench *b) {
  rig_begin(&b->r);
  assert_int_equal(sn_tap_open(b->r.system, "aggregator.collision", NULL, &b->tap, &b->r.err),
                   SN_OK);
}

static void close_bench(collision_bench *b) {
  sn_tap_close(b->tap);
  rig_close(&b->r);
}

static sn_status call(collision_bench *b, const char *path, const void *request, void *response) {
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, path, &caller, &b->r.err), SN_OK);
  const sn_status status = sn_call(&caller, request, response, &b->r.err);
  sn_caller_close(&caller);
  return status;
}

static const sn_collision_state *state_of(collision_bench *b) {
  sn_flow flow = SN_NO_DATA;
  const sn_collision_state *seen = sn_tap_read(b->tap, &flow);
  assert_int_not_equal(flow, SN_NO_DATA);
  return seen;
}

static sn_world_object *make_object(collision_bench *b, const char *name, const char *shape) {
  sn_world_object *object = sn_msg_create(&b->r.arena, &sn_world_object_type, NULL);
  assert_int_equal(sn_msg_text_set(&object->name, name), SN_OK);
  assert_int_equal(sn_msg_text_set(&object->shape, shape), SN_OK);
  return object;
}

static void set_sizes(sn_world_object *object, size_t count, double x, double y, double z) {
  const double sizes[3] = {x, y, z};
  memcpy(object->size.data, sizes, count * sizeof *sizes);
  object->size.count = count;
}

/* How many lines of the log contain a text. */
static size_t count_lines(collision_bench *b, const char *text) {
  sn_log_record record;
  char line[300];
  size_t count = 0;
  while (sn_log_read(b->r.log, &record)) {
    sn_log_format(&record, line, sizeof line);
    count += strstr(line, text) != NULL;
  }
  return count;
}

/* ---- tests ---- */

SN_TEST(the_blocked_pair_is_logged_once_a_second_and_published) {
  collision_bench b;
  open_bench(&b, "initial_pose", "{elbow: -0.5}");
  begin_bench(&b);
  assert_int_equal(count_lines(&b, "coll"), 0);
  rig_run(&b.r, 100 * (int64_t)MS);
  const sn_collision_state *seen = state_of(&b);
  assert_true(seen->enabled);
  assert_int_equal(seen->pair_count, 1);
  sn_assert_near(seen->margin, 0.01, 0.0);
  assert_false(seen->near); /* far apart */
  b.mover->joint = 0;
  b.mover->position = 1.4;
  rig_run(&b.r, 2500 * (int64_t)MS);
  seen = state_of(&b);
  assert_true(seen->near && seen->blocked && seen->blocked_count > 0);
  assert_string_equal(seen->header.frame_id.data, "base");
  assert_string_equal(seen->link_a.data, "left");
  assert_string_equal(seen->link_b.data, "right");
  assert_string_equal(seen->owners.data, "anna");
  sn_assert_near(seen->distance, 0.01, 1e-3);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(seen->point_a, seen->point_b)), seen->distance, 1e-6);
  const size_t count = count_lines(&b, "anna: slowed down, 'left' and 'right' would collide, ");
  assert_true(count == 2 || count == 3);
  close_bench(&b);
}

SN_TEST(a_guard_that_is_off_says_so) {
  collision_bench b;
  open_bench(&b, "collision_guard", "false");
  rig_set(&b.r, b.aggregator, "initial_pose", "{elbow: -0.5}");
  begin_bench(&b);
  assert_int_equal(count_lines(&b, "the collision guard is off (collision_guard: false)"), 1);
  b.mover->joint = 0;
  b.mover->position = 1.4;
  rig_run(&b.r, 2000 * (int64_t)MS);
  assert_false(state_of(&b)->enabled);
  sn_collision_state *seen = sn_msg_create(&b.r.arena, &sn_collision_state_type, NULL);
  assert_int_equal(call(&b, "aggregator.getCollision", NULL, seen), SN_OK);
  assert_string_equal(seen->reason.data, "the property collision_guard is false");
  assert_int_equal(seen->blocked_count, 0);
  close_bench(&b);
}

SN_TEST(an_object_that_is_added_stops_the_arm_and_removed_lets_it_pass) {
  collision_bench b;
  open_bench(&b, "world", "[{name: post, cylinder: [0.05, 1], position: [-0.5, 0, 1.5]}]");
  rig_set(&b.r, b.aggregator, "world_objects_max", "2");
  begin_bench(&b);
  rig_run(&b.r, 20 * (int64_t)MS);
  sn_world_object *wall = make_object(&b, "wall", "box");
  set_sizes(wall, 3, 0.1, 1, 1);
  wall->pose.position = sn_vec3_make(-1.0, 0, 0.7);
  assert_int_equal(call(&b, "aggregator.addObject", wall, NULL), SN_OK);
  sn_world_object_list *list = sn_msg_create(&b.r.arena, &sn_world_object_list_type, NULL);
  assert_int_equal(call(&b, "aggregator.listObjects", NULL, list), SN_OK);
  assert_true(list->complete);
  assert_int_equal(list->objects.count, 2);
  assert_string_equal(list->objects.data[0].shape.data, "cylinder");
  assert_string_equal(list->objects.data[1].name.data, "wall");
  sn_assert_near(list->objects.data[1].size.data[0], 0.1, 0.0);
  b.mover->joint = 0;
  b.mover->position = -1.2;
  rig_run(&b.r, 3000 * (int64_t)MS);
  assert_string_equal(state_of(&b)->link_b.data, "wall");
  assert_true(state_of(&b)->blocked);
  sn_call_name *name = sn_msg_create(&b.r.arena, &sn_call_name_type, NULL);
  assert_int_equal(sn_msg_text_set(&name->name, "wall"), SN_OK);
  assert_int_equal(call(&b, "aggregator.removeObject", name, NULL), SN_OK);
  assert_int_equal(call(&b, "aggregator.removeObject", name, NULL), SN_ENOENT);
  rig_run(&b.r, 1000 * (int64_t)MS);
  assert_false(state_of(&b)->blocked);
  close_bench(&b);
}

SN_TEST(wrong_objects_are_refused_with_the_reason) {
  collision_bench b;
  open_bench(&b, "world_objects_max", "2");
  begin_bench(&b);
  rig_run(&b.r, 20 * (int64_t)MS);
  const struct {
    const char *name, *shape;
    double size;
    sn_vec3 position;
    const char *message;
  } cases[] = {{"", "sphere", 0.1, {0, 0, 0}, "must have 1 to 63 characters"},
               {"left", "sphere", 0.1, {0, 0, 0}, "'left' is a link of the robot"},
               {"x", "sphere", 0.0, {0, 0, 0}, "shape 'sphere' with 1 sizes"},
               {"x", "sphere", -1.0, {0, 0, 0}, "shape 'sphere' with 1 sizes"},
               {"x", "sphere", 1e9, {0, 0, 0}, "at most 10000 m"},
               {"x", "torus", 0.1, {0, 0, 0}, "shape 'torus'"},
               {"x", "sphere", 0.1, {1e9, 0, 0}, "its place must be finite and within"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    sn_world_object *object = make_object(&b, cases[i].name, cases[i].shape);
    set_sizes(object, 1, cases[i].size, 0, 0);
    object->pose.position = cases[i].position;
    assert_int_equal(call(&b, "aggregator.addObject", object, NULL), SN_EINVAL);
    sn_assert_contains(b.r.err.message, cases[i].message);
  }
  static const char *const names[] = {"one", "two", "three"};
  for (size_t i = 0; i < 3; i++) {
    sn_world_object *object = make_object(&b, names[i], "sphere");
    set_sizes(object, 1, 0.1, 0, 0);
    object->pose.position = sn_vec3_make(0, 0, -3);
    assert_int_equal(call(&b, "aggregator.addObject", object, NULL), i < 2 ? SN_OK : SN_ELIMIT);
  }
  sn_assert_contains(b.r.err.message,
                     "there are 2 objects already, which is the limit; each adds "
                     "2 pairs to every cycle");
  close_bench(&b);
}

SN_TEST(links_that_are_not_kept_away_from_an_object_are_named) {
  collision_bench b;
  /* The left ball is inside of the dome whatever the joint does, the right one is at times. */
  open_bench(&b, "world", "[{name: dome, sphere: 1, position: [-0.5, 0, 0]}]");
  begin_bench(&b);
  assert_int_equal(
      count_lines(&b, "'left' and 'dome' touch in all of 300 random poses: they are not checked"),
      1);
  close_bench(&b);
}

SN_TEST(properties_are_checked) {
  static const struct {
    const char *property, *value, *message;
  } cases[] = {{"collision_off", "[{link_a: nose, link_b: tail}]", "neither 'nose' nor 'tail'"},
               {"collision_srdf", "/nonexistent/robot.srdf", "/nonexistent/robot.srdf"},
               {"world", "[{name: a, sphere: 0}]", "must be a radius above 0"},
               {"world", "3", "must be a list"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    collision_bench b;
    open_bench(&b, cases[i].property, cases[i].value);
    assert_int_not_equal(sn_system_begin(b.r.system, &b.r.err), SN_OK);
    sn_assert_contains(b.r.err.message, cases[i].message);
    rig_close(&b.r);
  }
}

/* The root link is two metres above the ground, or lower: then the arms hang into it. */
SN_TEST(objects_are_fixed_to_the_world_if_the_base_is_known) {
  collision_bench b;
  open_bench(&b, "world", "[{name: ground, plane: [0, 0, 1]}]");
  sn_source *base = NULL;
  assert_int_equal(sn_source_open(b.r.system, "aggregator.in_base", NULL, &base, &b.r.err), SN_OK);
  begin_bench(&b);
  sn_rigid_body_state *msg = sn_source_msg(base);
  assert_int_equal(sn__base_message_prepare(msg, "odom", "base", &b.r.err), SN_OK);
  b.mover->joint = 0;
  b.mover->position = 1.5;
  static const double heights[] = {0.2, 2.0};
  for (size_t i = 0; i < 2; i++) {
    sn_pose pose = sn_pose_identity();
    pose.pos.z = heights[i];
    /* Upside down: the balls are 0.8 m below the root link at zero. */
    pose.rot = sn_mat3_from_rpy(3.141592653589793, 0, 0);
    sn__base_message_fill(msg, 0, pose, sn_spatial_zero());
    assert_int_equal(sn_source_write(base), SN_OK);
    rig_run(&b.r, 3000 * (int64_t)MS);
    const sn_collision_state *seen = state_of(&b);
    assert_string_equal(seen->link_b.data, i == 0 ? "ground" : "");
    /* In the ground it may only move out; that is where it is sent. */
    assert_false(seen->blocked);
  }
  sn_source_close(base);
  close_bench(&b);
}
