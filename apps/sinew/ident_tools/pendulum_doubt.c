/* Which log does not fit the others, and what may be wrong with it. */
#include <math.h>
#include <stdio.h>

#include "common/print.h"
#include "ident_tools/pendulum.h"

#define STRANGER_RAD 0.05
#define STRANGER_FACTOR 5.0 /* times the error of the others */
#define GOALS_STAND_RAD 1e-3
#define OPPOSITE (-0.5) /* correlation of goals and positions */
#define MASS_RAD 0.02   /* errors below this need no other mass */
#define MASS_PART 0.5   /* of its error, that another mass leaves */
#define LIMIT_PART 0.95 /* of the rows */
#define STOP_RAD 0.005  /* of an end of the range: there */
#define BEYOND_RAD 0.05
#define STOP_PART 0.1 /* of the rows */
#define BACK 0.25     /* of the range: more than an overshoot */
enum { STRANGER_LOGS_MIN = 3 };

/* The median of the errors of the other logs. */
static double others_error(const pendulum_work *w, size_t which) {
  const size_t middle = (w->fitted_count - 1) / 2;
  for (size_t i = 0; i < w->fitted_count; i++) {
    const double error = w->fitted[i].score.mae_rad;
    size_t below = 0, same = 0;
    for (size_t k = 0; k < w->fitted_count; k++) {
      below += k != which && w->fitted[k].score.mae_rad < error;
      same += k != which && w->fitted[k].score.mae_rad == error;
    }
    if (i != which && below <= middle && middle < below + same) {
      return error;
    }
  }
  return INFINITY;
}

/* How goals and positions of the rows with torque go together. */
typedef struct goal_motion {
  double rows, least, most; /* of the goals */
  double range;             /* of the positions */
  double goal, position, both, goal_square, position_square;
} goal_motion;

static goal_motion find_motion(const sn__servo_log *log, double kgear) {
  goal_motion m = {.least = INFINITY, .most = -INFINITY};
  double lowest = INFINITY, highest = -INFINITY;
  for (size_t i = 0; i < log->count; i++) {
    const sn__log_sample *s = &log->samples[i];
    lowest = fmin(lowest, s->position);
    highest = fmax(highest, s->position);
    if (!s->is_limp) {
      const double goal = s->goal / kgear;
      m.rows += 1.0;
      m.least = fmin(m.least, goal);
      m.most = fmax(m.most, goal);
      m.goal += goal;
      m.position += s->position;
      m.both += goal * s->position;
      m.goal_square += goal * goal;
      m.position_square += s->position * s->position;
    }
  }
  m.range = highest - lowest;
  return m;
}

/* Does a log with torque turn round for a good part of its range? A goal that stands moves a servo
   one way. */
static bool turns_round(const sn__servo_log *log, double range) {
  const double back = BACK * range;
  double least = INFINITY, most = -INFINITY; /* since it began, or turned round */
  int way = 0;
  for (size_t i = 0; i < log->count; i++) {
    const double q = log->samples[i].position;
    if (log->samples[i].is_limp) {
      return false;
    }
    least = fmin(least, q);
    most = fmax(most, q);
    const int now = q > least + back && way <= 0 ? 1 : q < most - back && way >= 0 ? -1 : 0;
    if (now != 0 && way != 0) {
      return true;
    }
    if (now != 0) {
      way = now;
      least = most = q;
    }
  }
  return false;
}

static double correlation(const goal_motion *m) {
  const double both = m->both - m->goal * m->position / m->rows;
  const double goal = m->goal_square - m->goal * m->goal / m->rows;
  const double position = m->position_square - m->position * m->position / m->rows;
  return both / sqrt(goal * position);
}

/* The part of the rows with torque whose drive is at its limit, if kp is right. */
static double part_at_limit(const pendulum_work *w, const pendulum_log *log) {
  sn_servo_params params = w->entry->params;
  params.ext.drive_max = params.ext.drive_max > 0.0 ? params.ext.drive_max : 1.0;
  const sn__log_rows rows = sn__servo_log_rows(&log->log, &params);
  const double driven = (double)(rows.saturated + rows.at_rest + rows.driven);
  return driven > 0.0 ? (double)rows.saturated / driven : 0.0;
}

double pendulum_other_mass(pendulum_work *w, const pendulum_log *log, double *mae_rad) {
  static const double factors[] = {0.5, 0.67, 1.5, 2.0};
  double best = MASS_PART * log->score.mae_rad;
  double found = NAN;
  const sn_arena_mark mark = sn_arena_save(&w->arena);
  double *position = SN_NEW(&w->arena, double, log->log.count);
  for (size_t k = 0; position != NULL && k < sizeof factors / sizeof *factors; k++) {
    sn__servo_log other = log->log;
    other.load.mass_kg *= factors[k];
    sn__servo_simulate(&w->result.servo, &other, SN__SERVO_WHOLE, position);
    const double error = sn__servo_score_of(&log->log, position).mae_rad;
    if (log->score.mae_rad > MASS_RAD && error < best) {
      best = error;
      found = other.load.mass_kg;
      *mae_rad = error;
    }
  }
  sn_arena_restore(&w->arena, mark);
  return found;
}

