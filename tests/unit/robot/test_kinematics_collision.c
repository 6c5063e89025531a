/* Inverse kinematics of limbs that avoids collisions: the property `collision`. */
#include "collision/collision.h"
#include "kinematics_rig.h"

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
