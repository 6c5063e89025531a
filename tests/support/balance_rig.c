#include "balance_rig.h"

const sn_vec3 balance_DOWN = {0, 0, -9.81};

void balance_open_robot(fixture *f, const char *name, uint64_t seed) {
  sn_test_robot_load(&f->robot, name);
  sn_arena_init_growing(&f->arena, "balance", 0);
  sn_random_init(&f->random, seed);
  f->model = f->robot.model;
  f->tree = sn_model_tree(f->model);
  assert_int_equal(sn__balance_create(&f->arena, f->model, &f->balance, NULL), SN_OK);
  assert_int_equal(sn_dyn_create(&f->arena, f->tree, &f->dyn, NULL), SN_OK);
  assert_int_equal(sn_kin_create(&f->arena, f->tree, &f->kin, NULL), SN_OK);
  sn_arena_seal(&f->arena);
  f->input = (sn_balance_input){.q = f->q,
                                .qd = f->qd,
                                .qdd = f->qdd,
                                .supports = f->supports,
                                .gravity = balance_DOWN,
                                .friction = 0.7};
}

void balance_close_robot(fixture *f) {
  sn_arena_release(&f->arena);
  sn_test_robot_free(&f->robot);
}

void balance_draw_pose(fixture *f, double speed, double acceleration) {
  const size_t n = sn_model_pose_size(f->model);
  for (size_t j = 0; j < n; j++) {
    const sn_joint *joint = sn_model_joint(f->model, j);
    const bool has_mass = sn_model_link(f->model, (size_t)joint->child_link)->mass_kg > 0.0;
    const double lower = fmax(joint->lower, -1.0), upper = fmin(joint->upper, 1.0);
    f->q[j] = sn_random_between(&f->random, 0.7 * lower, 0.7 * upper);
    f->qd[j] = sn_random_between(&f->random, -speed, speed);
    f->qdd[j] = has_mass ? sn_random_between(&f->random, -acceleration, acceleration) : 0.0;
  }
}

void balance_stand_on(fixture *f, const char *const *chains, size_t count, const char *contact) {
  for (size_t i = 0; i < count; i++) {
    f->supports[i] = (sn_support){(size_t)sn_model_chain_index(f->model, chains[i]),
                                  sn_model_contact_index(f->model, contact), 1.0};
  }
  f->input.support_count = count;
}

const char *const balance_LEGS[] = {"leg1", "leg2", "leg3", "leg4"};

void balance_step(fixture *f) {
  sn__balance_step(f->balance, &f->input, f->tau, &f->result);
}

void balance_assert_all_finite(const fixture *f) {
  const sn_balance_result *r = &f->result;
  for (size_t j = 0; j < sn_model_pose_size(f->model); j++) {
    assert_true(isfinite(f->tau[j]));
  }
  const double sum = sn_vec3_norm(r->com) + sn_vec3_norm(r->com_velocity) + sn_vec3_norm(r->zmp) +
                     r->margin_m + sn_vec3_norm(r->missing.lin) + sn_vec3_norm(r->missing.ang);
  assert_true(isfinite(sum));
  for (size_t s = 0; s < f->input.support_count; s++) {
    assert_true(isfinite(sn_vec3_norm(r->wrenches[s].lin) + sn_vec3_norm(r->wrenches[s].ang)));
  }
}

size_t balance_contact_places(fixture *f, size_t support, const double *q, sn_vec3 *places) {
  const sn_support *s = &f->supports[support];
  const sn_chain *chain = sn_model_chain(f->model, s->chain, false);
  sn_kin_update(f->kin, q);
  const sn_pose pose = sn_kin_link_pose(f->kin, sn_model_link(f->model, (size_t)chain->last_link));
  if (s->contact < 0) {
    places[0] = pose.pos;
    return 1;
  }
  const sn_contact *contact = sn_model_contact(f->model, (size_t)s->contact);
  for (size_t i = 0; i < contact->point_count; i++) {
    places[i] = sn_pose_apply(pose, contact->points[i]);
  }
  return contact->point_count;
}

void balance_assert_moves_as_told(fixture *f) {
  sn_spatial forces[BODIES_MAX] = {{{0, 0, 0}, {0, 0, 0}}};
  assert_true(f->tree->body_count <= BODIES_MAX);
  for (size_t s = 0; s < f->input.support_count; s++) {
    sn_vec3 places[8], mean = {0, 0, 0};
    const size_t count = balance_contact_places(f, s, f->q, places);
    for (size_t i = 0; i < count; i++) {
      mean = sn_vec3_add_scaled(mean, 1.0 / (double)count, places[i]);
    }
    const sn_chain *chain = sn_model_chain(f->model, f->supports[s].chain, false);
    const int body = sn_model_link(f->model, (size_t)chain->last_link)->body;
    sn_spatial wrench = f->result.wrenches[s];
    wrench.ang = sn_vec3_add(wrench.ang, sn_vec3_cross(mean, wrench.lin));
    forces[body] =
        sn_spatial_add(forces[body], sn_spatial_force_in(sn_kin_body_pose(f->kin, body), wrench));
  }
  const sn_base_state base = {.pose_world_base = sn_pose_identity(),
                              .twist = f->result.base_twist,
                              .force = f->result.missing};
  const sn_dyn_world world = {f->input.gravity, &base, forces};
  double qdd[JOINTS_MAX];
  sn_spatial acceleration;
  assert_int_equal(sn_dyn_forward_floating(f->dyn, &world, f->q, f->qd, f->tau, qdd, &acceleration),
                   SN_OK);
  for (size_t j = 0; j < sn_model_pose_size(f->model); j++) {
    sn_assert_near(qdd[j], f->qdd[j], 1e-7);
  }
  sn_assert_vec3_near(acceleration.ang, f->result.base_acceleration.ang, 1e-7);
  sn_assert_vec3_near(acceleration.lin, f->result.base_acceleration.lin, 1e-7);
}
