/* What others say to a plant: goals, which take their time on the bus, and pushes. A message is
   checked as a whole before anything of it is taken. */
#include <math.h>
#include <string.h>

#include "plant/goal_check.h"
#include "plant/plant_state.h"
#include "sinew/plant.h"

/* Further away is as far: what comes of it must stay finite. */
static const double GOAL_MAX = 1e6;

const char *sn_plant_verdict_text(sn_plant_verdict verdict) {
  static const char *const texts[SN_PLANT_VERDICT_COUNT] = {
      [SN_PLANT_TAKEN] = "taken",
      [SN_PLANT_LENGTHS] = "names and values do not fit each other",
      [SN_PLANT_NOT_FINITE] = "a number in it is not finite",
      [SN_PLANT_DUPLICATE] = "a joint is named twice",
      [SN_PLANT_UNKNOWN] = "names that the robot does not have are passed over",
      [SN_PLANT_LOST] = "lost on the bus",
  };
  return texts[verdict];
}

bool sn__plant_bus_create(sn_plant *p, sn_arena *arena) {
  const size_t n = p->joint_count, slots = SN_PLANT_DELAY_MAX + 1;
  double *goals = SN_NEW(arena, double, (slots + 1) * n);
  bool *limp = SN_NEW(arena, bool, (slots + 1) * n);
  if (goals == NULL || limp == NULL) {
    return false;
  }
  for (size_t i = 0; i < slots; i++) {
    p->history[i] = (sn__plant_orders){goals + i * n, limp + i * n};
  }
  p->now = (sn__plant_orders){goals + slots * n, limp + slots * n};
  return true;
}

static void copy(const sn_plant *p, sn__plant_orders *to, const sn__plant_orders *from) {
  memcpy(to->goal, from->goal, p->joint_count * sizeof *to->goal);
  memcpy(to->limp, from->limp, p->joint_count * sizeof *to->limp);
}

void sn__plant_bus_reset(sn_plant *p) {
  for (size_t i = 0; i < p->joint_count; i++) {
    p->now.goal[i] = p->servos[i].params.kgear * p->start[i];
    p->now.limp[i] = false;
  }
  for (size_t i = 0; i <= SN_PLANT_DELAY_MAX; i++) {
    copy(p, &p->history[i], &p->now);
  }
  p->newest = 0;
  p->silence_s = 0.0;
}

void sn__plant_bus_hold(sn_plant *p, bool is_limp) {
  for (size_t i = 0; i < p->joint_count; i++) {
    p->now.goal[i] = sn__clamp(p->servos[i].params.kgear * p->q[i], -GOAL_MAX, GOAL_MAX);
    p->now.limp[i] = is_limp;
  }
  for (size_t i = 0; i <= SN_PLANT_DELAY_MAX; i++) {
    copy(p, &p->history[i], &p->now);
  }
  p->silence_s = 0.0;
}

void sn__plant_bus_keep(sn_plant *p) {
  p->silence_s = 0.0;
}

const sn__plant_orders *sn__plant_bus_step(sn_plant *p, double dt_s) {
  const size_t slots = SN_PLANT_DELAY_MAX + 1;
  p->newest = (p->newest + 1) % slots;
  copy(p, &p->history[p->newest], &p->now);
  p->silence_s += dt_s;
  return &p->history[(p->newest + slots - p->settings.bus_delay) % slots];
}

bool sn_plant_is_deserted(const sn_plant *p) {
  return p->settings.goal_timeout_s > 0.0 && p->silence_s > p->settings.goal_timeout_s;
}

/* ---- messages ---- */

static int find_joint(const sn_plant *p, const sn_msg_names *names, size_t i) {
  return sn__goal_joint(names, sn_model_joint_names(p->model), i);
}

sn_plant_verdict sn_plant_take_goals(sn_plant *p, const sn_servo_goal *msg) {
  sn_plant_verdict verdict = sn__goal_check(msg, sn_model_joint_names(p->model), p->is_named);
  if (verdict == SN_PLANT_TAKEN || verdict == SN_PLANT_UNKNOWN) {
    verdict = sn__plant_happens(p, p->settings.goal_loss_rate) ? SN_PLANT_LOST : verdict;
  }
  p->counts.goals[verdict]++;
  if (verdict != SN_PLANT_TAKEN && verdict != SN_PLANT_UNKNOWN) {
    return verdict;
  }
  for (size_t i = 0; i < msg->name.count; i++) {
    const int joint = find_joint(p, &msg->name, i);
    if (joint < 0) {
      continue;
    }
    if (msg->goal.count > 0) {
      p->now.goal[joint] = sn__clamp(msg->goal.data[i], -GOAL_MAX, GOAL_MAX);
    }
    p->now.limp[joint] = msg->limp.count > 0 && msg->limp.data[i];
  }
  p->silence_s = 0.0;
  return verdict;
}

sn_plant_verdict sn_plant_push(sn_plant *p, const sn_joint_state *msg) {
  sn_plant_verdict verdict =
      msg->effort.count != msg->name.count ? SN_PLANT_LENGTHS
      : !sn__goal_is_finite(&msg->effort)
          ? SN_PLANT_NOT_FINITE
          : sn__goal_check_names(&msg->name, sn_model_joint_names(p->model), p->is_named);
  p->counts.pushes[verdict]++;
  if (verdict != SN_PLANT_TAKEN && verdict != SN_PLANT_UNKNOWN) {
    return verdict;
  }
  memset(p->push, 0, p->joint_count * sizeof *p->push);
  for (size_t i = 0; i < msg->name.count; i++) {
    const int joint = find_joint(p, &msg->name, i);
    if (joint >= 0) {
      p->push[joint] = sn__clamp(msg->effort.data[i], -GOAL_MAX, GOAL_MAX);
    }
  }
  return verdict;
}
