/* The collision guard in a system: what it logs and publishes, and objects that come and go. */
#include "collision_bench.h"
#include "msg/base_message.h"

SN_TEST(the_blocked_pair_is_logged_once_a_second_and_published) {
  collision_bench b;
  collision_bench_open(&b, "initial_pose", "{elbow: -0.5}");
  collision_bench_begin(&b);
  assert_int_equal(collision_bench_lines(&b, "coll"), 0);
  rig_run(&b.r, 100 * (int64_t)MS);
  const sn_collision_state *seen = collision_bench_state(&b);
  assert_true(seen->enabled);
  assert_int_equal(seen->pair_count, 1);
  sn_assert_near(seen->margin, 0.01, 0.0);
  assert_false(seen->near); /* far apart */
  b.mover->joint = 0;
  b.mover->position = 1.4;
  rig_run(&b.r, 2500 * (int64_t)MS);
  seen = collision_bench_state(&b);
  assert_true(seen->near && seen->blocked && seen->blocked_count > 0);
  assert_string_equal(seen->header.frame_id.data, "base");
  assert_string_equal(seen->link_a.data, "left");
  assert_string_equal(seen->link_b.data, "right");
  assert_string_equal(seen->owners.data, "anna");
  sn_assert_near(seen->distance, 0.01, 1e-3);
  sn_assert_near(sn_vec3_norm(sn_vec3_sub(seen->point_a, seen->point_b)), seen->distance, 1e-6);
  const size_t count =
      collision_bench_lines(&b, "anna: slowed down, 'left' and 'right' would collide, ");
  assert_true(count == 2 || count == 3);
  collision_bench_close(&b);
}

SN_TEST(a_guard_that_is_off_says_so) {
  collision_bench b;
  collision_bench_open(&b, "collision_guard", "false");
  rig_set(&b.r, b.aggregator, "initial_pose", "{elbow: -0.5}");
  collision_bench_begin(&b);
  assert_int_equal(collision_bench_lines(&b, "the collision guard is off (collision_guard: false)"),
                   1);
  b.mover->joint = 0;
  b.mover->position = 1.4;
  rig_run(&b.r, 2000 * (int64_t)MS);
  assert_false(collision_bench_state(&b)->enabled);
  sn_collision_state *seen = sn_msg_create(&b.r.arena, &sn_collision_state_type, NULL);
  assert_int_equal(collision_bench_call(&b, "aggregator.getCollision", NULL, seen), SN_OK);
  assert_string_equal(seen->reason.data, "the property collision_guard is false");
  assert_int_equal(seen->blocked_count, 0);
  collision_bench_close(&b);
}

SN_TEST(an_object_that_is_added_stops_the_arm_and_removed_lets_it_pass) {
  collision_bench b;
  collision_bench_open(&b, "world",
                       "[{name: post, cylinder: [0.05, 1], position: [-0.5, 0, 1.5]}]");
  rig_set(&b.r, b.aggregator, "world_objects_max", "2");
  collision_bench_begin(&b);
  rig_run(&b.r, 20 * (int64_t)MS);
  sn_world_object *wall = collision_bench_object(&b, "wall", "box");
  collision_bench_sizes(wall, 3, 0.1, 1, 1);
  wall->pose.position = sn_vec3_make(-1.0, 0, 0.7);
  assert_int_equal(collision_bench_call(&b, "aggregator.addObject", wall, NULL), SN_OK);
  sn_world_object_list *list = sn_msg_create(&b.r.arena, &sn_world_object_list_type, NULL);
  assert_int_equal(collision_bench_call(&b, "aggregator.listObjects", NULL, list), SN_OK);
  assert_true(list->complete);
  assert_int_equal(list->objects.count, 2);
  assert_string_equal(list->objects.data[0].shape.data, "cylinder");
  assert_string_equal(list->objects.data[1].name.data, "wall");
  sn_assert_near(list->objects.data[1].size.data[0], 0.1, 0.0);
  b.mover->joint = 0;
  b.mover->position = -1.2;
  rig_run(&b.r, 3000 * (int64_t)MS);
  assert_string_equal(collision_bench_state(&b)->link_b.data, "wall");
  assert_true(collision_bench_state(&b)->blocked);
  sn_call_name *name = sn_msg_create(&b.r.arena, &sn_call_name_type, NULL);
  assert_int_equal(sn_msg_text_set(&name->name, "wall"), SN_OK);
  assert_int_equal(collision_bench_call(&b, "aggregator.removeObject", name, NULL), SN_OK);
  assert_int_equal(collision_bench_call(&b, "aggregator.removeObject", name, NULL), SN_ENOENT);
  rig_run(&b.r, 1000 * (int64_t)MS);
  assert_false(collision_bench_state(&b)->blocked);
  collision_bench_close(&b);
}

