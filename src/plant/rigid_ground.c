/* The forces of the ground in the equations of a step, by Newton's method: see rigid.c. */
#include <string.h>

#include "dyn/data.h"
#include "plant/rigid_internal.h"

enum { NEWTON_MAX = 30, NEWTON_BOLD_MAX = 4 };

/* Contacts are considered within the distance of one step at this speed, m/s. */
static const double POINT_SPEED_MAX = 20.0;
/* Relative tolerance of a force. */
static const double FORCE_TOLERANCE = 1e-9;

/* The rows that move a contact body, and how. @return how many */
static size_t find_columns(const sn__rigid *r, const sn__axle *axles, int body) {
  size_t count = 0;
  for (int i = body; i >= 0; i = r->tree->parent[i]) {
    const int entry = r->tree->coord[i];
    if (axles[entry].moves) {
      r->columns[count++] = (sn__rigid_column){
          (size_t)r->row_of[entry], sn_spatial_scale(r->dyn->axis[i], r->tree->q_scale[i])};
    }
  }
  for (size_t i = 0; r->floats && i < 6; i++) {
    double unit[6] = {0};
    unit[i] = 1.0;
    r->columns[count++] = (sn__rigid_column){
        r->shape.count - 6 + i, {{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}}};
  }
  return count;
}

/* Of a body, in the frame of the base. */
static sn_pose pose_of(const sn__rigid *r, int body) {
  return body < 0 ? sn_pose_identity() : sn__rows_to_pose(&r->dyn->pose[body]);
}

static sn_spatial twist_of(const sn__rigid *r, const double *v, size_t count) {
  sn_spatial sum = sn_spatial_zero();
  for (size_t i = 0; i < count; i++) {
    sum = sn_spatial_add(sum, sn_spatial_scale(r->columns[i].axis, v[r->columns[i].row]));
  }
  return sum;
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

/* Adds the force on contact body i, linearised about the velocities v, to the equations. */
static void add_ground_force(sn__rigid *r, const sn__axle *axles, double h, size_t i) {
  const sn__contact_body *body = &r->contacts->bodies[i];
  const size_t n = r->shape.count, count = find_columns(r, axles, body->body);
  const sn_spatial twist = twist_of(r, r->start, count);
  sn__contact_force *f = &r->ground_forces[i];
  *f = sn__contacts_force(r->contacts, body, twist, h, true);
  r->ground_twists[i] = twist;
  const sn_spatial at_rest = sn_spatial_add(f->force, apply_slope(f, twist));
  for (size_t k = 0; k < count; k++) {
    const sn__rigid_column *one = &r->columns[k];
    const sn_spatial pushed = apply_slope(f, one->axis);
    r->b[one->row] += h * sn_spatial_dot(one->axis, at_rest);
    for (size_t j = 0; j <= k; j++) {
      const sn__rigid_column *other = &r->columns[j];
      const double entry = h * sn_spatial_dot(other->axis, pushed);
      r->a[one->row * n + other->row] += entry;
      r->a[other->row * n + one->row] += j == k ? 0.0 : entry;
    }
  }
}

void sn__rigid_push(sn__rigid *r, const sn__influences *acting, const sn__base_motion *base) {
  memset(r->pushed, 0, r->shape.count * sizeof *r->pushed);
  const sn_pose world = base == NULL ? sn_pose_identity() : base->pose_world_base;
  for (size_t i = 0; r->dyn != NULL && i < acting->push_count; i++) {
    const sn__body_push *push = &acting->pushes[i];
    const sn_vec3 torque = sn_mat3_apply_transposed(world.rot, push->wrench.ang);
    const sn_vec3 force = sn_mat3_apply_transposed(world.rot, push->wrench.lin);
    const sn_vec3 at = sn_pose_apply(pose_of(r, push->body), push->at);
    const sn_spatial wrench = {sn_vec3_add(torque, sn_vec3_cross(at, force)), force};
    const size_t count = find_columns(r, acting->axles, push->body);
    for (size_t k = 0; k < count; k++) {
      r->pushed[r->columns[k].row] += sn_spatial_dot(r->columns[k].axis, wrench);
    }
  }
}

/* @return whether the ground may touch the robot in this step */
bool sn__rigid_begin_contacts(sn__rigid *r, double h, const sn__base_motion *base) {
  bool is_near = false;
  const sn_pose world = base == NULL ? sn_pose_identity() : base->pose_world_base;
  for (size_t i = 0; r->contacts != NULL && i < r->contacts->body_count; i++) {
    r->contact_poses[i] = pose_of(r, r->contacts->bodies[i].body);
  }
  if (r->contacts != NULL) {
    sn__contacts_begin(r->contacts, &world, r->contact_poses, h, POINT_SPEED_MAX);
  }
  for (size_t i = 0; r->contacts != NULL && i < r->contacts->body_count; i++) {
    is_near = is_near || r->contacts->bodies[i].is_near;
  }
  return is_near;
}

/* Do the forces at the velocities v agree with the prediction? */
static bool is_as_predicted(sn__rigid *r, const sn__axle *axles, double h) {
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const sn_spatial twist = twist_of(r, r->v, find_columns(r, axles, body->body));
      const sn_spatial change = sn_spatial_sub(r->ground_twists[i], twist);
      const sn__contact_force *f = &r->ground_forces[i];
      const sn_spatial expected = sn_spatial_add(f->force, apply_slope(f, change));
      const sn_spatial force = sn__contacts_force(r->contacts, body, twist, h, false).force;
      const sn_spatial error = sn_spatial_sub(force, expected);
      const double scale = 1.0 + sn_vec3_norm(force.lin) + sn_vec3_norm(force.ang);
      if (sn_vec3_norm(error.lin) + sn_vec3_norm(error.ang) > FORCE_TOLERANCE * scale) {
        return false;
      }
    }
  }
  return true;
}

