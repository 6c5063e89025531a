/* Compare distances with FCL: check_fcl POSES FILE.urdf... Every pair of primitive shapes of every
   robot in random poses. Meshes are left out. SINEW_TEST_SCALE multiplies the count of poses.
   Farther apart than SINEW_TEST_RANGE, 0.3 m, is not interesting, and most of the time. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "child.h"
#include "collision/collision_internal.h"
#include "collision/gjk.h"
#include "sinew/random.h"

static const double TOLERANCE_M = 1e-6;
static double range_m = 0.3;

typedef struct tally {
  size_t compared, contacts;
  size_t missed;     /* contacts that we call free */
  size_t off;        /* distances that differ */
  size_t refuted;    /* of FCL, by bounds that a third method gives */
  double refuted_by; /* the largest error of those, m */
  double worst;      /* difference of distances otherwise, m */
} tally;

static double *put_shape(double *x, const sn__convex *shape) {
  *x++ = (double)shape->kind;
  *x++ = shape->half.x;
  *x++ = shape->half.y;
  *x++ = shape->half.z;
  *x++ = shape->radius;
  return x;
}

static void put_pose(double *x, const sn_pose *pose) {
  const sn_vec3 columns[3] = {pose->rot.x, pose->rot.y, pose->rot.z};
  for (size_t k = 0; k < 3; k++) {
    x[k] = columns[k].x;
    x[3 + k] = columns[k].y;
    x[6 + k] = columns[k].z;
  }
  x[9] = pose->pos.x;
  x[10] = pose->pos.y;
  x[11] = pose->pos.z;
}

/* How far a point is outside of a shape, in closed form. */
static double outside(const sn__convex *shape, sn_vec3 p) {
  const sn_vec3 half = shape->half;
  const double z = fmax(fabs(p.z) - half.z, 0.0);
  double core = 0.0;
  if (shape->kind == SN__CONVEX_BOX) {
    core = hypot(hypot(fmax(fabs(p.x) - half.x, 0.0), fmax(fabs(p.y) - half.y, 0.0)), z);
  } else if (shape->kind == SN__CONVEX_CYLINDER) {
    core = hypot(fmax(hypot(p.x, p.y) - half.x, 0.0), z);
  } else {
    core = hypot(hypot(p.x, p.y), shape->kind == SN__CONVEX_POINT ? p.z : z);
  }
  return core - shape->radius;
}

/* How far a shape reaches from its middle in a direction of unit length, in closed form. */
static double reach(const sn__convex *shape, sn_vec3 d) {
  const sn_vec3 half = shape->half;
  double core = 0.0;
  if (shape->kind == SN__CONVEX_BOX) {
    core = half.x * fabs(d.x) + half.y * fabs(d.y) + half.z * fabs(d.z);
  } else if (shape->kind == SN__CONVEX_CYLINDER) {
    core = half.x * hypot(d.x, d.y) + half.z * fabs(d.z);
  } else if (shape->kind == SN__CONVEX_SEGMENT) {
    core = half.z * fabs(d.z);
  }
  return core + shape->radius;
}

/* A third method decides which is wrong if the two differ. Two points bound the distance from
   above, with what they are outside of the shapes; the room between two parallel planes that
   nothing crosses bounds it from below. Both bounds are closed forms of points and direction,
   wherever these come from. @return whether FCL's distance is outside of the bounds */
static bool is_refuted(const sn__solid *a, const sn__solid *b, const sn_pose *pose,
                       const sn__gap *gap, double distance) {
  static const double ROUNDING_M = 1e-8;
  const sn_vec3 on_b = sn_pose_apply(sn_pose_inverse(*pose), gap->point_b);
  const sn_vec3 back = sn_vec3_neg(sn_mat3_apply_transposed(pose->rot, gap->normal));
  const double lower = sn_vec3_dot(gap->normal, pose->pos) - reach(&a->convex, gap->normal) -
                       reach(&b->convex, back);
  const double upper = sn_vec3_norm(sn_vec3_sub(gap->point_b, gap->point_a)) +
                       fmax(0.0, outside(&a->convex, gap->point_a)) +
                       fmax(0.0, outside(&b->convex, on_b));
  return distance > upper + ROUNDING_M || distance < lower - ROUNDING_M;
}

/* A pair whose distance FCL is asked for, and ours. */
typedef struct question {
  const sn__solid *a, *b;
  sn_pose pose;
  sn__gap gap;
} question;

/* Those of one pose. They are sent together: most of the time would pass in pipes otherwise. */
typedef struct batch {
  size_t count;
  question *questions;
  double *sent; /* [count][QUESTION_SIZE] */
  double *answers;
} batch;

enum { QUESTION_SIZE = 22, ANSWER_SIZE = 2 };

static void ask(batch *to, const sn__solid *a, const sn__solid *b, const sn_pose *pose) {
  question q = {.a = a, .b = b, .pose = *pose};
  const sn__gap_range range = {-INFINITY, range_m, 1e-9};
  sn_vec3 none = {0};
  sn__gjk(&a->convex, &b->convex, pose, &range, &none, &q.gap);
  if (q.gap.is_bound) {
    return;
  }
  double *x = to->sent + to->count * QUESTION_SIZE;
  put_pose(put_shape(put_shape(x, &a->convex), &b->convex), pose);
  to->questions[to->count++] = q;
}

/* How far a distance is from ours, which is a bound from below and, by the two points, from above.
   The bounds are 1e-9 m apart. */
