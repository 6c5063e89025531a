#include "legs/legs.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "dyn/support_polygon.h"
#include "legs/leg_fit.h"
#include "sinew/dyn.h"

enum { POINTS_MAX = SN__LEGS_MAX * SN__LEG_POINTS_MAX, CENTRINGS = 12 };

/* A foot may be this far from below its hip, in lengths of the leg. */
static const double ASTRAY_MAX = 0.06;
/* The feet are on the plane to within this; a given pose to within the other, m. */
static const double TOUCH_M = 1e-6, TOUCH_GIVEN_M = 5e-3;
/* The least margin of the centre of mass, as a part of the square root of the polygon's area. */
static const double MARGIN_PART = 0.03;
/* The feet are shifted by at most this part of the legs' length to be below the centre of mass. */
static const double SHIFT_PART = 0.3;

typedef struct search {
  const sn_model *model;
  sn_kin_data *kin;
  sn_dyn_data *dyn;
  const double *lower, *upper; /* [pose_size]; NULL: those of the robot */
  double *q;                   /* [pose_size] */
  size_t count;
  sn__leg_fit fits[SN__LEGS_MAX];
  sn__legs *out;
} search;

static sn_plane ground_of(double height_m) {
  return (sn_plane){.normal = {0, 0, 1}, .height_m = -height_m};
}

/* ---- legs ---- */

static sn_status list_legs(const sn_model *model, sn__legs *out, sn_error *err) {
  *out = (sn__legs){0};
  for (size_t i = 0; i < sn_names_count(sn_model_chain_names(model)); i++) {
    const int contact = sn_model_chain_default_contact(model, i);
    if (contact < 0 || sn_model_contact(model, (size_t)contact)->point_count == 0) {
      continue;
    }
    if (out->count == SN__LEGS_MAX) {
      return sn__fail(err, SN_ENOENT, "the robot has more than %d legs", SN__LEGS_MAX);
    }
    out->leg[out->count++] =
        (sn__leg){.chain = i,
                  .contact = contact,
                  .is_point = sn_model_contact(model, (size_t)contact)->kind == SN_CONTACT_POINT};
  }
  return out->count >= 2 ? SN_OK
                         : sn__fail(err, SN_ENOENT,
                                    "the robot has no legs: %zu of its chains have a foot, that is "
                                    "a default contact, at least 2 are needed",
                                    out->count);
}

static const char *name_of(const search *s, size_t leg) {
  return sn_names_at(sn_model_chain_names(s->model), s->out->leg[leg].chain);
}

/* Knees of quadrupeds point to the middle of the body, those of bipeds forward; those of legs that
 * spread sideways point outward. */
static void direct_knees(search *s) {
  sn_vec3 middle = {0, 0, 0};
  double length = 0.0;
  for (size_t i = 0; i < s->count; i++) {
    middle = sn_vec3_add_scaled(middle, 1.0 / (double)s->count, s->fits[i].hip);
    length = fmax(length, s->fits[i].length_m);
  }
  for (size_t i = 0; i < s->count; i++) {
    const sn_vec3 way = sn_vec3_sub(s->fits[i].hip, middle);
    const double small = 0.05 * length;
    s->fits[i].knees = sn_vec3_make(way.x > small ? -1.0 : 1.0,
                                    way.y > small    ? 1.0
                                    : way.y < -small ? -1.0
                                                     : 0.0,
                                    0.0);
  }
}

/* ---- the pose as a whole ---- */

/* Joints that mimic others follow them. */
static void follow_masters(const sn_model *model, double *q) {
  const size_t n = sn_model_pose_size(model);
  for (size_t round = 0; round < n; round++) { /* masters may mimic others */
    bool has_changed = false;
    for (size_t i = 0; i < n; i++) {
      const sn_joint *joint = sn_model_joint(model, i);
      if (joint->mimic >= 0) {
        const double value = joint->mimic_multiplier * q[joint->mimic] + joint->mimic_offset;
        has_changed = has_changed || value != q[i];
        q[i] = value;
      }
    }
    if (!has_changed) {
      return;
    }
  }
}