void sn__rigid_end_contacts(sn__rigid *r, const sn__axle *axles, double h,
                            const sn__base_motion *base) {
  const sn_pose world = base == NULL ? sn_pose_identity() : base->pose_world_base;
  for (size_t i = 0; r->contacts != NULL && i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const size_t count = find_columns(r, axles, body->body);
      sn__contacts_end(r->contacts, body, &world, twist_of(r, r->v, count), h);
    }
  }
}

/* Slope of the ground's terms at a share of the way. */
double sn__rigid_ground_steepness(const sn__rigid *r, const sn__axle *axles, double h,
                                  double share) {
  double sum = 0.0;
  for (size_t i = 0; i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const size_t count = find_columns(r, axles, body->body);
      const sn_spatial way = twist_of(r, r->way, count);
      const sn_spatial at =
          sn_spatial_add(twist_of(r, r->from, count), sn_spatial_scale(way, share));
      sum -= h * sn_spatial_dot(way, sn__contacts_force(r->contacts, body, at, h, false).force);
    }
  }
  return sum;
}

/* Solve with the forces of the ground. */
bool sn__rigid_solve_on_ground(sn__rigid *r, const sn__axle *axles, const double *q, double h) {
  const size_t n = r->shape.count, size = n * sizeof *r->v;
  memcpy(r->free_a, r->a, n * size);
  memcpy(r->free_b, r->b, size);
  memcpy(r->start, r->v, size);
  bool is_solved = false;
  for (int i = 0; i < NEWTON_MAX && !is_solved; i++) {
    for (size_t k = 0; k < r->contacts->body_count; k++) {
      if (r->contacts->bodies[k].is_near) {
        add_ground_force(r, axles, h, k);
      }
    }
    is_solved = sn__rigid_solve(r, axles, q, h) && is_as_predicted(r, axles, h);
    memcpy(r->a, r->free_a, n * size);
    memcpy(r->b, r->free_b, size);
    if (!is_solved && i >= NEWTON_BOLD_MAX) {
      memcpy(r->from, r->start, size);
      sn__rigid_search(r, axles, q, h, true);
    }
    memcpy(r->start, r->v, size);
  }
  return is_solved;
}

void sn__rigid_ground_loads(sn__rigid *r, const sn__axle *axles, double h, double *loads) {
  memcpy(loads, r->pushed, r->shape.count * sizeof *loads);
  for (size_t i = 0; r->contacts != NULL && i < r->contacts->body_count; i++) {
    const sn__contact_body *body = &r->contacts->bodies[i];
    if (body->is_near) {
      const size_t count = find_columns(r, axles, body->body);
      const sn_spatial twist = twist_of(r, r->v, count);
      const sn_spatial force = sn__contacts_force(r->contacts, body, twist, h, false).force;
      for (size_t k = 0; k < count; k++) {
        loads[r->columns[k].row] += sn_spatial_dot(r->columns[k].axis, force);
      }
    }
  }
}
