/* Where the foot of a leg touches the ground, from the shapes of its last link. A sole is the lower
 * face in the zero pose. A point is the end of the leg as seen from its last joint: the tip of a
 * sphere, the middle of the end of a box or cylinder. A foot whose shape is a mesh, or without a
 * shape, is the origin of its frame if it has one of its own, else the end of the box of its
 * inertia. */
#include <math.h>

#include "model/inertia_box.h"
#include "model/model_data.h"

enum { RIM_POINTS = 8, OUTLINE_MAX = 64 };
static const double TAU = 6.283185307179586;
static const double REACH_MAX_M = 1e3; /* farther points are ignored: mistakes of the file */

/* Points of the shapes of a link; those of spheres have a radius. */
typedef struct outline {
  size_t count;
  sn_vec3 at[OUTLINE_MAX];
  double radius[OUTLINE_MAX];
} outline;

static void add(outline *o, sn_vec3 at, double radius) {
  if (o->count < OUTLINE_MAX && sn_vec3_norm(at) + radius <= REACH_MAX_M) {
    o->at[o->count] = at;
    o->radius[o->count++] = radius;
  }
}

static void add_box(outline *o, const sn_shape *shape) {
  for (int i = 0; i < 8; i++) {
    add(o, sn_pose_apply(shape->pose_link_shape, sn__box_corner(shape->size, i)), 0.0);
  }
}

static void add_cylinder(outline *o, const sn_shape *shape) {
  for (int i = 0; i < 2 * RIM_POINTS; i++) {
    const int spoke = i / 2;
    const double angle = TAU * (spoke + 0.5) / RIM_POINTS;
    const sn_vec3 at = {shape->radius * cos(angle), shape->radius * sin(angle),
                        i % 2 == 0 ? -0.5 * shape->length : 0.5 * shape->length};
    add(o, sn_pose_apply(shape->pose_link_shape, at), 0.0);
  }
}

static void add_shape(outline *o, const sn_shape *shape) {
  if (shape->kind == SN_SHAPE_BOX) {
    add_box(o, shape);
  } else if (shape->kind == SN_SHAPE_SPHERE) {
    add(o, shape->pose_link_shape.pos, shape->radius);
  } else if (shape->kind == SN_SHAPE_CYLINDER) {
    add_cylinder(o, shape);
  } else if (shape->kind == SN_SHAPE_CAPSULE) {
    for (int i = -1; i <= 1; i += 2) {
      const sn_vec3 at = {0.0, 0.0, 0.5 * i * shape->length};
      add(o, sn_pose_apply(shape->pose_link_shape, at), shape->radius);
    }
  }
}

/* Does the link have a frame of its own, fixed to the part that moves? */
static bool is_frame(const sn_model *model, const sn_link *link) {
  return link->parent_joint >= 0 && model->joints[link->parent_joint].type == SN_JOINT_FIXED;
}

/* The length of the leg, from the first joint to a link. */
static double leg_length(const sn_model *model, int first_link, int link) {
  double length = 0.0, pending = 0.0;
  for (; link != first_link; link = sn__link_parent(model, link)) {
    const sn_joint *joint = &model->joints[model->links[link].parent_joint];
    const bool is_fixed = joint->type == SN_JOINT_FIXED;
    length += is_fixed ? 0.0 : pending;
    pending = sn_vec3_norm(joint->pose_parent_joint.pos) + (is_fixed ? pending : 0.0);
  }
  return length;
}

/* The rotation of a link in the zero pose. */
static sn_mat3 zero_rotation(const sn_model *model, int link) {
  sn_mat3 rot = sn_mat3_identity();
  for (; model->links[link].parent_joint >= 0; link = sn__link_parent(model, link)) {
    rot = sn_mat3_mul(model->joints[model->links[link].parent_joint].pose_parent_joint.rot, rot);
  }
  return rot;
}

/* A foot about as large as those of animals: level in the zero pose, about the link's frame. */
static sn_shape usual_foot(sn_mat3 rot, double length_m) {
  return (sn_shape){.kind = SN_SHAPE_BOX,
                    .pose_link_shape = {sn_mat3_transpose(rot), {0, 0, 0}},
                    .size = {0.3 * length_m, 0.15 * length_m, 0.1 * length_m}};
}

/* The box of a link's inertia, unless it is implausible: a placeholder. */
static sn_shape foot_box(const sn_model *model, int last_link, double length_m) {
  static const double part = 0.3; /* of the leg: no foot is longer */
  const sn_link *link = &model->links[last_link];
  const sn_shape box = sn__inertia_box(link);
  const double longest = fmax(fmax(box.size.x, box.size.y), box.size.z);
  return longest <= part * length_m && sn_vec3_norm(link->com) <= part * length_m
             ? box
             : usual_foot(zero_rotation(model, last_link), length_m);
}

