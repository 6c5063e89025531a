#include "steps/step_solve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "sinew/kin.h"

bool sn__step_leg_solve(const sn__step_leg *leg, sn_pose target, double *q) {
  sn__limb_ik *limb = leg->limb;
  const bool is_reached = sn__limb_ik_solve(limb, q, &target, NULL);
  for (size_t i = 0; i < limb->count; i++) {
    q[limb->joints[i]] = limb->pose[i];
  }
  return is_reached;
}

sn_pose sn__step_leg_end(const sn__step_leg *leg, const double *q) {
  enum { JOINTS_MAX = 64 };
  double own[JOINTS_MAX] = {0};
  for (size_t i = 0; i < leg->limb->count && i < JOINTS_MAX; i++) {
    own[i] = q[leg->limb->joints[i]];
  }
  return sn_chain_fk(leg->limb->chain, own);
}

static double time_of(const sn__step_plan *plan, size_t sample) {
  return plan->sample_s * (double)sample;
}

/* By how much a limb misses its pose, after it was solved. */
static sn__step_trouble missing_of(const sn__step_plan_config *config, size_t limb, double time_s) {
  const sn__limb_ik *ik = config->legs[limb].limb;
  const bool is_known = ik->trouble != SN__LIMB_NO_POSE;
  return (sn__step_trouble){limb, time_s, is_known ? ik->short_m : INFINITY,
                            is_known ? ik->short_rad : INFINITY};
}

/* @param trouble  set to what is missing most, if a limb does not reach its pose
   @return whether all limbs come near enough */
static bool solve_sample(sn__step_plan *plan, const sn__step_plan_config *config, size_t sample,
                         sn__step_trouble *trouble) {
  const size_t n = sn_model_pose_size(config->model);
  const double time_s = time_of(plan, sample);
  double *q = &plan->q[sample * n];
  sn_pose base = sn__step_path_base(&plan->path, time_s).pose;
  base.pos = sn_vec3_add(base.pos, plan->shift[sample]);
  memcpy(q, sample == 0 ? config->start : q - n, n * sizeof *q);
  for (size_t i = 0; i < plan->path.limb_count; i++) {
    const sn_pose foot = sn__step_path_foot(&plan->path, i, time_s).pose;
    if (!sn__step_leg_solve(&config->legs[i], sn_pose_between(base, foot), q)) {
      const sn__step_trouble missing = missing_of(config, i, time_s);
      *trouble = missing.short_m >= trouble->short_m ? missing : *trouble;
      if (missing.short_m > config->reach_m || missing.short_rad > config->reach_rad) {
        *trouble = missing;
        return false;
      }
    }
  }
  return true;
}

static bool is_short(const sn__step_trouble *trouble) {
  return trouble->short_m > 0.0 || trouble->short_rad > 0.0;
}

bool sn__step_solve(sn__step_plan *plan, const sn__step_plan_config *config,
                    sn__step_trouble *trouble) {
  for (size_t k = 0; k < plan->sample_count; k++) {
    *trouble = (sn__step_trouble){0};
    if (!solve_sample(plan, config, k, trouble) || (is_short(trouble) && !plan->is_near[k])) {
      return false;
    }
  }
  return true;
}

/* The point is the first one at or after the time. */
static sn_status out_of_reach(const sn__step_plan *plan, const sn__step_plan_config *config,
                              const sn__step_trouble *trouble, sn_error *err) {
  const sn__step_track *points = &plan->path.base;
  const size_t chain = config->legs[trouble->limb].chain;
  size_t next = 0;
  while (next + 1 < points->count && points->times[next] < trouble->time_s) {
    next++;
  }
  return sn__fail(
      err, SN_EINVAL,
      "limb '%s' cannot reach its pose at %.3f s (point %zu): it is %.3f m and %.3f rad "
      "short",
      sn_names_at(sn_model_chain_names(config->model), chain), trouble->time_s, next,
      trouble->short_m, trouble->short_rad);
}

sn_status sn__step_find_near(sn__step_plan *plan, const sn__step_plan_config *config,
                             sn__step_trouble *trouble, sn_error *err) {
  for (size_t k = 0; k < plan->sample_count; k++) {
    sn__step_trouble found = {0};
    if (!solve_sample(plan, config, k, &found)) {
      if (trouble != NULL) {
        *trouble = found;
      }
      return out_of_reach(plan, config, &found, err);
    }
    plan->is_near[k] = is_short(&found);
    plan->nearest = found.short_m > plan->nearest.short_m ? found : plan->nearest;
  }
  return SN_OK;
}

