/* Messages, hand-overs, stops and steps in any order. No command ever leaves the limits, checked by
 * differences of positions. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_input.h"
#include "gate/gate.h"
#include "sinew/fault.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOINTS = 4, SOURCES = 2, MS = 1000000 };

static const char robot[] =
    "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/><link "
    "name='e'/>"
    "<joint name='j0' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
    "<limit lower='-1' upper='0.5' effort='3' velocity='2'/></joint>"
    "<joint name='j1' type='continuous'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>"
    "</joint>"
    "<joint name='j2' type='prismatic'><parent link='c'/><child link='d'/><axis xyz='0 0 1'/>"
    "<limit lower='0' upper='0.2' effort='3' velocity='1' acceleration='4'/></joint>"
    "<joint name='j3' type='prismatic'><parent link='d'/><child link='e'/><axis xyz='0 0 1'/>"
    "<limit lower='-0.1' upper='0.1' effort='3' velocity='1'/>"
    "<mimic joint='j2' multiplier='-1' offset='0.1'/></joint></robot>";

static const double speed_max[JOINTS] = {2.0, 1.0, 1.0, 1.0};
static const double accel_max[JOINTS] = {20.0, 10.0, 4.0, 4.0};
static const double lower[JOINTS] = {-1.0, -INFINITY, 0.0, -0.1};
static const double upper[JOINTS] = {0.5, INFINITY, 0.2, 0.1};

static void next_message(fuzz_input *s, sn_joint_state *msg, int64_t now_ns) {
  static const char *const names[] = {"j0", "j1", "j2", "j3", "", "j9"};
  sn_seq_f64 *const lists[] = {&msg->position, &msg->velocity, &msg->effort};
  sn_msg_reset(&sn_joint_state_type, msg);
  const size_t count = next(s) % 6;
  for (size_t i = 0; i < count; i++) {
    const char *name = names[next(s) % 6];
    (void)sn_msg_names_add(&msg->name, name, strlen(name));
  }
  for (size_t l = 0; l < 3; l++) {
    const uint8_t kind = next(s);
    lists[l]->count = kind % 8 == 0 ? (size_t)(kind / 8) % 8 : l == 0 || kind % 2 == 0 ? count : 0;
    for (size_t i = 0; i < lists[l]->count; i++) {
      lists[l]->data[i] = next_number(s);
    }
  }
  const uint8_t stamp = next(s);
  msg->header.stamp_ns = stamp % 4 == 0   ? now_ns - stamp * (int64_t)MS
                         : stamp % 4 == 1 ? INT64_MIN + stamp
                                          : 0;
}

typedef struct last {
  double q[JOINTS], qd[JOINTS];
} last;

static void check(const sn_gate_command *command, double dt_s, last *l) {
  for (size_t i = 0; i < JOINTS; i++) {
    const double q = command->q[i];
    SN_ASSERT(isfinite(q) && isfinite(command->qd[i]) && isfinite(command->qdd[i]));
    SN_ASSERT(q >= lower[i] && q <= upper[i]);
    SN_ASSERT(command->tau == NULL || i == 1 || fabs(command->tau[i]) <= 3.0);
    if (command->limp[i]) { /* goes where it is moved; what follows begins there */
      SN_ASSERT(fabs(command->qd[i]) <= speed_max[i]);
      l->q[i] = q;
      l->qd[i] = command->qd[i];
      continue;
    }
    const double qd = dt_s > 0.0 ? (q - l->q[i]) / dt_s : l->qd[i];
    const double tol = 1e-9 + 1e-14 * (1.0 + fabs(q)) / (dt_s > 0.0 ? dt_s : 1.0);
    SN_ASSERT(fabs(qd) <= speed_max[i] + tol);
    SN_ASSERT(fabs(qd - l->qd[i]) <= accel_max[i] * dt_s + tol);
    l->q[i] = q;
    l->qd[i] = qd;
  }
}

/* The names and the stamp of a message, with flags. */
static void let_go(fuzz_input *s, sn_gate *gate, size_t source, sn_joint_state *msg,
                   sn_servo_goal *goal, int64_t now_ns) {
  next_message(s, msg, now_ns);
  sn_msg_reset(&sn_servo_goal_type, goal);
  (void)sn_msg_names_copy(&goal->name, &msg->name);
  goal->header.stamp_ns = msg->header.stamp_ns;
  const uint8_t flags = next(s);
  goal->limp.count = flags > 250 ? flags % 8 : goal->name.count;
  for (size_t i = 0; i < goal->limp.count; i++) {
    goal->limp.data[i] = (flags >> i & 1) != 0;
  }
  (void)sn__gate_let_go(gate, source, goal, now_ns);
}

static void tell(fuzz_input *s, sn_gate *gate, sn_joint_state *msg, sn_servo_goal *goal) {
  int owners[JOINTS] = {0};
  int64_t now_ns = 5000 * (int64_t)MS;
  last l = {{0}, {0}};
  sn__gate_own(gate, owners, now_ns);
  memcpy(l.q, sn__gate_step(gate, now_ns)->q, sizeof l.q);
  sn_gate_event event;
  while (s->size > 0) {
    const uint8_t what = next(s);
    switch (what % 8) {
      case 0:
        owners[what / 8 % JOINTS] = what / 32 % 3 - 1;
        sn__gate_own(gate, owners, now_ns);
        break;
      case 1:
        if (what > 200) {
          sn__gate_stop(gate, "fuzz", (const char *)robot, now_ns);
        } else {
          (void)sn__gate_resume(gate, "fuzz", now_ns);
        }
        break;
      case 2:
        if (what < 32) {
          sn__gate_lose(gate, what / 8 % SOURCES, now_ns);
        } else if (what < 160) {
          let_go(s, gate, what / 8 % SOURCES, msg, goal, now_ns);
        } else if (what < 240) {
          next_message(s, msg, now_ns);
          (void)sn__gate_measure(gate, msg, now_ns);
        } else {
          sn__gate_set_stop_limp(gate, what < 248);
        }
        break;
      case 3:
      case 4:
        next_message(s, msg, now_ns);
        (void)sn__gate_take(gate, what / 8 % SOURCES, msg, now_ns);
        break;
      default: {
        const int64_t dt_ns = what / 8 * (int64_t)MS;
        now_ns += dt_ns;
        const int64_t counted_ns = dt_ns > 20 * MS ? 20 * MS : dt_ns;
        check(sn__gate_step(gate, now_ns), 1e-9 * (double)counted_ns, &l);
        break;
      }
    }
    while (what % 16 == 5 && sn__gate_next_event(gate, &event)) {
      SN_ASSERT((unsigned)event.reason < SN_GATE_REASON_COUNT && event.count > 0);
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static sn_arena fixed;
  static const sn_model *model;
  if (model == NULL) {
    sn_arena_init_growing(&fixed, "robot", 0);
    SN_ASSERT(sn_model_parse(&fixed, robot, sizeof robot - 1, &(sn_model_config){0}, NULL, &model,
                             NULL) == SN_OK);
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "gate", 0);
  const sn_gate_config config = {.source_count = SOURCES};
  sn_gate *gate = NULL;
  SN_ASSERT(sn__gate_create(&arena, model, &config, &gate, NULL) == SN_OK);
  sn_joint_state *msg = sn_msg_create(&arena, &sn_joint_state_type, NULL);
  sn_servo_goal *goal = sn_msg_create(&arena, &sn_servo_goal_type, NULL);
  SN_ASSERT(msg != NULL && goal != NULL);
  fuzz_input s = {data, size};
  tell(&s, gate, msg, goal);
  sn_arena_release(&arena);
  return 0;
}
