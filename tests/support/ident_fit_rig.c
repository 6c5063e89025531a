#include "ident_fit_rig.h"

sn_ident_sample ident_fit_samples[COUNT];

sn_servo_params ident_fit_unknown(const sn_servo_params *truth) {
  sn_servo_params p = *truth;
  memset(p.alpha, 0, sizeof p.alpha);
  p.inertia = 0.0;
  return p;
}

sn_ident_result ident_fit_fit(const sn_ident_fit_config *config, const sn_servo_params *params,
                              size_t count) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "fit", 1 << 20);
  sn_ident_result result;
  sn_error err;
  if (sn__ident_fit(&arena, config, params, ident_fit_samples, count, &result, &err) != SN_OK) {
    fail_msg("%s", err.message);
  }
  sn_arena_release(&arena);
  return result;
}
