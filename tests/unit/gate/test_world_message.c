/* Messages about objects of the world. */
#include "gate/world_message.h"
#include "sn_test.h"

static sn_world_object *a_ball(sn_arena *arena, const char *name) {
  sn_world_object *msg = sn_msg_create(arena, &sn_world_object_type, NULL);
  assert_non_null(msg);
  assert_int_equal(sn_msg_text_set(&msg->name, name), SN_OK);
  assert_int_equal(sn_msg_text_set(&msg->shape, "sphere"), SN_OK);
  msg->size.data[msg->size.count++] = 0.25;
  msg->pose.position = (sn_vec3){1.0, 2.0, 3.0};
  return msg;
}

SN_TEST(an_object_without_an_orientation_is_not_turned) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "message", 0);
  sn_world_object *msg = a_ball(&arena, "ball");
  sn_pose expected = sn_pose_identity();
  expected.pos = msg->pose.position;
  sn__object object;
  msg->pose.orientation = (sn_quat){0};
  assert_int_equal(sn__world_message_read(msg, &object, NULL), SN_OK);
  assert_string_equal(object.name, "ball");
  sn_assert_pose_near(object.pose, expected, 0.0);
  /* Half a turn about each axis, and none: only one number is not 0. */
  const sn_quat turns[] = {{.w = 1.0}, {.x = 1.0}, {.y = 1.0}, {.z = 1.0}};
  const sn_vec3 diagonals[] = {
      {1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};
  for (size_t i = 0; i < 4; i++) {
    msg->pose.orientation = turns[i];
    assert_int_equal(sn__world_message_read(msg, &object, NULL), SN_OK);
    const sn_vec3 out = sn_pose_apply(object.pose, (sn_vec3){1.0, 1.0, 1.0});
    sn_assert_vec3_near(sn_vec3_sub(out, msg->pose.position), diagonals[i], 1e-15);
  }
  sn_arena_release(&arena);
}

SN_TEST(names_of_objects_are_short_and_printable) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "message", 0);
  char name[SN__OBJECT_NAME_SIZE] = "";
  memset(name, 'a', sizeof name - 1); /* as long as a message can have it */
  sn__object object;
  sn_error err = {.message = ""};
  assert_int_equal(sn__world_message_read(a_ball(&arena, name), &object, &err), SN_OK);
  assert_string_equal(object.name, name);
  assert_int_equal(sn__world_message_read(a_ball(&arena, "a\nb"), &object, &err), SN_EINVAL);
  sn_assert_contains(err.message, "1 to 63 characters");
  sn_arena_release(&arena);
}
