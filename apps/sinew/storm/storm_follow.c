/* Whom does the gate obey? A joint speeds up only towards the reference of its owner, and without
   an owner not at all. What others write, thieves and clients, moves nothing. */
#include <math.h>

#include "storm/storm.h"

/* The owner is clear after so many cycles: the gate knows it before messages say so. */
enum { CYCLES_BEFORE = 3 };
/* Rounding: relative; of ways, in rad or m; of speeds, per second. */
static const double ROUNDING = 1e-6, NEAR = 1e-9, STILL = 1e-5;

/* What a joint has to follow. */
typedef struct followed {
  int owner;
  unsigned cycles; /* how long it has followed this owner without a gap */
  double q, before;
} followed;

struct storm_follow {
  followed *joints; /* [joint_count] */
};

bool storm_follow_create(storm_run *run) {
  run->follow = SN_NEW(&run->arena, storm_follow, 1);
  if (run->follow != NULL) {
    run->follow->joints = SN_NEW(&run->arena, followed, run->joint_count + 1);
  }
  return run->follow != NULL && run->follow->joints != NULL;
}

void storm_follow_forget(storm_run *run, size_t joint) {
  run->follow->joints[joint].cycles = 0;
}

/* The way from one position to another; a continuous joint takes the shorter one. */
static double way_to(const storm_run *run, size_t joint, double from, double to) {
  const bool turns = sn_model_joint(run->model, joint)->type == SN_JOINT_CONTINUOUS;
  return turns ? remainder(to - from, 6.283185307179586) : to - from;
}

static double limited(const storm_limits *limits, double q) {
  return fmax(limits->lower, fmin(limits->upper, q));
}

/* How fast the reference moves, which may be met on its way. What moves faster than the joint can
   is a jump. */
static double drift_of(const storm_run *run, size_t joint) {
  const followed *f = &run->follow->joints[joint];
  const double speed = fabs(way_to(run, joint, f->before, f->q)) / run->before.step_s;
  return speed <= run->limits[joint].speed * (1.0 + ROUNDING) ? speed : 0.0;
}

/* Towards the reference it may move as its limits allow; away from it, only as it did before. */
static bool is_led(const storm_run *run, size_t joint, double way, double drift) {
  static const double signs[] = {-1.0, 1.0};
  for (size_t i = 0; i < 2; i++) {
    const double sign = signs[i];
    const double v = sign * run->before.v[joint], before = sign * run->before.v_last[joint];
    if (sign * way <= NEAR && v > fmax(fmax(0.0, before), drift) * (1.0 + ROUNDING) + STILL) {
      return false;
    }
  }
  return true;
}

bool storm_follow_check(storm_run *run, size_t joint, int owner, double reference,
                        const char *who) {
  followed *f = &run->follow->joints[joint];
  const storm_memory *m = &run->before;
  f->cycles = f->owner == owner ? f->cycles + 1 : 1;
  f->owner = owner;
  f->before = f->q;
  f->q = limited(&run->limits[joint], reference);
  if (f->cycles < CYCLES_BEFORE || m->limp_left[joint] > 0 || m->step_s <= 0.0) {
    return true;
  }
  const bool is_owned = owner >= 0;
  const double way = is_owned ? way_to(run, joint, m->q_last[joint], f->q) : 0.0;
  return is_led(run, joint, way, is_owned ? drift_of(run, joint) : 0.0) ||
         storm_violate(run,
                       "joint '%s' moves at %.9g, before at %.9g, and not to %.9g of its owner "
                       "'%s': it was at %.9g",
                       sn_model_joint(run->model, joint)->name, m->v[joint], m->v_last[joint], f->q,
                       who, m->q_last[joint]);
}
