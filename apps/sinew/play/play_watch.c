#include "play/play_watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lying where it should stand: the base is at less than this share of its height, for a while. */
static const double LOW_SHARE = 0.5;
static const double LOW_S = 0.3;

static sn_tap *open_tap(sn_system *system, const char *component, const char *port) {
  char name[200];
  sn_tap *tap = NULL;
  sn_error err;
  if (component == NULL) {
    return NULL;
  }
  snprintf(name, sizeof name, "%.120s.%s", component, port);
  return sn_tap_open(system, name, NULL, &tap, &err) == SN_OK ? tap : NULL;
}

/* The lowest point of a contact is the one that touches the ground first; contacts that only state
   freedoms have points below the sole, so the first point counts. */
static void find_feet(play_watch *watch) {
  const sn_names *chains = sn_model_chain_names(watch->model);
  for (size_t i = 0; i < sn_names_count(chains); i++) {
    const int contact = sn_model_chain_default_contact(watch->model, i);
    if (contact >= 0) {
      const sn_chain *chain = sn_model_chain(watch->model, i, false);
      watch->feet[watch->foot_count++] =
          (play_foot){.chain = i,
                      .link = sn_model_link(watch->model, (size_t)chain->last_link),
                      .point = sn_model_contact(watch->model, (size_t)contact)->points[0]};
    }
  }
}

sn_status play_watch_open(play_watch *watch, const play_setup *setup, sn_system *system,
                          sn_arena *arena, sn_error *err) {
  const size_t chains = sn_names_count(sn_model_chain_names(setup->model));
  *watch = (play_watch){.model = setup->model,
                        .base = open_tap(system, setup->plant, "base_truth"),
                        .measured = open_tap(system, setup->plant, "joints_measured"),
                        .contacts = open_tap(system, setup->plant, "contacts"),
                        .supports = open_tap(system, setup->gate, "supports"),
                        .fall = open_tap(system, setup->estimator, "fall"),
                        .q = SN_NEW(arena, double, sn_model_pose_size(setup->model)),
                        .carries = SN_NEW(arena, bool, chains),
                        .touches = SN_NEW(arena, bool, chains),
                        .feet = SN_NEW(arena, play_foot, chains),
                        .pose = sn_pose_identity()};
  if (watch->q == NULL || watch->carries == NULL || watch->touches == NULL || watch->feet == NULL) {
    return SN_ENOMEM;
  }
  find_feet(watch);
  return sn_kin_create(arena, sn_model_tree(setup->model), &watch->kin, err);
}

void play_watch_close(play_watch *watch) {
  sn_tap_close(watch->base);
  sn_tap_close(watch->measured);
  sn_tap_close(watch->contacts);
  sn_tap_close(watch->supports);
  sn_tap_close(watch->fall);
}

static const void *read_new(sn_tap *tap) {
  sn_flow flow = SN_NO_DATA;
  const void *msg = tap == NULL ? NULL : sn_tap_read(tap, &flow);
  return flow == SN_NEW_DATA ? msg : NULL;
}

static void read_flags(const play_watch *watch, sn_tap *tap, bool *flags) {
  const sn_support_state *msg = read_new(tap);
  for (size_t i = 0; msg != NULL && i < msg->name.count && i < msg->support.count; i++) {
    const int chain = sn_model_chain_index(watch->model, sn_msg_names_at(&msg->name, i));
    if (chain >= 0) {
      flags[chain] = msg->support.data[i] > 0.5;
    }
  }
}

static void read_joints(play_watch *watch) {
  const sn_joint_state *msg = read_new(watch->measured);
  for (size_t i = 0; msg != NULL && i < msg->name.count && i < msg->position.count; i++) {
    const int joint = sn_model_joint_index(watch->model, sn_msg_names_at(&msg->name, i));
    if (joint >= 0) {
      watch->q[joint] = msg->position.data[i];
    }
  }
}

static void read_base(play_watch *watch) {
  const sn_rigid_body_state *msg = read_new(watch->base);
  if (msg != NULL && msg->pose.count > 0) {
    watch->pose = sn_pose_from_msg(msg->pose.data[0]);
    watch->has_pose = true;
    watch->tilt_max = fmax(watch->tilt_max, acos(fmax(-1.0, fmin(1.0, watch->pose.rot.z.z))));
  }
}

static void read_fall(play_watch *watch) {
  const sn_fall_state *msg = read_new(watch->fall);
  watch->reports_fall = watch->reports_fall || (msg != NULL && msg->fallen);
}

static double look_at_foot(play_watch *watch, play_foot *foot) {
  const sn_vec3 in_base = sn_pose_apply(sn_kin_link_pose(watch->kin, foot->link), foot->point);
  const sn_vec3 at = sn_pose_apply(watch->pose, in_base);
  const bool is_down = watch->carries[foot->chain] && watch->touches[foot->chain];
  if (is_down && foot->is_down) {
    watch->slip_max = fmax(watch->slip_max, hypot(at.x - foot->anchor.x, at.y - foot->anchor.y));
  } else if (is_down) {
    foot->anchor = at;
  }
  foot->is_down = is_down;
  return -in_base.z;
}

/* @param height_m  of the base above the lowest foot, by the joints */
static void look_for_fall(play_watch *watch, double height_m, double dt_s) {
  const bool is_low = watch->pose.pos.z < LOW_SHARE * height_m;
  watch->low_s = is_low ? watch->low_s + dt_s : 0.0;
  watch->fell = watch->fell || watch->tilt_max > PLAY_TILT_FALL_RAD || watch->low_s > LOW_S;
}

void play_watch_step(play_watch *watch, int64_t now_ns) {
  read_base(watch);
  read_joints(watch);
  read_fall(watch);
  read_flags(watch, watch->supports, watch->carries);
  read_flags(watch, watch->contacts, watch->touches);
  sn_kin_update(watch->kin, watch->q);
  double height_m = 0.0;
  for (size_t i = 0; i < watch->foot_count; i++) {
    height_m = fmax(height_m, look_at_foot(watch, &watch->feet[i]));
  }
  if (watch->has_pose) {
    look_for_fall(watch, height_m, 1e-9 * (double)(now_ns - watch->now_ns));
  }
  watch->now_ns = now_ns;
}
