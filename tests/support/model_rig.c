#include "model_rig.h"

#include <string.h>

#include "allocation.h"
#include "sinew/components.h"
#include "sn_test.h"

enum { MS = 1000000 };

static void set(model_rig *m, const char *key, const sn_value *value, sn_report *report) {
  assert_int_equal(sn_system_set(m->r.system, m->robot_model, key, value, report, &m->r.err),
                   SN_OK);
}

void model_rig_open(model_rig *m, const char *name) {
  char path[512];
  rig_open(&m->r, MS);
  sn_arena_init_growing(&m->arena, "robot", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&m->r.arena, &report, NULL), SN_OK);
  const sn_value *properties = NULL;
  snprintf(path, sizeof path, "%s/%s.yaml", SINEW_ROBOTS, name);
  assert_int_equal(sn_value_load(&m->r.arena, path, report, &properties), SN_OK);
  const sn_model_config config = {.properties = properties};
  snprintf(path, sizeof path, "%s/%s.urdf", SINEW_ROBOTS, name);
  assert_int_equal(sn_model_load(&m->arena, path, &config, report, &m->model, &m->r.err), SN_OK);
  m->robot_model = rig_add_to(&m->r, &sn_robot_model_component, "robot_model", NULL, 0);
  const sn_value text = {.name = "",
                         .kind = SN_VALUE_TEXT,
                         .text = sn_model_description(m->model, NULL),
                         .place = {.file = "test"}};
  set(m, "robot_description", &text, report);
  static const char *const keys[] = {"kinematics_chains", "contacts"};
  for (size_t i = 0; i < 2; i++) {
    const sn_value *tree = sn_value_find(properties, keys[i]);
    if (tree != NULL) {
      set(m, keys[i], tree, report);
    }
  }
}

void model_rig_close(model_rig *m) {
  rig_close(&m->r);
  sn_arena_release(&m->arena);
}

void *model_rig_add(model_rig *m, const sn_component_type *type, const char *name) {
  void *component = rig_add(&m->r, type, name);
  char need[64];
  snprintf(need, sizeof need, "%s.robot_model", name);
  rig_require(&m->r, need, "robot_model");
  return component;
}

sn_source *model_rig_source(model_rig *m, const char *to) {
  sn_source *source = NULL;
  if (sn_source_open(m->r.system, to, NULL, &source, &m->r.err) != SN_OK) {
    fail_msg("%s", m->r.err.message);
  }
  return source;
}

sn_tap *model_rig_tap(model_rig *m, const char *from) {
  sn_tap *tap = NULL;
  if (sn_tap_open(m->r.system, from, NULL, &tap, &m->r.err) != SN_OK) {
    fail_msg("%s", m->r.err.message);
  }
  return tap;
}

void model_rig_write_pose(model_rig *m, sn_source *source, const double *q, const double *qd) {
  sn_joint_state *msg = sn_source_msg(source);
  const size_t n = sn_model_pose_size(m->model);
  msg->header.stamp_ns = sn_clock_now_ns(&m->r.clock);
  sn_msg_names_clear(&msg->name);
  for (size_t j = 0; j < n; j++) {
    const char *name = sn_model_joint(m->model, j)->name;
    assert_int_equal(sn_msg_names_add(&msg->name, name, strlen(name)), SN_OK);
  }
  msg->position.count = n;
  msg->velocity.count = qd == NULL ? 0 : n;
  memcpy(msg->position.data, q, n * sizeof *q);
  if (qd != NULL) {
    memcpy(msg->velocity.data, qd, n * sizeof *qd);
  }
  assert_int_equal(sn_source_write(source), SN_OK);
}

void model_rig_cycle(model_rig *m) {
  rig_run(&m->r, MS);
}

typedef struct heap_watch {
  void (*feed)(void *context);
  void *context;
  size_t calls, cycles;
  bool is_touched;
} heap_watch;

static bool after_cycle(void *context, int64_t now_ns) {
  heap_watch *watch = context;
  (void)now_ns;
  /* The first cycle comes after the preparation of the run, which allocates. */
  const bool is_touched = watch->cycles++ > 0 && sn_test_heap_calls() != watch->calls;
  watch->is_touched = watch->is_touched || is_touched;
  watch->feed(watch->context);
  watch->calls = sn_test_heap_calls();
  return true;
}

void model_rig_cycle_without_heap(model_rig *m, int cycles, void (*feed)(void *context),
                                  void *context) {
  heap_watch watch = {.feed = feed, .context = context};
  feed(context);
  assert_int_equal(
      sn_system_run(m->r.system, (int64_t)(cycles + 1) * MS, after_cycle, &watch, &m->r.err),
      SN_OK);
  assert_false(watch.is_touched);
}
