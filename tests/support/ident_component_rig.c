#include "ident_component_rig.h"

const size_t ident_component_two[] = {5, 2};

const sn_ident_servo_state *ident_component_state_of(ident_rig *w, size_t servo) {
  const void *answer = NULL;
  assert_int_equal(ident_rig_call(w, "status", NULL, &answer), SN_OK);
  const sn_ident_state *state = answer;
  assert_int_equal(state->servos.count, w->n);
  assert_string_equal(state->servos.data[servo].name.data, ident_rig_joint(w, servo));
  return &state->servos.data[servo];
}

const sn_ident_ended *ident_component_end(ident_rig *w) {
  const void *answer = NULL;
  assert_int_equal(ident_rig_call(w, "endIdentification", NULL, &answer), SN_OK);
  return answer;
}

void ident_component_assert_true_model(const ident_rig *w, size_t servo, const double alpha[4]) {
  for (size_t k = 0; k < 4; k++) {
    const double truth = w->servos[servo].params.alpha[k];
    sn_assert_near(alpha[k], truth, 1e-6 * truth);
  }
}
