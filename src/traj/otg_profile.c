#include "traj/otg_profile.h"

#include "traj/otg_offline.h"

double sn__otg_profile_duration(const sn_otg_profile *profile) {
  return profile->duration_s;
}

sn_otg_state sn__otg_profile_at(const sn_otg_profile *profile, double t_s) {
  double t = t_s > 0.0 ? t_s : 0.0;
  if (t >= profile->duration_s) {
    return sn__otg_move(profile->end, 0.0, t - profile->duration_s);
  }
  for (size_t i = 0; i < profile->count; i++) {
    const sn_otg_phase *phase = &profile->phases[i];
    if (t < phase->duration_s) {
      return sn__otg_move(phase->start, phase->jerk, t);
    }
    t -= phase->duration_s;
  }
  return profile->end;
}

/* A place on a profile: a phase, and how much of it is left. */
typedef struct walker {
  const sn_otg_profile *profile;
  size_t index;
  double passed, left;
} walker;

static walker walk_from_start(const sn_otg_profile *profile) {
  return (walker){profile, 0, 0.0, profile->count > 0 ? profile->phases[0].duration_s : 0.0};
}

/* A phase with at most @p slack left after @p t is over. */
static void walk(walker *w, double t, double slack) {
  w->passed += t;
  w->left -= t;
  if (w->left <= slack) {
    w->index++;
    w->passed = 0.0;
    w->left = w->index < w->profile->count ? w->profile->phases[w->index].duration_s : 0.0;
  }
}

static sn_otg_phase walker_phase(const walker *w) {
  sn_otg_phase phase = w->profile->phases[w->index];
  phase.start = sn__otg_move(phase.start, phase.jerk, w->passed);
  return phase;
}

static double mix(double a, double b, double share) {
  return a + share * (b - a);
}

void sn__otg_profile_add_mixture(sn_otg_profile *profile, const sn_otg_profile *a,
                                 const sn_otg_profile *b, double share) {
  /* Phases that end together up to rounding must not leave a sliver in which a high jerk would act.
   */
  double elapsed = 0.0;
  walker at_a = walk_from_start(a);
  walker at_b = walk_from_start(b);
  while (at_a.index < a->count && at_b.index < b->count) {
    const double t = at_a.left < at_b.left ? at_a.left : at_b.left;
    const sn_otg_phase x = walker_phase(&at_a);
    const sn_otg_phase y = walker_phase(&at_b);
    const sn_otg_state start = {mix(x.start.q, y.start.q, share),
                                mix(x.start.qd, y.start.qd, share),
                                mix(x.start.qdd, y.start.qdd, share)};
    sn__otg_profile_add(profile, t, mix(x.jerk, y.jerk, share), start);
    elapsed += t;
    const double slack = 4e-15 * elapsed;
    walk(&at_a, t, slack);
    walk(&at_b, t, slack);
  }
}
