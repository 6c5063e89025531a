/* Start, end and state of identification. */
#include <math.h>
#include <string.h>

#include "ident/online/servo_ident.h"
#include "ident/online/servo_ident_scores.h"
#include "sinew/dense.h"
#include "sinew/fault.h"

/* Identification needs at least so many samples. */
enum { SAMPLES_MIN = 20 };

/* How far alpha may be from the model at the start, in units of the noise: anywhere. */
#define SPREAD 1e4
/* Below this the regressors are so alike that noise decides. */
#define EXCITATION_MIN 0.01
/* Stribeck friction is known if its deviation is at most this part of Coulomb friction. */
#define STRIBECK_PART 0.3
/* Volts per torque are known if their deviation is at most this part of them. */
#define TORQUE_PART 0.2
/* Friction of load is known if its deviation is at most this part of the volts for the torque. */
#define LOAD_PART 0.03
/* ... and if its own motion explains the torque of the joint but for this part of its square. */
#define FOREIGN_PART 0.1

static size_t begin_with(sn_rls_config *config, double value) {
  config->start[config->count] = value;
  config->start_spread[config->count] = SPREAD;
  return config->count++;
}

static void start_one(const sn_servo_ident *ident, sn__ident_servo *s) {
  sn_rls_config config = {.forgetting = ident->config.forgetting};
  for (size_t i = 0; i < 4; i++) {
    (void)begin_with(&config, s->model.alpha[i]);
  }
  s->inertia_at = ident->config.identify_inertia ? begin_with(&config, s->model.inertia) : 0;
  s->load_at = 0;
  if (ident->config.identify_load_friction) {
    s->load_at = begin_with(&config, s->model.ext.load[0]);
    (void)begin_with(&config, s->model.ext.load[1]);
  }
  const sn_status status = sn__rls_init(&s->rls, &config, NULL);
  SN_ASSERT(status == SN_OK);
  s->is_running = true;
  s->sample_count = 0;
  s->error_sum = s->kept_sum = 0.0;
  s->error_weight = 0.0;
  s->history_count = 0; /* what was before does not count */
  s->scores = (sn__ident_scores){.begin = ident->cycle};
  /* Not all servos in the same cycle. */
  s->block = (sn__ident_block){.length = 1, .wait = (size_t)(s - ident->servos) % ident->stride};
  s->load = (sn__ident_load){0};
  s->error_decay = ident->error_decay;
}

sn_status sn__servo_ident_start(sn_servo_ident *ident, const int *servos, size_t count) {
  if (count == 0) {
    return SN_EINVAL;
  }
  ident->message++; /* to find one that is named twice */
  for (size_t k = 0; k < count; k++) {
    if (servos[k] < 0 || (size_t)servos[k] >= ident->config.servo_count ||
        !ident->servos[servos[k]].has_model) {
      return SN_ENOENT;
    }
    if (ident->servos[servos[k]].is_running) {
      return SN_EBUSY;
    }
    if (ident->servos[servos[k]].seen == ident->message) {
      return SN_EINVAL;
    }
    ident->servos[servos[k]].seen = ident->message;
  }
  for (size_t k = 0; k < count; k++) {
    start_one(ident, &ident->servos[servos[k]]);
  }
  return SN_OK;
}

static double mean_error(const sn__ident_servo *s) {
  return s->error_weight > 0.0 ? s->error_sum / s->error_weight : INFINITY;
}

/* Parameters with a value that is not that of the estimate. */
typedef struct fixed {
  size_t count;
  size_t at[SN_RLS_MAX];
  double value[SN_RLS_MAX];
} fixed;

static void fix(fixed *f, size_t at, double value) {
  f->at[f->count] = at;
  f->value[f->count++] = value;
}

/* Give some parameters a value; the others become what they most likely are then: x += P_xf P_ff^-1
   (value - x_f). */
static void condition(const sn_rls *rls, const fixed *f, double *x) {
  double p[SN_RLS_MAX * SN_RLS_MAX];
  double among[SN_RLS_MAX * SN_RLS_MAX];
  double amount[SN_RLS_MAX];
  const size_t n = rls->count, m = f->count;
  sn__rls_covariance(rls, p);
  for (size_t r = 0; r < m; r++) {
    amount[r] = f->value[r] - x[f->at[r]];
    for (size_t c = 0; c < m; c++) {
      among[r * m + c] = p[f->at[r] * n + f->at[c]];
    }
  }
  if (sn_cholesky_factor(m, among)) {
    sn_cholesky_solve(m, among, amount);
    for (size_t k = 0; k < n; k++) {
      for (size_t c = 0; c < m; c++) {
        x[k] += p[k * n + f->at[c]] * amount[c];
      }
    }
  }
  for (size_t c = 0; c < m; c++) {
    x[f->at[c]] = f->value[c]; /* whatever the rounding */
  }
}

