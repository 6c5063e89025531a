#include "ik/frames.h"

#include "math/pair.h"
#include "math/sincos.h"
#include "sinew/fault.h"

#define JOINTS_MAX SN__ARM_JOINTS_MAX

static sn_mat3 rot_z(sn__turn t) {
  return (sn_mat3){.x = {t.c, t.s, 0}, .y = {-t.s, t.c, 0}, .z = {0, 0, 1}};
}

static sn_mat3 rot_x(sn__turn t) {
  return (sn_mat3){.x = {1, 0, 0}, .y = {0, t.c, t.s}, .z = {0, -t.s, t.c}};
}

/* r = Rz(a) Rx(b) Rz(c). The last turn is read off what is left, so that it makes up for a first
   one that hardly matters. */
static void split_euler(sn_mat3 r, sn__turn *a, sn__turn *b, sn__turn *c) {
  const double sine = hypot(r.z.x, r.z.y);
  *a = sine > 1e-9 ? sn__turn_normalize(-r.z.y, r.z.x) : (sn__turn){1.0, 0.0};
  *b = sn__turn_normalize(r.z.z, sine);
  const sn_mat3 both = sn_mat3_mul(rot_z(*a), rot_x(*b));
  const sn_mat3 left = sn_mat3_mul(sn_mat3_transpose(both), r);
  *c = sn__turn_normalize(left.x.x, left.x.y);
}

void sn__frames_init(sn__frames *frames, const sn_chain *chain, bool position_only, int free_axis) {
  const sn_tree *tree = &chain->tree;
  SN_ASSERT(tree->body_count >= 1);
  SN_ASSERT(tree->body_count + (free_axis >= 0 ? 1 : 0) <= JOINTS_MAX);
  *frames = (sn__frames){.count = (int)tree->body_count, .position_only = position_only};
  sn_pose step[JOINTS_MAX];
  for (int i = 0; i < frames->count; i++) {
    step[i] = tree->pose_parent_joint[i];
  }
  frames->tip = chain->pose_body_tip;
  if (free_axis >= 0) {
    const sn_vec3 z = {free_axis == 0 ? 1.0 : 0.0, free_axis == 1 ? 1.0 : 0.0,
                       free_axis == 2 ? 1.0 : 0.0};
    const sn_pose to_axis = {.rot = sn_mat3_with_z(z)};
    step[frames->count++] = sn_pose_mul(frames->tip, to_axis);
    frames->tip = sn_pose_inverse(to_axis);
  }
  frames->first = step[0];
  frames->twist[0] = (sn__turn){1.0, 0.0};
  for (int i = 1; i < frames->count; i++) {
    sn__turn before, behind;
    split_euler(step[i].rot, &before, &frames->across[i], &behind);
    frames->twist[i - 1] = sn__turn_add(frames->twist[i - 1], before);
    frames->twist[i] = behind;
    frames->shift[i] = sn_mat3_apply_transposed(rot_z(before), step[i].pos);
  }
}

/* Turned about its own z axis, about its own x axis. */
static inline sn_mat3 turn_z(sn_mat3 r, sn__turn t) {
  return (sn_mat3){
      .x = {t.c * r.x.x + t.s * r.y.x, t.c * r.x.y + t.s * r.y.y, t.c * r.x.z + t.s * r.y.z},
      .y = {t.c * r.y.x - t.s * r.x.x, t.c * r.y.y - t.s * r.x.y, t.c * r.y.z - t.s * r.x.z},
      .z = r.z,
  };
}

static inline sn_mat3 turn_x(sn_mat3 r, sn__turn t) {
  return (sn_mat3){
      .x = r.x,
      .y = {t.c * r.y.x + t.s * r.z.x, t.c * r.y.y + t.s * r.z.y, t.c * r.y.z + t.s * r.z.z},
      .z = {t.c * r.z.x - t.s * r.y.x, t.c * r.z.y - t.s * r.y.y, t.c * r.z.z - t.s * r.y.z},
  };
}

static sn_pose walk(const sn__frames *frames, const sn__turn *turn, sn_vec3 *axis, sn_vec3 *place) {
  sn_pose pose = frames->first;
  for (int i = 0; i < frames->count; i++) {
    if (i > 0) {
      pose.pos = sn_pose_apply(pose, frames->shift[i]);
      pose.rot = turn_x(pose.rot, frames->across[i]);
    }
    if (axis != NULL) {
      axis[i] = pose.rot.z;
      place[i] = pose.pos;
    }
    pose.rot = turn_z(pose.rot, sn__turn_add(turn[i], frames->twist[i]));
  }
  return sn_pose_mul(pose, frames->tip);
}

