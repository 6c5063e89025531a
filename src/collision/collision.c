#include "collision/collision.h"

#include <stdlib.h>

#include "base/fail.h"
#include "collision/collision_internal.h"
#include "collision/gjk.h"
#include "sinew/fault.h"

static const double SLACK_M = 0.02;

/* How much too small a distance may be in the cycle. */
static const double COARSE_M = 1e-5;

/* ---- motion ---- */

/* How far any point of the part may have moved since the last pose: its centre, and the turn about
   it. The norm of a difference of rotations is at most its Frobenius norm over sqrt(2). */
static double moved(const sn__part *part, const sn_pose *pose, sn_vec3 center) {
  const sn_vec3 x = sn_vec3_sub(pose->rot.x, part->pose.rot.x);
  const sn_vec3 y = sn_vec3_sub(pose->rot.y, part->pose.rot.y);
  const sn_vec3 z = sn_vec3_sub(pose->rot.z, part->pose.rot.z);
  const double turned2 = 0.5 * (sn_vec3_dot(x, x) + sn_vec3_dot(y, y) + sn_vec3_dot(z, z));
  return sn_vec3_norm(sn_vec3_sub(center, part->center)) + part->bound * sqrt(turned2);
}

void sn__collision_move(sn__collision *collision, const double *q) {
  static const double ROUNDING = 1.0 + 1e-9;
  sn_kin_update(collision->kin, q);
  collision->stamp++;
  for (size_t i = 0; i < collision->part_count; i++) {
    sn__part *part = &collision->parts[i];
    if (part->body < 0 && !(part->is_world && collision->is_floating)) {
      continue; /* fixed */
    }
    const sn_pose pose =
        part->is_world ? collision->pose_root_world : sn_kin_body_pose(collision->kin, part->body);
    const sn_vec3 center = sn_pose_apply(pose, part->center_body);
    part->travel += ROUNDING * moved(part, &pose, center);
    part->pose = pose;
    part->center = center;
  }
}

static const sn__solid *solid_now(sn__collision *collision, size_t index, const sn__part *part) {
  sn__solid *solid = &collision->solids[index];
  if (solid->stamp != collision->stamp) {
    solid->stamp = collision->stamp;
    solid->pose = sn_pose_mul(part->pose, solid->pose_body_solid);
    solid->capsule = (sn__capsule){{sn_pose_apply(part->pose, solid->capsule_body.ends[0]),
                                    sn_pose_apply(part->pose, solid->capsule_body.ends[1])},
                                   solid->capsule_body.radius};
  }
  return solid;
}

/* ---- gaps ---- */

static double gap_of_solids(const sn__solid *a, const sn__solid *b, sn__solid_pair *pair,
                            const sn__gap_range *range, sn__near *out) {
  if (!sn__solid_is_plane(a) && !sn__solid_is_plane(b)) {
    const double bound = sn__capsule_distance(&a->capsule, &b->capsule);
    if (bound > range->window) {
      return bound;
    }
  }
  const sn_pose pose_a_b = sn_pose_between(a->pose, b->pose);
  sn__gap gap;
  sn__gjk(&a->convex, &b->convex, &pose_a_b, range, &pair->direction, &gap);
  if (gap.distance <= range->window) {
    out->link_a = a->link;
    out->link_b = b->link;
    out->distance = gap.distance;
  }
  if (gap.distance <= range->window && !gap.is_bound) {
    out->point_a = sn_pose_apply(a->pose, gap.point_a);
    out->point_b = sn_pose_apply(a->pose, gap.point_b);
    out->normal = sn_mat3_apply(a->pose.rot, gap.normal);
  }
  return gap.distance;
}

/* Of the spheres around two parts. */
static double bound_of(const sn__part *a, const sn__part *b) {
  return a->is_unbounded || b->is_unbounded
             ? -INFINITY
             : sn_vec3_norm(sn_vec3_sub(a->center, b->center)) - a->bound - b->bound;
}

double sn__collision_gap(sn__collision *collision, size_t index, const sn__gap_range *range,
                         sn__near *out) {
  const sn__part_pair *pair = &collision->pairs[index];
  const sn__part *a = &collision->parts[pair->a], *b = &collision->parts[pair->b];
  const double bound = bound_of(a, b);
  if (bound > range->window) {
    return bound;
  }
  double least = INFINITY;
  out->pair = index;
  for (size_t i = 0; i < pair->count; i++) {
    sn__solid_pair *solids = &collision->solid_pairs[pair->first + i];
    const sn__gap_range nearer = {range->least, fmin(range->window, least), range->tolerance};
    const double distance = gap_of_solids(solid_now(collision, solids->a, a),
                                          solid_now(collision, solids->b, b), solids, &nearer, out);
    least = fmin(least, distance);
  }
  return least;
}

