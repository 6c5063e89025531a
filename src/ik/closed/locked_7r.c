/* Seven joints of which the query locks one are six. */
#include "ik/closed/closed_7r.h"

/* A search where the locked arm has no exact form. */
static bool make_search(const sn__lock_plan *lock, const sn__arm *arm,
                        sn__closed_6r_search *search) {
  search->is_near = search->has_curve = false;
  search->has_general =
      lock->general.count > 0 && sn__general_6r_init(&search->general, arm, &lock->general);
  return search->has_general ||
         (lock->has_steps &&
          sn__closed_6r_search_init(search, arm, SN__TOLERANCE_EXACT, SN__SEARCH_STEPS));
}

/* How to solve the six joints that are left. */
static bool make_plan(const sn__closed_7r *closed, int joint, double value,
                      sn__closed_6r_plan *plan) {
  const sn__lock_plan *lock = &closed->lock[joint];
  const sn__turn turn = sn__turn_of(value);
  sn__arm arm;
  sn__arm_lock(&closed->arm, joint, turn, &arm);
  sn__frames_lock(&closed->frames, joint, turn, &plan->frames);
  plan->closed_6r.form = sn__closed_6r_recognise(&arm, SN__TOLERANCE_EXACT);
  plan->is_search =
      plan->closed_6r.form.kind == SN__6R_NONE && make_search(lock, &arm, &plan->search);
  plan->is_near = plan->is_search;
  if (plan->is_search) {
    return true;
  }
  if (plan->closed_6r.form.kind == SN__6R_NONE) {
    plan->closed_6r.form = lock->form;
    plan->is_near = true;
  }
  if (plan->closed_6r.form.kind == SN__6R_NONE) {
    return false;
  }
  sn__closed_6r_init(&plan->closed_6r, &arm, plan->closed_6r.form);
  return true;
}

void sn__locked_7r_run(sn__closed_7r *closed, int joint, double step, sn__closed_run *run) {
  sn__locked_7r *given = &closed->given;
  const double value = run->lower[joint];
  if (!given->is_valid || given->joint != joint || given->value != value) {
    given->joint = joint;
    given->value = value;
    given->windows.is_valid = false;
    given->is_valid = make_plan(closed, joint, value, &given->plan);
  }
  if (!given->is_valid) {
    return;
  }
  int joints[6];
  for (int i = 0; i < 6; i++) {
    joints[i] = run->joints[i < joint ? i : i + 1];
  }
  sn__closed_run six;
  sn__closed_run_init(&six, run->query, &given->plan.frames, joints, 6, run->group_count, run->q,
                      &given->windows);
  run->q[run->joints[joint]] = value;
  sn__closed_6r_plan_run(&given->plan, step, &six);
  sn__closed_run_finish(&six);
  run->offered_count += six.offered_count;
  run->is_stopped = six.is_stopped;
  run->is_late = six.is_late;
}
