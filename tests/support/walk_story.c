#include "walk_story.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "deploy/deployment.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/msg_estimation.h"
#include "sn_test.h"

enum { MS = 1000000, SEND_CYCLES = 50 };

static const char form[] =
    "include: [walking.yaml]\n"
    "components:\n"
    "  plant:\n"
    "    properties: {gyro_bias: [0.01, -0.01, 0.01], gyro_noise: 0.005, accel_noise: 0.05,\n"
    "      accel_bias: [0.05, -0.05, 0.05], position_noise: 0.0005, velocity_noise: 0.02%s}\n"
    "activities: {control: {period: 0.%03d}}\n";

static void build(walk_story *s, const char *text) {
  sn_deployed *d = &s->d;
  static const char *const without[] = {"cockpit"};
  sn_deployment_file files[] = {{.name = "standard.yaml"}, {.name = "walking.yaml"}};
  files[0].text = sn_standard_deployment(&files[0].size);
  files[1].text = sn__walking_deployment(&files[1].size);
  const sn_deployment_config config = {.registry = d->registry,
                                       .files = files,
                                       .file_count = 2,
                                       .without = without,
                                       .without_count = 1,
                                       .robot = SINEW_ROBOTS "/quadruped.yaml",
                                       .may_read = true};
  if (sn_deployment_parse(&d->arena, text, strlen(text), "story.yaml", &config, d->report,
                          &d->deployment) != SN_OK) {
    fail_msg("%s", sn_test_problems(d->report));
  }
  d->system = sn_system_create(&(sn_system_config){
      .clock = &d->clock, .log = d->log, .capacity = sn_deployment_capacity(d->deployment)});
  assert_int_equal(sn_deployment_build(d->deployment, d->system, d->report), SN_OK);
}

void walk_story_open(walk_story *s, const char *plant) {
  walk_story_open_with_period(s, plant, 1);
}

void walk_story_open_with_period(walk_story *s, const char *plant, int period_ms) {
  char text[2048];
  *s = (walk_story){.hash = 14695981039346656037u};
  sn_deployed_init(&s->d);
  snprintf(text, sizeof text, form, plant, period_ms);
  build(s, text);
  sn_error *err = &s->d.err;
  const sn_msg_capacity roomy = {.text_size = 256};
  s->outcome = sn_msg_create(&s->d.arena, &sn_call_outcome_type, &roomy);
  assert_int_equal(sn_tap_open(s->d.system, "plant.base_truth", NULL, &s->truth, err), SN_OK);
  assert_int_equal(sn_tap_open(s->d.system, "state_estimator.fall", NULL, &s->fall, err), SN_OK);
  assert_int_equal(sn_tap_open(s->d.system, "aggregator.joints_sorted", NULL, &s->sorted, err),
                   SN_OK);
  assert_int_equal(sn_source_open(s->d.system, "plant.push_links", NULL, &s->push, err), SN_OK);
  assert_int_equal(sn_caller_open(s->d.system, "walk.setVelocity", &s->set_velocity, err), SN_OK);
  assert_int_equal(sn_system_begin(s->d.system, err), SN_OK);
  walk_story_run(s, 1.0);
}

void walk_story_close(walk_story *s) {
  sn_tap_close(s->truth);
  sn_tap_close(s->fall);
  sn_tap_close(s->sorted);
  sn_source_close(s->push);
  sn_caller_close(&s->set_velocity);
  sn_deployed_free(&s->d);
}

const sn_call_outcome *walk_story_call(walk_story *s, double x, double y, double turn) {
  const sn_spatial twist = {{0, 0, turn}, {x, y, 0}};
  assert_int_equal(sn_call(&s->set_velocity, &twist, s->outcome, &s->d.err), SN_OK);
  return s->outcome;
}

void walk_story_want(walk_story *s, double x, double y, double turn) {
  s->wanted = (sn_spatial){{0, 0, turn}, {x, y, 0}};
}

sn_pose walk_story_base(walk_story *s) {
  const sn_rigid_body_state *msg = sn_tap_read(s->truth, NULL);
  assert_non_null(msg);
  return sn_pose_from_msg(msg->pose.data[0]);
}

static void watch(walk_story *s) {
  const sn_joint_state *pose = sn_tap_read(s->sorted, NULL);
  const sn_fall_state *fall = sn_tap_read(s->fall, NULL);
  s->tilt_max = fmax(s->tilt_max, acos(fmin(1.0, walk_story_base(s).rot.z.z)));
  s->has_fallen = s->has_fallen || (fall != NULL && fall->fallen);
  for (size_t j = 0; pose != NULL && j < pose->position.count; j++) {
    uint64_t bits;
    memcpy(&bits, &pose->position.data[j], sizeof bits);
    s->hash = (s->hash ^ bits) * 1099511628211u;
  }
}

void walk_story_run(walk_story *s, double duration_s) {
  const long end = s->cycles + lround(1e3 * duration_s);
  for (; s->cycles < end; s->cycles++) {
    if (s->cycles % SEND_CYCLES == 0 && !s->is_silent && s->cycles > 0) {
      assert_int_equal(sn_caller_post(&s->set_velocity, &s->wanted, &s->d.err), SN_OK);
    }
    assert_int_equal(sn_system_run(s->d.system, MS, NULL, NULL, &s->d.err), SN_OK);
    watch(s);
  }
}

static void send_push(walk_story *s, size_t count, double x_N, double y_N) {
  static const char root[] = "base_link";
  sn_rigid_body_state *msg = sn_source_msg(s->push);
  sn_msg_names_clear(&msg->name);
  if (count > 0) {
    assert_int_equal(sn_msg_names_add(&msg->name, root, strlen(root)), SN_OK);
    msg->wrench.data[0] = (sn_spatial){{0, 0, 0}, {x_N, y_N, 0}};
  }
  msg->wrench.count = count;
  msg->pose.count = msg->twist.count = 0;
  assert_int_equal(sn_source_write(s->push), SN_OK);
}

void walk_story_push(walk_story *s, double x_N, double y_N) {
  send_push(s, 1, x_N, y_N);
  walk_story_run(s, 0.1);
  send_push(s, 0, 0.0, 0.0);
}
