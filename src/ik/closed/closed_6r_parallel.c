/* Arms with three parallel axes. What the three joints cannot change (the height along them and the
   direction of their axis) gives the other joints; the rest is a triangle in their plane. */
#include "ik/closed/closed_6r.h"
#include "math/rotation.h"

typedef struct vec2 {
  double x, y;
} vec2;

static vec2 in_plane(const sn__closed_6r *closed, sn_vec3 v) {
  return (vec2){sn_vec3_dot(closed->plane.x, v), sn_vec3_dot(closed->plane.y, v)};
}

static vec2 turn2(sn__turn t, vec2 v) {
  return (vec2){t.c * v.x - t.s * v.y, t.s * v.x + t.c * v.y};
}

void sn__closed_6r_init_parallel(sn__closed_6r *closed, int first) {
  const sn__arm *arm = &closed->arm;
  closed->plane = sn__mat3_with_z(arm->h[first]);
  for (int i = 0; i < 3; i++) {
    closed->sense[i] = sn_vec3_dot(arm->h[first + i], closed->plane.z) < 0.0 ? -1.0 : 1.0;
  }
  for (int i = 0; i < 2; i++) {
    const vec2 link = in_plane(closed, sn_vec3_sub(arm->r[first + i + 1], arm->r[first + i]));
    closed->link[i][0] = link.x;
    closed->link[i][1] = link.y;
  }
}

/* Joints first .. first+2 of a branch whose others are known: the links a and b, one behind the
   other, reach @p goal, and the three turn by @p sum together. */
static void add_triangle(const sn__closed_6r *closed, const sn__turn known[6], int first, vec2 goal,
                         sn__turn sum, double slack, sn__turn any_first, sn__turn any_second,
                         sn__branches *out) {
  const vec2 a = {closed->link[0][0], closed->link[0][1]};
  const vec2 b = {closed->link[1][0], closed->link[1][1]};
  const double unit2 = 1.0 / (closed->length * closed->length);
  const double excess =
      goal.x * goal.x + goal.y * goal.y - a.x * a.x - a.y * a.y - b.x * b.x - b.y * b.y;
  sn__turn second[2];
  int count = sn__sp_linear((a.x * b.x + a.y * b.y) * unit2, (a.y * b.x - a.x * b.y) * unit2,
                            0.5 * excess * unit2, slack, second);
  if (count == SN__ANY) {
    second[0] = (sn__turn){any_second.c, any_second.s * closed->sense[1]};
    out->any |= 2u << first;
    count = 1;
  }
  for (int i = 0; i < count; i++) {
    const vec2 bent = turn2(second[i], b);
    const vec2 reach = {a.x + bent.x, a.y + bent.y};
    const double c = reach.x * goal.x + reach.y * goal.y;
    const double s = reach.x * goal.y - reach.y * goal.x;
    sn__turn turn_first = {any_first.c, any_first.s * closed->sense[0]};
    if (c * c + s * s > 1e-40) {
      turn_first = sn__turn_normalize(c, s);
    } else {
      out->any |= 1u << first;
    }
    const sn__turn both = sn__turn_add(turn_first, second[i]);
    const sn__turn local[3] = {turn_first, second[i], sn__turn_add(sum, sn__turn_inverse(both))};
    sn__turn *turn = out->turn[out->count]; /* counted when it turns out to be good */
    bool is_admitted = true;
    for (int j = 0; j < 6; j++) {
      turn[j] = known[j];
    }
    for (int j = 0; j < 3; j++) {
      turn[first + j] = (sn__turn){local[j].c, local[j].s * closed->sense[j]};
      is_admitted &= sn__branches_admit(out, first + j, turn[first + j]);
    }
    out->count += is_admitted ? 1 : 0;
  }
}

/* Of the two angles of a cone take the one nearest to a first estimate. */
static void refine(const sn__cone *cone, sn_vec3 v, double slack, sn__turn *t) {
  sn__turn exact[2];
  const int count = sn__cone_solve(cone, v, slack, exact);
  if (count <= 0) {
    return;
  }
  const double near0 = exact[0].c * t->c + exact[0].s * t->s;
  const double near1 = count == 2 ? exact[1].c * t->c + exact[1].s * t->s : -2.0;
  *t = near0 >= near1 ? exact[0] : exact[1];
}

/* What joint 1 decides: the plane of the parallel joints seen from the last body, and the way from
   joint 2 to the wrist in that plane. */
typedef struct shoulder {
  sn__turn turn;
  sn_mat3 plane;
  vec2 reach;
} shoulder;

static shoulder turn_shoulder(const sn__closed_6r *closed, const sn_pose *move, sn_vec3 wrist,
                              sn__turn t1) {
  const sn__arm *arm = &closed->arm;
  const sn_vec3 x = sn__turn_apply(t1, arm->h[0], closed->plane.x);
  const sn_vec3 y = sn__turn_apply(t1, arm->h[0], closed->plane.y);
  const vec2 offset = in_plane(closed, sn_vec3_sub(arm->r[1], arm->r[0]));
  return (shoulder){
      .turn = t1,
      .plane = {sn_mat3_apply_transposed(move->rot, x), sn_mat3_apply_transposed(move->rot, y),
                sn_mat3_apply_transposed(move->rot, sn_vec3_cross(x, y))},
      .reach = {sn_vec3_dot(x, wrist) - offset.x, sn_vec3_dot(y, wrist) - offset.y}};
}

