/* The rows of a tool: its speed and its acceleration.
 *
 * With r the place of the tool as a function of the path parameter, its acceleration is
 * r'' x + r' x'/2: along the way a x + b x', across it c x. Its size is limited, which is no linear
 * row; so it stays in a regular octagon inside of the circle, whose sides are at least 92 % of the
 * limit away. */
#include <math.h>

#include "path/rate_problem.h"
#include "sinew/pose.h"

/* cos 45 degrees, cos 22.5 degrees. */
static const double DIAGONAL = 0.70710678118654752;
static const double OCTAGON = 0.92387953251128674;
/* Angle or way by which the pose differs for derivatives of the Jacobian, at most. */
static const double STEP = 1e-5;

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

/* How much the velocity of the tool changes while the joints keep theirs, q'. */
static sn_vec3 change_at(const sn__rate_limits *limits, const double *q, const double *d1) {
  const size_t n = limits->chain->joint_count;
  double *moved = limits->work + 6 * n;
  double most = 0.0;
  for (size_t j = 0; j < n; j++) {
    most = fmax(most, fabs(d1[j]));
  }
  if (most == 0.0) {
    return sn_vec3_make(0.0, 0.0, 0.0);
  }
  const double step = STEP / most;
  sn_vec3 ends[2];
  for (int side = 0; side < 2; side++) {
    for (size_t j = 0; j < n; j++) {
      moved[j] = q[j] + (side == 0 ? -step : step) * d1[j];
    }
    ends[side] = velocity_at(limits, moved, d1);
  }
  return sn_vec3_scale(sn_vec3_sub(ends[1], ends[0]), 0.5 / step);
}

static void set_row(const sn__rate_problem *self, sn__rate_rows *out, size_t row, double a,
                    double b) {
  const size_t at = self->second_count - SN__RATE_TOOL_ROWS + row;
  out->a[at] = a;
  out->b[at] = b;
}

static void set_acceleration(const sn__rate_problem *self, sn_vec3 r1, sn__rate_rows *out) {
  const sn__rate_limits *limits = self->limits;
  const sn__path_point *point = &self->point;
  const sn_vec3 r2 = sn_vec3_add(velocity_at(limits, point->d[0], point->d[2]),
                                 change_at(limits, point->d[0], point->d[1]));
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

bool sn__rate_limits_tool(const sn__rate_limits *limits) {
  return limits->tool_speed < INFINITY || limits->tool_acceleration < INFINITY;
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
  if (limits->tool_acceleration < INFINITY) {
    set_acceleration(problem, r1, out);
  }
}
