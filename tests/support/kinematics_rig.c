#include "kinematics_rig.h"

#include "sinew/components.h"

void kinematics_open_robot(fixture *f, const char *name) {
  *f = (fixture){.n = 0};
  model_rig_open(&f->m, name);
  sn_random_init(&f->random, 41);
  f->n = sn_model_pose_size(f->m.model);
  f->fwd = model_rig_add(&f->m, &sn_kinematics_fwd_component, "fwd");
  f->inv = model_rig_add(&f->m, &sn_kinematics_inv_component, "inv");
  f->joints = model_rig_source(&f->m, "fwd.joints_sorted");
  f->seed = model_rig_source(&f->m, "inv.joints_sorted");
  f->limbs_ref = model_rig_source(&f->m, "inv.limbs_ref");
  f->limbs = model_rig_tap(&f->m, "fwd.limbs");
  f->joints_ref = model_rig_tap(&f->m, "inv.joints_ref");
  assert_int_equal(sn_kin_create(&f->m.arena, sn_model_tree(f->m.model), &f->kin, NULL), SN_OK);
}

void kinematics_begin_robot(fixture *f, const char *name, const char *const *settings) {
  kinematics_open_robot(f, name);
  for (; settings != NULL && *settings != NULL; settings += 2) {
    rig_set(&f->m.r, f->inv, settings[0], settings[1]);
  }
  rig_begin(&f->m.r);
}

void kinematics_close_robot(fixture *f) {
  sn_tap_close(f->limbs);
  sn_tap_close(f->joints_ref);
  sn_source_close(f->joints);
  sn_source_close(f->seed);
  sn_source_close(f->limbs_ref);
  model_rig_close(&f->m);
}

void kinematics_draw(fixture *f) {
  for (size_t j = 0; j < f->n; j++) {
    const sn_joint *joint = sn_model_joint(f->m.model, j);
    const double lower = fmax(joint->lower, -2.0), upper = fmin(joint->upper, 2.0);
    const double middle = 0.5 * (lower + upper), half = 0.4 * (upper - lower);
    f->q[j] = sn_random_between(&f->random, middle - half, middle + half);
    f->near[j] = f->q[j] + sn_random_between(&f->random, -0.02, 0.02);
    f->qd[j] = sn_random_between(&f->random, -1.0, 1.0);
    if (joint->mimic >= 0) {
      f->q[j] = joint->mimic_multiplier * f->q[joint->mimic] + joint->mimic_offset;
      f->qd[j] = joint->mimic_multiplier * f->qd[joint->mimic];
    }
  }
}

const sn_limb_state *kinematics_forward(fixture *f) {
  sn_flow flow = SN_NO_DATA;
  model_rig_write_pose(&f->m, f->joints, f->q, f->qd);
  model_rig_cycle(&f->m);
  const sn_limb_state *limbs = sn_tap_read(f->limbs, &flow);
  assert_int_equal(flow, SN_NEW_DATA);
  return limbs;
}

const sn_joint_state *kinematics_inverse(fixture *f, const double *seed,
                                         const sn_limb_state *limbs) {
  sn_flow flow = SN_NO_DATA;
  if (seed != NULL) {
    model_rig_write_pose(&f->m, f->seed, seed, NULL);
  }
  assert_int_equal(sn_msg_copy(&sn_limb_state_type, sn_source_msg(f->limbs_ref), limbs), SN_OK);
  assert_int_equal(sn_source_write(f->limbs_ref), SN_OK);
  model_rig_cycle(&f->m);
  const sn_joint_state *joints = sn_tap_read(f->joints_ref, &flow);
  return flow == SN_NEW_DATA ? joints : NULL;
}
