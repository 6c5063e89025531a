/* Input of a plant: goals, which are delayed by the bus, and pushes. A message is validated as a
   whole before it is applied. */
#include <math.h>
#include <string.h>

#include "plant/plant.h"
#include "plant/plant_state.h"

/* Goals are clamped to this: results must stay finite. */
static const double GOAL_MAX = 1e6;

static const sn_plant_verdict VERDICTS[] = {[SN__READ_GOOD] = SN_PLANT_TAKEN,
                                            [SN__READ_UNKNOWN] = SN_PLANT_UNKNOWN,
                                            [SN__READ_LENGTHS] = SN_PLANT_LENGTHS,
                                            [SN__READ_NOT_FINITE] = SN_PLANT_NOT_FINITE,
                                            [SN__READ_DUPLICATE] = SN_PLANT_DUPLICATE};

const char *sn__plant_verdict_text(sn_plant_verdict verdict) {
  for (size_t i = SN__READ_UNKNOWN; i <= SN__READ_DUPLICATE; i++) {
    if (VERDICTS[i] == verdict) {
      return sn__read_verdict_text((sn__read_verdict)i);
    }
  }
  return verdict == SN_PLANT_LOST ? "lost on the bus" : "taken";
}

static const sn_names *name_links(const sn_plant *p, sn_arena *arena) {
  const size_t count = sn_model_link_count(p->model);
  const char **texts = SN_NEW(arena, const char *, count);
  const sn_names *names = NULL;
  for (size_t i = 0; texts != NULL && i < count; i++) {
    texts[i] = sn_model_link(p->model, i)->name;
  }
  return texts != NULL && sn_names_create(arena, texts, count, &names, NULL) == SN_OK ? names
                                                                                      : NULL;
}