static void collect(search *s) {
  for (size_t i = 0; i < s->count; i++) {
    const sn__leg_fit *fit = &s->fits[i];
    for (size_t k = 0; k < fit->count; k++) {
      s->q[fit->chain->joints[fit->joint[k]]] = fit->q[k];
    }
  }
  follow_masters(s->model, s->q);
}

/* The feet in the base. @return how many points */
static size_t list_points(search *s, sn_vec3 *points) {
  size_t count = 0;
  for (size_t i = 0; i < s->count; i++) {
    s->out->leg[i].foot = sn__leg_fit_foot(&s->fits[i], points + count).pos;
    count += s->fits[i].point_count;
  }
  return count;
}

static double area_of(const sn_vec3 *corners, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    const sn_vec3 a = corners[i], b = corners[(i + 1) % count];
    sum += a.x * b.y - b.x * a.y;
  }
  return 0.5 * sum;
}

/* Where the centre of mass is over the feet. */
typedef struct balance {
  sn_vec3 off;     /* from the middle of the corners to the centre of mass, horizontal */
  double margin_m; /* to the edge */
  double size_m;   /* square root of the area */
} balance;

static balance weigh(search *s, double height_m) {
  sn_vec3 points[POINTS_MAX], corners[POINTS_MAX], middle = {0, 0, 0};
  const size_t count = list_points(s, points);
  const sn_plane ground = ground_of(height_m);
  const size_t corner_count = sn__support_polygon(ground, points, count, corners);
  const sn_vec3 com = sn_dyn_com(s->dyn, s->q);
  for (size_t i = 0; i < corner_count; i++) {
    middle = sn_vec3_add_scaled(middle, 1.0 / (double)corner_count, corners[i]);
  }
  return (balance){.off = {com.x - middle.x, com.y - middle.y, 0.0},
                   .margin_m = sn__support_margin(ground, corners, corner_count, com),
                   .size_m = sqrt(fmax(area_of(corners, corner_count), 0.0))};
}

static sn_status check_balance(const balance *b, sn_status code, sn_error *err) {
  if (!(b->size_m > 1e-4)) {
    return sn__fail(err, code, "the robot cannot stand: its feet touch in points on one line");
  }
  if (!(b->margin_m >= MARGIN_PART * b->size_m)) {
    return sn__fail(
        err, code, "the robot cannot stand: its centre of mass is %.3g m %s its feet",
        fabs(b->margin_m),
        b->margin_m < 0.0 ? "outside the polygon of" : "from the edge of the polygon of");
  }
  return SN_OK;
}

/* ---- the search ---- */

/* The height at which the leg that is stretched most is bent enough. */
static double choose_height(search *s, double stretch) {
  double height = HUGE_VAL;
  for (size_t i = 0; i < s->count; i++) {
    sn__leg_fit *fit = &s->fits[i];
    const sn__foothold low = {.reaches_down = true};
    sn__leg_fit_search(fit, &low);
    height = fmin(height, stretch * sn__leg_fit_drop(fit) - fit->hip.z);
  }
  return height;
}

/* All feet on the plane. @return SN_ENOENT with the leg that does not reach it */
static sn_status touch(search *s, double height_m, sn_error *err) {
  for (size_t i = 0; i < s->count; i++) {
    const double off_m = sn__leg_fit_touch(&s->fits[i], height_m);
    if (!(off_m <= TOUCH_M)) {
      return sn__fail(err, SN_ENOENT,
                      "the robot cannot stand: the foot of '%.80s' is %.3g m off the plane of the "
                      "others",
                      name_of(s, i), off_m);
    }
  }
  collect(s);
  return SN_OK;
}

