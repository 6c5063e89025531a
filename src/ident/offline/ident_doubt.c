/* What may be wrong with a log from which no good model came. */
#include <math.h>

#include "ident/offline/ident_work.h"
#include "ident/output_error/servo_log.h"

#define STILL_RAD 0.005
#define GOALS_STAND_RAD 1e-3

/* What the samples of a servo cover. */
typedef struct extent {
  double goals; /* samples with one */
  double goal_least, goal_most, least, most, jump;
  double away, nearest; /* of positions from goals, rad: mean, least magnitude */
} extent;

static extent find_extent(const sn_servo_params *params, const sn_ident_sample *samples,
                          size_t count) {
  extent e = {.goal_least = INFINITY, .goal_most = -INFINITY, .least = INFINITY, .most = -INFINITY};
  double before = (double)NAN;
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn_ident_sample *s = &samples[i];
    if (isnan(s->position)) {
      continue;
    }
    e.least = fmin(e.least, s->position);
    e.most = fmax(e.most, s->position);
    e.jump = fmax(e.jump, fabs(s->position - before)); /* not NaN */
    before = s->position;
    if (!isnan(s->goal)) {
      e.goal_least = fmin(e.goal_least, s->goal);
      e.goal_most = fmax(e.goal_most, s->goal);
      e.goals += 1.0;
      const double away = s->goal / params->kgear + params->ext.offset - s->position;
      e.nearest = fmin(e.nearest, fabs(away));
      sum += away;
    }
  }
  e.away = e.goals > 0.0 ? sum / e.goals : 0.0;
  return e;
}

const char *sn__ident_doubt(const sn_servo_params *params, const sn_ident_sample *samples,
                            size_t count) {
  const extent e = find_extent(params, samples, count);
  if (!(e.least <= e.most)) {
    return "the log has no positions of this servo";
  }
  if (e.goals == 0.0) {
    return "the log has no goals of this servo: log the goals that were sent";
  }
  if (e.most - e.least < STILL_RAD) {
    return "the servo does not move: is its torque on, and do the goals move?";
  }
  if (e.jump > SN__SERVO_JUMP_RAD) {
    return "the position jumps: the servo counts from another turn; unwrap the positions";
  }
  if (sn__servo_is_turn_away(e.away, e.nearest, params->kgear)) {
    return "goals and positions are a turn apart, or count from another zero, or kgear is wrong";
  }
  if (e.goal_most - e.goal_least < GOALS_STAND_RAD) {
    return "the goals never change though the servo moves: are they those that were sent?";
  }
  return NULL;
}
