#include "steps/step_plan.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "steps/step_shift.h"
#include "steps/step_solve.h"

static const double SAMPLE_S = 0.007, STRETCH_MAX = 20.0, MARGIN_M = 0.01, FRICTION = 0.6;
/* Soles are larger than the points that the feet are planned by; with more than this it tips over.
 */
static const double LEAN_MAX = 0.25, SLOWER = 1.15, GAIN_MAX = 0.8;
enum { SLOWER_MAX = 5 };

double sn__step_plan_duration(const sn__step_plan *plan) {
  return plan->stretch * plan->path.duration_s;
}

/* The shift of the body at a time of the sequence, and its rate. */
static sn_vec3 shift_at(const sn__step_plan *plan, double time_s, sn_vec3 *rate) {
  const double at = fmin(fmax(time_s / plan->sample_s, 0.0), (double)(plan->sample_count - 1));
  size_t k = (size_t)at;
  k = k + 1 < plan->sample_count ? k : plan->sample_count - 2;
  const sn_vec3 way = sn_vec3_sub(plan->shift[k + 1], plan->shift[k]);
  *rate = sn_vec3_scale(way, 1.0 / plan->sample_s);
  return sn_vec3_add_scaled(plan->shift[k], at - (double)k, way);
}

sn__step_motion sn__step_plan_base(const sn__step_plan *plan, double time_s) {
  const double at = time_s / plan->stretch;
  sn__step_motion m = sn__step_path_base(&plan->path, at);
  sn_vec3 rate;
  m.pose.pos = sn_vec3_add(m.pose.pos, shift_at(plan, at, &rate));
  m.twist.lin = sn_vec3_add(m.twist.lin, rate);
  m.twist = sn_spatial_scale(m.twist, 1.0 / plan->stretch);
  return m;
}

sn__step_motion sn__step_plan_foot(const sn__step_plan *plan, size_t limb, double time_s) {
  sn__step_motion m = sn__step_path_foot(&plan->path, limb, time_s / plan->stretch);
  m.twist = sn_spatial_scale(m.twist, 1.0 / plan->stretch);
  return m;
}

/* All feet bear weight, or none is meant to. */
static bool is_stance(const sn__step_plan *plan, double time_s) {
  bool all = true;
  for (size_t i = 0; i < plan->path.limb_count && plan->path.has_base; i++) {
    all = all && sn__step_plan_foot(plan, i, time_s).contact;
  }
  return all;
}

double sn__step_plan_stance_left(const sn__step_plan *plan, double time_s, double most_s) {
  enum { PROBES = 15 };
  double left_s = 0.0;
  for (int i = 0; i < PROBES && is_stance(plan, time_s + left_s); i++) {
    left_s += most_s / PROBES;
  }
  return left_s;
}

static bool create_arrays(sn_arena *arena, sn__step_plan *plan, size_t pose_size) {
  const double duration_s = plan->path.duration_s;
  plan->sample_count = (size_t)ceil(duration_s / SAMPLE_S) + 2;
  plan->sample_s = duration_s / (double)(plan->sample_count - 1);
  plan->q = SN_NEW(arena, double, plan->sample_count *pose_size);
  plan->shift = SN_NEW(arena, sn_vec3, plan->sample_count);
  plan->is_near = SN_NEW(arena, bool, plan->sample_count);
  return plan->q != NULL && plan->shift != NULL && plan->is_near != NULL;
}

static sn__step_plan_config with_defaults(const sn__step_plan_config *config) {
  sn__step_plan_config c = *config;
  c.friction = c.friction == 0.0 ? FRICTION : c.friction;
  c.stretch_max = c.stretch_max == 0.0 ? STRETCH_MAX : c.stretch_max;
  c.margin_m = c.margin_m == 0.0 ? MARGIN_M : c.margin_m;
  return c;
}

static sn_status shift_at_stretch(sn_arena *arena, sn__step_plan *plan,
                                  const sn__step_plan_config *c, double stretch, sn_error *err) {
  plan->stretch = stretch;
  memset(plan->shift, 0, plan->sample_count * sizeof *plan->shift);
  const sn_status status = sn__step_find_near(plan, c, NULL, err);
  return status == SN_OK ? sn__step_shift(arena, plan, c, err) : status;
}

/* Shift the body. Where that is not enough slower motion may need less; where it does not, nothing
   is gained by it. */
static sn_status keep_upright(sn_arena *arena, sn__step_plan *plan, const sn__step_plan_config *c,
                              sn_error *err) {
  const double least = plan->stretch;
  sn_status status = sn__step_shift(arena, plan, c, err);
  const double first = plan->lean;
  for (int i = 0; i < SLOWER_MAX && status == SN_OK && plan->lean > LEAN_MAX &&
                  plan->stretch * SLOWER <= c->stretch_max;
       i++) {
    status = shift_at_stretch(arena, plan, c, plan->stretch * SLOWER, err);
  }
  const bool helps = plan->lean <= GAIN_MAX * first;
  plan->is_slow_to_balance = plan->stretch > least && helps;
  return status == SN_OK && plan->stretch > least && !helps
             ? shift_at_stretch(arena, plan, c, least, err)
             : status;
}

sn_status sn__step_plan_create(sn_arena *arena, const sn__step_sequence *sequence,
                               const sn__step_plan_config *config, sn__step_plan *out,
                               sn__step_trouble *trouble, sn_error *err) {
  const sn__step_plan_config c = with_defaults(config);
  *out = (sn__step_plan){.stretch = 1.0};
  if (!sn__step_path_create(arena, sequence, c.clearance_m, &out->path) ||
      !create_arrays(arena, out, sn_model_pose_size(c.model))) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu points", sequence->point_count);
  }
  sn_status status = sn__step_find_near(out, &c, trouble, err);
  if (status == SN_OK) {
    status = sn__step_stretch(arena, out, &c, err);
  }
  if (status == SN_OK && c.margin_m >= 0.0 && c.balance != NULL && out->path.has_base) {
    status = keep_upright(arena, out, &c, err);
  }
  return status;
}
