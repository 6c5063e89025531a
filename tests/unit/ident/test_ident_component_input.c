/* The component servo_ident: measurements, commands, properties and files. */
#include <sys/stat.h>
#include <unistd.h>

#include "ident_component_rig.h"
#include "program.h"
#include "servo/servo_store.h"
#include "sn_test.h"

SN_TEST(torque_from_outside_is_seen_on_its_joint) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  assert_true(ident_rig_start(&w, (const size_t[]){3, 7}, 2));
  ident_rig_run(&w, 5000);
  assert_int_equal(ident_component_end(&w)->names.count, 2);
  w.push[7] = 0.3;
  ident_rig_run(&w, 1);
  sn_flow flow = SN_NO_DATA;
  const sn_joint_state *error = sn_tap_read(w.error, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_int_equal(error->effort.count, w.n);
  assert_int_equal(error->position.count, 0);
  assert_string_equal(sn_msg_names_at(&error->name, 7), ident_rig_joint(&w, 7));
  sn_assert_near(error->effort.data[7], -0.3, 1e-6); /* the servo delivers less than commanded */
  sn_assert_near(error->effort.data[3], 0.0, 1e-6);
  ident_rig_close(&w);
}

static void write_message(ident_rig *w, const char *const *names, size_t name_count,
                          size_t position_count, size_t velocity_count, int64_t stamp_ns) {
  sn_joint_state *msg = sn_source_msg(w->measured);
  sn_msg_names_clear(&msg->name);
  for (size_t i = 0; i < name_count; i++) {
    assert_int_equal(sn_msg_names_add(&msg->name, names[i], strlen(names[i])), SN_OK);
  }
  msg->header.stamp_ns = stamp_ns;
  msg->position.count = position_count;
  msg->velocity.count = velocity_count;
  for (size_t i = 0; i < 3; i++) {
    msg->position.data[i] = 0.3;
    msg->velocity.data[i] = 0.4;
  }
  assert_int_equal(sn_source_write(w->measured), SN_OK);
}

SN_TEST(malformed_measurements_are_skipped_whole) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  assert_true(ident_rig_start(&w, (const size_t[]){0, 1}, 2));
  ident_rig_run(&w, 100);
  static const char *const good[] = {"leg1_joint1", "leg1_joint2", "leg1_joint3"};
  static const char *const unknown[] = {"leg1_joint1", "missing", "leg1_joint3"};
  static const char *const twice[] = {"leg1_joint1", "leg1_joint2", "leg1_joint1"};
  const int64_t now_ns = sn_clock_now_ns(&w.m.r.clock);
  const struct {
    const char *const *names;
    size_t positions, velocities;
    int64_t stamp_ns;
    const char *reason;
  } cases[] = {{good, 2, 3, now_ns, "differ in number"},
               {good, 3, 1, now_ns, "differ in number"},
               {good, 0, 3, now_ns, "differ in number"},
               {unknown, 3, 3, now_ns, "not a joint of the robot"},
               {twice, 3, 3, now_ns, "twice"},
               {good, 3, 3, now_ns - 50000000, "before that of an earlier one"}};
  char text[300];
  rig_drain_log(&w.m.r, SN_LOG_WARNING, text, sizeof text);
  const sn_ident_servo_state before = *ident_component_state_of(&w, 0);
  sn_flow flow = SN_NO_DATA;
  (void)sn_tap_read(w.error, &flow);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_message(&w, cases[i].names, 3, cases[i].positions, cases[i].velocities,
                  cases[i].stamp_ns);
    rig_run(&w.m.r, 1100000000); /* past the throttle, so that each is logged */
    assert_int_equal(rig_drain_log(&w.m.r, SN_LOG_WARNING, text, sizeof text), 1);
    sn_assert_contains(text, cases[i].reason);
    const sn_ident_servo_state *after = ident_component_state_of(&w, 0);
    assert_int_equal(after->samples, before.samples);
    assert_memory_equal(after->alpha, before.alpha, sizeof before.alpha);
    (void)sn_tap_read(w.error, &flow);
    assert_int_equal(flow, SN_OLD_DATA);
  }
  /* A flood of them is logged once a second. */
  for (int i = 0; i < 500; i++) {
    write_message(&w, unknown, 3, 3, 3, 0);
    model_rig_cycle(&w.m);
  }
  assert_int_equal(rig_drain_log(&w.m.r, SN_LOG_WARNING, text, sizeof text), 1);
  ident_rig_run(&w, 100); /* and it goes on */
  assert_true(ident_component_state_of(&w, 0)->samples > before.samples);
  ident_rig_close(&w);
}

