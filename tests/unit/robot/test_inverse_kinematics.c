/* kinematics_inv as a service: solvers for other components, with the settings of the deployment.
 */
#include <string.h>

#include "controllers/inverse_kinematics.h"
#include "model_rig.h"
#include "robot/kinematics_inv.h"
#include "sinew/components.h"
#include "sinew/kin.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { LIMBS = 3 };

typedef struct client {
  sn_component component;
  sn_requester kinematics_inv;
  sn__limb_ik limbs[LIMBS];
  size_t chains[LIMBS];
} client;

static const sn_need client_needs[] = {SN_INVERSE_KINEMATICS_NEED(client), {0}};

static sn_status client_configure(sn_component *component, sn_error *err) {
  client *c = (client *)component;
  const sn__inverse_kinematics *service = c->kinematics_inv.iface;
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < LIMBS; i++) {
    status = service->create(service->component, sn_component_arena(component), c->chains[i],
                             &c->limbs[i], err);
  }
  return status;
}

static const sn_component_type client_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "client",
                                              .doc = "Uses inverse kinematics.",
                                              .size = sizeof(client),
                                              .needs = client_needs,
                                              .configure = client_configure};

typedef struct fixture {
  model_rig m;
  sn_component *inv;
  client *client;
} fixture;

static void open_robot(fixture *f) {
  model_rig_open(&f->m, "quadruped");
  f->inv = model_rig_add(&f->m, &sn_kinematics_inv_component, "inv");
  f->client = rig_add(&f->m.r, &client_type, "client");
  rig_require(&f->m.r, "client.kinematics_inv", "inv");
  f->client->chains[0] = (size_t)sn_model_chain_index(f->m.model, "leg1");
  f->client->chains[1] = f->client->chains[0];
  f->client->chains[2] = (size_t)sn_model_chain_index(f->m.model, "head");
}

SN_TEST(solvers_have_the_settings_of_the_deployment) {
  fixture f;
  open_robot(&f);
  sn_source *pose = model_rig_source(&f.m, "inv.joints_sorted");
  rig_set(&f.m.r, f.inv, "jump_max", "0.3");
  rig_set(&f.m.r, f.inv, "unreachable", "hold");
  rig_set(&f.m.r, f.inv, "limits",
          "[{chain: leg1, q_min: [-9, -9, -9, 0, -9, -9]}, {chain: head, q_max: [0.1, 9, 9, 9]}]");
  rig_set(&f.m.r, f.inv, "nominal", "[{chain: leg1, q: [0, 0, -0.4, 0.8, -0.4, 0]}]");
  rig_set(&f.m.r, f.inv, "weights", "[{chain: leg1, position: 4, rotation: 0.25, nominal: 2}]");
  rig_set(&f.m.r, f.inv, "free", "[{chain: head, axes: [x, rz]}]");
  rig_begin(&f.m.r);
  const sn__limb_ik *leg = &f.client->limbs[0], *head = &f.client->limbs[2];
  double lower, upper;
  sn_ik_limits(leg->ik, 3, &lower, &upper);
  assert_true(lower == 0.0 && upper == 2.1);
  sn_ik_limits(head->ik, 0, &lower, &upper);
  assert_true(upper == 0.1);
  assert_true(leg->jump[0] == 0.3 && !leg->goes_near);
  assert_true(leg->nominal[3] == 0.8 && leg->nominal_share == 1.0);
  assert_true(leg->approach.weights.position == 4.0 && leg->approach.weights.rotation == 0.25);
  assert_true(leg->free_axes == 0 && head->free_axes == (SN_IK_FREE_X | SN_IK_FREE_RZ));
  assert_null(head->nominal);
  sn_source_close(pose);
  model_rig_close(&f.m);
}

