#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "collision/collision_internal.h"
#include "model/srdf/semantics.h"
#include "sinew/random.h"

enum { SAMPLES = 300 };

static sn_status no_room(const sn__collision_build *build) {
  return sn__fail(build->err, SN_ENOMEM, "collision: no room in arena '%s'",
                  sn_arena_name(build->arena));
}

/* ---- parts ---- */

/* About the middle of their capsules. */
void sn__part_bound(const sn__solid *solids, sn__part *part) {
  sn_vec3 sum = {0};
  for (size_t i = 0; i < part->count; i++) {
    const sn__capsule *c = &solids[part->first + i].capsule_body;
    sum = sn_vec3_add(sum, sn_vec3_add(c->ends[0], c->ends[1]));
  }
  part->center_body = sn_vec3_scale(sum, 0.5 / (double)part->count);
  for (size_t i = 0; i < part->count; i++) {
    const sn__solid *solid = &solids[part->first + i];
    part->is_unbounded = part->is_unbounded || solid->convex.kind == SN__CONVEX_PLANE;
    for (size_t k = 0; k < 2; k++) {
      const sn_vec3 end = sn_vec3_sub(solid->capsule_body.ends[k], part->center_body);
      part->bound = fmax(part->bound, sn_vec3_norm(end) + solid->capsule_body.radius);
    }
  }
  part->pose = sn_pose_identity();
  part->center = part->center_body;
}

static bool make_parts(sn__collision_build *build) {
  sn__collision *collision = build->collision;
  const size_t room = build->solid_count + collision->objects.capacity;
  sn__solid *solids = SN_NEW(build->arena, sn__solid, room);
  sn__part *parts = SN_NEW(build->arena, sn__part, room);
  if (solids == NULL || parts == NULL) {
    return false;
  }
  memcpy(solids, build->solids, build->solid_count * sizeof *solids);
  size_t count = 0;
  for (size_t i = 0; i < build->solid_count; i++) {
    if (i == 0 || solids[i - 1].body != solids[i].body) {
      parts[count++] = (sn__part){.body = solids[i].body, .first = i};
    }
    parts[count - 1].count++;
  }
  for (size_t i = 0; i < count; i++) {
    sn__part_bound(solids, &parts[i]);
  }
  collision->solids = solids;
  collision->solid_count = build->solid_count;
  collision->parts = parts;
  collision->part_count = count;
  return true;
}

/* ---- pairs ---- */

/* Parents come before their children: the body with the larger index goes up. */
static int common_body(const sn_tree *tree, int a, int b) {
  while (a != b) {
    if (a > b) {
      a = tree->parent[a];
    } else {
      b = tree->parent[b];
    }
  }
  return a;
}

/* The part of the robot on a body; -1: it has none. */
static int part_on(const sn__collision *collision, int body) {
  for (size_t i = 0; i < collision->part_count; i++) {
    if (collision->parts[i].body == body) {
      return (int)i;
    }
  }
  return -1;
}

/* The next part towards the base, beyond bodies without shapes; -1: none. */
static int parent_part(const sn__collision *collision, size_t index) {
  int body = collision->parts[index].body;
  int part = -1;
  while (body >= 0 && part < 0) {
    body = collision->tree->parent[body];
    part = part_on(collision, body);
  }
  return part;
}

static bool is_off(const sn__collision_build *build, const bool *off, const sn__solid *a,
                   const sn__solid *b) {
  return off != NULL && off[(size_t)a->link * sn_model_link_count(build->model) + (size_t)b->link];
}

/* Append the solid pairs of two parts that are not disabled; with NULL they are only counted. */
static size_t list_solids(const sn__collision_build *build, const bool *off, size_t a, size_t b,
                          sn__solid_pair *out) {
  const sn__collision *c = build->collision;
  const sn__part *pa = &c->parts[a], *pb = &c->parts[b];
  size_t count = 0;
  for (size_t i = pa->first; i < pa->first + pa->count; i++) {
    for (size_t k = pb->first; k < pb->first + pb->count; k++) {
      if (is_off(build, off, &c->solids[i], &c->solids[k])) {
        continue;
      }
      if (out != NULL) {
        out[count] = (sn__solid_pair){.a = (uint16_t)i, .b = (uint16_t)k};
      }
      count++;
    }
  }
  return count;
}

typedef enum pair_kind { PAIR_ACTIVE, PAIR_NEIGHBOURS, PAIR_DISABLED } pair_kind;