void sn__step_rates(const sn__step_plan *plan, size_t sample, size_t joint_count, double *qd,
                    double *qdd) {
  const size_t last = plan->sample_count - 1;
  const size_t k = sample == 0 ? 1 : sample == last ? last - 1 : sample;
  const double h = plan->sample_s * plan->stretch;
  const double *before = &plan->q[(k - 1) * joint_count];
  const double *q = before + joint_count, *after = q + joint_count;
  for (size_t j = 0; j < joint_count; j++) {
    qd[j] = 0.5 * (after[j] - before[j]) / h;
    qdd[j] = (after[j] - 2.0 * q[j] + before[j]) / (h * h);
  }
}

size_t sn__step_supports(const sn__step_plan *plan, const sn__step_plan_config *config,
                         size_t sample, sn_support *out) {
  size_t count = 0;
  for (size_t i = 0; i < plan->path.limb_count; i++) {
    if (sn__step_path_foot(&plan->path, i, time_of(plan, sample)).contact) {
      const size_t chain = config->legs[i].chain;
      out[count++] = (sn_support){chain, sn_model_chain_default_contact(config->model, chain), 1.0};
    }
  }
  return count;
}

sn_vec3 sn__step_gravity(const sn__step_plan *plan, size_t sample) {
  const sn_pose base = sn__step_path_base(&plan->path, time_of(plan, sample)).pose;
  return sn_mat3_apply_transposed(base.rot, sn_vec3_make(0, 0, -9.81));
}

/* ---- stretching ---- */

typedef struct stretching {
  sn__step_plan *plan;
  const sn__step_plan_config *config;
  size_t joint_count;
  double *qd, *qdd, *tau;
  sn_support supports[SN_CHAINS_MAX];
} stretching;

static double speed_ratio(stretching *s) {
  double ratio = 0.0;
  for (size_t k = 0; k + 1 < s->plan->sample_count; k++) {
    const double *q = &s->plan->q[k * s->joint_count];
    for (size_t j = 0; j < s->joint_count; j++) {
      const double speed = fabs(q[j + s->joint_count] - q[j]) / s->plan->sample_s;
      ratio = fmax(ratio, speed / s->config->drives[j].speed_max);
      if (speed > s->plan->speed_peak) {
        s->plan->speed_peak = speed;
        s->plan->joint_peak = j;
      }
    }
  }
  return ratio;
}

/* The share of its torque that the weakest drive needs in a sample. */
static double load_of(stretching *s, size_t sample) {
  const double *q = &s->plan->q[sample * s->joint_count];
  sn__step_rates(s->plan, sample, s->joint_count, s->qd, s->qdd);
  const sn_balance_input input = {
      .q = q,
      .qd = s->qd,
      .qdd = s->qdd,
      .supports = s->supports,
      .support_count = sn__step_supports(s->plan, s->config, sample, s->supports),
      .gravity = sn__step_gravity(s->plan, sample),
      .friction = s->config->friction};
  sn__balance_step(s->config->balance, &input, s->tau, NULL);
  double worst = 0.0;
  for (size_t j = 0; j < s->joint_count; j++) {
    const sn__step_drive *d = &s->config->drives[j];
    const double dry = s->qd[j] == 0.0 ? 0.0 : copysign(d->dry, s->qd[j]);
    const double need = s->tau[j] + d->viscous * s->qd[j] + dry + d->inertia * s->qdd[j];
    worst = fmax(worst, fabs(need) / d->torque_max);
  }
  return worst;
}

static double load_at(stretching *s, double stretch) {
  double worst = 0.0;
  s->plan->stretch = stretch;
  for (size_t k = 0; k < s->plan->sample_count && worst <= 1.0; k++) {
    worst = fmax(worst, load_of(s, k));
  }
  return worst;
}

/* The least stretch at which all drives are strong enough; if weight alone is too much, that at
   which they are nearly so. */
static double find_stretch(stretching *s, double low) {
  double high = low;
  while (high < s->config->stretch_max && load_at(s, high) > 1.0) {
    low = high;
    high *= 1.25;
  }
  high = fmin(high, s->config->stretch_max);
  for (int i = 0; i < 6 && high > low; i++) {
    const double middle = 0.5 * (low + high);
    if (load_at(s, middle) > 1.0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

sn_status sn__step_stretch(sn_arena *arena, sn__step_plan *plan, const sn__step_plan_config *config,
                           sn_error *err) {
  const size_t n = sn_model_pose_size(config->model);
  stretching s = {
      plan, config, n, SN_NEW(arena, double, n), SN_NEW(arena, double, n), SN_NEW(arena, double, n),
      {{0}}};
  if (s.qd == NULL || s.qdd == NULL || s.tau == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", n);
  }
  plan->stretch = 1.0;
  plan->speed_ratio = speed_ratio(&s);
  const double least = fmin(fmax(1.0, plan->speed_ratio), config->stretch_max);
  plan->stretch = config->balance == NULL ? least : find_stretch(&s, least);
  return SN_OK;
}