/* One solves in between: the answers of the other are the same to the bit. */
SN_TEST(solvers_share_nothing) {
  fixture f;
  sn_random random;
  open_robot(&f);
  sn_source *pose = model_rig_source(&f.m, "inv.joints_sorted");
  rig_begin(&f.m.r);
  sn_random_init(&random, 3);
  double q[64] = {0};
  for (size_t round = 0; round < sn_test_cases(50); round++) {
    sn__limb_ik *a = &f.client->limbs[0], *b = &f.client->limbs[1];
    double there[6];
    for (size_t i = 0; i < 6; i++) {
      there[i] = sn_random_between(&random, 0.0, 0.3);
    }
    const sn_pose target = sn_chain_fk(a->chain, there);
    assert_true(sn__limb_ik_solve(a, q, &target, NULL));
    double answer[6];
    memcpy(answer, a->pose, sizeof answer);
    const sn_pose other = sn_chain_fk(a->chain, (const double[6]){0.01, 0.02, 0.03, 0.04, 0.05});
    assert_true(sn__limb_ik_solve(b, q, &other, NULL));
    assert_memory_equal(a->pose, answer, sizeof answer);
    assert_true(sn__limb_ik_solve(b, q, &target, NULL));
    assert_memory_equal(b->pose, answer, sizeof answer);
  }
  sn_source_close(pose);
  model_rig_close(&f.m);
}

/* A microsecond of the system's clock is over at once. */
SN_TEST(solvers_of_others_do_not_depend_on_the_clock) {
  fixture f;
  open_robot(&f);
  sn_source *pose = model_rig_source(&f.m, "inv.joints_sorted");
  rig_set(&f.m.r, f.inv, "solver", "numeric");
  rig_set(&f.m.r, f.inv, "timeout", "1e-6");
  rig_begin(&f.m.r);
  assert_int_equal(sn_clock_init_accelerated(&f.m.r.clock, 0, 1e6, NULL), SN_OK);
  const double q[64] = {0}, there[6] = {0.1, 0.1, -0.3, 0.6, -0.3, 0.1};
  sn__limb_ik *other = &f.client->limbs[0];
  sn__limb_ik *own = &((sn__kinematics_inv *)f.inv)->limbs[f.client->chains[0]];
  const sn_pose target = sn_chain_fk(other->chain, there);
  for (size_t i = 0; i < 6; i++) {
    own->jump[i] = other->jump[i] = 2.0;
  }
  assert_false(sn__limb_ik_solve(own, q, &target, NULL));
  assert_true(sn__limb_ik_solve(other, q, &target, NULL));
  sn_source_close(pose);
  model_rig_close(&f.m);
}

static void refuse_with(const char *property, const char *value, const char *reason) {
  fixture f;
  open_robot(&f);
  sn_source *pose = model_rig_source(&f.m, "inv.joints_sorted");
  rig_set(&f.m.r, f.inv, property, value);
  assert_true(sn_system_begin(f.m.r.system, &f.m.r.err) != SN_OK);
  sn_assert_contains(f.m.r.err.message, reason);
  sn_source_close(pose);
  model_rig_close(&f.m);
}

SN_TEST(bad_settings_are_refused_by_name) {
  refuse_with("nominal", "[{chain: leg9, q: [0]}]", "nominal: the robot has no chain 'leg9'");
  refuse_with("nominal", "[{chain: leg1, q: [0]}]",
              "chain 'leg1': nominal has 1 numbers, expected 6");
  refuse_with("weights", "[{chain: leg9}]", "weights: the robot has no chain 'leg9'");
  refuse_with("weights", "[{chain: leg1}, {chain: leg1}]", "weights: chain 'leg1' appears twice");
  refuse_with("limits", "[{chain: leg1, q_max: [1, 1]}]", "q_max has 2 numbers, expected 6");
  refuse_with("limits", "[{chain: leg1, q_max: [-5, 1, 1, 1, 1, 1]}]",
              "chain 'leg1': limits: joint 'leg1_joint1' has no range left");
}
