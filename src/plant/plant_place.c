/* The placement of a robot on the ground. */
#include <math.h>

#include "plant/plant.h"
#include "plant/plant_state.h"

/* The least distance of a contact to the ground, with the base at a pose. */
static double least_gap(const sn_plant *p, sn_pose pose_world_base) {
  double least = HUGE_VAL;
  for (size_t i = 0; i < p->contacts.point_count; i++) {
    const sn__contact_point *point = &p->contacts.points[i];
    const sn_vec3 at = sn_pose_apply(sn_kin_body_pose(p->kin, point->body), point->at);
    sn_vec3 normal;
    const double gap =
        sn__ground_gap(&p->contacts.ground, sn_pose_apply(pose_world_base, at), &normal);
    least = fmin(least, gap - point->radius);
  }
  return least;
}

/* Raise the base until the robot is above the ground. */
static void raise(const sn_plant *p, sn_pose *pose) {
  enum { RAISES = 40 };
  double by = 1e-3;
  for (int i = 0; i < RAISES && least_gap(p, *pose) < 0.0; i++, by *= 2.0) {
    pose->pos.z += by;
  }
}

/* Lower the base until the robot touches the ground. The gap is at most the height above the
   ground, so nothing passes. */
static void lower(const sn_plant *p, sn_pose *pose) {
  enum { LOWERINGS = 400 };
  double gap = least_gap(p, *pose);
  for (int i = 0; i < LOWERINGS && isfinite(gap) && gap > 1e-9; i++) {
    pose->pos.z -= gap;
    gap = least_gap(p, *pose);
  }
}

/* @param on_ground  touch the ground.  @return the pose, raised if it is inside the ground */
static sn_pose above_ground(sn_plant *p, const double *q, sn_pose pose, bool on_ground) {
  sn_kin_update(p->kin, q);
  const bool is_inside = least_gap(p, pose) < 0.0;
  if (is_inside) {
    raise(p, &pose);
  }
  if (is_inside || on_ground) {
    lower(p, &pose);
  }
  return pose;
}

void sn__plant_find_start(sn_plant *p, const sn_pose *start_base) {
  const sn_pose wanted = start_base == NULL ? sn_pose_identity() : *start_base;
  p->start_base = above_ground(p, p->start, wanted, start_base == NULL);
  p->start_lift_m = start_base == NULL ? 0.0 : p->start_base.pos.z - start_base->pos.z;
}

double sn__plant_start_lift(const sn_plant *p) {
  return p->start_lift_m;
}

double sn__plant_place(sn_plant *p, const double *q, sn_pose pose_world_base, bool on_ground) {
  for (size_t i = 0; q != NULL && i < p->joint_count; i++) {
    if (p->axles[i].moves && !isnan(q[i])) {
      p->q[i] = sn__clamp(q[i], p->axles[i].lower, p->axles[i].upper);
    }
  }
  double lift_m = 0.0;
  if (p->floats) {
    p->base.pose_world_base = above_ground(p, p->q, pose_world_base, on_ground);
    lift_m = on_ground ? 0.0 : p->base.pose_world_base.pos.z - pose_world_base.pos.z;
  }
  sn__plant_rest(p);
  return lift_m;
}
