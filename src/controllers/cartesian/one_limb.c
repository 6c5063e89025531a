#include "controllers/cartesian/one_limb.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "controllers/inverse_kinematics.h"

static bool is_listed(const sn_texts *list, const char *name) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->data[i], name) == 0) {
      return true;
    }
  }
  return false;
}

/* A chain that cannot be solved is an error only if it is listed. */
static sn_status create_limb(sn__one_limb *one, sn_controller *c,
                             const sn__inverse_kinematics *service, size_t chain, sn_error *err) {
  const sn_texts *list = &c->controlled_chains;
  const bool listed = is_listed(list, sn_names_at(sn_model_chain_names(c->model), chain));
  sn_error reason = {.message = ""};
  if (!listed && list->count > 0) {
    return SN_OK;
  }
  const sn_status status = service->create(service->component, sn_component_arena(&c->component),
                                           chain, &one->limbs[chain], &reason);
  one->has_limbs |= status == SN_OK;
  return status == SN_OK || (!listed && status != SN_ENOMEM)
             ? SN_OK
             : sn__fail(err, status, "%s", reason.message);
}

sn_status sn__one_limb_create(sn__one_limb *one, sn_controller *c,
                              const sn_requester *kinematics_inv, const char *preferred,
                              sn_error *err) {
  const size_t count = sn_names_count(sn_model_chain_names(c->model));
  *one = (sn__one_limb){.chain_count = count, .chain = -1};
  one->limbs = SN_NEW(sn_component_arena(&c->component), sn__limb_ik, count + 1);
  if (one->limbs == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory");
  }
  if (preferred != NULL && c->controlled_chains.count == 0) {
    if (sn_model_chain_index(c->model, preferred) < 0) {
      return SN_OK; /* this robot has nothing to move: it is not activated */
    }
    one->has_own_list = true;
    one->names[0] = preferred;
    c->controlled_chains = (sn_texts){.data = one->names, .count = 1};
  }
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < count; i++) {
    status = create_limb(one, c, kinematics_inv->iface, i, err);
  }
  return status;
}

void sn__one_limb_forget(sn__one_limb *one, sn_controller *c) {
  if (one->has_own_list) {
    c->controlled_chains = (sn_texts){.data = NULL, .count = 0};
    one->has_own_list = false;
  }
}

static bool owns_limb(const sn_controller *c, const sn__limb_ik *limb) {
  for (size_t i = 0; i < limb->count; i++) {
    if (!c->owned[limb->joints[i]]) {
      return false;
    }
  }
  return limb->ik != NULL;
}

bool sn__one_limb_choose(sn__one_limb *one, const sn_controller *c) {
  const int before = one->chain;
  one->chain = -1;
  for (size_t i = 0; one->chain < 0 && i < one->chain_count; i++) {
    one->chain = owns_limb(c, &one->limbs[i]) ? (int)i : -1;
  }
  return one->chain != before;
}

sn_status sn__one_limb_can_take(const sn__one_limb *one, const sn_controller *c, sn_error *err) {
  if (!c->has_pose) {
    return sn__fail(err, SN_ENOTCONFIGURED,
                    "%s does not activate: no pose has arrived on in_joints_sorted",
                    c->component.name);
  }
  return one->has_limbs ? SN_OK
                        : sn__fail(err, SN_EUNSUPPORTED,
                                   "%s does not activate: name its limb in controlled_chains",
                                   c->component.name);
}

void sn__one_limb_refuse(const sn_controller *controller, sn_log_limit *limit, const char *text) {
  sn_component_log_limited(&controller->component, limit, controller->now_ns, SN_LOG_WARNING, text,
                           0, NULL);
}

void sn__limb_follower_begin(sn__limb_follower *follower, sn__limb_ik *limb, sn_pose end) {
  follower->limb = limb;
  follower->end = (sn__body_state){.pose = end};
  (void)sn__body_filter_reset(follower->filter, &follower->end, follower->period_s);
}

void sn__limb_move(const sn_model *model, const sn__limb_ik *limb, const double *wanted,
                   double period_s, double *q, double *qd) {
  double share = 1.0;
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    const double way = fabs(wanted[i] - q[j]);
    const double most = sn_model_joint(model, j)->velocity_max * period_s;
    share = way > most ? fmin(share, most / way) : share;
  }
  for (size_t i = 0; i < limb->count; i++) {
    const size_t j = (size_t)limb->joints[i];
    const double way = share * (wanted[i] - q[j]);
    q[j] += way;
    qd[j] = way / period_s;
  }
}

bool sn__limb_follower_step(sn__limb_follower *follower, const sn_pose *goal,
                            const sn_spatial *twist, sn_pose first, double *q, double *qd) {
  sn__limb_ik *limb = follower->limb;
  (void)sn__body_filter_update(follower->filter, goal, twist, &follower->end);
  const sn_pose target = sn_pose_between(first, follower->end.pose);
  const bool is_reached = sn__limb_ik_solve(limb, q, &target, NULL);
  sn__limb_move(follower->model, limb, limb->pose, follower->period_s, q, qd);
  return is_reached;
}
