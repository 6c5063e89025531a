#include <math.h>

#include "base/fail.h"
#include "base/text.h"
#include "ik/ik.h"
#include "sinew/fault.h"

static sn_status take_positive(double given, double standard, const char *name, double *out,
                               sn_error *err) {
  if (!(given >= 0.0) || !isfinite(given)) { /* the negated form also rejects NaN */
    return sn__fail(err, SN_EINVAL, "ik: %s is %g, must be finite and > 0", name, given);
  }
  *out = given == 0.0 ? standard : given;
  return SN_OK;
}

static sn_status take_numbers(const sn_ik_config *config, sn_ik *ik, sn_error *err) {
  sn_status status = take_positive(config->search_discretization, 0.1, "search_discretization",
                                   &ik->setup.search_discretization, err);
  if (status == SN_OK) {
    status = take_positive(config->default_timeout_s, 1.0, "default_timeout_s",
                           &ik->default_timeout_s, err);
  }
  if (status == SN_OK) {
    status = take_positive(config->position_tolerance_m, 1e-6, "position_tolerance_m",
                           &ik->position_tolerance_m, err);
  }
  if (status == SN_OK) {
    status = take_positive(config->rotation_tolerance_rad, 1e-6, "rotation_tolerance_rad",
                           &ik->rotation_tolerance_rad, err);
  }
  return status;
}

static sn_status carve_scratch(sn_arena *arena, sn_ik *ik, sn_error *err) {
  const size_t n = ik->setup.joint_count;
  double **const vectors[] = {&ik->lower,       &ik->upper,     &ik->step,       &ik->seed,
                              &ik->start,       &ik->candidate, &ik->chain_q,    &ik->query_lower,
                              &ik->query_upper, &ik->closest,   &ik->approximate};
  bool good = true;
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = SN_NEW(arena, double, n);
    good = good && *vectors[i] != NULL;
  }
  ik->joints = SN_NEW(arena, sn__ik_joint, n);
  ik->redundant = SN_NEW(arena, int, n);
  ik->active = SN_NEW(arena, int, n);
  ik->locked = SN_NEW(arena, bool, n);
  ik->tick = SN_NEW(arena, long, n);
  ik->targets = SN_NEW(arena, sn_pose, ik->setup.tip_count);
  good = good && ik->joints != NULL && ik->redundant != NULL && ik->active != NULL &&
         ik->locked != NULL && ik->tick != NULL && ik->targets != NULL;
  return good ? SN_OK : sn__ik_no_room(arena, err);
}

/* Mimic joints may be chained: go up to the joint that is not a mimic, as far as the group reaches.
 * A joint that mimics one outside the group cannot be moved by the group. */
static sn_status find_master(sn_ik *ik, sn__ik_joint *j, const sn_joint *joint, sn_error *err) {
  j->master = -1;
  j->master_outside = -1;
  j->multiplier = 1.0;
  j->offset = 0.0;
  for (const sn_joint *f = joint; f->mimic >= 0; f = sn_model_joint(ik->model, (size_t)f->mimic)) {
    const int place = ik->group_index[f->mimic];
    if (j->master >= 0 && place < 0) {
      break;
    }
    if (j->master_outside >= 0 && place >= 0) {
      return sn__fail(err, SN_EUNSUPPORTED,
                      "ik: joint '%s' follows one of the group by way of one that is not",
                      joint->name);
    }
    j->offset += j->multiplier * f->mimic_offset;
    j->multiplier *= f->mimic_multiplier;
    j->master = place;
    j->master_outside = place < 0 ? f->mimic : -1;
    ik->has_followers = true;
  }
  return SN_OK;
}