/* ---- questions ---- */

static bool is_finite(const double *q, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += 0.0 * q[i]; /* NaN if any is infinite or NaN */
  }
  return sum == 0.0;
}

bool sn__collision_look(sn__collision *collision, size_t index, double window, double least,
                        sn__near *out) {
  sn__part_pair *pair = &collision->pairs[index];
  const sn__part *a = &collision->parts[pair->a], *b = &collision->parts[pair->b];
  const double travel = a->travel + b->travel;
  /* The travel of a plane that moves has no bound. */
  if (pair->clear - travel > window && !(b->is_unbounded && collision->is_floating)) {
    return false;
  }
  /* A little farther than asked for, so that the answer lasts for a while. */
  const sn__gap_range range = {least, window + SLACK_M, COARSE_M};
  const double distance = sn__collision_gap(collision, index, &range, out);
  pair->clear = travel + distance;
  return distance <= window;
}

size_t sn__collision_check(sn__collision *collision, const double *q, double window,
                           const sn__near **list) {
  SN_ASSERT(is_finite(q, collision->tree->coord_count));
  size_t count = 0;
  sn__collision_move(collision, q);
  for (size_t i = 0; i < collision->pair_count; i++) {
    count += sn__collision_look(collision, i, window, -INFINITY, &collision->near[count]);
  }
  *list = collision->near;
  return count;
}

bool sn__collision_nearest(sn__collision *collision, const double *q, sn__near *out) {
  SN_ASSERT(is_finite(q, collision->tree->coord_count));
  sn__near near = {0};
  double least = INFINITY;
  sn__collision_move(collision, q);
  for (size_t i = 0; i <= collision->pair_count; i++) {
    /* The pair that was the nearest last time comes first: it rules out most others. */
    const size_t pair = i == 0 ? collision->nearest_pair : i - 1;
    if (pair >= collision->pair_count) {
      continue;
    }
    const sn__gap_range range = {-INFINITY, least, SN__FINE_M};
    const double distance = sn__collision_gap(collision, pair, &range, &near);
    if (distance < least) {
      least = distance;
      *out = near;
    }
  }
  if (isfinite(least)) {
    collision->nearest_pair = out->pair;
  }
  return isfinite(least);
}

bool sn__collision_of_pair(sn__collision *collision, size_t pair, const double *q, sn__near *out) {
  static const sn__gap_range exact = {-INFINITY, INFINITY, SN__FINE_M};
  sn__collision_move(collision, q);
  return isfinite(sn__collision_gap(collision, pair, &exact, out));
}

const char *sn__collision_name(const sn__collision *collision, int link) {
  return link >= 0 ? sn_model_link(collision->model, (size_t)link)->name
                   : collision->objects.list[-1 - link].name;
}

const sn__collision_facts *sn__collision_facts_of(const sn__collision *collision) {
  return &collision->facts;
}

/* ---- creation ---- */

static sn_status build_all(sn__collision_build *build) {
  sn_status status =
      sn_kin_create(build->arena, build->collision->tree, &build->collision->kin, build->err);
  status = status == SN_OK ? sn__world_count(build) : status;
  status = status == SN_OK ? sn__solids_of_links(build) : status;
  if (status == SN_OK && build->solid_count == 0) {
    status = sn__fail(build->err, SN_ENOENT, "collision: the robot '%s' has no shapes",
                      sn_model_name(build->model));
  }
  return status == SN_OK ? sn__pairs_create(build) : status;
}

sn_status sn__collision_create(sn_arena *arena, const sn_model *model,
                               const sn__collision_config *config, sn_report *report,
                               sn__collision **out, sn_error *err) {
  SN_ASSERT(model != NULL);
  SN_ASSERT(config != NULL);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "collision", 0);
  sn__collision_build build = {.arena = arena,
                               .scratch = &scratch,
                               .model = model,
                               .config = config,
                               .report = report,
                               .err = err,
                               .collision = SN_NEW(arena, sn__collision, 1)};
  sn_status status = SN_ENOMEM;
  if (build.collision != NULL) {
    build.collision->model = model;
    build.collision->tree = sn_model_tree(model);
    build.collision->pose_root_world = sn_pose_identity();
    status = build_all(&build);
  } else {
    (void)sn__fail(err, SN_ENOMEM, "collision: no room in arena '%s'", sn_arena_name(arena));
  }
  free(build.solids);
  sn_arena_release(&scratch);
  if (status == SN_OK) {
    *out = build.collision;
  } else {
    sn_arena_restore(arena, mark);
  }
  return status;
}
