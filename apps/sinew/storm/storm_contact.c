/* Do links touch that the guard keeps apart? Joints and shapes are those of the robot's file, pairs
   by the rules of docs/collision.md. */
#include <math.h>
#include <string.h>

#include "mesh/hull.h"
#include "model/urdf/packages.h"
#include "storm/storm.h"
#include "storm/storm_gap.h"

enum { HULL_VERTICES = 48 };

/* Two shapes of parts that the guard keeps apart. */
typedef struct pair {
  size_t a, b;
  size_t parts;   /* index of storm_contact::were_apart */
  sn_vec3 normal; /* of the plane that separated them last */
} pair;

struct storm_contact {
  storm_shape *shapes;
  size_t shape_count;
  pair *pairs;
  size_t pair_count;
  bool *were_apart, *are_apart; /* [part_pairs] with all of their shapes */
  size_t part_pairs;
  sn_pose *links; /* [link] */
};

/* ---- poses ---- */

static sn_pose motion_of(const sn_joint *joint, double q) {
  sn_pose pose = sn_pose_identity();
  if (joint->type == SN_JOINT_PRISMATIC) {
    pose.pos = sn_vec3_scale(joint->axis, q);
  } else if (joint->type == SN_JOINT_REVOLUTE || joint->type == SN_JOINT_CONTINUOUS) {
    pose.rot = sn_mat3_from_axis_angle(joint->axis, q);
  }
  return pose;
}

/* Links come in tree order. @param q  NULL: the zero pose */
static void place(storm_run *run, const double *q) {
  storm_contact *c = run->contact;
  c->links[0] = sn_pose_identity();
  for (size_t i = 1; i < sn_model_link_count(run->model); i++) {
    const size_t index = (size_t)sn_model_link(run->model, i)->parent_joint;
    const sn_joint *joint = sn_model_joint(run->model, index);
    const double position = q != NULL && index < run->joint_count ? q[index] : 0.0;
    c->links[i] = sn_pose_mul(c->links[joint->parent_link],
                              sn_pose_mul(joint->pose_parent_joint, motion_of(joint, position)));
  }
  for (size_t i = 0; i < c->shape_count; i++) {
    storm_shape *s = &c->shapes[i];
    s->pose = sn_pose_mul(c->links[s->link], s->stated->pose_link_shape);
  }
}

/* ---- shapes ---- */

static bool read_mesh(storm_run *run, sn_packages *packages, storm_shape *shape) {
  sn_packages_file file;
  sn__hull hull;
  sn_error err;
  if (packages == NULL || !sn__packages_find(packages, shape->stated->mesh, &file) ||
      sn__hull_load(&run->arena, file.path, shape->stated->size, HULL_VERTICES, &hull, &err) !=
          SN_OK) {
    return false;
  }
  shape->vertices = hull.vertices;
  shape->vertex_count = hull.vertex_count;
  shape->hull_radius = hull.radius;
  return true;
}

static void add_shapes(storm_run *run, sn_packages *packages, size_t index) {
  storm_contact *c = run->contact;
  const sn_link *link = sn_model_link(run->model, index);
  const bool has_shapes = link->shape_count > 0;
  const sn_shape *shapes = has_shapes ? link->shapes : link->visuals;
  const size_t count = has_shapes ? link->shape_count : link->visual_count;
  for (size_t i = 0; i < count; i++) {
    storm_shape shape = {.stated = &shapes[i], .link = (int)index};
    if (shapes[i].kind != SN_SHAPE_MESH || read_mesh(run, packages, &shape)) {
      storm_shape_bound(&shape);
      c->shapes[c->shape_count++] = shape;
    }
  }
}

static bool find_shapes(storm_run *run) {
  storm_contact *c = run->contact;
  size_t room = 1;
  for (size_t i = 0; i < sn_model_link_count(run->model); i++) {
    const sn_link *link = sn_model_link(run->model, i);
    room += link->shape_count > 0 ? link->shape_count : link->visual_count;
  }
  c->shapes = SN_NEW(&run->arena, storm_shape, room);
  json_t *file = storm_property(run, "robot_model.robot_file");
  json_t *path = storm_property(run, "robot_model.package_path");
  const sn_packages_config config = {.robot_file = json_string_value(file),
                                     .path = json_string_value(path)};
  sn_packages *packages = NULL;
  if (json_is_string(file)) {
    (void)sn__packages_create(&run->arena, &config, &packages, NULL);
  }
  for (size_t i = 0; c->shapes != NULL && i < sn_model_link_count(run->model); i++) {
    add_shapes(run, packages, i);
  }
  json_decref(file);
  json_decref(path);
  return c->shapes != NULL;
}

/* ---- pairs ---- */

static int body_of(const storm_run *run, size_t shape) {
  return sn_model_link(run->model, (size_t)run->contact->shapes[shape].link)->body;
}

static bool has_shapes(const storm_run *run, int body) {
  for (size_t i = 0; i < run->contact->shape_count; i++) {
    if (body_of(run, i) == body) {
      return true;
    }
  }
  return false;
}