static pair_kind kind_of(const sn__collision_build *build, const bool *off, size_t a, size_t b) {
  const sn__collision *c = build->collision;
  if (parent_part(c, a) == (int)b || parent_part(c, b) == (int)a) {
    return PAIR_NEIGHBOURS;
  }
  return list_solids(build, off, a, b, NULL) == 0 ? PAIR_DISABLED : PAIR_ACTIVE;
}

static void count_pairs(sn__collision_build *build, const bool *off, size_t *pairs,
                        size_t *solid_pairs) {
  sn__collision *c = build->collision;
  for (size_t a = 0; a < c->part_count; a++) {
    for (size_t b = a + 1; b < c->part_count; b++) {
      const pair_kind kind = kind_of(build, off, a, b);
      c->facts.neighbour_count += kind == PAIR_NEIGHBOURS;
      c->facts.disabled_count += kind == PAIR_DISABLED;
      if (kind == PAIR_ACTIVE) {
        ++*pairs;
        *solid_pairs += list_solids(build, off, a, b, NULL);
      }
    }
  }
}

static sn_status make_pairs(sn__collision_build *build, const bool *off) {
  sn__collision *c = build->collision;
  size_t pair_count = 0, solid_pair_count = 0;
  count_pairs(build, off, &pair_count, &solid_pair_count);
  const sn__objects *o = &c->objects;
  const size_t room = pair_count + o->capacity * o->pairs_each;
  c->pairs = SN_NEW(build->arena, sn__part_pair, room);
  c->near = SN_NEW(build->arena, sn__near, room + 1);
  c->solid_pairs =
      SN_NEW(build->arena, sn__solid_pair, solid_pair_count + o->capacity * o->solid_pairs_each);
  if (c->pairs == NULL || c->near == NULL || c->solid_pairs == NULL) {
    return no_room(build);
  }
  size_t first = 0;
  for (size_t a = 0; a < c->part_count; a++) {
    for (size_t b = a + 1; b < c->part_count; b++) {
      if (kind_of(build, off, a, b) == PAIR_ACTIVE) {
        const size_t count = list_solids(build, off, a, b, &c->solid_pairs[first]);
        c->pairs[c->pair_count++] =
            (sn__part_pair){.a = (uint16_t)a,
                            .b = (uint16_t)b,
                            .common = common_body(c->tree, c->parts[a].body, c->parts[b].body),
                            .first = (uint32_t)first,
                            .count = (uint32_t)count,
                            .listed = (uint32_t)count,
                            .clear = -INFINITY};
        first += count;
      }
    }
  }
  c->objects.first_solid_pair = first;
  return SN_OK;
}

/* ---- pairs that always touch ---- */

/* A random pose within limits; joints without any turn by half a turn or slide by half a metre. */
static void draw_pose(const sn_model *model, sn_random *random, double *q) {
  static const double TURN = 3.141592653589793, SLIDE_M = 0.5;
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    const double range = joint->type == SN_JOINT_PRISMATIC ? SLIDE_M : TURN;
    const double lower = isfinite(joint->lower) ? joint->lower : fmin(-range, joint->upper);
    const double upper = isfinite(joint->upper) ? joint->upper : fmax(range, lower);
    q[i] = sn_random_between(random, lower, upper);
  }
}

/* How many of the random poses each pair touches in. */
static void count_touches(sn__collision_build *build, size_t samples, double *q, size_t *touches) {
  static const sn__gap_range touching = {0.0, 0.0, SN__FINE_M};
  sn__collision *c = build->collision;
  sn_random random;
  sn_random_init(&random, 1);
  for (size_t k = 0; k < samples; k++) {
    sn__near near;
    draw_pose(build->model, &random, q);
    sn__collision_move(c, q);
    for (size_t i = 0; i < c->pair_count; i++) {
      touches[i] += sn__collision_gap(c, i, &touching, &near) <= 0.0;
    }
  }
}

/* Zero, or the nearest to it within limits. */
static void zero_pose(const sn_model *model, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    q[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
}

/* A pair is not checked. @param why  a phrase after the two names */
static void warn_left_out(const sn__collision_build *build, size_t pair, const char *why) {
  const sn__collision *c = build->collision;
  const sn__solid_pair *first = &c->solid_pairs[c->pairs[pair].first];
  if (build->report != NULL) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, (sn_place){.file = SN__COLLISION_PLACE},
                   NULL, "'%.60s' and '%.60s' %s: they are not checked",
                   sn__collision_name(c, c->solids[first->a].link),
                   sn__collision_name(c, c->solids[first->b].link), why);
  }
}

