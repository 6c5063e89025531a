#include "controllers/cartesian/tool_contact.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "msg/types/msg_collision.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

enum { POSES_MAX = 9 }; /* the gate follows eight ways between them in a call */

/* Between two poses: rad or m, and how finely the motion is searched for the next one. */
static const double APART_MAX = 0.01, STEP_S = 0.002;

/* The next poses of a motion, and their times. The first one is known to be free. */
typedef struct sn__way {
  const sn__tool_motion *motion;
  size_t n; /* joints */
  sn_joint_state *msg;
  double times_s[POSES_MAX];
  size_t count;
  double *rates; /* [2][n] */
} sn__way;

static double *pose_of(const sn__way *way, size_t i) {
  return way->msg->position.data + i * way->n;
}

static sn_status create(sn_arena *arena, const sn_model *model, const sn_chain *chain, sn__way *way,
                        sn_error *err) {
  const sn_msg_capacity room = {.item_count = POSES_MAX * chain->joint_count};
  way->n = chain->joint_count;
  way->msg = sn_msg_create(arena, &sn_joint_state_type, &room);
  way->rates = SN_NEW(arena, double, 2 * way->n);
  if (way->msg == NULL || way->rates == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for %zu joints", way->n);
  }
  sn_status status = SN_OK;
  for (size_t j = 0; status == SN_OK && j < way->n; j++) {
    const char *name = sn_model_joint(model, (size_t)chain->joints[j])->name;
    status = sn_msg_names_add(&way->msg->name, name, strlen(name));
  }
  return status;
}

/* ---- poses ---- */

static void add_pose(sn__way *way, double t_s) {
  sn__tool_motion_at(way->motion, t_s, pose_of(way, way->count), way->rates, way->rates + way->n);
  way->times_s[way->count++] = t_s;
}

static bool is_apart(const sn__way *way, size_t i) {
  const double *a = pose_of(way, i - 1), *b = pose_of(way, i);
  bool is = false;
  for (size_t j = 0; j < way->n; j++) {
    is = is || fabs(b[j] - a[j]) >= APART_MAX;
  }
  return is;
}

/* As many poses as there is room for, up to the end of the motion. */
static void fill(sn__way *way, size_t room) {
  const double end_s = sn__tool_motion_duration(way->motion);
  double t_s = way->times_s[way->count - 1];
  while (way->count < room && t_s < end_s) {
    t_s = fmin(end_s, t_s + STEP_S);
    add_pose(way, t_s);
    if (t_s < end_s && !is_apart(way, way->count - 1)) {
      way->count--;
    }
  }
}

/* The time of a place between two poses. */
static double time_at(const sn__way *way, double place) {
  const size_t i = (size_t)place;
  return i + 1 < way->count
             ? way->times_s[i] + (place - (double)i) * (way->times_s[i + 1] - way->times_s[i])
             : way->times_s[way->count - 1];
}

/* Begin at a place between two poses. */
static void drop(sn__way *way, double place) {
  const size_t i = (size_t)place;
  const double share = place - (double)i, t_s = time_at(way, place);
  double *first = pose_of(way, i);
  for (size_t j = 0; share > 0.0 && j < way->n; j++) {
    first[j] += share * (first[way->n + j] - first[j]);
  }
  way->count -= i;
  memmove(pose_of(way, 0), first, way->count * way->n * sizeof *first);
  memmove(way->times_s, way->times_s + i, way->count * sizeof *way->times_s);
  way->times_s[0] = t_s;
}

/* ---- the question ---- */

static sn_status refuse(const sn__way *way, const sn_checked_way *answer, sn_error *err) {
  const double t_s = time_at(way, answer->checked);
  const double end_s = sn__tool_motion_duration(way->motion);
  return sn__fail(err, SN_EINVAL,
                  "target %zu: '%.60s' and '%.60s' would touch after %.0f %% of the way (%.3g s of "
                  "%.3g s): go around, or let them touch (setCollisionPair)",
                  sn__tool_motion_target(way->motion, t_s), answer->link_a.data,
                  answer->link_b.data, end_s > 0.0 ? 100.0 * t_s / end_s : 0.0, t_s, end_s);
}

/* One call. @return SN_OK: free so far */
static sn_status ask(const sn_caller *guard, sn__way *way, sn_checked_way *answer, sn_error *err) {
  way->msg->position.count = way->count * way->n;
  const sn_status status = sn_call(guard, way->msg, answer, err);
  if (status != SN_OK) {
    return status;
  }
  const double last = (double)(way->count - 1);
  if (!(answer->checked >= 0.0 && answer->checked <= last) ||
      (answer->checked == 0.0 && !answer->blocked)) {
    return sn__fail(err, SN_EINVAL, "checkWay: %g of %g poses, expected some of them",
                    answer->checked, last);
  }
  return answer->blocked ? refuse(way, answer, err) : SN_OK;
}

static sn_status follow(const sn_caller *guard, sn__way *way, sn_checked_way *answer,
                        double *free_s, sn_error *err) {
  const size_t room = way->msg->position.capacity / way->n;
  const double end_s = sn__tool_motion_duration(way->motion);
  sn_status status = SN_OK;
  *free_s = 0.0;
  add_pose(way, 0.0);
  fill(way, room < POSES_MAX ? room : POSES_MAX);
  while (status == SN_OK && way->count > 1) {
    status = ask(guard, way, answer, err);
    if (status == SN_OK) {
      drop(way, answer->checked);
      fill(way, room < POSES_MAX ? room : POSES_MAX);
    } else if (answer->blocked) {
      /* The pose before is still free. */
      *free_s = way->times_s[(size_t)fmax(0.0, ceil(answer->checked) - 1.0)];
    }
  }
  *free_s = status == SN_OK ? end_s : *free_s;
  return status;
}

sn_status sn__tool_contact_check(const sn_caller *guard, const sn_model *model,
                                 const sn_chain *chain, const sn__tool_motion *motion,
                                 double *free_s, sn_error *err) {
  *free_s = sn__tool_motion_duration(motion);
  if (!sn_caller_is_ready(guard)) {
    return SN_OK;
  }
  sn_arena arena;
  sn_arena_init_growing(&arena, "way", 0);
  sn__way way = {.motion = motion};
  sn_checked_way *answer = sn_msg_create(&arena, &sn_checked_way_type, NULL);
  sn_status status = answer == NULL ? sn__fail(err, SN_ENOMEM, "no memory for an answer")
                                    : create(&arena, model, chain, &way, err);
  status = status == SN_OK ? follow(guard, &way, answer, free_s, err) : status;
  sn_arena_release(&arena);
  return status;
}