SN_TEST(malformed_command_is_an_error_and_teaches_nothing) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  assert_true(ident_rig_start(&w, ident_component_two, 2));
  ident_rig_run(&w, 100);
  char text[300];
  rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text);
  /* The names of the robot in another order, and then too few velocities. */
  for (int variant = 0; variant < 2; variant++) {
    const uint64_t samples = ident_component_state_of(&w, 5)->samples;
    for (int i = 0; i < 50; i++) {
      ident_rig_feed(&w);
      sn_joint_state *msg = sn_source_msg(w.joints);
      sn_msg_names_clear(&msg->name);
      for (size_t k = 0; k < w.n; k++) {
        const char *name = ident_rig_joint(&w, variant == 0 ? w.n - 1 - k : k);
        assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
      }
      msg->velocity.count = variant == 0 ? w.n : 3;
      assert_int_equal(sn_source_write(w.joints), SN_OK);
      model_rig_cycle(&w.m);
    }
    assert_int_equal(rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text), 1);
    sn_assert_contains(text, variant == 0 ? "in their order" : "positions and velocities");
    assert_true(ident_component_state_of(&w, 5)->samples <= samples + 5); /* what was under way */
    rig_run(&w.m.r, 1100000000);
  }
  ident_rig_close(&w);
}

SN_TEST(models_set_by_hand_are_used_and_told) {
  ident_rig w;
  ident_rig_open(&w);
  rig_begin(&w.m.r);
  ident_rig_run(&w, 5);
  char text[300];
  rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text);
  rig_set(&w.m.r, w.ident, "servo_models",
          "[{name: leg1_joint2, kp: 77, alpha: [1, 2, 3, 4]}, {name: missing, kp: 1}, "
          "{name: leg1_joint3, kp: 1, kgear: 0}]");
  assert_int_equal(rig_try_set(&w.m.r, w.ident, "servo_models", "[{name: leg1_joint3, kp: 0}]"),
                   SN_EINVAL);
  sn_flow flow = SN_NO_DATA;
  const sn_servo_model_array *models = sn_tap_read(w.models, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  assert_int_equal(models->models.count, 1);
  assert_true(models->models.data[0].kp == 77.0 && models->models.data[0].alpha[3] == 4.0);
  assert_int_equal(rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text), 2);
  assert_true(ident_component_state_of(&w, 1)->alpha[2] == 3.0);
  assert_true(ident_component_state_of(&w, 2)->alpha[2] == 3.0); /* as it was: [30, 5, 3, 150] */
  ident_rig_close(&w);
}