SN_TEST(wrong_objects_are_refused_with_the_reason) {
  collision_bench b;
  collision_bench_open(&b, "world_objects_max", "2");
  collision_bench_begin(&b);
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
    sn_world_object *object = collision_bench_object(&b, cases[i].name, cases[i].shape);
    collision_bench_sizes(object, 1, cases[i].size, 0, 0);
    object->pose.position = cases[i].position;
    assert_int_equal(collision_bench_call(&b, "aggregator.addObject", object, NULL), SN_EINVAL);
    sn_assert_contains(b.r.err.message, cases[i].message);
  }
  static const char *const names[] = {"one", "two", "three"};
  for (size_t i = 0; i < 3; i++) {
    sn_world_object *object = collision_bench_object(&b, names[i], "sphere");
    collision_bench_sizes(object, 1, 0.1, 0, 0);
    object->pose.position = sn_vec3_make(0, 0, -3);
    assert_int_equal(collision_bench_call(&b, "aggregator.addObject", object, NULL),
                     i < 2 ? SN_OK : SN_ELIMIT);
  }
  sn_assert_contains(b.r.err.message,
                     "there are 2 objects already, which is the limit; each adds "
                     "2 pairs to every cycle");
  collision_bench_close(&b);
}

SN_TEST(links_that_are_not_kept_away_from_an_object_are_named) {
  collision_bench b;
  /* The left ball is inside of the dome whatever the joint does, the right one is at times. */
  collision_bench_open(&b, "world", "[{name: dome, sphere: 1, position: [-0.5, 0, 0]}]");
  collision_bench_begin(&b);
  assert_int_equal(
      collision_bench_lines(
          &b, "'left' and 'dome' touch in all of 300 random poses: they are not checked"),
      1);
  collision_bench_close(&b);
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
    collision_bench_open(&b, cases[i].property, cases[i].value);
    assert_int_not_equal(sn_system_begin(b.r.system, &b.r.err), SN_OK);
    sn_assert_contains(b.r.err.message, cases[i].message);
    rig_close(&b.r);
  }
}

/* The root link is two metres above the ground, or lower: then the arms hang into it. */
SN_TEST(objects_are_fixed_to_the_world_if_the_base_is_known) {
  collision_bench b;
  collision_bench_open(&b, "world", "[{name: ground, plane: [0, 0, 1]}]");
  sn_source *base = NULL;
  assert_int_equal(sn_source_open(b.r.system, "aggregator.in_base", NULL, &base, &b.r.err), SN_OK);
  collision_bench_begin(&b);
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
    const sn_collision_state *seen = collision_bench_state(&b);
    assert_string_equal(seen->link_b.data, i == 0 ? "ground" : "");
    /* In the ground it may only move out; that is where it is sent. */
    assert_false(seen->blocked);
  }
  sn_source_close(base);
  collision_bench_close(&b);
}

static void ask(collision_bench *b, const char *joint, double position, sn_status expected,
                sn_collision_state *out) {
  sn_joint_state *pose = sn_msg_create(&b->r.arena, &sn_joint_state_type, NULL);
  assert_int_equal(sn_msg_names_add(&pose->name, joint, strlen(joint)), SN_OK);
  pose->position.data[pose->position.count++] = position;
  assert_int_equal(collision_bench_call(b, "aggregator.checkPose", pose, out), expected);
}

