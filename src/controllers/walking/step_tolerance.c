/* Tolerances of a goal: of limbs along the path, of the base at its end. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "controllers/walking/execute_step_sequence.h"
#include "steps/step_solve.h"

typedef sn__execute_step_sequence steps;

static const double OFF_PATH_S = 0.1; /* a tolerance is violated if it is for so long */

/* ---- text, without the C library's formats, which may allocate ---- */

typedef struct writing {
  char *text;
  size_t used;
} writing;

static void put_text(writing *w, const char *text) {
  for (; *text != '\0' && w->used + 1 < SN__STEP_VIOLATION_SIZE; text++) {
    w->text[w->used++] = *text;
  }
  w->text[w->used] = '\0';
}

/* Three digits after the point. */
static void put_number(writing *w, double value) {
  char digits[32];
  size_t at = sizeof digits - 1;
  uint64_t thousandths = (uint64_t)(1e3 * fmin(value, 1e6) + 0.5);
  digits[at] = '\0';
  for (int place = 0; place < 4 || thousandths > 0; place++, thousandths /= 10) {
    if (place == 3) {
      digits[--at] = '.';
    }
    digits[--at] = (char)('0' + thousandths % 10);
  }
  put_text(w, &digits[at]);
}

/* ---- what is allowed ---- */

typedef struct gap {
  double m, rad;
} gap;

static gap allowed(const steps *self) {
  const sn__step_sequence *s = &((sn__step_goal_content *)self->goal->content)->sequence;
  return (gap){s->position_tolerance_m > 0.0 ? s->position_tolerance_m : self->position_tolerance_m,
               s->orientation_tolerance_rad > 0.0 ? s->orientation_tolerance_rad
                                                  : self->orientation_tolerance_rad};
}

static bool is_off(gap found, gap most) {
  return (most.m > 0.0 && found.m > most.m) || (most.rad > 0.0 && found.rad > most.rad);
}

static sn__goal_end violation(steps *self, const char *what, gap found, gap most,
                              const char *name) {
  writing w = {((sn__step_goal_content *)self->goal->content)->violation, 0};
  put_text(&w, what);
  put_number(&w, found.m);
  put_text(&w, " m and ");
  put_number(&w, found.rad);
  put_text(&w, " rad, at most ");
  put_number(&w, most.m);
  put_text(&w, " m and ");
  put_number(&w, most.rad);
  put_text(&w, " rad are allowed");
  return (sn__goal_end){SN_TRAJECTORY_ABORTED, SN_STEP_TOLERANCE_VIOLATED, w.text, name};
}

/* ---- the path ---- */

bool sn__step_is_off_path(steps *self, double dt_s, sn__goal_end *end) {
  const gap most = allowed(self);
  const sn__step_foot *off = NULL;
  gap worst = {0.0, 0.0};
  for (size_t i = 0; self->has_measured && i < self->walker.limb_count; i++) {
    const sn__step_foot *foot = &self->walker.feet[i];
    const sn_pose away =
        sn_pose_between(foot->target, sn__step_leg_end(&foot->leg, self->measured));
    const gap found = {sn_vec3_norm(away.pos), sn_vec3_norm(sn_mat3_log(away.rot))};
    if (is_off(found, most)) {
      off = foot;
      worst = found;
    }
  }
  self->off_path_s = off == NULL ? 0.0 : self->off_path_s + dt_s;
  if (off == NULL || self->off_path_s <= OFF_PATH_S) {
    return false;
  }
  *end = violation(self, "the limb is off its path by ", worst, most,
                   sn_names_at(sn_model_chain_names(self->controller.model), off->leg.chain));
  return true;
}

/* ---- the end ---- */

bool sn__step_is_off_goal(steps *self, sn__goal_end *end) {
  const gap most = allowed(self);
  const gap found = {sn_vec3_norm(self->walker.error_pos), sn_vec3_norm(self->walker.error_rot)};
  if (!self->has_base || !is_off(found, most)) {
    return false;
  }
  *end = violation(self, "the base is off its goal by ", found, most,
                   sn_model_link(self->controller.model, 0)->name);
  return true;
}
