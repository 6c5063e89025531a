#define _GNU_SOURCE /* mkstemp() */

#include "stream_rig.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/tap.h"

enum { SENDERS_MAX = 512 };

static const sn_names *joint_names;
static sn_clock watch;

/* ---- counting component, whose cycles are examined ---- */

typedef struct counter {
  sn_component component;
  sn_output joints_measured;
  uint64_t count;
  int64_t last_ns;
} counter;

static _Atomic uint64_t cycles;
static _Atomic int64_t longest_ns; /* from one cycle to the next */

static sn_status count_on(sn_component *component, int64_t now_ns) {
  counter *self = (counter *)component;
  sn_joint_state *msg = self->joints_measured.msg;
  const int64_t at_ns = sn_clock_now_ns(&watch);
  const int64_t gap_ns = self->last_ns == 0 ? 0 : at_ns - self->last_ns;
  self->last_ns = at_ns;
  if (gap_ns > atomic_load(&longest_ns)) {
    atomic_store(&longest_ns, gap_ns);
  }
  atomic_fetch_add(&cycles, 1);
  sn_msg_names_share(&msg->name, joint_names);
  msg->header.stamp_ns = now_ns;
  msg->position.count = msg->velocity.count = msg->effort.count = STREAM_JOINTS;
  self->count++;
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    msg->position.data[i] = stream_position(self->count, i);
    msg->velocity.data[i] = stream_velocity(self->count, i);
    msg->effort.data[i] = stream_effort(0, i);
  }
  return sn_output_write(&self->joints_measured);
}

static const sn_port counter_ports[] = {
    SN_OUTPUT(counter, "joints_measured", joints_measured, &sn_joint_state_type, .doc = ""), {0}};
static const sn_component_type counter_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "Counter",
                                               .size = sizeof(counter),
                                               .ports = counter_ports,
                                               .step = count_on};

/* ---- checking component ---- */

typedef struct judge {
  sn_component component;
  sn_input in_joints;
  uint64_t turns;
} judge;

static stream_record records[SENDERS_MAX]; /* of the control thread until the system is halted */
static size_t record_count;
static _Atomic uint64_t received_count;

static void check_message(const sn_joint_state *msg) {
  atomic_fetch_add(&received_count, 1);
  bool is_good = msg->name.count == STREAM_JOINTS && msg->position.count == STREAM_JOINTS &&
                 msg->velocity.count == STREAM_JOINTS && msg->effort.count == STREAM_JOINTS;
  for (size_t i = 0; is_good && i < STREAM_JOINTS; i++) {
    char name[16];
    stream_name(i, name, sizeof name);
    is_good = strcmp(sn_msg_names_at(&msg->name, i), name) == 0;
  }
  const uint64_t sender = is_good ? stream_count_of(msg->effort.data[0]) : UINT64_MAX;
  size_t i = 0;
  while (i < record_count && records[i].sender != sender) {
    i++;
  }
  if (i < SENDERS_MAX) {
    record_count += i == record_count;
    records[i].sender = sender;
    stream_note(
        &records[i], is_good ? stream_count_of(msg->position.data[0]) : 0,
        is_good && stream_is_good(msg->position.data, msg->velocity.data, msg->effort.data));
  }
}

static sn_status judge_step(sn_component *component, int64_t now_ns) {
  judge *self = (judge *)component;
  sn_flow flow = SN_NEW_DATA;
  (void)now_ns;
  while (flow == SN_NEW_DATA) {
    const sn_joint_state *msg = sn_input_read(&self->in_joints, &flow);
    if (flow == SN_NEW_DATA) {
      check_message(msg);
    }
  }
  return SN_OK;
}

static sn_status turn(sn_component *component, const void *request, void *response, sn_error *err) {
  sn_call_outcome *outcome = response;
  (void)err;
  ((judge *)component)->turns++;
  outcome->success = ((const sn_call_switch *)request)->data;
  return SN_OK;
}

static const sn_port judge_ports[] = {
    SN_INPUT(judge, "in_joints", in_joints, &sn_joint_state_type, .doc = ""), {0}};
static const sn_operation judge_operations[] = {
    {"turn", SN_OWN_THREAD, &sn_call_switch_type, &sn_call_outcome_type, turn, ""}, {0}};
static const sn_component_type judge_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "Judge",
                                             .size = sizeof(judge),
                                             .ports = judge_ports,
                                             .operations = judge_operations,
                                             .step = judge_step};

/* ---- the system ---- */

