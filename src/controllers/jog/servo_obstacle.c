#include "controllers/jog/servo_obstacle.h"

#include <math.h>
#include <string.h>

/* How fast a distance may shrink, as share of it in a second, beyond the margin of the gate. */
static const double APPROACH_Hz = 3.0;
/* Distance that is kept besides the margin, m: the gate need not act. */
static const double RESERVE_M = 1e-3;
/* Below this distance its direction is rounding, m. */
static const double DISTANCE_MIN_M = 1e-6;

bool sn__servo_obstacle_create(sn_arena *arena, const sn_model *model, sn__servo_obstacle *out) {
  const size_t n = sn_model_pose_size(model);
  *out = (sn__servo_obstacle){
      .model = model, .jac = SN_NEW(arena, double, 6 * n), .approach = SN_NEW(arena, double, n)};
  return out->jac != NULL && out->approach != NULL;
}

/* Add how joints move a point of a link along a direction. An object of the world does not move. */
static void add_point(sn__servo_obstacle *obstacle, const sn_kin_data *kin, const char *name,
                      sn_vec3 point, sn_vec3 direction) {
  const size_t n = sn_model_pose_size(obstacle->model);
  const int index = sn_model_link_index(obstacle->model, name);
  if (index < 0) {
    return;
  }
  const sn_link *link = sn_model_link(obstacle->model, (size_t)index);
  const sn_pose body = sn_kin_body_pose(kin, link->body);
  const sn_pose place = {sn_mat3_identity(),
                         sn_mat3_apply_transposed(body.rot, sn_vec3_sub(point, body.pos))};
  sn_kin_jacobian(kin, link->body, place, SN_JAC_ALIGNED, obstacle->jac);
  const double *rows = obstacle->jac + 3 * n;
  for (size_t j = 0; j < n; j++) {
    obstacle->approach[j] +=
        direction.x * rows[j] + direction.y * rows[n + j] + direction.z * rows[2 * n + j];
  }
}

void sn__servo_obstacle_read(sn__servo_obstacle *obstacle, const sn_collision_state *state,
                             const sn_kin_data *kin) {
  const sn_vec3 way = sn_vec3_sub(state->point_b, state->point_a);
  obstacle->is_near = state->enabled && state->near && state->distance > DISTANCE_MIN_M;
  if (!obstacle->is_near) {
    return;
  }
  const sn_vec3 direction = sn_vec3_scale(way, 1.0 / sn_vec3_norm(way));
  memset(obstacle->approach, 0, sn_model_pose_size(obstacle->model) * sizeof *obstacle->approach);
  add_point(obstacle, kin, state->link_a.data, state->point_a, direction);
  add_point(obstacle, kin, state->link_b.data, state->point_b, sn_vec3_neg(direction));
  obstacle->speed_max = APPROACH_Hz * fmax(0.0, state->distance - state->margin - RESERVE_M);
}