SN_TEST(a_pose_is_checked_before_the_robot_goes_there) {
  collision_bench b;
  collision_bench_open(&b, "initial_pose", "{elbow: -0.5}");
  collision_bench_begin(&b);
  rig_run(&b.r, 100 * (int64_t)MS);
  sn_collision_state *seen = sn_msg_create(&b.r.arena, &sn_collision_state_type, NULL);
  ask(&b, "shoulder", 0.0, SN_OK, seen);
  assert_true(seen->enabled && seen->near && !seen->blocked && seen->distance > 0.0);
  /* Balls of 0.1 m on arms of 0.8 m, 1 m apart. */
  const double apart = hypot(1.0 + 0.8 * sin(-0.5) - 0.8 * sin(0.75), 0.8 * (cos(0.5) - cos(0.75)));
  ask(&b, "shoulder", 0.75, SN_OK, seen);
  assert_true(seen->blocked);
  sn_assert_near(seen->distance, apart - 0.2, 1e-6);
  assert_string_equal(seen->link_a.data, "left");
  assert_string_equal(seen->link_b.data, "right");
  /* The robot is where it was. */
  assert_int_equal(collision_bench_call(&b, "aggregator.getCollision", NULL, seen), SN_OK);
  assert_false(seen->near || seen->blocked);
  ask(&b, "knee", 0.0, SN_ENOENT, seen);
  sn_assert_contains(b.r.err.message, "no joint 'knee'");
  ask(&b, "shoulder", NAN, SN_EINVAL, seen);
  collision_bench_close(&b);
}

static void ask_way(collision_bench *b, const double *poses, size_t count, sn_status expected,
                    sn_checked_way *out) {
  sn_joint_state *way = sn_msg_create(&b->r.arena, &sn_joint_state_type, NULL);
  assert_int_equal(sn_msg_names_add(&way->name, "shoulder", 8), SN_OK);
  assert_int_equal(sn_msg_names_add(&way->name, "elbow", 5), SN_OK);
  memcpy(way->position.data, poses, count * sizeof *poses);
  way->position.count = count;
  assert_int_equal(collision_bench_call(b, "aggregator.checkWay", way, out), expected);
}

SN_TEST(a_way_is_checked_before_the_robot_goes_it) {
  collision_bench b;
  collision_bench_open(&b, "collision_margin", "0.01");
  collision_bench_begin(&b);
  rig_run(&b.r, 100 * (int64_t)MS);
  sn_checked_way *way = sn_msg_create(&b.r.arena, &sn_checked_way_type, NULL);
  ask_way(&b, (double[]){0, 0, 0.2, 0.2, 0.2, 0.4}, 6, SN_OK, way);
  assert_false(way->blocked);
  sn_assert_near(way->checked, 2.0, 0.0);
  /* Balls of 0.1 m on arms of 0.8 m, 1 m apart, from both sides: they meet on the second part. */
  ask_way(&b, (double[]){0, 0, 0.2, -0.2, 0.8, -0.8}, 6, SN_OK, way);
  assert_true(way->blocked);
  const double angle = 0.2 + (way->checked - 1.0) * 0.6;
  const double gap = 1.0 - 1.6 * sin(angle) - 0.2;
  assert_true(gap < 0.0125 && gap > -0.2);
  sn_assert_near(way->distance, gap, 1e-6);
  assert_string_equal(way->link_a.data, "left");
  assert_string_equal(way->link_b.data, "right");
  ask_way(&b, (double[]){0, 0}, 2, SN_EINVAL, way);
  sn_assert_contains(b.r.err.message, "2 positions for 2 joints, expected two or more poses");
  ask_way(&b, (double[]){0, 0, NAN, 0}, 4, SN_EINVAL, way);
  sn_assert_contains(b.r.err.message, "no finite position of joint 'shoulder'");
  collision_bench_close(&b);
}
