#include "guard_proof.h"

#include "collision/collision_internal.h"
#include "collision/gjk.h"
#include "sn_test.h"

/* A shape of a link as the file states it. */
typedef struct proof_shape {
  const sn_shape *stated;
  const sn__convex *hull; /* used of a mesh only */
  int link;
  double radius; /* of a sphere around its centre */
  sn_pose pose;  /* of the present pose */
} proof_shape;

struct guard_proof {
  const sn_model *model;
  const sn__collision *pairs;
  proof_shape *shapes; /* [solid] */
  sn_pose *links;      /* [link] */
  sn_vec3 *planes;     /* [solid pair] the normal that separated it last */
};

/* ---- shapes ---- */

static double mesh_reach(const sn__convex *hull, sn_vec3 d) {
  double most = -INFINITY;
  for (size_t i = 0; i < hull->vertex_count; i++) {
    most = fmax(most, sn_vec3_dot(hull->vertices[i], d));
  }
  return most + hull->radius;
}

/* How far a shape reaches from its origin in a direction of unit length, in the base. */
static double reach(const proof_shape *s, sn_vec3 direction) {
  const sn_vec3 d = sn_mat3_apply_transposed(s->pose.rot, direction);
  const sn_shape *stated = s->stated;
  switch (stated->kind) {
    case SN_SHAPE_BOX:
      return 0.5 *
             (fabs(d.x) * stated->size.x + fabs(d.y) * stated->size.y + fabs(d.z) * stated->size.z);
    case SN_SHAPE_CYLINDER:
      return stated->radius * hypot(d.x, d.y) + 0.5 * stated->length * fabs(d.z);
    case SN_SHAPE_CAPSULE:
      return stated->radius + 0.5 * stated->length * fabs(d.z);
    case SN_SHAPE_MESH:
      return mesh_reach(s->hull, d);
    case SN_SHAPE_SPHERE:
    default:
      return stated->radius;
  }
}

static double radius_of(const proof_shape *s) {
  double most = 0.0;
  switch (s->stated->kind) {
    case SN_SHAPE_BOX:
      return 0.5 * sn_vec3_norm(s->stated->size);
    case SN_SHAPE_CYLINDER:
      return hypot(s->stated->radius, 0.5 * s->stated->length);
    case SN_SHAPE_CAPSULE:
      return s->stated->radius + 0.5 * s->stated->length;
    case SN_SHAPE_MESH:
      for (size_t i = 0; i < s->hull->vertex_count; i++) {
        most = fmax(most, sn_vec3_norm(s->hull->vertices[i]));
      }
      return most + s->hull->radius;
    case SN_SHAPE_SPHERE:
    default:
      return s->stated->radius;
  }
}

/* The shapes of a link that the checker has, in its order: it leaves out meshes without a file. */
static const sn_shape *next_shape(const sn_link *link, size_t *next, bool is_mesh) {
  const bool has_shapes = link->shape_count > 0;
  const sn_shape *shapes = has_shapes ? link->shapes : link->visuals;
  const size_t count = has_shapes ? link->shape_count : link->visual_count;
  while (*next < count && (shapes[*next].kind == SN_SHAPE_MESH) != is_mesh) {
    ++*next;
  }
  assert_true(*next < count);
  return &shapes[(*next)++];
}

guard_proof *guard_proof_create(sn_arena *arena, const sn_model *model,
                                const sn__collision *pairs) {
  const size_t solids = pairs->objects.first_solid;
  guard_proof *proof = SN_NEW(arena, guard_proof, 1);
  size_t *next = SN_NEW(arena, size_t, sn_model_link_count(model));
  *proof = (guard_proof){.model = model,
                         .pairs = pairs,
                         .shapes = SN_NEW(arena, proof_shape, solids),
                         .links = SN_NEW(arena, sn_pose, sn_model_link_count(model)),
                         .planes = SN_NEW(arena, sn_vec3, pairs->objects.first_solid_pair)};
  for (size_t i = 0; i < solids; i++) {
    const sn__solid *solid = &pairs->solids[i];
    const bool is_mesh = solid->convex.kind == SN__CONVEX_HULL;
    const sn_link *link = sn_model_link(model, (size_t)solid->link);
    proof->shapes[i] = (proof_shape){.stated = next_shape(link, &next[solid->link], is_mesh),
                                     .hull = &solid->convex,
                                     .link = solid->link};
    proof->shapes[i].radius = radius_of(&proof->shapes[i]);
  }
  return proof;
}

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

