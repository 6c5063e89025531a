#include "robot_tools/check_overlaps.h"

#include <math.h>
#include <stdio.h>

bool overlaps_find(robot *r, const robot_options *options, overlaps *out) {
  const sn__collision_config config = {.robot_file = r->urdf,
                                       .package_path = robot_package_path(options)};
  *out = (overlaps){0};
  sn_error err;
  const sn_status status =
      sn__collision_create(&r->arena, r->model, &config, NULL, &out->collision, &err);
  if (status != SN_OK) {
    return status != SN_ENOMEM;
  }
  const size_t n = sn_model_pose_size(r->model);
  double *q = SN_NEW(&r->arena, double, n);
  if (q == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const sn_joint *joint = sn_model_joint(r->model, i);
    q[i] = fmax(joint->lower, fmin(joint->upper, 0.0));
  }
  out->count = sn__collision_check(out->collision, q, 0.0, &out->list);
  return true;
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
  for (size_t i = 0; i < o->count; i++) {
    printf("  overlap %s and %s, by %.1f mm in the zero pose\n",
           sn__collision_name(o->collision, o->list[i].link_a),
           sn__collision_name(o->collision, o->list[i].link_b), -1e3 * o->list[i].distance);
  }
}

json_t *overlaps_json(const overlaps *o) {
  json_t *list = json_array();
  for (size_t i = 0; i < o->count; i++) {
    json_array_append_new(
        list,
        json_pack("{s:s, s:s, s:f}", "link_a", sn__collision_name(o->collision, o->list[i].link_a),
                  "link_b", sn__collision_name(o->collision, o->list[i].link_b), "distance_m",
                  o->list[i].distance));
  }
  return list;
}
