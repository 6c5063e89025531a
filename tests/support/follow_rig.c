#include "follow_rig.h"

void follow_rig_open_joining(bench *b, double delay_s, const char *filter,
                             double source_interval_s) {
  sn_test_robot_load(&b->robot, "quadruped");
  sn_arena_init_growing(&b->arena, "follow", 0);
  b->n = sn_model_pose_size(b->robot.model);
  memset(b->owned, 0, sizeof b->owned);
  sn_follow_config config = {.model = b->robot.model,
                             .pose = b->pose,
                             .activation_delay_s = delay_s,
                             .source_interval_s = source_interval_s};
  sn_otg_limits limits[JOINTS_MAX];
  for (size_t j = 0; j < b->n; j++) {
    limits[j] = LIMITS;
  }
  if (filter != NULL) {
    const sn_smooth_config smooth = {
        .joint_count = b->n, .transient_time_s = 0.1, .limits = limits};
    assert_int_equal(sn__smooth_create(&b->arena, filter, &smooth, &config.smooth, NULL), SN_OK);
  }
  assert_int_equal(sn__follow_create(&b->arena, &config, &b->follow, NULL), SN_OK);
  b->ref = sn_msg_create(&b->arena, &sn_joint_state_type, NULL);
  for (size_t j = 0; j < b->n; j++) {
    b->pose[j] = 0.01 * (double)j;
  }
}

void follow_rig_open(bench *b, double delay_s, const char *filter) {
  follow_rig_open_joining(b, delay_s, filter, 0.0);
}

void follow_rig_close(bench *b) {
  sn_arena_release(&b->arena);
  sn_test_robot_free(&b->robot);
}

void follow_rig_own(bench *b, size_t first, size_t count, int64_t now_ns) {
  for (size_t j = 0; j < b->n; j++) {
    b->owned[j] = j >= first && j < first + count;
  }
  sn__follow_own(b->follow, b->owned, PERIOD_S, now_ns);
}

void follow_rig_own_and_step(bench *b, size_t first, size_t count, int64_t now_ns) {
  follow_rig_own(b, first, count, now_ns);
  sn__follow_step(b->follow, now_ns, b->q, b->qd);
}

static const char *name_of(const bench *b, size_t j) {
  return sn_model_joint(b->robot.model, j)->name;
}

void follow_rig_mention(bench *b, size_t j, double q) {
  assert_int_equal(sn_msg_names_add(&b->ref->name, name_of(b, j), strlen(name_of(b, j))), SN_OK);
  b->ref->position.data[b->ref->position.count++] = q;
}

sn_follow_fault follow_rig_take(bench *b, int64_t now_ns) {
  const sn_follow_fault fault = sn__follow_take(b->follow, b->ref, now_ns).fault;
  sn_msg_reset(&sn_joint_state_type, b->ref);
  return fault;
}
