#include "ik/closed/geometry/frames.h"

#include "math/pair.h"
#include "math/rotation.h"
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
    const sn_pose to_axis = {.rot = sn__mat3_with_z(z)};
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

/* From behind the turn of joint i - 1 to before that of joint i. */
static sn_pose step_to(const sn__frames *frames, int i) {
  return (sn_pose){rot_x(frames->across[i]), frames->shift[i]};
}

void sn__frames_lock(const sn__frames *frames, int index, sn__turn t, sn__frames *out) {
  const int last = frames->count - 1;
  const sn_pose still = {rot_z(sn__turn_add(t, frames->twist[index])), {0, 0, 0}};
  *out = (sn__frames){.count = last,
                      .position_only = frames->position_only,
                      .first = frames->first,
                      .tip = frames->tip};
  for (int i = 0; i < last; i++) {
    const int from = i < index ? i : i + 1;
    out->twist[i] = frames->twist[from];
    out->shift[i] = frames->shift[from];
    out->across[i] = frames->across[from];
  }
  if (index == 0) {
    out->first = sn_pose_mul(sn_pose_mul(frames->first, still), step_to(frames, 1));
    return;
  }
  const sn_pose behind = sn_pose_mul(step_to(frames, index), still);
  if (index == last) {
    out->tip = sn_pose_mul(behind, frames->tip);
    return;
  }
  const sn_pose step = sn_pose_mul(behind, step_to(frames, index + 1));
  sn__turn before, after;
  split_euler(step.rot, &before, &out->across[index], &after);
  out->twist[index - 1] = sn__turn_add(out->twist[index - 1], before);
  out->twist[index] = sn__turn_add(after, out->twist[index]);
  out->shift[index] = sn_mat3_apply_transposed(rot_z(before), step.pos);
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

sn__goal sn__frames_goal(const sn__frames *frames, const sn_pose *target) {
  const sn_mat3 r = frames->tip.rot;
  const sn_vec3 row_x = {r.x.x, r.y.x, r.z.x}, row_y = {r.x.y, r.y.y, r.z.y};
  const sn_mat3 base = frames->first.rot;
  return (sn__goal){
      .pos = sn_mat3_apply_transposed(base, sn_vec3_sub(target->pos, frames->first.pos)),
      .x = sn_mat3_apply_transposed(base, sn_mat3_apply(target->rot, row_x)),
      .y = sn_mat3_apply_transposed(base, sn_mat3_apply(target->rot, row_y))};
}

/* Vectors of two branches side by side. */
typedef struct vec3_pair {
  sn__pair x, y, z;
} vec3_pair;

typedef struct turn_pair {
  sn__pair c, s;
} turn_pair;

static inline turn_pair both_turns(sn__turn first, sn__turn second, sn__turn twist) {
  const sn__pair c = {first.c, second.c}, s = {first.s, second.s};
  const sn__pair tc = sn__pair_both(twist.c), ts = sn__pair_both(twist.s);
  return (turn_pair){c * tc - s * ts, s * tc + c * ts};
}

static inline vec3_pair about_z(turn_pair t, vec3_pair v) {
  return (vec3_pair){t.c * v.x - t.s * v.y, t.s * v.x + t.c * v.y, v.z};
}

static inline vec3_pair about_x(turn_pair t, vec3_pair v) {
  return (vec3_pair){v.x, t.c * v.y - t.s * v.z, t.s * v.y + t.c * v.z};
}

static inline sn__pair squared_distance(vec3_pair v, sn_vec3 w) {
  const sn__pair x = v.x - sn__pair_both(w.x);
  const sn__pair y = v.y - sn__pair_both(w.y);
  const sn__pair z = v.z - sn__pair_both(w.z);
  return x * x + y * y + z * z;
}

/* From the tip to the base: three vectors pass through every joint, where frames would be four. */
void sn__frames_misses(const sn__frames *frames, const sn__turn *first, const sn__turn *second,
                       const sn__goal *goal, sn__miss miss[2]) {
  const int last = frames->count - 1;
  const sn_vec3 tip = frames->tip.pos;
  const turn_pair t = both_turns(first[last], second[last], frames->twist[last]);
  const sn__pair zero = sn__pair_both(0.0);
  vec3_pair pos =
      about_z(t, (vec3_pair){sn__pair_both(tip.x), sn__pair_both(tip.y), sn__pair_both(tip.z)});
  vec3_pair x = {t.c, t.s, zero}, y = {-t.s, t.c, zero};
  for (int i = last; i > 0; i--) {
    const turn_pair across = {sn__pair_both(frames->across[i].c),
                              sn__pair_both(frames->across[i].s)};
    const turn_pair turn = both_turns(first[i - 1], second[i - 1], frames->twist[i - 1]);
    const sn_vec3 shift = frames->shift[i];
    pos = about_x(across, pos);
    pos.x += sn__pair_both(shift.x);
    pos.y += sn__pair_both(shift.y);
    pos.z += sn__pair_both(shift.z);
    pos = about_z(turn, pos);
    x = about_z(turn, about_x(across, x));
    y = about_z(turn, about_x(across, y));
  }
  const sn__pair position2 = squared_distance(pos, goal->pos);
  const sn__pair rotation2 =
      frames->position_only ? zero : squared_distance(x, goal->x) + squared_distance(y, goal->y);
  for (int i = 0; i < 2; i++) {
    miss[i] = (sn__miss){sqrt(position2[i]), sqrt(rotation2[i])};
  }
}