static void fix_negative(const double *x, size_t at, fixed *f) {
  bool is_fixed = false;
  for (size_t c = 0; c < f->count; c++) {
    is_fixed = is_fixed || f->at[c] == at;
  }
  if (!is_fixed && x[at] < 0.0) {
    fix(f, at, 0.0);
  }
}

/* The most likely parameters, with those that are fixed, of which friction does not push. That one
   is fixed may make another one negative. */
static void find_likely(const sn__ident_servo *s, fixed *f, double *x) {
  size_t before = 0;
  do {
    before = f->count;
    memcpy(x, sn__rls_estimate(&s->rls), SN_RLS_MAX * sizeof *x);
    if (f->count > 0) {
      condition(&s->rls, f, x);
    }
    fix_negative(x, 2, f);
    for (size_t k = 0; k < 2 && s->load_at > 0; k++) {
      fix_negative(x, s->load_at + k, f);
    }
  } while (f->count > before);
}

static sn_servo_params params_with(const sn__ident_servo *s, fixed f) {
  sn_servo_params p = s->model;
  double x[SN_RLS_MAX];
  find_likely(s, &f, x);
  memcpy(p.alpha, x, sizeof p.alpha);
  p.alpha[1] = fmax(0.0, p.alpha[1]);
  p.inertia = s->inertia_at > 0 ? x[s->inertia_at] : p.inertia;
  for (size_t k = 0; k < 2 && s->load_at > 0; k++) {
    p.ext.load[k] = x[s->load_at + k];
  }
  p.ext.back_emf = fmin(p.ext.back_emf, fmax(0.0, p.alpha[0]));
  return p;
}

static sn_servo_params estimate(const sn__ident_servo *s) {
  return params_with(s, (fixed){0});
}

/* Are volts per torque known? Not of a joint that bears nothing. One that bears little also bears
   what its neighbours do not follow, which white noise does not describe: hence the claimed
   deviation. */
static bool is_torque_known(const sn__ident_servo *s, const double *std) {
  return std[3] <= TORQUE_PART * sn__rls_estimate(&s->rls)[3];
}

static bool is_stribeck_known(const sn__ident_servo *s, const double *std) {
  return std[2] <= STRIBECK_PART * fabs(sn__rls_estimate(&s->rls)[1]);
}

/* Is friction of load known? Its two coefficients depend on each other: what counts is how well
   their sum is known at the torques that the joint bore. Torques that come from other joints are
   as commanded only if those follow, and what is carried must exceed dry friction: otherwise their
   errors are as large as what is asked for. */
static bool is_load_known(const sn__ident_servo *s, const double *std) {
  double p[SN_RLS_MAX * SN_RLS_MAX];
  const size_t n = s->rls.count, a = s->load_at, b = a + 1;
  sn__rls_covariance(&s->rls, p);
  const double tau = sqrt(s->rls.square_sum[3] / fmax(s->rls.weight_sum, 1.0));
  const double alike = p[a * n + b] / sqrt(p[a * n + a] * p[b * n + b]);
  const double linear = std[a] * tau, square = std[b] * tau * tau;
  const double variance = linear * linear + square * square + 2.0 * alike * linear * square;
  const double volts = sn__rls_estimate(&s->rls)[3] * tau;
  return s->load.unknown <= FOREIGN_PART && volts >= fabs(sn__rls_estimate(&s->rls)[1]) &&
         variance <= pow(LOAD_PART * volts, 2.0);
}

/* The resulting model; parameters that were not identified keep their values. */
static sn_servo_params outcome(const sn_servo_ident *ident, const sn__ident_servo *s) {
  double std[SN_RLS_MAX];
  sn__ident_deviations(ident, s, std);
  fixed f = {0};
  if (!is_stribeck_known(s, std)) {
    fix(&f, 2, fmax(0.0, s->model.alpha[2]));
  }
  if (s->load_at > 0 && !is_load_known(s, std)) {
    fix(&f, s->load_at, s->model.ext.load[0]);
    fix(&f, s->load_at + 1, s->model.ext.load[1]);
  }
  sn_servo_params p = params_with(s, f);
  p.alpha[3] = is_torque_known(s, std) ? p.alpha[3] : s->model.alpha[3];
  return p;
}