/* Shift the feet below the centre of mass. @param shift  out */
static sn_status centre(search *s, double height_m, balance *b, sn_vec3 *shift, sn_error *err) {
  sn__foothold goal = {.height_m = height_m};
  sn_status status = touch(s, height_m, err);
  *b = weigh(s, height_m);
  for (int k = 0; k < CENTRINGS && status == SN_OK && sn_vec3_norm(b->off) > 1e-4; k++) {
    goal.shift = sn_vec3_add(goal.shift, b->off);
    const double size = sn_vec3_norm(goal.shift), most = SHIFT_PART * s->fits[0].length_m;
    goal.shift = sn_vec3_scale(goal.shift, size > most ? most / size : 1.0);
    for (size_t i = 0; i < s->count; i++) {
      sn__leg_fit_refine(&s->fits[i], &goal);
    }
    status = touch(s, height_m, err);
    *b = weigh(s, height_m);
  }
  *shift = goal.shift;
  return status;
}

/* How a stance is searched. */
typedef struct attempt {
  double stretch;     /* of the legs: a part of the way that the feet can go down */
  double margin_part; /* of the distance of the joints to their limits */
} attempt;

static sn_status stand_with(search *s, attempt a, double *astray, sn_error *err) {
  for (size_t i = 0; i < s->count; i++) {
    sn__leg_fit_limit(&s->fits[i], a.margin_part);
  }
  const double height_m = choose_height(s, a.stretch);
  if (!(height_m > 0.0) || !isfinite(height_m)) {
    return sn__fail(err, SN_ENOENT, "the robot cannot stand: its feet do not reach below its base");
  }
  const sn__foothold goal = {.height_m = height_m};
  for (size_t i = 0; i < s->count; i++) {
    sn__leg_fit_search(&s->fits[i], &goal);
  }
  balance b;
  sn_vec3 shift;
  sn_status status = centre(s, height_m, &b, &shift, err);
  status = status == SN_OK ? check_balance(&b, SN_ENOENT, err) : status;
  *astray = 0.0;
  for (size_t i = 0; i < s->count; i++) {
    *astray = fmax(*astray, sn__leg_fit_astray(&s->fits[i], shift));
  }
  s->out->height_m = height_m;
  s->out->margin_m = b.margin_m;
  return status;
}

/* With bent knees and a distance of the joints to their limits; with less of both if the feet are
 * not below the hips then; at last wherever the feet are. */
static sn_status stand(search *s, sn_error *err) {
  static const attempt attempts[] = {{0.9, 1.0},  {0.9, 0.5},  {0.9, 0.1},  {0.96, 0.5},
                                     {0.96, 0.0}, {0.99, 0.0}, {0.999, 0.0}};
  const size_t count = sizeof attempts / sizeof *attempts;
  double astray = 0.0, least = HUGE_VAL;
  size_t best = 0;
  for (size_t i = 0; i < count; i++) {
    const sn_status status = stand_with(s, attempts[i], &astray, err);
    if (status == SN_OK && astray <= ASTRAY_MAX) {
      return SN_OK;
    }
    if (status == SN_OK && astray < least) {
      least = astray;
      best = i;
    }
  }
  return stand_with(s, attempts[best], &astray, err);
}

/* ---- a given pose ---- */

static sn_status check_start(search *s, sn_error *err) {
  sn_vec3 points[POINTS_MAX];
  const size_t count = list_points(s, points);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t i = 0; i < count; i++) {
    low = fmin(low, points[i].z);
    high = fmax(high, points[i].z);
  }
  if (!(high < 0.0) || !(high - low <= TOUCH_GIVEN_M)) {
    return sn__fail(err, SN_EINVAL,
                    "the robot does not stand in this pose: the points of its feet are %.3g to "
                    "%.3g m below its base",
                    -high, -low);
  }
  const balance b = weigh(s, -low);
  s->out->height_m = -low;
  s->out->margin_m = b.margin_m;
  return check_balance(&b, SN_EINVAL, err);
}

