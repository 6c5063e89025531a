/* Attempts at a plan: the path of the body, the robot's joints along it, and how much slower it has
   to be for the drives. The shape of a path hardly depends on its duration, so the joints of one
   attempt give the duration of the next one, which is the last one nearly always. */
#include <math.h>

#include "gait/planner_internal.h"

/* Share of the legs' reach that the body uses. */
static const double BODY_REACH = 0.85;
/* Speeds scale with the time nearly, but not quite. */
static const double SLOWER = 1.05, SLOWER_FIRST = 1.15;
/* A plan is stretched above this load; a load that is hardly less in a slower plan is weight. */
static const double LOAD_MAX = 1.02, LOAD_AIM = 0.97, WEIGHT = 0.97;
/* The next path needs somewhat more torque than the one that its duration was estimated by. */
static const double LOAD_ROOM = 0.06;
enum { ATTEMPTS_MAX = 7, ROUNDS_MAX = 3, PACES_MAX = 4 };

/* ---- what does not depend on the body ---- */

/* The zero-moment point of the first programme is below the centre of mass of the nominal stance.
 */
static void begin_offset(sn__planner *p) {
  for (size_t k = 0; k < p->point_count; k++) {
    double rate;
    const double yaw = p->to.yaw * sn__planner_share(p, p->times[k], &rate);
    p->offset[k] = sn_mat3_apply(sn_mat3_from_rpy(0.0, 0.0, yaw), p->com);
  }
}

/* Footholds that no path of the body can mend. */
static bool are_feet_good(sn__planner *p, sn__plan_failure *f) {
  if (sn__planner_find_far(p, &f->leg, &f->time_s)) {
    f->trouble = SN__PLAN_OUT_OF_REACH;
    return false;
  }
  if (sn__planner_find_close(p, &f->leg, &f->other, &f->distance_m)) {
    f->trouble = SN__PLAN_TOO_CLOSE;
    return false;
  }
  return true;
}

/* Times and footholds of a duration. An offset that was measured with as many points is kept. */
static void set_duration(sn__planner *p, const sn__stance_feet *start, double duration_s) {
  const size_t before = p->point_count;
  sn__planner_set_times(p, duration_s);
  sn__planner_set_footholds(p, start);
  if (p->point_count != before) {
    begin_offset(p);
  }
}

/* ---- the body ---- */

/* The margin is reduced if no path has it. */
static bool find_body(sn__planner *p, bool is_warm) {
  static const double shares[] = {1.0, 0.5, 0.0, -1.0}, bands[] = {0.004, 0.008, 0.015, 0.025};
  for (; p->rung < sizeof shares / sizeof *shares; p->rung++) {
    if (sn__planner_find_body(p, shares[p->rung] * p->margin_m, bands[p->rung], BODY_REACH,
                              is_warm)) {
      return true;
    }
  }
  p->rung = 0;
  return false;
}

/* The first path gives the pace and the offset alone: another one follows. */
static bool is_estimate(const sn__planner *p, int attempt) {
  return attempt == 0 && p->balance != NULL && p->gait.kind != SN__GAIT_PRONK;
}

static bool find_path(sn__planner *p, int attempt, sn__plan_failure *f) {
  if (!find_body(p, attempt > 0)) {
    f->trouble = SN__PLAN_NO_BALANCE;
    return false;
  }
  if (!sn__planner_solve_legs(p, is_estimate(p, attempt), &f->leg, &f->time_s)) {
    f->trouble = SN__PLAN_OUT_OF_REACH;
    return false;
  }
  sn__planner_measure_speeds(p);
  return true;
}

/* ---- the drives and the ground ---- */

/* How much slower the plan must be as measured: accelerations, and with them friction, fall with
   the square of the pace. */
static double slower_for_forces(const sn__planner *p, double room) {
  const double load = p->load_peak + room;
  const double for_load = load > LOAD_MAX ? 1.0 + 0.9 * (load - LOAD_AIM) : 1.0;
  const double for_grip =
      p->grip_peak > p->friction ? SLOWER * sqrt(p->grip_peak / p->friction) : 1.0;
  return fmax(for_load, for_grip);
}

/* Measure forces pass by pass until they are known to be too large. A load that is hardly less than
   in a faster plan is weight, which no slower plan reduces.
   @param load  of the faster plan
   @return how much slower the plan must be */
static double measure_forces(sn__planner *p, double pace, double room, int passes, double load) {
  double slower = 1.0;
  int pass = 0;
  sn__planner_begin_measure(p);
  for (; pass < passes && slower == 1.0; pass++) {
    sn__planner_measure_pass(p, pass, pace);
    const bool is_weight = p->grip_peak <= p->friction && p->load_peak > WEIGHT * load;
    slower = is_weight ? 1.0 : slower_for_forces(p, room);
  }
  sn__planner_spread_offset(p, pass - 1);
  return slower;
}