static char *make_robot(void) {
  const size_t size = (size_t)STREAM_JOINTS * 300 + 200;
  char *text = malloc(size);
  size_t used = (size_t)snprintf(text, size, "<robot name='thirty'><link name='l0'/>");
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    char name[16];
    stream_name(i, name, sizeof name);
    used += (size_t)snprintf(text + used, size - used,
                             "<link name='l%zu'/><joint name='%s' type='revolute'><parent "
                             "link='l%zu'/><child link='l%zu'/><axis xyz='0 0 1'/><limit "
                             "lower='-3' upper='3' effort='1' velocity='1'/></joint>",
                             i + 1, name, i, i + 1);
  }
  snprintf(text + used, size - used, "</robot>");
  return text;
}

static void write_robot(char *path) {
  const int fd = mkstemp(path);
  char *robot = make_robot();
  if (fd < 0 || write(fd, robot, strlen(robot)) != (ssize_t)strlen(robot)) {
    perror(path);
    exit(1);
  }
  free(robot);
  close(fd);
}

static void create_names(sn_arena *arena) {
  static char names[STREAM_JOINTS][16];
  const char *list[STREAM_JOINTS];
  for (size_t i = 0; i < STREAM_JOINTS; i++) {
    stream_name(i, names[i], sizeof names[i]);
    list[i] = names[i];
  }
  if (sn_names_create(arena, list, STREAM_JOINTS, &joint_names, NULL) != SN_OK) {
    exit(1);
  }
}

void stream_rig_open(stream_rig *rig, const char *bridge, int priority) {
  char path[] = "/tmp/sinew_stream_XXXXXX";
  char text[1024];
  sn_error err = {SN_OK, ""};
  sn_arena *arena = &rig->arena;
  sn_arena_init_growing(arena, "stream", 0);
  create_names(arena);
  write_robot(path);
  sn_clock_init_monotonic(&rig->clock);
  sn_clock_init_monotonic(&watch);
  record_count = 0;
  atomic_store(&received_count, 0);
  memset(records, 0, sizeof records);
  snprintf(text, sizeof text,
           "robot: %s\nactivities: {control: {period: 0.001, priority: %d}}\n"
           "components:\n  counter: {type: Counter}\n  judge: {type: Judge}\n  %s\n",
           path, priority, bridge);
  sn_report *report = NULL;
  sn_report_create(arena, &report, NULL);
  sn_component_registry *registry = sn_component_registry_create(arena);
  const sn_deployment *deployment = NULL;
  const sn_system_config system_config = {.clock = &rig->clock};
  const sn_deployment_config config = {.registry = registry, .may_read = true};
  rig->system = sn_system_create(&system_config);
  if (rig->system == NULL || sn_components_add(registry, &err) != SN_OK ||
      sn_bridges_add(registry, &err) != SN_OK ||
      sn_component_registry_add(registry, &counter_type, &err) != SN_OK ||
      sn_component_registry_add(registry, &judge_type, &err) != SN_OK ||
      sn_deployment_parse(arena, sn_arena_text(arena, text, strlen(text)), strlen(text), "stream",
                          &config, report, &deployment) != SN_OK ||
      sn_deployment_build(deployment, rig->system, report) != SN_OK ||
      sn_system_begin(rig->system, &err) != SN_OK || sn_system_launch(rig->system, &err) != SN_OK) {
    fprintf(stderr, "stream_rig: %s %s\n", err.message,
            sn_report_count(report) > 0 ? sn_report_at(report, 0)->message : "");
    exit(1);
  }
  unlink(path);
}

uint64_t stream_rig_cycles(int64_t *longest) {
  *longest = atomic_exchange(&longest_ns, 0);
  return atomic_exchange(&cycles, 0);
}

uint64_t stream_rig_heard(void) {
  return atomic_load(&received_count);
}

uint64_t stream_rig_count(stream_rig *rig, const char *bridge, const char *name) {
  char operation[64];
  uint64_t state[32] = {0};
  uint64_t count = 0;
  sn_caller caller = {0};
  sn_error err = {SN_OK, ""};
  snprintf(operation, sizeof operation, "%s.getState", bridge);
  if (sn_caller_open(rig->system, operation, &caller, &err) != SN_OK ||
      caller.operation->response->size > sizeof state ||
      sn_call(&caller, NULL, state, &err) != SN_OK) {
    fprintf(stderr, "stream_rig: %s\n", err.message);
    exit(1);
  }
  for (size_t i = 0; i < caller.operation->response->field_count; i++) {
    const sn_msg_field *field = &caller.operation->response->fields[i];
    if (strcmp(field->name, name) == 0) {
      memcpy(&count, (const char *)state + field->offset, sizeof count);
    }
  }
  sn_caller_close(&caller);
  return count;
}

const stream_record *stream_rig_halt(stream_rig *rig, size_t *count) {
  sn_system_halt(rig->system);
  *count = record_count;
  return records;
}

void stream_rig_close(stream_rig *rig) {
  sn_system_destroy(rig->system);
  sn_arena_release(&rig->arena);
}