/* Joints 1 and 5 are known: 6 turns the axis of the parallel joints into its place, then 2, 3, 4.
 */
static void finish_234(const sn__closed_6r *closed, const shoulder *s, sn__turn t5, double slack,
                       const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const sn_vec3 *h = arm->h;
  sn__turn t6 = any_turn[5];
  const sn_vec3 n_back = sn__turn_unapply(t5, h[4], closed->plane.z);
  if (sn__sp1(s->plane.z, n_back, h[5], &t6) == SN__ANY) {
    out->any |= 1u << 5;
  }
  if (!sn__branches_admit(out, 0, s->turn) || !sn__branches_admit(out, 4, t5) ||
      !sn__branches_admit(out, 5, t6)) {
    return;
  }
  const sn_vec3 x_back = sn__turn_unapply(t6, h[5], sn__turn_unapply(t5, h[4], closed->plane.x));
  const double c = sn_vec3_dot(s->plane.x, x_back), sine = sn_vec3_dot(s->plane.y, x_back);
  if (c == 0.0 && sine == 0.0) {
    return;
  }
  const sn__turn sum = sn__turn_normalize(c, sine);
  const sn_vec3 hand = sn_vec3_add(sn_vec3_sub(arm->r[4], arm->r[3]),
                                   sn__turn_apply(t5, h[4], sn_vec3_sub(arm->r[5], arm->r[4])));
  const vec2 last = turn2(sum, in_plane(closed, hand));
  const sn__turn known[6] = {s->turn, {1, 0}, {1, 0}, {1, 0}, t5, t6};
  add_triangle(closed, known, 1, (vec2){s->reach.x - last.x, s->reach.y - last.y}, sum, slack,
               any_turn[1], any_turn[2], out);
}

void sn__closed_6r_solve_parallel_234(const sn__closed_6r *closed, sn_pose move, double slack,
                                      const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const double unit = 1.0 / closed->length;
  const sn_vec3 n = closed->plane.z;
  const sn_vec3 minus_n = sn_vec3_neg(n);
  const sn_vec3 wrist = sn_vec3_sub(sn_pose_apply(move, arm->r[5]), arm->r[0]);
  const sn_vec3 last_axis = sn_mat3_apply(move.rot, arm->h[5]);
  const sn_vec3 offset = sn_vec3_scale(sn_vec3_sub(arm->r[5], arm->r[4]), unit);
  const sn__sp6_in in = {
      .k1 = sn_vec3_neg(arm->h[0]),
      .k2 = arm->h[4],
      .h = {n, minus_n, n, minus_n},
      .p = {last_axis, arm->h[5], sn_vec3_scale(wrist, unit), offset},
      .d = {0.0, unit * sn_vec3_dot(n, sn_vec3_sub(arm->r[4], arm->r[0]))},
  };
  sn__turn t1[4] = {any_turn[0]}, t5[4] = {any_turn[4]};
  unsigned any = 0;
  const int count = sn__sp6(&in, slack, &any, t1, t5);
  out->any |= (any & 1u) | (any & 2u) << 3;
  shoulder s;
  sn_vec3 axis_behind_1 = n;
  for (int i = 0; i < count; i++) {
    if (i == 0 || t1[i].c != t1[i - 1].c || t1[i].s != t1[i - 1].s) {
      s = turn_shoulder(closed, &move, wrist, t1[i]);
      axis_behind_1 = sn__turn_unapply(t1[i], arm->h[0], last_axis);
    }
    refine(&closed->cone, axis_behind_1, slack, &t5[i]);
    finish_234(closed, &s, t5[i], slack, any_turn, out);
  }
}

/* Joints 4 and 5 are known: 6 likewise, then 1, 2, 3. */
static void finish_123(const sn__closed_6r *closed, sn_pose move, sn__turn t4, sn__turn t5,
                       double slack, const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const sn_vec3 n = closed->plane.z;
  const sn_vec3 *h = arm->h;
  sn__turn t6 = any_turn[5];
  const sn_vec3 axis_outer = sn_mat3_apply_transposed(move.rot, n);
  const sn_vec3 axis_inner = sn__turn_unapply(t5, h[4], sn__turn_unapply(t4, h[3], n));
  if (sn__sp1(axis_outer, axis_inner, h[5], &t6) == SN__ANY) {
    out->any |= 1u << 5;
  }
  if (!sn__branches_admit(out, 3, t4) || !sn__branches_admit(out, 4, t5) ||
      !sn__branches_admit(out, 5, t6)) {
    return;
  }
  const sn_vec3 x4 = sn__turn_unapply(t4, h[3], closed->plane.x);
  const sn_vec3 x6 = sn__turn_unapply(t6, h[5], sn__turn_unapply(t5, h[4], x4));
  const vec2 x_now = in_plane(closed, sn_mat3_apply(move.rot, x6));
  if (x_now.x == 0.0 && x_now.y == 0.0) {
    return;
  }
  const sn__turn sum = sn__turn_normalize(x_now.x, x_now.y);
  const sn_vec3 p5 =
      sn_vec3_add(arm->r[4], sn__turn_unapply(t5, h[4], sn_vec3_sub(arm->r[3], arm->r[4])));
  const sn_vec3 p6 = sn_vec3_add(arm->r[5], sn__turn_unapply(t6, h[5], sn_vec3_sub(p5, arm->r[5])));
  const vec2 whole = in_plane(closed, sn_vec3_sub(sn_pose_apply(move, p6), arm->r[0]));
  const vec2 last = turn2(sum, in_plane(closed, sn_vec3_sub(arm->r[3], arm->r[2])));
  const sn__turn known[6] = {{1, 0}, {1, 0}, {1, 0}, t4, t5, t6};
  add_triangle(closed, known, 0, (vec2){whole.x - last.x, whole.y - last.y}, sum, slack,
               any_turn[0], any_turn[1], out);
}

