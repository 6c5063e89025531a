#include "collision/path.h"

#include "base/fail.h"
#include "collision/collision_internal.h"
#include "collision/gjk.h"
#include "kin/joint.h"

/* A sliding joint without limits is taken to be this long. */
static const double SLIDE_MAX_M = 10.0;

/* ---- creation ---- */

/* How far the frame of a body may be from where it is at joint value 0. */
static double slide_of(const sn_model *model, const sn_tree *tree, int body) {
  if (!tree->prismatic[body]) {
    return 0.0;
  }
  const sn_joint *joint = sn_model_joint(model, (size_t)tree->coord[body]);
  const double far = fmax(fabs(joint->lower), fabs(joint->upper));
  const double slide = fabs(tree->q_scale[body]) * far + fabs(tree->q_offset[body]);
  return isfinite(slide) ? slide : SLIDE_MAX_M;
}

/* From the part to the base: the points of the part are within a sphere around the origin of each
   body on the way, and their distance from its axis is the lever. */
static void make_path(sn__collision_build *build, sn__part *part, size_t first) {
  sn__collision *c = build->collision;
  const sn_tree *tree = c->tree;
  sn_vec3 at = part->center_body;
  double around = part->bound;
  part->path_first = first;
  for (int body = part->body; body >= 0; body = tree->parent[body]) {
    const double scale = fabs(tree->q_scale[body]);
    const double lever = tree->prismatic[body] ? 1.0 : hypot(at.x, at.y) + around;
    c->path[first + part->path_count++] =
        (sn__path_joint){.body = body, .coord = tree->coord[body], .lever = scale * lever};
    c->lever_max[body] = fmax(c->lever_max[body], scale * lever);
    around += sn_vec3_norm(at) + slide_of(build->model, tree, body);
    at = tree->pose_parent_joint[body].pos;
  }
}

sn_status sn__paths_create(sn__collision_build *build) {
  sn__collision *c = build->collision;
  size_t total = 0;
  for (size_t i = 0; i < c->part_count; i++) {
    for (int body = c->parts[i].body; body >= 0; body = c->tree->parent[body]) {
      total++;
    }
  }
  c->path = SN_NEW(build->arena, sn__path_joint, total);
  c->lever_max = SN_NEW(build->arena, double, c->tree->body_count);
  c->reach = SN_NEW(build->arena, double, c->tree->body_count);
  if (c->path == NULL || c->lever_max == NULL || c->reach == NULL) {
    return sn__fail(build->err, SN_ENOMEM, "collision: no room in arena '%s'",
                    sn_arena_name(build->arena));
  }
  size_t first = 0;
  for (size_t i = 0; i < c->part_count; i++) {
    make_path(build, &c->parts[i], first);
    first += c->parts[i].path_count;
  }
  return SN_OK;
}

/* ---- the joints of a pair ---- */

static size_t count_until(const sn__path_joint *joints, size_t count, int common) {
  size_t n = 0;
  while (n < count && joints[n].body != common) {
    n++;
  }
  return n;
}

sn__path sn__collision_path(const sn__collision *collision, size_t pair) {
  const sn__part_pair *p = &collision->pairs[pair];
  const sn__part *parts[2] = {&collision->parts[p->a], &collision->parts[p->b]};
  sn__path path;
  for (size_t i = 0; i < 2; i++) {
    path.joints[i] = &collision->path[parts[i]->path_first];
    path.counts[i] = count_until(path.joints[i], parts[i]->path_count, p->common);
  }
  return path;
}

/* ---- which pairs may meet ---- */

/* How far the points of each body may move: a sum over its joints. */
static void spread_reach(sn__collision *c, const double *still) {
  const sn_tree *tree = c->tree;
  for (size_t i = 0; i < tree->body_count; i++) {
    const int parent = tree->parent[i];
    c->reach[i] = (parent < 0 ? 0.0 : c->reach[parent]) + c->lever_max[i] * still[tree->coord[i]];
  }
}

static double reach_of(const sn__collision *c, int body) {
  return body < 0 ? 0.0 : c->reach[body];
}