/* No sample, no success: an error that was never measured is infinite. It is that of the model that
   comes out, not of the estimate. */
static bool is_acceptable(const sn_servo_ident *ident, const sn__ident_servo *s) {
  const sn_servo_params p = outcome(ident, s);
  double std[SN_RLS_MAX];
  sn__ident_deviations(ident, s, std);
  const double error = is_torque_known(s, std) ? mean_error(s) : s->kept_sum / s->error_weight;
  return s->rls.sample_count >= SAMPLES_MIN && error <= ident->config.threshold_rad &&
         sn_servo_params_check(&p, NULL) == SN_OK;
}

size_t sn__servo_ident_end(sn_servo_ident *ident, bool *accepted) {
  size_t count = 0;
  for (size_t i = 0; i < ident->config.servo_count; i++) {
    sn__ident_servo *s = &ident->servos[i];
    const bool is_new = s->is_running && is_acceptable(ident, s);
    if (is_new) {
      s->model = outcome(ident, s);
      count++;
    }
    if (accepted != NULL) {
      accepted[i] = is_new;
    }
    s->is_running = false;
  }
  return count;
}

bool sn__servo_ident_abort(sn_servo_ident *ident) {
  bool was_running = false;
  for (size_t i = 0; i < ident->config.servo_count; i++) {
    was_running = was_running || ident->servos[i].is_running;
    ident->servos[i].is_running = false;
  }
  return was_running;
}

/* Does the motion tell all parameters? That is a question of noise, not of systematic errors. */
static bool is_excited(const sn__ident_servo *s, double excitation) {
  double std[SN_RLS_MAX];
  sn__rls_std(&s->rls, std);
  const double *a = sn__rls_estimate(&s->rls);
  const double dry = fabs(a[1]) + fabs(a[2]);
  return excitation >= EXCITATION_MIN && std[0] <= 0.2 * fabs(a[0]) && std[1] <= 0.2 * dry &&
         std[2] <= 0.3 * dry && std[3] <= 0.2 * fabs(a[3]);
}

void sn__servo_ident_status_of(const sn_servo_ident *ident, size_t index,
                               sn_servo_ident_status *out) {
  SN_ASSERT(index < ident->config.servo_count);
  const sn__ident_servo *s = &ident->servos[index];
  *out = (sn_servo_ident_status){.is_running = s->is_running,
                                 .sample_count = s->sample_count,
                                 .error_rad = mean_error(s),
                                 .params = s->model};
  if (!s->is_running) {
    return;
  }
  out->params = estimate(s);
  double std[SN_RLS_MAX];
  sn__ident_deviations(ident, s, std);
  memcpy(out->std, std, 4 * sizeof *std);
  out->std[4] = s->inertia_at > 0 ? std[s->inertia_at] : 0.0;
  out->std[5] = s->load_at > 0 ? std[s->load_at] : 0.0;
  out->std[6] = s->load_at > 0 ? std[s->load_at + 1] : 0.0;
  out->excitation = sn__rls_excitation(&s->rls);
  out->is_excited = s->rls.sample_count >= SAMPLES_MIN && is_excited(s, out->excitation);
}

sn_servo_ident_progress sn__servo_ident_progress_now(const sn_servo_ident *ident) {
  sn_servo_ident_progress p = {0};
  for (size_t i = 0; i < ident->config.servo_count; i++) {
    const sn__ident_servo *s = &ident->servos[i];
    if (s->is_running) {
      const bool is_first = p.running_count++ == 0;
      p.sample_count_min =
          is_first || s->sample_count < p.sample_count_min ? s->sample_count : p.sample_count_min;
      p.error_max_rad = fmax(p.error_max_rad, mean_error(s));
    }
  }
  return p;
}

sn_status sn__servo_ident_replace(sn_servo_ident *ident, size_t index,
                                  const sn_servo_params *params) {
  SN_ASSERT(index < ident->config.servo_count);
  sn__ident_servo *s = &ident->servos[index];
  if (s->is_running) {
    return SN_EBUSY;
  }
  if (sn_servo_params_check(params, NULL) != SN_OK) {
    return SN_EINVAL;
  }
  s->model = *params;
  s->has_model = true;
  return SN_OK;
}

const sn_servo_params *sn__servo_ident_model(const sn_servo_ident *ident, size_t index) {
  SN_ASSERT(index < ident->config.servo_count);
  return &ident->servos[index].model;
}