bool sn__plant_bus_create(sn_plant *p, sn_arena *arena) {
  const size_t n = p->joint_count, slots = SN__PLANT_SLOTS;
  double *goals = SN_NEW(arena, double, (slots + 1) * n);
  bool *limp = SN_NEW(arena, bool, (slots + 1) * n);
  const sn_names *joints = sn_model_joint_names(p->model), *links = name_links(p, arena);
  p->body_pushes = SN_NEW(arena, sn__body_push, sn_model_link_count(p->model));
  if (goals == NULL || limp == NULL || links == NULL || p->body_pushes == NULL ||
      !sn__name_map_init(&p->goal_names, arena, joints) ||
      !sn__name_map_init(&p->push_names, arena, joints) ||
      !sn__name_map_init(&p->link_names, arena, links)) {
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

void sn__plant_bus_hold(sn_plant *p, bool is_limp) {
  for (size_t i = 0; i < p->joint_count; i++) {
    const sn_servo_params *s = &p->servos[i].params;
    p->now.goal[i] = sn__clamp(s->kgear * (p->q[i] - s->ext.offset), -GOAL_MAX, GOAL_MAX);
    p->now.limp[i] = is_limp;
  }
  for (size_t i = 0; i < SN__PLANT_SLOTS; i++) {
    copy(p, &p->history[i], &p->now);
  }
  p->newest = 0;
  p->silence_s = 0.0;
}

void sn__plant_bus_keep(sn_plant *p) {
  p->silence_s = 0.0;
}

void sn__plant_bus_step(sn_plant *p, double dt_s) {
  const size_t slots = SN__PLANT_SLOTS;
  p->newest = (p->newest + 1) % slots;
  copy(p, &p->history[p->newest], &p->now);
  p->silence_s += dt_s;
}

const sn__plant_orders *sn__plant_bus_orders(const sn_plant *p, size_t cycles) {
  const size_t slots = SN__PLANT_SLOTS, ago = p->settings.bus_delay + cycles;
  return &p->history[(p->newest + slots - (ago < slots ? ago : slots - 1)) % slots];
}

bool sn__plant_is_deserted(const sn_plant *p) {
  return p->settings.goal_timeout_s > 0.0 && p->silence_s > p->settings.goal_timeout_s;
}

/* ---- messages ---- */

sn_plant_verdict sn__plant_take_goals(sn_plant *p, const sn_servo_goal *msg) {
  const sn__read_verdict read = sn__read_servo_goal(&p->goal_names, msg);
  const bool is_lost = sn__read_is_good(read) && sn__plant_happens(p, p->settings.goal_loss_rate);
  const sn_plant_verdict verdict = is_lost ? SN_PLANT_LOST : VERDICTS[read];
  p->counts.goals[verdict]++;
  if (is_lost || !sn__read_is_good(read)) {
    return verdict;
  }
  for (size_t j = 0; j < p->joint_count; j++) {
    const int at = p->goal_names.at[j];
    if (at < 0) {
      continue;
    }
    if (msg->goal.count > 0) {
      p->now.goal[j] = sn__clamp(msg->goal.data[at], -GOAL_MAX, GOAL_MAX);
    }
    p->now.limp[j] = msg->limp.count > 0 && msg->limp.data[at];
  }
  p->silence_s = 0.0;
  return verdict;
}

sn_plant_verdict sn__plant_push(sn_plant *p, const sn_joint_state *msg) {
  const sn__read_verdict read =
      sn__name_map_read(&p->push_names, &msg->name, &msg->effort, NULL, NULL, NULL);
  p->counts.pushes[VERDICTS[read]]++;
  if (!sn__read_is_good(read)) {
    return VERDICTS[read];
  }
  for (size_t j = 0; j < p->joint_count; j++) {
    const int at = p->push_names.at[j];
    p->push[j] = at < 0 ? 0.0 : sn__clamp(msg->effort.data[at], -GOAL_MAX, GOAL_MAX);
  }
  return VERDICTS[read];
}

static bool is_finite(sn_spatial s) {
  const sn_vec3 sum = sn_vec3_add(s.ang, s.lin);
  return isfinite(sum.x) && isfinite(sum.y) && isfinite(sum.z);
}

static sn__read_verdict read_links(sn_plant *p, const sn_msg_names *names,
                                   const sn_seq_spatial *wrenches) {
  if (wrenches->count != names->count) {
    return SN__READ_LENGTHS;
  }
  for (size_t i = 0; i < wrenches->count; i++) {
    if (!is_finite(wrenches->data[i])) {
      return SN__READ_NOT_FINITE;
    }
  }
  return sn__name_map_read(&p->link_names, names, NULL, NULL, NULL, NULL);
}

static sn_vec3 clamp_vec3(sn_vec3 v) {
  return sn_vec3_make(sn__clamp(v.x, -GOAL_MAX, GOAL_MAX), sn__clamp(v.y, -GOAL_MAX, GOAL_MAX),
                      sn__clamp(v.z, -GOAL_MAX, GOAL_MAX));
}

sn_plant_verdict sn__plant_push_links(sn_plant *p, const sn_msg_names *names,
                                      const sn_seq_spatial *wrenches) {
  const sn__read_verdict read = read_links(p, names, wrenches);
  p->counts.pushes[VERDICTS[read]]++;
  if (!sn__read_is_good(read)) {
    return VERDICTS[read];
  }
  p->body_push_count = 0;
  for (size_t i = 0; i < p->link_names.count; i++) {
    if (p->link_names.at[i] >= 0) {
      const sn_link *link = sn_model_link(p->model, i);
      const sn_spatial wrench = wrenches->data[p->link_names.at[i]];
      p->body_pushes[p->body_push_count++] =
          (sn__body_push){.body = link->body,
                          .at = sn_pose_apply(link->pose_body_link, link->com),
                          .wrench = {clamp_vec3(wrench.ang), clamp_vec3(wrench.lin)}};
    }
  }
  return VERDICTS[read];
}