sn_pose sn__frames_tip(const sn__frames *frames, const sn__turn *turn) {
  return walk(frames, turn, NULL, NULL);
}

sn_pose sn__frames_trace(const sn__frames *frames, const double *q, sn_vec3 *axis, sn_vec3 *place) {
  double sine[JOINTS_MAX], cosine[JOINTS_MAX];
  sn__turn turn[JOINTS_MAX];
  sn__sincos((size_t)frames->count, q, sine, cosine);
  for (int i = 0; i < frames->count; i++) {
    turn[i] = (sn__turn){cosine[i], sine[i]};
  }
  return walk(frames, turn, axis, place);
}

static double square(sn_vec3 v) {
  return sn_vec3_dot(v, v);
}

sn__miss sn__frames_miss(const sn__frames *frames, sn_pose tip, sn_pose target) {
  sn__miss miss = {.position_m = sn_vec3_norm(sn_vec3_sub(tip.pos, target.pos))};
  if (!frames->position_only) {
    miss.rotation_rad = sqrt(0.5 * (square(sn_vec3_sub(tip.rot.x, target.rot.x)) +
                                    square(sn_vec3_sub(tip.rot.y, target.rot.y)) +
                                    square(sn_vec3_sub(tip.rot.z, target.rot.z))));
  }
  return miss;
}

/* Vectors of two branches side by side. */
typedef struct vec3_pair {
  sn__pair x, y, z;
} vec3_pair;

static inline vec3_pair both(sn_vec3 v) {
  return (vec3_pair){sn__pair_both(v.x), sn__pair_both(v.y), sn__pair_both(v.z)};
}

/* a v + b w */
static inline vec3_pair mix(sn__pair a, vec3_pair v, sn__pair b, vec3_pair w) {
  return (vec3_pair){a * v.x + b * w.x, a * v.y + b * w.y, a * v.z + b * w.z};
}

static inline vec3_pair add_scaled(vec3_pair v, double a, vec3_pair w) {
  const sn__pair s = sn__pair_both(a);
  return (vec3_pair){v.x + s * w.x, v.y + s * w.y, v.z + s * w.z};
}

static inline sn__pair squared_distance(vec3_pair v, sn_vec3 w) {
  const sn__pair x = v.x - sn__pair_both(w.x);
  const sn__pair y = v.y - sn__pair_both(w.y);
  const sn__pair z = v.z - sn__pair_both(w.z);
  return x * x + y * y + z * z;
}

/* Instead of the tip the frame before it is compared: the target is taken back by the tip's pose,
   once for both, and distances do not notice. */
void sn__frames_misses(const sn__frames *frames, const sn__turn *first, const sn__turn *second,
                       const sn_pose *target, sn__miss miss[2]) {
  vec3_pair x = both(frames->first.rot.x), y = both(frames->first.rot.y);
  vec3_pair z = both(frames->first.rot.z), pos = both(frames->first.pos);
  for (int i = 0; i < frames->count; i++) {
    if (i > 0) {
      const sn_vec3 shift = frames->shift[i];
      pos = add_scaled(add_scaled(add_scaled(pos, shift.x, x), shift.y, y), shift.z, z);
      const sn__pair c = sn__pair_both(frames->across[i].c), s = sn__pair_both(frames->across[i].s);
      const vec3_pair turned = mix(c, y, s, z);
      z = mix(c, z, -s, y);
      y = turned;
    }
    const sn__turn t0 = sn__turn_add(first[i], frames->twist[i]);
    const sn__turn t1 = sn__turn_add(second[i], frames->twist[i]);
    const sn__pair c = {t0.c, t1.c}, s = {t0.s, t1.s};
    const vec3_pair turned = mix(c, x, s, y);
    y = mix(c, y, -s, x);
    x = turned;
  }
  const sn_vec3 tip = frames->tip.pos;
  pos = add_scaled(add_scaled(add_scaled(pos, tip.x, x), tip.y, y), tip.z, z);
  const sn__pair position2 = squared_distance(pos, target->pos);
  sn__pair rotation2 = {0.0, 0.0};
  if (!frames->position_only) {
    const sn_mat3 goal = sn_mat3_mul(target->rot, sn_mat3_transpose(frames->tip.rot));
    rotation2 = sn__pair_both(0.5) * (squared_distance(x, goal.x) + squared_distance(y, goal.y) +
                                      squared_distance(z, goal.z));
  }
  for (int i = 0; i < 2; i++) {
    miss[i] = (sn__miss){sqrt(position2[i]), sqrt(rotation2[i])};
  }
}