/* Links come in tree order. */
static void place(guard_proof *proof, const double *q) {
  const sn_model *model = proof->model;
  proof->links[0] = sn_pose_identity();
  for (size_t i = 1; i < sn_model_link_count(model); i++) {
    const size_t index = (size_t)sn_model_link(model, i)->parent_joint;
    const sn_joint *joint = sn_model_joint(model, index);
    const double position = index < sn_model_pose_size(model) ? q[index] : 0.0;
    proof->links[i] =
        sn_pose_mul(proof->links[joint->parent_link],
                    sn_pose_mul(joint->pose_parent_joint, motion_of(joint, position)));
  }
  for (size_t i = 0; i < proof->pairs->objects.first_solid; i++) {
    proof_shape *s = &proof->shapes[i];
    s->pose = sn_pose_mul(proof->links[s->link], s->stated->pose_link_shape);
  }
}

/* ---- planes ---- */

static bool separates(const proof_shape *a, const proof_shape *b, sn_vec3 direction) {
  const double between = sn_vec3_dot(direction, sn_vec3_sub(b->pose.pos, a->pose.pos));
  return between > reach(a, direction) + reach(b, sn_vec3_neg(direction));
}

/* A direction from one shape to the other that probably separates them. */
static sn_vec3 guess(const guard_proof *proof, const sn__solid_pair *pair) {
  static const sn__gap_range exact = {-INFINITY, INFINITY, 1e-9};
  const proof_shape *a = &proof->shapes[pair->a], *b = &proof->shapes[pair->b];
  const sn_pose pose = sn_pose_between(a->pose, b->pose);
  sn_vec3 none = {0};
  sn__gap gap = {0};
  sn__gjk(&proof->pairs->solids[pair->a].convex, &proof->pairs->solids[pair->b].convex, &pose,
          &exact, &none, &gap);
  return sn_mat3_apply(a->pose.rot, gap.normal);
}

static bool are_apart(guard_proof *proof, size_t index) {
  const sn__solid_pair *pair = &proof->pairs->solid_pairs[index];
  const proof_shape *a = &proof->shapes[pair->a], *b = &proof->shapes[pair->b];
  const sn_vec3 way = sn_vec3_sub(b->pose.pos, a->pose.pos);
  const double radii = a->radius + b->radius;
  if (sn_vec3_dot(way, way) > radii * radii || separates(a, b, proof->planes[index])) {
    return true;
  }
  const sn_vec3 direction = guess(proof, pair);
  proof->planes[index] = sn_vec3_scale(direction, 1.0 / sn_vec3_norm(direction));
  return separates(a, b, proof->planes[index]);
}

bool guard_proof_is_free(guard_proof *proof, const double *q, const char *link[2]) {
  place(proof, q);
  for (size_t i = 0; i < proof->pairs->objects.first_pair; i++) {
    const sn__part_pair *pair = &proof->pairs->pairs[i];
    for (size_t k = pair->first; k < pair->first + pair->count; k++) {
      if (!are_apart(proof, k)) {
        const sn__solid_pair *solids = &proof->pairs->solid_pairs[k];
        link[0] = sn_model_link(proof->model, (size_t)proof->shapes[solids->a].link)->name;
        link[1] = sn_model_link(proof->model, (size_t)proof->shapes[solids->b].link)->name;
        return false;
      }
    }
  }
  return true;
}