size_t sn__collision_check_reach(sn__collision *collision, const double *q, const double *still,
                                 double margin, const sn__near **list) {
  size_t count = 0;
  sn__collision_move(collision, q);
  spread_reach(collision, still);
  for (size_t i = 0; i < collision->pair_count; i++) {
    sn__part_pair *pair = &collision->pairs[i];
    const sn__part *a = &collision->parts[pair->a], *b = &collision->parts[pair->b];
    const double window = margin + reach_of(collision, a->body) + reach_of(collision, b->body) -
                          2.0 * reach_of(collision, pair->common);
    count += sn__collision_look(collision, i, window, 0.0, &collision->near[count]);
  }
  *list = collision->near;
  return count;
}

/* The axis of every joint is z of its body. */
double sn__collision_slope(const sn__collision *collision, const sn__near *near, size_t side,
                           const sn__path_joint *joint) {
  const sn_tree *tree = collision->tree;
  const sn_pose pose = sn_kin_body_pose(collision->kin, joint->body);
  const sn_vec3 point = side == 0 ? near->point_a : near->point_b;
  const sn_vec3 moves = tree->prismatic[joint->body]
                            ? pose.rot.z
                            : sn_vec3_cross(pose.rot.z, sn_vec3_sub(point, pose.pos));
  const double apart = tree->q_scale[joint->body] * sn_vec3_dot(near->normal, moves);
  return side == 0 ? -apart : apart;
}

/* ---- one pair at another pose ---- */

static sn_pose pose_of(const sn__collision *c, const sn__path_joint *joints, size_t count,
                       const double *q) {
  sn_pose pose = sn_pose_identity();
  for (size_t i = 0; i < count; i++) {
    const int body = joints[i].body;
    const double value = sn__joint_value(c->tree, (size_t)body, q);
    const sn__rows rows = sn__joint_rows(&c->tree->pose_parent_joint[body],
                                         c->tree->prismatic[body], value, sin(value), cos(value));
    const sn__rows last = sn__rows_from_pose(&pose);
    const sn__rows product = sn__rows_mul(&rows, &last);
    pose = sn__rows_to_pose(&product);
  }
  return pose;
}

static sn__capsule moved(const sn_pose *pose, const sn__capsule *c) {
  return (sn__capsule){{sn_pose_apply(*pose, c->ends[0]), sn_pose_apply(*pose, c->ends[1])},
                       c->radius};
}

double sn__collision_gap_at(sn__collision *collision, size_t pair, const double *q, double window,
                            double least) {
  const sn__part_pair *p = &collision->pairs[pair];
  const sn__path path = sn__collision_path(collision, pair);
  const sn_pose pose_a = pose_of(collision, path.joints[0], path.counts[0], q);
  const sn_pose pose_b = collision->parts[p->b].is_world
                             ? collision->pose_root_world
                             : pose_of(collision, path.joints[1], path.counts[1], q);
  const sn_pose pose_a_b = sn_pose_between(pose_a, pose_b);
  double nearest = INFINITY;
  for (size_t i = p->first; i < p->first + p->count; i++) {
    sn__solid_pair *solids = &collision->solid_pairs[i];
    const sn__solid *a = &collision->solids[solids->a], *b = &collision->solids[solids->b];
    const sn__gap_range range = {least, fmin(window, nearest), SN__FINE_M};
    const sn__capsule capsule_b = moved(&pose_a_b, &b->capsule_body);
    const double bound = sn__solid_is_plane(a) || sn__solid_is_plane(b)
                             ? -INFINITY
                             : sn__capsule_distance(&a->capsule_body, &capsule_b);
    if (bound > range.window) {
      nearest = fmin(nearest, bound);
      continue;
    }
    const sn_pose pose =
        sn_pose_between(a->pose_body_solid, sn_pose_mul(pose_a_b, b->pose_body_solid));
    sn__gap gap;
    sn__gjk(&a->convex, &b->convex, &pose, &range, &solids->direction, &gap);
    nearest = fmin(nearest, gap.distance);
  }
  return nearest;
}

/* ---- sizes ---- */

size_t sn__collision_robot_pair_count(const sn__collision *collision) {
  return collision->objects.first_pair;
}

size_t sn__collision_pair_count(const sn__collision *collision) {
  return collision->pair_count;
}

size_t sn__collision_pair_capacity(const sn__collision *collision) {
  const sn__objects *o = &collision->objects;
  return o->first_pair + o->capacity * o->pairs_each;
}

double sn__collision_part_size(const sn__collision *collision) {
  double sum = 0.0;
  for (size_t i = 0; i < collision->objects.first_part; i++) {
    sum += collision->parts[i].bound;
  }
  return sum / (double)collision->objects.first_part;
}