static sn_status describe_joints(sn_ik *ik, sn_error *err) {
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    const sn_joint *joint = sn_model_joint(ik->model, (size_t)ik->setup.joints[i]);
    sn__ik_joint *j = &ik->joints[i];
    j->rotates = joint->type != SN_JOINT_PRISMATIC;
    j->turns = j->rotates;
    j->lower = joint->lower;
    j->upper = joint->upper;
    ik->step[i] = ik->setup.search_discretization;
    const sn_status status = find_master(ik, j, joint, err);
    if (status != SN_OK) {
      return status;
    }
  }
  for (size_t i = 0; i < ik->setup.joint_count; i++) {
    sn__ik_joint *j = &ik->joints[i];
    if (j->master >= 0) {
      ik->joints[j->master].turns = false;
      j->turns = false;
    } else if (j->master_outside >= 0) {
      j->turns = false;
    }
  }
  const int empty = sn__ik_fold_limits(ik);
  if (empty >= 0) {
    return sn__fail(err, SN_EINVAL,
                    "ik: no position of joint '%s' keeps the joints that follow it inside limits",
                    sn_names_at(ik->joint_names, (size_t)empty));
  }
  return SN_OK;
}

static sn_status find_solver(const sn_ik_config *config, const sn_ik_solver **out, sn_error *err) {
  const char *name = config->solver == NULL ? "auto" : config->solver;
  sn_ik_registry built_in;
  const sn_ik_registry *registry = config->registry;
  if (registry == NULL) {
    sn_ik_registry_init(&built_in);
    registry = &built_in;
  }
  *out = sn_ik_registry_find(registry, name);
  return *out != NULL ? SN_OK : sn__fail(err, SN_ENOENT, "ik: unknown solver '%s'", name);
}

static sn_status start_solver(sn_arena *arena, sn_ik *ik, sn_error *err) {
  char reason[160] = "";
  if (!ik->solver->supports(&ik->setup, reason, sizeof reason)) {
    return sn__fail(err, SN_EUNSUPPORTED, "ik: solver '%s' cannot solve '%s' to '%s': %s",
                    ik->solver->name, ik->base_frame, ik->tip_frames[0], reason);
  }
  return ik->solver->create(arena, &ik->setup, &ik->state, err);
}

static sn_status build(sn_arena *arena, sn_ik *ik, const sn_ik_config *config, sn_error *err) {
  sn_status status = take_numbers(config, ik, err);
  if (status == SN_OK) {
    status = find_solver(config, &ik->solver, err);
  }
  if (status == SN_OK) {
    status = sn__ik_find_group(arena, ik, config, err);
  }
  if (status == SN_OK) {
    status = carve_scratch(arena, ik, err);
  }
  if (status == SN_OK) {
    status = describe_joints(ik, err);
  }
  if (status == SN_OK) {
    ik->setup.model = ik->model;
    ik->setup.lower = ik->lower;
    ik->setup.upper = ik->upper;
    status = start_solver(arena, ik, err);
  }
  return status;
}

sn_status sn_ik_create(sn_arena *arena, const sn_model *model, const sn_ik_config *config,
                       sn_ik **out, sn_error *err) {
  SN_ASSERT(arena != NULL);
  SN_ASSERT(model != NULL);
  SN_ASSERT(out != NULL);

  const sn_ik_config defaults = {0};
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_ik *ik = SN_NEW(arena, sn_ik, 1);
  if (ik == NULL) {
    return sn__ik_no_room(arena, err);
  }
  ik->model = model;
  const sn_status status = build(arena, ik, config == NULL ? &defaults : config, err);
  if (status != SN_OK) {
    sn_arena_restore(arena, mark); /* all or nothing */
    return status;
  }
  sn_clock_init_monotonic(&ik->own_clock);
  ik->clock = config == NULL || config->clock == NULL ? &ik->own_clock : config->clock;
  sn_random_init(&ik->random_start, config == NULL ? 0 : config->random_seed);
  *out = ik;
  return SN_OK;
}

bool sn_ik_supports_group(const sn_model *model, const sn_ik_config *config, char *reason,
                          size_t size) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "ik_supports_group", 64u << 10);
  sn_ik *ik = NULL;
  sn_error err;
  const bool good = sn_ik_create(&arena, model, config, &ik, &err) == SN_OK;
  sn_arena_release(&arena);
  if (size > 0) {
    reason[0] = '\0';
    if (!good) {
      sn__text_clean(err.message, reason, size);
    }
  }
  return good;
}