SN_TEST(senseless_properties_are_refused) {
  static const char *const cases[][2] = {{"relaxation_factor", "0"},
                                         {"relaxation_factor", "1.01"},
                                         {"relaxation_factor", "-0.5"},
                                         {"control_delay", "1001"},
                                         {"control_delay", "-1"},
                                         {"battery_voltage", "0"},
                                         {"battery_voltage", "-12"},
                                         {"threshold", "0"},
                                         {"min_velocity", "-1"},
                                         {"error_averaging_time", ".nan"},
                                         {"smoothing", "17"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ident_rig w;
    ident_rig_open(&w);
    assert_int_equal(rig_try_set(&w.m.r, w.ident, cases[i][0], cases[i][1]), SN_EINVAL);
    sn_assert_contains(w.m.r.err.message, cases[i][0]);
    ident_rig_close(&w);
  }
}

static void open_with_file(ident_rig *w, char *folder, char *path) {
  sn_test_folder_create(folder);
  snprintf(path, 128, "%s/servo_models.yaml", folder);
  ident_rig_open(w);
  rig_set(&w->m.r, w->ident, "servo_models_file", path);
}

static void identify_two(ident_rig *w) {
  assert_true(ident_rig_start(w, ident_component_two, 2));
  ident_rig_run(w, 5000);
}

SN_TEST(models_are_saved_and_found_again) {
  char folder[64], path[128], previous[160];
  ident_rig w;
  open_with_file(&w, folder, path);
  rig_begin(&w.m.r); /* the file does not exist yet */
  identify_two(&w);
  const sn_ident_ended *ended = ident_component_end(&w);
  assert_true(ended->saved);
  assert_int_equal(ended->message.count, 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&w.m.r.arena, &report, NULL), SN_OK);
  sn_servo_list list;
  assert_int_equal(sn__servo_store_load(&w.m.r.arena, path, report, &list), SN_OK);
  assert_int_equal(list.count, w.n);
  assert_string_equal(list.entries[5].name, ident_rig_joint(&w, 5));
  assert_memory_equal(list.entries[5].params.alpha, ident_component_state_of(&w, 5)->alpha,
                      sizeof list.entries[5].params.alpha);
  const double alpha0 = list.entries[5].params.alpha[0];
  /* A second time: the last good one is kept beside it. */
  assert_true(ident_rig_start(&w, (const size_t[]){8}, 1));
  ident_rig_run(&w, 5000);
  assert_true(ident_component_end(&w)->saved);
  snprintf(previous, sizeof previous, "%s.previous", path);
  assert_int_equal(sn__servo_store_load(&w.m.r.arena, previous, report, &list), SN_OK);
  assert_true(list.entries[8].params.alpha[0] == 30.0);
  ident_rig_close(&w);
  /* Another run of the robot begins with what was identified. */
  ident_rig_open(&w);
  rig_set(&w.m.r, w.ident, "servo_models_file", path);
  rig_begin(&w.m.r);
  assert_true(ident_component_state_of(&w, 5)->alpha[0] == alpha0);
  assert_true(ident_component_state_of(&w, 8)->alpha[0] != 30.0);
  ident_rig_close(&w);
  sn_test_folder_remove(folder);
}

SN_TEST(file_that_cannot_be_written_is_told_and_control_goes_on) {
  char folder[64], path[128];
  static const char *const paths[] = {"/dev/full/models.yaml", "/proc/nothing/models.yaml"};
  for (int i = 0; i < 3; i++) {
    ident_rig w;
    open_with_file(&w, folder, path);
    if (i < 2) {
      rig_set(&w.m.r, w.ident, "servo_models_file", paths[i]);
    } else {
      /* A folder in place of the temporary file fails for root, too. */
      char occupied[160];
      snprintf(occupied, sizeof occupied, "%s.new", path);
      assert_int_equal(mkdir(occupied, 0700), 0);
    }
    rig_begin(&w.m.r);
    identify_two(&w);
    char text[300];
    rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text);
    const sn_ident_ended *ended = ident_component_end(&w);
    assert_int_equal(ended->names.count, 2);
    assert_false(ended->saved);
    sn_assert_contains(ended->message.data, "cannot save");
    assert_int_equal(rig_drain_log(&w.m.r, SN_LOG_ERROR, text, sizeof text), 1);
    sn_assert_contains(text, "in use but not saved");
    ident_rig_run(&w, 10);
    assert_int_equal(sn_component_state_now(w.ident), SN_STATE_RUNNING);
    ident_component_assert_true_model(&w, 5, ident_component_state_of(&w, 5)->alpha);
    ident_rig_close(&w);
    if (i == 2) {
      char occupied[160];
      snprintf(occupied, sizeof occupied, "%s.new", path);
      rmdir(occupied);
    }
    sn_test_folder_remove(folder);
  }
}

SN_TEST(broken_file_is_told_with_its_line) {
  char folder[64], path[128];
  ident_rig w;
  open_with_file(&w, folder, path);
  FILE *out = fopen(path, "w");
  fputs("servo_models:\n  - {name: leg1_joint1, kp: 1}\n  - {name: leg1_joint2, kp: 0}\n", out);
  fclose(out);
  assert_int_not_equal(sn_system_begin(w.m.r.system, &w.m.r.err), SN_OK);
  sn_assert_contains(w.m.r.err.message, "servo_models.yaml:3:");
  ident_rig_close(&w);
  sn_test_folder_remove(folder);
}

SN_TEST(cycles_do_not_touch_the_heap) {
  ident_rig w;
  ident_rig_open(&w);
  w.in_pieces = true;
  rig_begin(&w.m.r);
  ident_rig_run(&w, 10);
  assert_true(ident_rig_start(&w, ident_component_two, 2));
  model_rig_cycle_without_heap(&w.m, 200, ident_rig_feed, &w);
  ident_rig_close(&w);
}