static void draw(const sn_model *model, int last_link, double length_m, bool has_sole, outline *o) {
  const sn_link *link = &model->links[last_link];
  o->count = 0;
  for (size_t i = 0; i < link->shape_count; i++) {
    add_shape(o, &link->shapes[i]);
  }
  const bool is_point = is_frame(model, link) && !has_sole;
  if (o->count == 0 && link->mass_kg > 0.0 && !is_point) {
    const sn_shape box = foot_box(model, last_link, length_m);
    add_box(o, &box);
  }
  if (o->count == 0) {
    add(o, sn_vec3_make(0, 0, 0), 0.0);
  }
}

/* How far the outline reaches in a direction. */
static double reach(const outline *o, size_t i, sn_vec3 direction) {
  return sn_vec3_dot(o->at[i], direction) + o->radius[i];
}

static double reach_most(const outline *o, sn_vec3 direction) {
  double most = -HUGE_VAL;
  for (size_t i = 0; i < o->count; i++) {
    most = fmax(most, reach(o, i, direction));
  }
  return most;
}

/* Points this close to the farthest one, relative to the size of the foot, are in one face. */
static double face_depth(const outline *o, sn_vec3 direction) {
  return 1e-4 + 0.02 * (reach_most(o, direction) + reach_most(o, sn_vec3_neg(direction)));
}

/* ---- a point ---- */

/* From the last joint to the end of the leg. */
static sn_vec3 find_direction(const sn_link *link, const outline *o) {
  const sn_vec3 joint = sn_pose_inverse(link->pose_body_link).pos;
  sn_vec3 mean = {0, 0, 0};
  for (size_t i = 0; i < o->count; i++) {
    mean = sn_vec3_add_scaled(mean, 1.0 / (double)o->count, o->at[i]);
  }
  const sn_vec3 way = sn_vec3_sub(mean, joint);
  const double length = sn_vec3_norm(way);
  return length > 1e-6 ? sn_vec3_scale(way, 1.0 / length) : sn_vec3_make(0, 0, -1);
}

static sn_vec3 find_point(const sn_link *link, const outline *o) {
  const sn_vec3 along = find_direction(link, o);
  const double least = reach_most(o, along) - face_depth(o, along);
  sn_vec3 sum = {0, 0, 0};
  double count = 0.0;
  for (size_t i = 0; i < o->count; i++) {
    if (reach(o, i, along) >= least) {
      sum = sn_vec3_add(sum, sn_vec3_add_scaled(o->at[i], o->radius[i], along));
      count += 1.0;
    }
  }
  return sn_vec3_scale(sum, 1.0 / count);
}

/* ---- a sole ---- */

static bool is_new(const sn_vec3 *points, size_t count, sn_vec3 point) {
  bool is = true;
  for (size_t i = 0; i < count; i++) {
    is = is && sn_vec3_norm(sn_vec3_sub(points[i], point)) > 1e-6;
  }
  return is;
}

/* The corners of the lower face: the farthest points in four diagonal directions. */
static size_t find_sole(sn_mat3 rot, const outline *o, sn_vec3 *points) {
  const sn_vec3 down = sn_mat3_apply_transposed(rot, sn_vec3_make(0, 0, -1));
  const double least = reach_most(o, down) - face_depth(o, down);
  size_t count = 0;
  for (int k = 0; k < SN__FOOT_POINTS_MAX; k++) {
    const sn_vec3 diagonal = sn_mat3_apply_transposed(
        rot, sn_vec3_make(k == 0 || k == 3 ? 1.0 : -1.0, k < 2 ? 1.0 : -1.0, 0));
    sn_vec3 best = {0, 0, 0};
    double most = -HUGE_VAL;
    for (size_t i = 0; i < o->count; i++) {
      const double far = sn_vec3_dot(o->at[i], diagonal);
      if (reach(o, i, down) >= least && far > most) {
        most = far;
        best = sn_vec3_add_scaled(o->at[i], o->radius[i], down);
      }
    }
    if (is_new(points, count, best)) {
      points[count++] = best;
    }
  }
  return count;
}

size_t sn__foot_points(const sn_model *model, int first_link, int last_link, bool has_sole,
                       sn_vec3 *points) {
  const sn_link *link = &model->links[last_link];
  outline o;
  draw(model, last_link, leg_length(model, first_link, last_link), has_sole, &o);
  if (has_sole) {
    return find_sole(zero_rotation(model, last_link), &o, points);
  }
  points[0] = find_point(link, &o);
  return 1;
}
