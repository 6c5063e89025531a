/* Inverse kinematics of limbs that avoids collisions: the property `collision`. */
#include "collision/objects.h"
#include "kinematics_rig.h"
#include "msg/types/msg_collision.h"
#include "program.h"

static const char *const avoid[] = {"collision", "true", NULL};

static sn__collision *checker(fixture *f) {
  sn__collision *collision = NULL;
  sn_error err = {0};
  if (sn__collision_create(&f->m.arena, f->m.model, &(sn__collision_config){0}, NULL, &collision,
                           &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  return collision;
}

static double distance_at(sn__collision *collision, const double *q) {
  sn__near near;
  assert_true(sn__collision_nearest(collision, q, &near));
  return near.distance;
}

/* A pose in contact, anywhere, and one near it that is free. */
static void draw_contact(fixture *f, sn__collision *collision) {
  do {
    for (size_t i = 0; i < f->n; i++) {
      const sn_joint *joint = sn_model_joint(f->m.model, i);
      f->q[i] = sn_random_between(&f->random, fmax(joint->lower, -3.1), fmin(joint->upper, 3.1));
      f->near[i] = f->q[i] + sn_random_between(&f->random, -0.2, 0.2);
      f->near[i] = fmin(fmax(f->near[i], joint->lower), joint->upper);
    }
  } while (distance_at(collision, f->q) > 0.0 || distance_at(collision, f->near) <= 0.0);
}

static void check_arm(const char *robot, const char *unreachable) {
  const char *const settings[] = {"collision", "true", "unreachable", unreachable, NULL};
  fixture f;
  kinematics_begin_robot(&f, robot, settings);
  sn__collision *collision = checker(&f);
  size_t stayed = 0;
  for (size_t k = 0; k < 100; k++) {
    draw_contact(&f, collision);
    const sn_joint_state *joints = kinematics_inverse(&f, f.near, kinematics_forward(&f));
    assert_non_null(joints);
    assert_true(distance_at(collision, joints->position.data) > 0.0);
    stayed += memcmp(joints->position.data, f.near, f.n * sizeof *f.near) == 0;
  }
  assert_true(stayed > 0);
  char text[200];
  assert_true(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text) > 0);
  kinematics_close_robot(&f);
}

SN_TEST(a_limb_does_not_go_into_a_contact) {
  check_arm("arm6", "nearest");
  check_arm("arm6", "hold");
  check_arm("arm_ur", "nearest");
  check_arm("arm7", "nearest");
}

SN_TEST(it_says_that_a_collision_is_the_reason) {
  fixture f;
  kinematics_begin_robot(&f, "arm6", avoid);
  draw_contact(&f, checker(&f));
  (void)kinematics_inverse(&f, f.near, kinematics_forward(&f));
  char text[200];
  assert_int_equal(rig_drain_log(&f.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  sn_assert_contains(text, "arm cannot get there without a collision: it keeps its pose");
  kinematics_close_robot(&f);
}

SN_TEST(free_targets_are_reached_as_without_the_check) {
  fixture f, plain;
  kinematics_begin_robot(&f, "arm6", avoid);
  kinematics_begin_robot(&plain, "arm6", NULL);
  sn__collision *collision = checker(&f);
  for (size_t k = 0; k < 100; k++) {
    do {
      kinematics_draw(&f);
    } while (distance_at(collision, f.q) <= 0.0);
    memcpy(plain.q, f.q, sizeof f.q);
    const sn_joint_state *joints = kinematics_inverse(&f, f.near, kinematics_forward(&f));
    const sn_joint_state *want = kinematics_inverse(&plain, f.near, kinematics_forward(&plain));
    assert_non_null(joints);
    assert_non_null(want);
    assert_memory_equal(joints->position.data, want->position.data, f.n * sizeof(double));
  }
  kinematics_close_robot(&plain);
  kinematics_close_robot(&f);
}

/* ---- the world ---- */

/* A list with one ball. */
static void send_ball(sn_source *world, size_t count, sn_vec3 at) {
  sn_world_object_list *list = sn_source_msg(world);
  sn_world_object *ball = &list->objects.data[0];
  assert_int_equal(sn_msg_text_set(&ball->name, "ball"), SN_OK);
  assert_int_equal(sn_msg_text_set(&ball->shape, "sphere"), SN_OK);
  ball->size.data[0] = 0.08;
  ball->size.count = 1;
  ball->pose = sn_msg_pose_from(sn_pose_identity());
  ball->pose.position = at;
  list->objects.count = count;
  list->complete = true;
  assert_int_equal(sn_source_write(world), SN_OK);
}

/* Where the ball of the test is for the checker of the test. */
static void place_ball(sn__collision *collision, sn_vec3 at) {
  sn__object ball = {.name = "ball", .pose = sn_pose_identity()};
  sn_error err = {0};
  ball.pose.pos = at;
  sn__collision_clear_objects(collision);
  assert_int_equal(sn__object_shape("sphere", (double[1]){0.08}, 1, NULL, 0, &ball, &err), SN_OK);
  assert_int_equal(sn__collision_add_object(collision, &ball, &err), SN_OK);
}

SN_TEST(a_limb_keeps_off_the_objects_of_the_gate) {
  fixture f;
  kinematics_open_robot(&f, "arm6");
  rig_set(&f.m.r, f.inv, "collision", "true");
  sn_source *world = model_rig_source(&f.m, "inv.in_world");
  rig_begin(&f.m.r);
  sn__collision *robot = checker(&f), *both = NULL;
  sn_error err = {0};
  assert_int_equal(
      sn__collision_create(&f.m.arena, f.m.model, &(sn__collision_config){.object_capacity = 1},
                           NULL, &both, &err),
      SN_OK);
  size_t hindered = 0;
  for (size_t k = 0; k < 60; k++) {
    do {
      kinematics_draw(&f);
    } while (distance_at(robot, f.q) <= 0.0 || distance_at(robot, f.near) <= 0.0);
    const sn_limb_state *limbs = kinematics_forward(&f);
    const sn_vec3 up = sn_vec3_make(0, 0, sn_random_between(&f.random, 0.05, 0.13));
    const sn_vec3 at = sn_vec3_add(limbs->pose.data[0].position, up);
    place_ball(both, at);
    if (distance_at(both, f.near) <= 0.0) {
      continue;
    }
    send_ball(world, 1, at);
    const sn_joint_state *joints = kinematics_inverse(&f, f.near, limbs);
    assert_non_null(joints);
    assert_true(distance_at(both, joints->position.data) > 0.0);
    hindered += memcmp(joints->position.data, f.near, f.n * sizeof(double)) == 0;
    /* Without the ball the target is reached. */
    send_ball(world, 0, at);
    joints = kinematics_inverse(&f, f.near, limbs);
    assert_non_null(joints);
    assert_true(memcmp(joints->position.data, f.near, f.n * sizeof(double)) != 0);
  }
  assert_true(hindered > 0);
  sn_source_close(world);
  kinematics_close_robot(&f);
}

/* ---- SRDF ---- */

SN_TEST(pairs_that_the_srdf_file_disables_may_touch) {
  char folder[64], path[80];
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/arm6.srdf", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fixture f;
  kinematics_open_robot(&f, "arm6");
  fputs("<robot name='arm6'>", file);
  for (size_t a = 0; a < sn_model_link_count(f.m.model); a++) {
    for (size_t b = 0; b < a; b++) {
      fprintf(file, "<disable_collisions link1='%s' link2='%s'/>",
              sn_model_link(f.m.model, a)->name, sn_model_link(f.m.model, b)->name);
    }
  }
  fputs("</robot>", file);
  fclose(file);
  rig_set(&f.m.r, f.inv, "collision", "true");
  rig_set(&f.m.r, f.inv, "collision_srdf", path);
  rig_begin(&f.m.r);
  sn__collision *collision = checker(&f);
  size_t touching = 0;
  for (size_t k = 0; k < 50; k++) {
    draw_contact(&f, collision);
    const sn_joint_state *joints = kinematics_inverse(&f, f.near, kinematics_forward(&f));
    assert_non_null(joints);
    touching += distance_at(collision, joints->position.data) <= 0.0;
  }
  assert_true(touching > 0);
  kinematics_close_robot(&f);
  sn_test_folder_remove(folder);
}