static double miss(const sn__gap *gap, double distance) {
  const double lower = fmax(gap->distance, 0.0);
  const double points = sn_vec3_norm(sn_vec3_sub(gap->point_b, gap->point_a));
  const double upper = fmin(fmax(points, lower), lower + 1e-8);
  return fmax(fmax(lower - distance, distance - upper), 0.0);
}

static void compare(const question *q, const double *want, tally *t) {
  t->compared++;
  t->contacts += want[0] != 0.0;
  /* Nearer than the tolerance either answer is right. */
  t->missed += want[0] != 0.0 && q->gap.distance > TOLERANCE_M;
  if (want[0] != 0.0 || !(want[1] > TOLERANCE_M)) {
    return;
  }
  const double difference = miss(&q->gap, want[1]);
  if (difference > TOLERANCE_M && is_refuted(q->a, q->b, &q->pose, &q->gap, want[1])) {
    t->refuted++;
    t->refuted_by = fmax(t->refuted_by, difference);
    return;
  }
  t->worst = fmax(t->worst, difference);
  if (difference > TOLERANCE_M && t->off++ < 5) {
    printf("kinds %d and %d: %.9f m, FCL says %.9f m\n", (int)q->a->convex.kind,
           (int)q->b->convex.kind, q->gap.distance, want[1]);
  }
}

static void exchange(child *peer, const batch *questions, tally *t) {
  const double count = (double)questions->count;
  child_write_doubles(peer, 1, &count);
  child_write_doubles(peer, questions->count * QUESTION_SIZE, questions->sent);
  child_read_doubles(peer, questions->count * ANSWER_SIZE, questions->answers);
  for (size_t i = 0; i < questions->count; i++) {
    compare(&questions->questions[i], questions->answers + i * ANSWER_SIZE, t);
  }
}

static bool is_primitive(const sn__solid *solid) {
  return solid->convex.kind <= SN__CONVEX_CYLINDER;
}

static void compare_pose(child *peer, const sn__collision *c, batch *questions, tally *t) {
  questions->count = 0;
  for (size_t i = 0; i < c->pair_count; i++) {
    for (size_t k = 0; k < c->pairs[i].count; k++) {
      const sn__solid_pair *pair = &c->solid_pairs[c->pairs[i].first + k];
      const sn__solid *a = &c->solids[pair->a], *b = &c->solids[pair->b];
      if (is_primitive(a) && is_primitive(b)) {
        const sn_pose pose_a = sn_pose_mul(sn_kin_body_pose(c->kin, a->body), a->pose_body_solid);
        const sn_pose pose_b = sn_pose_mul(sn_kin_body_pose(c->kin, b->body), b->pose_body_solid);
        const sn_pose pose = sn_pose_between(pose_a, pose_b);
        ask(questions, a, b, &pose);
      }
    }
  }
  exchange(peer, questions, t);
}

static batch batch_for(sn_arena *arena, const sn__collision *c) {
  size_t most = 0;
  for (size_t i = 0; i < c->pair_count; i++) {
    most += c->pairs[i].count;
  }
  return (batch){.questions = SN_NEW(arena, question, most),
                 .sent = SN_NEW(arena, double, most *QUESTION_SIZE),
                 .answers = SN_NEW(arena, double, most *ANSWER_SIZE)};
}

static int compare_robot(child *peer, const char *path, size_t pose_count) {
  sn_arena arena;
  sn_arena_init_growing(&arena, "check", 1 << 20);
  const sn_model *model = check_load(&arena, path);
  sn__collision *c = NULL;
  sn_error err;
  tally t = {0};
  if (sn__collision_create(&arena, model, &(sn__collision_config){0}, NULL, &c, &err) == SN_OK) {
    double *q = SN_NEW(&arena, double, sn_model_pose_size(model));
    batch questions = batch_for(&arena, c);
    sn_random random;
    sn_random_init(&random, 19);
    for (size_t k = 0; k < pose_count; k++) {
      for (size_t i = 0; i < sn_model_pose_size(model); i++) {
        const sn_joint *joint = sn_model_joint(model, i);
        q[i] = sn_random_between(&random, fmax(joint->lower, -3.1), fmin(joint->upper, 3.1));
      }
      sn_kin_update(c->kin, q);
      compare_pose(peer, c, &questions, &t);
    }
  }
  printf(
      "%s: %zu poses, %zu pairs, %zu contacts; missed %zu, off %zu, worst %.2g m, FCL refuted "
      "%zu, by %.2g m at most\n",
      path, pose_count, t.compared, t.contacts, t.missed, t.off, t.worst, t.refuted, t.refuted_by);
  fflush(stdout);
  sn_arena_release(&arena);
  return t.missed > 0 || t.off > 0;
}

int main(int argc, char **argv) {
  const char *scale = getenv("SINEW_TEST_SCALE"), *range = getenv("SINEW_TEST_RANGE");
  range_m = range == NULL ? range_m : atof(range);
  const double poses = argc < 3 ? 0.0 : atof(argv[1]) * (scale == NULL ? 1.0 : atof(scale));
  if (!(poses >= 1.0)) {
    fprintf(stderr, "usage: check_fcl POSES FILE.urdf...\n");
    return 2;
  }
  child peer;
  static char program[] = FCL_ORACLE;
  child_start(&peer, (char *[]){program, NULL});
  child_read(&peer);
  int code = 0;
  for (int i = 2; i < argc; i++) {
    code |= compare_robot(&peer, argv[i], (size_t)poses);
  }
  return code | child_end(&peer);
}
