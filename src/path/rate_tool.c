/* The rows of a tool: its speed, its acceleration and its jerk.
 *
 * With r the place of the tool as a function of the path parameter, its acceleration is
 * r'' x + r' x'/2: along the way a x + b x', across it c x. Its size is limited, which is not a
 * linear row; so it stays in a regular octagon inside of the circle, whose sides are at least 92 %
 * of the limit away.
 *
 * Its jerk is sqrt(x) (r''' x + 3/2 r'' x' + r' x''/2), anywhere in space. It stays in a polyhedron
 * inside of the sphere, with a face across each axis, each edge and each corner of a cube, all at
 * the same distance. The axes are those of the base, so that rows change smoothly along the path.
 */
#include <math.h>

#include "path/rate_problem.h"
#include "sinew/pose.h"

/* cos 45 degrees, cos 22.5 degrees. */
static const double DIAGONAL = 0.70710678118654752;
static const double OCTAGON = 0.92387953251128674;
/* The distance of the faces from the centre, as share of that of the corners: the corner of the
   faces x = 1, x + y = sqrt 2 and x + y + z = sqrt 3 is (1, sqrt 2 - 1, sqrt 3 - sqrt 2). */
static const double POLYHEDRON = 0.88645188628289131;
/* Angle or way by which the pose differs for derivatives of the Jacobian, at most. */
static const double STEP = 1e-5;
/* The same for second derivatives, which lose more digits. */
static const double STEP_TWICE = 1e-3;

/* The velocity of the tool at joint positions for velocities of the joints. */
static sn_vec3 velocity_at(const sn__rate_limits *limits, const double *q, const double *qd) {
  const size_t n = limits->chain->joint_count;
  const double *rows = limits->work + 3 * n; /* the linear part */
  sn_pose pose;
  sn_chain_fk_jacobian(limits->chain, q, &pose, limits->work);
  double v[3] = {0.0};
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < n; j++) {
      v[i] += rows[i * n + j] * qd[j];
    }
  }
  return sn_vec3_make(v[0], v[1], v[2]);
}

/* The first and second derivative of a velocity by the path parameter. */
typedef struct changes {
  sn_vec3 first, second;
} changes;

/* How the velocity of the tool for velocities `qd` changes while the joints move by q'.
   @param step  the greatest move of a joint */
static changes changes_at(const sn__rate_problem *self, const double *qd, double step) {
  const sn__rate_limits *limits = self->limits;
  const double *q = self->point.d[0];
  const double *d1 = self->point.d[1];
  const size_t n = limits->chain->joint_count;
  double *moved = limits->work + 6 * n;
  double most = 0.0;
  for (size_t j = 0; j < n; j++) {
    most = fmax(most, fabs(d1[j]));
  }
  if (most == 0.0) {
    return (changes){0};
  }
  const double h = step / most;
  sn_vec3 ends[2];
  for (int side = 0; side < 2; side++) {
    for (size_t j = 0; j < n; j++) {
      moved[j] = q[j] + (side == 0 ? -h : h) * d1[j];
    }
    ends[side] = velocity_at(limits, moved, qd);
  }
  const sn_vec3 middle = velocity_at(limits, q, qd);
  const sn_vec3 bend = sn_vec3_sub(sn_vec3_add(ends[0], ends[1]), sn_vec3_scale(middle, 2.0));
  return (changes){.first = sn_vec3_scale(sn_vec3_sub(ends[1], ends[0]), 0.5 / h),
                   .second = sn_vec3_scale(bend, 1.0 / (h * h))};
}

static void set_row(const sn__rate_problem *self, sn__rate_rows *out, size_t row, double a,
                    double b) {
  const size_t at = self->second_count - SN__RATE_TOOL_ROWS + row;
  out->a[at] = a;
  out->b[at] = b;
}

static void set_acceleration(const sn__rate_problem *self, sn_vec3 r1, sn_vec3 r2,
                             sn__rate_rows *out) {
  const sn__rate_limits *limits = self->limits;
  const double speed = sn_vec3_norm(r1);
  const double along = speed > 0.0 ? sn_vec3_dot(r1, r2) / speed : 0.0;
  const double across = sqrt(fmax(sn_vec3_dot(r2, r2) - along * along, 0.0));
  const double unit = 1.0 / (limits->tool_acceleration * OCTAGON);
  const double a = along * unit;
  const double b = 0.5 * speed * unit;
  const double c = across * unit;
  set_row(self, out, 0, a, b);
  set_row(self, out, 1, c, 0.0);
  set_row(self, out, 2, DIAGONAL * (a + c), DIAGONAL * b);
  set_row(self, out, 3, DIAGONAL * (a - c), DIAGONAL * b);
}

/* J q''' + 3 J' q'' + J'' q' */
static sn_vec3 third_derivative(const sn__rate_problem *self) {
  const sn__path_point *point = &self->point;
  const sn_vec3 moved = velocity_at(self->limits, point->d[0], point->d[3]);
  const sn_vec3 mixed = changes_at(self, point->d[2], STEP_TWICE).first;
  const sn_vec3 turned = changes_at(self, point->d[1], STEP_TWICE).second;
  return sn_vec3_add(sn_vec3_add(moved, turned), sn_vec3_scale(mixed, 3.0));
}

static void set_jerk(const sn__rate_problem *self, sn_vec3 r1, sn_vec3 r2, sn__rate_rows *out) {
  static const signed char faces[SN__RATE_TOOL_JERK_ROWS][3] = {
      {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1}, {1, 0, -1},
      {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}};
  const sn_vec3 r3 = third_derivative(self);
  size_t at = self->third_count - SN__RATE_TOOL_JERK_ROWS;
  for (size_t i = 0; i < SN__RATE_TOOL_JERK_ROWS; i++, at++) {
    const sn_vec3 normal = sn_vec3_make(faces[i][0], faces[i][1], faces[i][2]);
    const double unit = 1.0 / (sn_vec3_norm(normal) * self->limits->tool_jerk * POLYHEDRON);
    out->j1[at] = 0.5 * unit * sn_vec3_dot(normal, r1);
    out->j2[at] = 1.5 * unit * sn_vec3_dot(normal, r2);
    out->j3[at] = unit * sn_vec3_dot(normal, r3);
  }
}

bool sn__rate_limits_tool(const sn__rate_limits *limits) {
  return limits->tool_speed < INFINITY || limits->tool_acceleration < INFINITY ||
         limits->tool_jerk < INFINITY;
}

void sn__rate_tool_rows(const sn__rate_problem *problem, sn__rate_rows *out) {
  const sn__rate_limits *limits = problem->limits;
  out->tool = 0.0;
  if (!sn__rate_limits_tool(limits)) {
    return;
  }
  const sn_vec3 r1 = velocity_at(limits, problem->point.d[0], problem->point.d[1]);
  if (limits->tool_speed < INFINITY) {
    out->tool = sn_vec3_norm(r1) / limits->tool_speed;
  }
  if (!(limits->tool_acceleration < INFINITY) && !(limits->tool_jerk < INFINITY)) {
    return;
  }
  const sn_vec3 r2 = sn_vec3_add(velocity_at(limits, problem->point.d[0], problem->point.d[2]),
                                 changes_at(problem, problem->point.d[1], STEP).first);
  if (limits->tool_acceleration < INFINITY) {
    set_acceleration(problem, r1, r2, out);
  }
  if (limits->tool_jerk < INFINITY) {
    set_jerk(problem, r1, r2, out);
  }
}