/* ---- all of it ---- */

/* All joints at zero, or at the limit next to it: trunks are upright, arms hang. */
static void go_home(const sn_model *model, double *q) {
  for (size_t i = 0; i < sn_model_pose_size(model); i++) {
    const sn_joint *joint = sn_model_joint(model, i);
    q[i] = fmin(fmax(0.0, joint->lower), joint->upper);
  }
  follow_masters(model, q);
}

static sn_status prepare(sn_arena *scratch, search *s, sn_error *err) {
  sn_tree *tree = SN_NEW(scratch, sn_tree, 1);
  if (tree == NULL || sn_kin_create(scratch, sn_model_tree(s->model), &s->kin, NULL) != SN_OK) {
    return sn__fail(err, SN_ENOMEM, "legs: no memory");
  }
  *tree = *sn_model_tree(s->model);
  tree->massless_link = NULL; /* links of unknown mass are massless */
  sn_status status = sn_dyn_create(scratch, tree, &s->dyn, err);
  if (status == SN_OK && !(sn_dyn_total_mass(s->dyn) > 0.0)) {
    status = sn__fail(err, SN_ENOENT, "the robot cannot stand: it has no mass");
  }
  sn_kin_update(s->kin, s->q);
  s->count = s->out->count;
  for (size_t i = 0; status == SN_OK && i < s->count; i++) {
    status =
        sn__leg_fit_create(scratch, s->model, s->out->leg[i].chain, s->kin, s->q, &s->fits[i], err);
    if (status == SN_OK && s->lower != NULL && s->upper != NULL) {
      sn__leg_fit_tighten(&s->fits[i], s->lower, s->upper);
    }
  }
  direct_knees(s);
  return status;
}

/* What is asked for: a given pose is checked, otherwise one is searched within the limits. */
typedef struct question {
  const double *start, *lower, *upper; /* may be NULL */
} question;

static sn_status find(sn_arena *scratch, const sn_model *model, const question *asked, double *q,
                      sn__legs *out, sn_error *err) {
  search *s = SN_NEW(scratch, search, 1);
  if (s == NULL) {
    return sn__fail(err, SN_ENOMEM, "legs: no memory");
  }
  *s = (search){.model = model, .q = q, .out = out, .lower = asked->lower, .upper = asked->upper};
  if (asked->start != NULL) {
    memcpy(q, asked->start, sn_model_pose_size(model) * sizeof *q);
  } else {
    go_home(model, q);
  }
  sn_status status = prepare(scratch, s, err);
  if (status == SN_OK) {
    status = asked->start != NULL ? check_start(s, err) : stand(s, err);
  }
  return status;
}

static sn_status answer(sn_arena *arena, const sn_model *model, const question *asked,
                        sn__legs *out, sn_error *err) {
  sn__legs legs;
  sn_status status = list_legs(model, &legs, err);
  if (status != SN_OK) {
    return status;
  }
  double *q = SN_NEW(arena, double, sn_model_pose_size(model) + 1);
  if (q == NULL) {
    return sn__fail(err, SN_ENOMEM, "legs: no memory");
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "legs", 64 * 1024);
  status = find(&scratch, model, asked, q, &legs, err);
  sn_arena_release(&scratch);
  if (status == SN_OK) {
    legs.stance = q;
    *out = legs;
  }
  return status;
}

sn_status sn__legs_find(sn_arena *arena, const sn_model *model, const double *start, sn__legs *out,
                        sn_error *err) {
  return answer(arena, model, &(question){.start = start}, out, err);
}

sn_status sn__legs_find_within(sn_arena *arena, const sn_model *model, const double *lower,
                               const double *upper, sn__legs *out, sn_error *err) {
  return answer(arena, model, &(question){.lower = lower, .upper = upper}, out, err);
}
