/* The forces of the ground in the equations of a step, by Newton's method: see rigid.c. */
#include <string.h>

#include "plant/rigid/rigid_internal.h"

enum { NEWTON_MAX = 30, NEWTON_BOLD_MAX = 4 };

/* Contacts are considered within the distance of one step at this speed, m/s. */
static const double POINT_SPEED_MAX = 20.0;
/* Relative tolerance of a force. */
static const double FORCE_TOLERANCE = 1e-9;

/* Of a body, in the frame of the base. */
static sn_pose pose_of(const sn__rigid *r, int body) {
  return body < 0 ? sn_pose_identity() : sn__rows_to_pose(&r->tree.dyn->pose[body]);
}

static sn_spatial apply_slope(const sn__contact_force *f, sn_spatial m) {
  const double x[6] = {m.ang.x, m.ang.y, m.ang.z, m.lin.x, m.lin.y, m.lin.z};
  double y[6] = {0};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      y[i] += f->slope[i][j] * x[j];
    }
  }
  return (sn_spatial){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

void sn__rigid_push(sn__rigid *r, const sn__influences *acting, const sn__base_motion *base) {
  const sn_pose world = base == NULL ? sn_pose_identity() : base->pose_world_base;
  for (size_t i = 0; r->tree.tree != NULL && i < acting->push_count; i++) {
    const sn__body_push *push = &acting->pushes[i];
    const sn_vec3 torque = sn_mat3_apply_transposed(world.rot, push->wrench.ang);
    const sn_vec3 force = sn_mat3_apply_transposed(world.rot, push->wrench.lin);
    const sn_vec3 at = sn_pose_apply(pose_of(r, push->body), push->at);
    const sn_spatial wrench = {sn_vec3_add(torque, sn_vec3_cross(at, force)), force};
    r->forces[push->body + 1] = sn_spatial_sub(r->forces[push->body + 1], wrench);
  }
}

/* @return whether the ground may touch the robot in this step */
bool sn__rigid_begin_contacts(sn__rigid *r, double h, const sn__base_motion *base) {
  if (r->contacts == NULL) {
    return false;
  }
  const sn_pose world = base == NULL ? sn_pose_identity() : base->pose_world_base;
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    r->contact_poses[i] = pose_of(r, r->contacts->bodies[i].body);
  }
  sn__contacts_begin(r->contacts, &world, r->contact_poses, h, POINT_SPEED_MAX);
  bool is_near = false;
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    is_near = is_near || r->contacts->bodies[i].is_near;
  }
  return is_near;
}

/* ---- Newton's method ---- */

/* Add the forces, linearised about the velocities `start`, to the equations. */
static void add_ground_forces(sn__rigid *r, double h) {
  sn__articulated_twists(&r->tree, r->start, r->moved);
  memset(r->gathered, 0, r->tree.branch_count * sizeof *r->gathered);
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const int branch = body->body + 1;
      const sn_spatial twist = r->ground_twists[i] = r->moved[branch];
      sn__contact_force *f = &r->ground_forces[i];
      *f = sn__contacts_force(r->contacts, body, twist, h);
      const sn_spatial at_rest = sn_spatial_add(f->force, apply_slope(f, twist));
      r->gathered[branch] = sn_spatial_scale(at_rest, h);
      double slope[36];
      for (int k = 0; k < 36; k++) {
        slope[k] = h * f->slope[k / 6][k % 6];
      }
      memcpy(&r->ground_slopes[i], slope, sizeof slope);
      r->tree.branches[branch].slope = &r->ground_slopes[i];
    }
  }
  sn__articulated_gather(&r->tree, r->gathered, r->b);
}

static void remove_ground_forces(sn__rigid *r) {
  memcpy(r->b, r->free_b, r->tree.row_count * sizeof *r->b);
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    r->tree.branches[r->contacts->bodies[i].body + 1].slope = NULL;
  }
}

/* Do the forces at the velocities v agree with the prediction? */
static bool is_as_predicted(sn__rigid *r, double h) {
  sn__articulated_twists(&r->tree, r->v, r->moved);
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const sn_spatial twist = r->moved[body->body + 1];
      const sn_spatial change = sn_spatial_sub(r->ground_twists[i], twist);
      const sn__contact_force *f = &r->ground_forces[i];
      const sn_spatial expected = sn_spatial_add(f->force, apply_slope(f, change));
      const sn_spatial force = sn__contacts_wrench(r->contacts, body, twist, h);
      const sn_spatial error = sn_spatial_sub(force, expected);
      const double scale = 1.0 + sn_vec3_norm(force.lin) + sn_vec3_norm(force.ang);
      if (sn_vec3_norm(error.lin) + sn_vec3_norm(error.ang) > FORCE_TOLERANCE * scale) {
        return false;
      }
    }
  }
  return true;
}

void sn__rigid_begin_search(sn__rigid *r) {
  sn__articulated_twists(&r->tree, r->from, r->from_twists);
  sn__articulated_twists(&r->tree, r->way, r->moved);
}

/* Slope of the ground's terms at a share of the way. */
double sn__rigid_ground_steepness(const sn__rigid *r, double h, double share) {
  double sum = 0.0;
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const sn_spatial way = r->moved[body->body + 1];
      const sn_spatial at =
          sn_spatial_add(r->from_twists[body->body + 1], sn_spatial_scale(way, share));
      sum -= h * sn_spatial_dot(way, sn__contacts_wrench(r->contacts, body, at, h));
    }
  }
  return sum;
}

bool sn__rigid_solve_on_ground(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  const size_t size = r->tree.row_count * sizeof *r->v;
  memcpy(r->free_b, r->b, size);
  memcpy(r->start, r->v, size);
  bool is_solved = false;
  for (int i = 0; i < NEWTON_MAX && !is_solved; i++) {
    add_ground_forces(r, h);
    is_solved = sn__rigid_solve(r, axles, q, h) && is_as_predicted(r, h);
    remove_ground_forces(r);
    if (!is_solved && i >= NEWTON_BOLD_MAX) {
      memcpy(r->from, r->start, size);
      sn__rigid_search(r, axles, q, h, true);
    }
    memcpy(r->start, r->v, size);
  }
  return is_solved;
}

void sn__rigid_end_contacts(sn__rigid *r, double h, const sn__base_motion *base,
                            const sn_spatial *twists, sn_spatial *forces) {
  const sn_pose world = base == NULL ? sn_pose_identity() : base->pose_world_base;
  for (size_t i = 0; r->contacts != NULL && i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const int branch = body->body + 1;
      const sn_spatial force = sn__contacts_end(r->contacts, body, &world, twists[branch], h);
      forces[branch] = sn_spatial_sub(forces[branch], force);
    }
  }
}