/* The factor of the duration at which drives and friction suffice along the same path; measures the
   offset at that pace. The next path may be somewhat faster: the first attempt leaves room for
   that, and paths that turn out too fast again get more. A pace that another path follows is
   measured by half of the points.
   @param most  the largest factor that is allowed */
static double find_pace(sn__planner *p, int attempt, double most) {
  const bool is_pronk = p->gait.kind == SN__GAIT_PRONK;
  const bool is_first = is_estimate(p, attempt);
  const bool leaves_room = is_first && SLOWER * p->speed_ratio <= most;
  const double room = is_first && most > 1.0 ? LOAD_ROOM : 0.0;
  const bool is_fast = leaves_room || p->speed_ratio > 1.0;
  double pace = is_fast ? fmax(1.0, pow(SLOWER, 1 + attempt) * p->speed_ratio) : 1.0;
  double load = INFINITY, slower = INFINITY;
  for (int i = 0; p->balance != NULL && slower > 1.0 && i < PACES_MAX; i++) {
    const bool is_last = !is_first && pace == 1.0;
    slower = measure_forces(p, pace, room, is_last ? SN__PLAN_PASSES : SN__PLAN_PASSES - 1, load);
    load = p->load_peak;
    pace *= slower;
    if (is_pronk) {
      break; /* another pace is another flight */
    }
  }
  return pace;
}

/* A first estimate: how much longer the plan must be for the swings, if the body follows the
   straight way. */
static double first_stretch(sn__planner *p, const sn__stance_feet *start, double stretch) {
  sn__plan_failure ignored;
  set_duration(p, start, stretch * p->request->duration_s);
  sn__planner_begin_body(p);
  if (p->gait.kind == SN__GAIT_PRONK || !are_feet_good(p, &ignored) ||
      !sn__planner_measure_swings(p)) {
    return stretch;
  }
  return stretch * fmin(fmax(1.0, SLOWER_FIRST * p->speed_ratio), p->stretch_max);
}

double sn__planner_estimate(sn__planner *p, const sn__stance_feet *start) {
  sn__plan_failure ignored;
  p->point_count = 0;
  set_duration(p, start, p->request->duration_s);
  sn__planner_begin_body(p);
  const bool is_good = are_feet_good(p, &ignored) && sn__planner_measure_swings(p);
  return is_good ? fmax(1.0, SLOWER_FIRST * p->speed_ratio) : INFINITY;
}

/* What a plan that cannot be slow enough fails by. */
static sn__plan_trouble trouble_of(const sn__planner *p) {
  return p->speed_ratio > 1.0         ? SN__PLAN_TOO_FAST
         : p->grip_peak > p->friction ? SN__PLAN_NO_GRIP
                                      : SN__PLAN_TOO_HEAVY;
}

/* ---- attempts ---- */

/* The first attempt finds the pace, and the offset of the zero-moment point on which the path
   depends. */
bool sn__planner_try(sn__planner *p, const sn__stance_feet *start, sn__plan_failure *f,
                     double *stretch) {
  const bool is_pronk = p->gait.kind == SN__GAIT_PRONK;
  int rounds = 0; /* at this pace, with a measured offset */
  p->rung = 0;
  p->point_count = 0;
  *stretch = fmin(first_stretch(p, start, *stretch), p->stretch_max);
  begin_offset(p);
  for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    set_duration(p, start, *stretch * p->request->duration_s);
    if (!are_feet_good(p, f) || !find_path(p, attempt, f)) {
      return false;
    }
    const double most = p->stretch_max / *stretch; /* 1 in the slowest attempt that is allowed */
    double pace = find_pace(p, attempt, most);
    if (pace > 1.0 && (is_pronk || !(most > 1.0))) {
      if (is_pronk || p->rung > 0) {
        break;
      }
      p->rung++; /* a smaller margin needs smaller motions */
      continue;
    }
    pace = fmin(pace, most);
    rounds = pace > 1.0 || (attempt == 0 && p->balance != NULL) ? 0 : rounds + 1;
    if (rounds > 0 && (p->margin > 0.0 || rounds == ROUNDS_MAX)) {
      const bool collides = sn__planner_find_collision(p, &f->near, &f->time_s);
      f->trouble = collides ? SN__PLAN_COLLIDES : SN__PLAN_GOOD;
      return !collides;
    }
    *stretch *= pace;
  }
  f->trouble = trouble_of(p);
  return false;
}