/* Axes 5 and 6 meet: the height of that point depends on joint 4 alone. */
static void solve_meeting_56(const sn__closed_6r *closed, sn_pose move, double height, double slack,
                             const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const double unit = 1.0 / closed->length;
  const sn_vec3 n = closed->plane.z;
  const sn_vec3 last_axis = sn_mat3_apply(move.rot, arm->h[5]);
  sn__turn t4[2];
  int count4 = sn__sp4(n, sn_vec3_scale(sn_vec3_sub(arm->r[4], arm->r[3]), unit), arm->h[3],
                       height * unit, slack, t4);
  if (count4 == SN__ANY) {
    t4[0] = any_turn[3];
    out->any |= 1u << 3;
    count4 = 1;
  }
  for (int i = 0; i < count4; i++) {
    sn__cone cone;
    const sn_vec3 n4 = sn__turn_unapply(t4[i], arm->h[3], n);
    sn__cone_init(&cone, n4, arm->h[4], arm->h[5]);
    cone.h = n; /* only distances count, and they are those of the last axis from n */
    sn__turn t5[2];
    int count5 = sn__cone_solve(&cone, last_axis, slack, t5);
    if (count5 == SN__ANY) {
      t5[0] = any_turn[4];
      out->any |= 1u << 4;
      count5 = 1;
    }
    for (int j = 0; j < count5; j++) {
      finish_123(closed, move, t4[i], t5[j], slack, any_turn, out);
    }
  }
}

/* Axes 4 and 5 meet: in the frame behind joint 5, n has a known height along axis 6 and along the
   offset of axis 6; so it is one of two unit vectors, which joints 4 and 5 must bring about. */
static void solve_meeting_45(const sn__closed_6r *closed, sn_pose move, double height, double slack,
                             const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const sn_vec3 n = closed->plane.z;
  const sn_vec3 u = arm->h[5];
  const sn_vec3 offset = sn_vec3_sub(arm->r[5], arm->r[4]);
  const sn_vec3 across = sn_vec3_add_scaled(offset, -sn_vec3_dot(u, offset), u);
  const double across_norm = sn_vec3_norm(across);
  if (across_norm < 1e-6 * closed->length) {
    return;
  }
  const sn_vec3 v = sn_vec3_scale(across, 1.0 / across_norm);
  const double along_u = sn_vec3_dot(n, sn_mat3_apply(move.rot, u));
  const double along_v = (height - along_u * sn_vec3_dot(u, offset)) / across_norm;
  const double rest = 1.0 - along_u * along_u - along_v * along_v;
  if (-rest > slack) {
    return;
  }
  const sn_vec3 flat = sn_vec3_add_scaled(sn_vec3_scale(u, along_u), along_v, v);
  const double depth = sqrt(fmax(0.0, rest));
  for (int i = 0; i < (depth > 0.0 ? 2 : 1); i++) {
    const sn_vec3 local = sn_vec3_add_scaled(flat, i == 0 ? depth : -depth, sn_vec3_cross(u, v));
    sn__turn t5[2] = {any_turn[4]}, t4[2] = {any_turn[3]};
    int count = sn__sp2(local, n, arm->h[4], sn_vec3_neg(arm->h[3]), slack, t5, t4);
    if (count == SN__ANY) {
      out->any |= 3u << 3;
      count = 1;
    }
    for (int j = 0; j < count; j++) {
      finish_123(closed, move, t4[j], t5[j], slack, any_turn, out);
    }
  }
}

void sn__closed_6r_solve_parallel_123(const sn__closed_6r *closed, sn_pose move, double slack,
                                      const sn__turn any_turn[6], sn__branches *out) {
  const sn__arm *arm = &closed->arm;
  const sn_vec3 wrist = sn_pose_apply(move, arm->r[5]);
  const double height = sn_vec3_dot(closed->plane.z, sn_vec3_sub(wrist, arm->r[3]));
  if (closed->form.pair[1] == SN__INTERSECTING) {
    solve_meeting_56(closed, move, height, slack, any_turn, out);
  } else {
    solve_meeting_45(closed, move, height, slack, any_turn, out);
  }
}