/* The next body with shapes towards the base; -2: none. */
static int parent_of(const storm_run *run, int body) {
  const sn_tree *tree = sn_model_tree(run->model);
  while (body >= 0) {
    body = tree->parent[body];
    if (has_shapes(run, body)) {
      return body;
    }
  }
  return -2;
}

/* Overlap or touch of two bodies in the zero pose: the guard leaves them out. The 0.1 mm that count
   as touching are looked for by shapes that are so much larger. */
static bool touch_at_zero(storm_run *run, int a, int b) {
  static const double TOUCH_M = 1e-4;
  storm_contact *c = run->contact;
  for (size_t i = 0; i < c->shape_count; i++) {
    for (size_t k = 0; body_of(run, i) == a && k < c->shape_count; k++) {
      sn_vec3 normal = {0};
      if (body_of(run, k) != b) {
        continue;
      }
      if (!storm_gap_exists(&c->shapes[i], &c->shapes[k], &normal)) {
        return true;
      }
      storm_shape nearer = c->shapes[k];
      nearer.pose.pos = sn_vec3_sub(
          nearer.pose.pos, sn_vec3_scale(normal, TOUCH_M / fmax(sn_vec3_norm(normal), 1e-12)));
      if (!storm_gap_exists(&c->shapes[i], &nearer, &normal)) {
        return true;
      }
    }
  }
  return false;
}

static bool are_kept_apart(storm_run *run, int a, int b) {
  return a != b && parent_of(run, a) != b && parent_of(run, b) != a && !touch_at_zero(run, a, b);
}

static bool find_pairs(storm_run *run) {
  storm_contact *c = run->contact;
  const size_t bodies = sn_model_tree(run->model)->body_count + 1;
  bool *is_pair = SN_NEW(&run->arena, bool, bodies *bodies + 1);
  c->pairs = SN_NEW(&run->arena, pair, c->shape_count * c->shape_count + 1);
  c->part_pairs = bodies * bodies;
  c->were_apart = SN_NEW(&run->arena, bool, c->part_pairs);
  c->are_apart = SN_NEW(&run->arena, bool, c->part_pairs);
  if (is_pair == NULL || c->pairs == NULL || c->were_apart == NULL || c->are_apart == NULL) {
    return false;
  }
  for (size_t a = 0; a < bodies; a++) {
    for (size_t b = a + 1; b < bodies; b++) {
      is_pair[a * bodies + b] = has_shapes(run, (int)a - 1) && has_shapes(run, (int)b - 1) &&
                                are_kept_apart(run, (int)a - 1, (int)b - 1);
    }
  }
  for (size_t i = 0; i < c->shape_count; i++) {
    for (size_t k = 0; k < c->shape_count; k++) {
      const int a = body_of(run, i) + 1, b = body_of(run, k) + 1;
      const size_t parts = (size_t)a * bodies + (size_t)b;
      if (a < b && is_pair[parts]) {
        c->pairs[c->pair_count++] = (pair){.a = i, .b = k, .parts = parts};
      }
    }
  }
  return true;
}

bool storm_contact_create(storm_run *run) {
  run->contact = SN_NEW(&run->arena, storm_contact, 1);
  if (run->contact == NULL || !find_shapes(run)) {
    return false;
  }
  run->contact->links = SN_NEW(&run->arena, sn_pose, sn_model_link_count(run->model));
  if (run->contact->links == NULL) {
    return false;
  }
  place(run, NULL);
  return find_pairs(run);
}

/* ---- a cycle ---- */

/* Where a joint is limp, or the command restarts, no command of the guard decides. */
static bool moves_freely(const storm_run *run) {
  bool is_limp = false;
  for (size_t i = 0; i < run->joint_count; i++) {
    is_limp = is_limp || run->before.limp[i];
  }
  return is_limp || run->before.restarts;
}

/* Parts that touch already, after they were limp, may get apart on any way: another shape of them
   may touch meanwhile. */
bool storm_contact_check(storm_run *run) {
  storm_contact *c = run->contact;
  if (!run->is_guarded || moves_freely(run)) {
    memset(c->were_apart, false, c->part_pairs * sizeof *c->were_apart);
    return true;
  }
  place(run, run->before.q);
  memset(c->are_apart, true, c->part_pairs * sizeof *c->are_apart);
  for (size_t i = 0; i < c->pair_count; i++) {
    pair *p = &c->pairs[i];
    const storm_shape *a = &c->shapes[p->a], *b = &c->shapes[p->b];
    const bool is_apart = storm_gap_exists(a, b, &p->normal);
    if (!is_apart && c->were_apart[p->parts]) {
      return storm_violate(run, "links '%s' and '%s' touch",
                           sn_model_link(run->model, (size_t)a->link)->name,
                           sn_model_link(run->model, (size_t)b->link)->name);
    }
    c->are_apart[p->parts] = c->are_apart[p->parts] && is_apart;
  }
  memcpy(c->were_apart, c->are_apart, c->part_pairs * sizeof *c->were_apart);
  return true;
}