/* A servo at a mechanical stop rests at the end of its range, and its simulation goes beyond.
   @param end  1: at the largest position, -1: at the smallest
   @param at   set to that position
   @return rows that do so */
static size_t rows_at_stop(const pendulum_log *log, double end, double *at) {
  double most = -INFINITY;
  for (size_t i = 0; i < log->log.count; i++) {
    most = fmax(most, end * log->log.samples[i].position);
  }
  size_t rows = 0;
  for (size_t i = 0; i < log->log.count; i++) {
    const bool is_there = end * log->log.samples[i].position > most - STOP_RAD;
    rows += is_there && end * log->simulated[i] > most + BEYOND_RAD;
  }
  *at = end * most;
  return rows;
}

/* @return whether there is one: then @p at is where */
static bool has_stop(const pendulum_log *log, double *at) {
  const double wanted = STOP_PART * (double)log->log.count;
  return (double)rows_at_stop(log, 1.0, at) > wanted ||
         (double)rows_at_stop(log, -1.0, at) > wanted;
}

/* What may be wrong with a log that is far from its simulation. */
static void find_doubt(pendulum_work *w, const pendulum_log *log, char *text, size_t size) {
  const goal_motion m = find_motion(&log->log, w->entry->params.kgear);
  const double at_limit = part_at_limit(w, log);
  double mae_rad = 0.0, stop_rad;
  const double mass = pendulum_other_mass(w, log, &mae_rad);
  if (m.rows == 0.0) {
    snprintf(text, size, "all its rows are limp: is that so?");
  } else if (m.most - m.least < GOALS_STAND_RAD && turns_round(&log->log, m.range)) {
    snprintf(text, size,
             "its goals never change while it moves to and fro: are they those that were sent?");
  } else if (correlation(&m) < OPPOSITE) {
    snprintf(text, size,
             "its positions go against its goals: kgear, the ratio of goals to positions, is "
             "negative then");
  } else if (at_limit > LIMIT_PART) {
    snprintf(text, size,
             "if kp is right, its drive is at its limit in %.0f %% of all rows: saturated "
             "throughout, nothing else shows; record with a lower gain, or correct kp",
             100.0 * at_limit);
  } else if (has_stop(log, &stop_rad)) {
    snprintf(text, size,
             "it rests at %.3g rad where its simulation goes on: is there a stop? Keep the goals "
             "within it",
             stop_rad);
  } else if (isfinite(mass)) {
    snprintf(text, size,
             "%.0f mrad with a mass of %.2g kg: is its mass, length, gain and supply right?",
             1e3 * mae_rad, mass);
  } else {
    snprintf(text, size,
             "is its mass, length, gain and supply right? Are angles in rad, and goals not "
             "exchanged with positions?");
  }
}

/* The log that is furthest from its simulation. */
static size_t find_furthest(const pendulum_work *w) {
  size_t furthest = 0;
  for (size_t i = 1; i < w->fitted_count; i++) {
    furthest = w->fitted[i].score.mae_rad > w->fitted[furthest].score.mae_rad ? i : furthest;
  }
  return furthest;
}

void pendulum_blame(pendulum_work *w) {
  const size_t i = find_furthest(w);
  char doubt[300], path[256];
  text_clean(w->fitted[i].log.path, path, sizeof path);
  find_doubt(w, &w->fitted[i], doubt, sizeof doubt);
  (void)snprintf(
      w->reason_text, sizeof w->reason_text,
      "the simulation is further from the logs than the threshold; %s is %.0f mrad away: "
      "%s%s",
      path, 1e3 * w->fitted[i].score.mae_rad, doubt,
      w->is_full ? "" : " Or --model full, which has more of what servos do");
  w->reason = w->reason_text;
}

/* A log that is far off while the others agree was recorded with something else, if the model has
   all that servos usually do. */
void pendulum_find_stranger(pendulum_work *w) {
  if (!w->is_full || w->fitted_count < STRANGER_LOGS_MIN) {
    return;
  }
  const size_t i = find_furthest(w);
  const double error = w->fitted[i].score.mae_rad;
  const double others = others_error(w, i);
  if (error > STRANGER_RAD && error > STRANGER_FACTOR * others) {
    char doubt[300], path[256];
    text_clean(w->fitted[i].log.path, path, sizeof path);
    find_doubt(w, &w->fitted[i], doubt, sizeof doubt);
    (void)snprintf(w->reason_text, sizeof w->reason_text,
                   "%s is %.0f mrad from its simulation, the others about %.0f: %s", path,
                   1e3 * error, 1e3 * others, doubt);
    w->reason = w->reason_text;
  }
}
