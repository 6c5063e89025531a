#include "robot_tools/check_overlaps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "legs/legs.h"

/* @return false if memory runs out */
static bool add_pose(sn_arena *arena, overlaps *o, const char *name, const char *phrase,
                     const double *q, double window) {
  const sn__near *list = NULL;
  const size_t count = sn__collision_check(o->collision, q, window, &list);
  sn__near *kept = SN_NEW(arena, sn__near, count + 1);
  if (kept == NULL) {
    return false;
  }
  memcpy(kept, list, count * sizeof *kept);
  size_t kept_count = 0;
  for (size_t i = 0; i < count; i++) {
    sn__near fine;
    if (sn__collision_of_pair(o->collision, kept[i].pair, q, &fine) && fine.distance <= window) {
      kept[kept_count++] = fine;
    }
  }
  o->poses[o->pose_count++] =
      (pose_overlaps){.name = name, .phrase = phrase, .list = kept, .count = kept_count};
  return true;
}

/* The zero pose, and a stance if the robot has legs. What nearly touches in the zero pose is not
   guarded by the gate, so it is listed as well. */
static bool add_rest_poses(robot *r, overlaps *o) {
  const size_t n = sn_model_pose_size(r->model);
  double *q = SN_NEW(&r->arena, double, n);
  if (q == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const sn_joint *joint = sn_model_joint(r->model, i);
    q[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
  if (!add_pose(&r->arena, o, "zero", "the zero pose", q, SN__COLLISION_TOUCH_M)) {
    return false;
  }
  sn__legs legs;
  const sn_status status = sn__legs_find(&r->arena, r->model, NULL, &legs, NULL);
  return status == SN_OK ? add_pose(&r->arena, o, "stance", "its stance", legs.stance, 0.0)
                         : status != SN_ENOMEM;
}

bool overlaps_find(robot *r, const robot_options *options, overlaps *out) {
  const sn__collision_config config = {.robot_file = r->urdf,
                                       .package_path = robot_package_path(options)};
  *out = (overlaps){0};
  sn_error err;
  const sn_status status =
      sn__collision_create(&r->arena, r->model, &config, NULL, &out->collision, &err);
  return status == SN_OK ? add_rest_poses(r, out) : status != SN_ENOMEM;
}

size_t overlaps_count(const overlaps *o) {
  size_t count = 0;
  for (size_t i = 0; i < o->pose_count; i++) {
    count += o->poses[i].count;
  }
  return count;
}

static void print_pair(const overlaps *o, const sn__near *near, const pose_overlaps *pose) {
  const char *a = sn__collision_name(o->collision, near->link_a);
  const char *b = sn__collision_name(o->collision, near->link_b);
  if (near->distance < 0.0) {
    printf("  overlap %s and %s, by %.1f mm in %s\n", a, b, -1e3 * near->distance, pose->phrase);
  } else {
    printf("  touch   %s and %s, %.3f mm apart in %s\n", a, b, 1e3 * near->distance, pose->phrase);
  }
}

static void print_pose(const overlaps *o, const pose_overlaps *pose) {
  for (size_t i = 0; i < pose->count; i++) {
    print_pair(o, &pose->list[i], pose);
  }
}

/* What the gate leaves out. */
static void print_unguarded(const overlaps *o) {
  const size_t always = sn__collision_facts_of(o->collision)->always_count;
  if (always > 0) {
    printf("          %zu pair%s not checked: they touch in every pose\n", always,
           always == 1 ? " is" : "s are");
  }
  if (o->pose_count > 0 && o->poses[0].count > 0) {
    printf("          the gate does not guard links that overlap or touch in the zero pose\n");
  }
}

void overlaps_print(const overlaps *o) {
  if (o->collision == NULL) {
    printf("  shapes  none: collisions cannot be checked\n");
    return;
  }
  const sn__collision_facts *facts = sn__collision_facts_of(o->collision);
  printf("  shapes  %zu, %zu pair%s of links checked for collisions\n", facts->solid_count,
         facts->pair_count, facts->pair_count == 1 ? "" : "s");
  if (facts->mesh_missing_count > 0) {
    printf("          %zu mesh%s missing: their links are not checked\n", facts->mesh_missing_count,
           facts->mesh_missing_count == 1 ? " is" : "es are");
  }
  for (size_t i = 0; i < o->pose_count; i++) {
    print_pose(o, &o->poses[i]);
  }
  print_unguarded(o);
}

static json_t *overlap_json(const overlaps *o, const sn__near *near, const char *pose) {
  return json_pack("{s:s, s:s, s:f, s:s}", "link_a", sn__collision_name(o->collision, near->link_a),
                   "link_b", sn__collision_name(o->collision, near->link_b), "distance_m",
                   near->distance, "pose", pose);
}

json_t *overlaps_json(const overlaps *o) {
  json_t *list = json_array();
  for (size_t i = 0; i < o->pose_count; i++) {
    for (size_t k = 0; k < o->poses[i].count; k++) {
      json_array_append_new(list, overlap_json(o, &o->poses[i].list[k], o->poses[i].name));
    }
  }
  return list;
}