static void warn_overlap(const sn__collision_build *build, const sn__near *near) {
  char why[80];
  if (near->distance < 0.0) {
    (void)snprintf(why, sizeof why, "overlap by %.1f mm in the zero pose", -1e3 * near->distance);
  } else {
    (void)snprintf(why, sizeof why, "are only %.3f mm apart in the zero pose",
                   1e3 * near->distance);
  }
  warn_left_out(build, near->pair, why);
}

/* Mark pairs in contact in the zero pose as if they touched in all poses. */
static void mark_overlaps(sn__collision_build *build, size_t samples, double *q, size_t *touches) {
  static const sn__gap_range close = {-INFINITY, SN__COLLISION_TOUCH_M, SN__FINE_M};
  sn__collision *c = build->collision;
  const size_t count = build->config->root_floats ? c->objects.first_pair : c->pair_count;
  zero_pose(build->model, q);
  sn__collision_move(c, q);
  for (size_t i = 0; i < count; i++) {
    sn__near near;
    if (touches[i] < samples && sn__collision_gap(c, i, &close, &near) <= SN__COLLISION_TOUCH_M) {
      warn_overlap(build, &near);
      touches[i] = samples;
      c->facts.overlap_count++;
    }
  }
}

/* A link that an object cannot be kept away from, wherever the joints are. */
static void warn_objects(const sn__collision_build *build, size_t samples, const size_t *touches) {
  const sn__collision *c = build->collision;
  char why[80];
  (void)snprintf(why, sizeof why, "touch in all of %zu random poses", samples);
  for (size_t i = c->objects.first_pair; i < c->pair_count; i++) {
    if (touches[i] >= samples && c->pairs[i].count > 0) {
      warn_left_out(build, i, why);
    }
  }
}

/* Pairs of the robot move up; those with objects are switched off where they are. */
static void drop(sn__collision *c, size_t samples, const size_t *touches) {
  const size_t first_object_pair = c->objects.first_pair;
  size_t kept = 0;
  for (size_t i = 0; i < c->pair_count; i++) {
    const bool is_dropped = touches[i] >= samples;
    c->facts.never_count += touches[i] == 0;
    c->facts.always_count += is_dropped;
    if (i >= first_object_pair && is_dropped) {
      c->pairs[i].count = 0;
    }
    if (i >= first_object_pair || !is_dropped) {
      c->pairs[kept++] = c->pairs[i];
    }
  }
  c->objects.first_pair -= c->pair_count - kept;
  c->pair_count = kept;
  c->facts.always_count -= c->facts.overlap_count;
}

static sn_status drop_touching(sn__collision_build *build) {
  sn__collision *c = build->collision;
  const size_t samples = build->config->sample_count == 0 ? SAMPLES : build->config->sample_count;
  size_t *touches = SN_NEW(build->scratch, size_t, c->pair_count);
  double *q = SN_NEW(build->scratch, double, c->tree->coord_count);
  if (touches == NULL || q == NULL) {
    return no_room(build);
  }
  count_touches(build, samples, q, touches);
  for (size_t i = c->objects.first_pair; build->config->root_floats && i < c->pair_count; i++) {
    touches[i] = 0;
  }
  warn_objects(build, samples, touches);
  if (build->config->leaves_out_overlaps) {
    mark_overlaps(build, samples, q, touches);
  }
  drop(c, samples, touches);
  return SN_OK;
}

static void count_facts(sn__collision *c) {
  c->facts.solid_count = c->solid_count;
  c->facts.part_count = c->part_count;
  for (size_t i = 0; i < c->pair_count; i++) {
    c->facts.pair_count += c->pairs[i].count > 0;
  }
}

sn_status sn__pairs_create(sn__collision_build *build) {
  const size_t n = sn_model_link_count(build->model);
  bool *off = NULL;
  sn_status status = SN_OK;
  const sn__collision_config *config = build->config;
  if (config->srdf != NULL || config->srdf_file != NULL || config->off_count > 0 ||
      sn__model_semantics(build->model)->pair_count > 0) {
    off = SN_NEW(build->scratch, bool, n *n);
    status = off == NULL ? no_room(build) : sn__srdf_read(build, off);
  }
  if (status == SN_OK && !make_parts(build)) {
    status = no_room(build);
  }
  status = status == SN_OK ? sn__paths_create(build) : status;
  status = status == SN_OK ? sn__objects_create(build) : status;
  status = status == SN_OK ? make_pairs(build, off) : status;
  build->collision->objects.first_pair = build->collision->pair_count;
  status = status == SN_OK ? sn__world_read(build) : status;
  status = status == SN_OK ? drop_touching(build) : status;
  count_facts(build->collision);
  return status;
}
