/* Inputs do not lag: a backlog is read in one cycle, by every component that
   comes along. The journal is the witness, since it has every message from outside that was read.
 */
#include <string.h>

#include "model_rig.h"
#include "rt/journal/journal_read.h"
#include "sinew/component.h"
#include "sinew/components.h"
#include "sn_test.h"

enum { PILE = 50, SOURCES_MAX = 16, JOINTS_MAX = 64 };

#define OTHER "[other]" /* an arbiter without controllers does not start */

typedef struct bench {
  model_rig m;
  const sn_component_type *type;
  sn_journal *journal;
  sn_journal_entry *entry;
  sn_source *sources[SOURCES_MAX];
  const sn_port *ports[SOURCES_MAX];
  size_t count;
  sn_source *pose; /* of inverse kinematics, if the component needs it */
} bench;

static bool is_tick(const sn_port *port) {
  return port->type == &sn_timer_event_type;
}

static void open_sources(bench *b) {
  for (const sn_port *port = b->type->ports; port != NULL && port->name != NULL; port++) {
    if (port->kind == SN_PORT_OUT) {
      continue;
    }
    const sn_connection connection = {.buffer = is_tick(port) ? 0 : PILE + 10};
    char name[64];
    snprintf(name, sizeof name, "one.%s", port->name);
    assert_true(b->count < SOURCES_MAX);
    b->ports[b->count] = port;
    assert_int_equal(
        sn_source_open(b->m.r.system, name, &connection, &b->sources[b->count++], &b->m.r.err),
        SN_OK);
  }
}

static void open_bench(bench *b, const sn_component_type *type) {
  *b = (bench){.type = type};
  model_rig_open(&b->m, "quadruped");
  sn_component *one = rig_add(&b->m.r, type, "one");
  if (type == &sn_resources_control_component) {
    rig_set(&b->m.r, one, "list_ros", OTHER);
  }
  if (type == &sn_hand_guiding_component) { /* which needs a servo that is known */
    rig_set(&b->m.r, one, "default_servo_model", "{kp: 35, alpha: [9.8, 0, 1.14, 7.4]}");
  }
  for (const sn_need *need = type->needs; need != NULL && need->name != NULL; need++) {
    char name[64];
    snprintf(name, sizeof name, "one.%s", need->name);
    if (strcmp(need->name, "robot_model") == 0) {
      rig_require(&b->m.r, name, "robot_model");
    } else if (strcmp(need->name, "arbiter") == 0 || strcmp(need->name, "owners") == 0) {
      sn_component *arbiter =
          model_rig_add(&b->m, &sn_resources_control_component, "resources_control");
      rig_set(&b->m.r, arbiter, "list_ros", OTHER);
      rig_require(&b->m.r, name, "resources_control");
    } else if (strcmp(need->name, "kinematics_inv") == 0) {
      model_rig_add(&b->m, &sn_kinematics_inv_component, "kinematics_inv");
      rig_require(&b->m.r, name, "kinematics_inv");
      assert_int_equal(sn_source_open(b->m.r.system, "kinematics_inv.joints_sorted",
                                      &(sn_connection){0}, &b->pose, &b->m.r.err),
                       SN_OK);
    }
  }
  const sn_msg_capacity capacity = {.item_count = SN_JOURNAL_ENTRY_MAX, .text_size = 256};
  b->entry = sn_msg_create(&b->m.r.arena, &sn__journal_entry_type, &capacity);
  assert_non_null(b->entry);
  open_sources(b);
  assert_int_equal(sn__journal_open(b->m.r.system, &b->journal, &b->m.r.err), SN_OK);
  rig_begin(&b->m.r);
}

static void close_bench(bench *b) {
  sn__journal_close(b->journal);
  for (size_t i = 0; i < b->count; i++) {
    sn_source_close(b->sources[i]);
  }
  sn_source_close(b->pose);
  model_rig_close(&b->m);
}

/* Some inputs are read only when the pose is known: poses are whole ones. */
static void write_one(bench *b, size_t i) {
  static const double zeros[JOINTS_MAX];
  assert_true(sn_model_pose_size(b->m.model) <= JOINTS_MAX);
  if (b->ports[i]->type == &sn_joint_state_type) {
    model_rig_write_pose(&b->m, b->sources[i], zeros, zeros);
  } else {
    assert_int_equal(sn_source_write(b->sources[i]), SN_OK);
  }
}

static void expect_all_read(bench *b) {
  size_t read[SOURCES_MAX] = {0};
  while (sn__journal_read(b->journal, b->entry)) {
    for (size_t i = 0; b->entry->kind == SN_JOURNAL_INPUT && i < b->count; i++) {
      read[i] += strcmp(b->entry->name.data + strlen("one."), b->ports[i]->name) == 0;
    }
  }
  for (size_t i = 0; i < b->count; i++) {
    if (!is_tick(b->ports[i]) && read[i] != PILE) {
      fail_msg("%s.%s: %zu of %d messages were read", b->type->name, b->ports[i]->name, read[i],
               PILE);
    }
  }
}

/* Drivers have real servos, and `movements` calls the components of a deployment. */
static bool is_left_out(const sn_component_type *type) {
  return strncmp(type->name, "driver_", 7) == 0 || type == &sn_plant_mujoco_component ||
         type == &sn_movements_component;
}

SN_TEST(backlog_is_read_in_one_cycle) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "types", 0);
  sn_component_registry *registry = sn_component_registry_create(&arena);
  assert_non_null(registry);
  assert_int_equal(sn_components_add(registry, NULL), SN_OK);
  size_t input_count = 0;
  for (size_t i = 0; i < sn_component_registry_count(registry); i++) {
    const sn_component_type *type = sn_component_registry_at(registry, i);
    if (type->ports == NULL || is_left_out(type)) {
      continue;
    }
    bench b;
    open_bench(&b, type);
    for (size_t round = 0; round < 3; round++) {
      for (size_t s = 0; s < b.count; s++) {
        for (size_t k = 0; k < (is_tick(b.ports[s]) ? 1 : PILE); k++) {
          write_one(&b, s);
        }
        input_count += !is_tick(b.ports[s]);
      }
      model_rig_cycle(&b.m);
      expect_all_read(&b);
    }
    close_bench(&b);
  }
  assert_true(input_count > 3 * 15);
  sn_arena_release(&arena);
}
