/* Distances of convex shapes. The oracle is the proof that a distance is right: the two points
   belong to the shapes, are that far apart, and no point of either shape is beyond the planes
   through them. Points of shapes are drawn without the support functions. */
#include "collision/gjk.h"
#include "sinew/random.h"
#include "sn_test.h"

enum { CASES = 4000, POINTS = 60, VERTICES = 20 };

static const sn__gap_range exact = {-INFINITY, INFINITY, 1e-9};

static sn_vec3 direction(sn_random *random) {
  const sn_vec3 v =
      sn_vec3_make(sn_random_normal(random), sn_random_normal(random), sn_random_normal(random));
  return sn_vec3_scale(v, 1.0 / sn_vec3_norm(v));
}

static sn_pose draw_pose(sn_random *random, double range) {
  const sn_pose pose = {
      sn_mat3_from_axis_angle(direction(random), sn_random_between(random, 0, 3)),
      {sn_random_between(random, -range, range), sn_random_between(random, -range, range),
       sn_random_between(random, -range, range)}};
  return pose;
}

static sn__convex draw_shape(sn_random *random, sn_vec3 *vertices) {
  sn__convex shape = {
      .kind = (sn__convex_kind)sn_random_below(random, 5),
      .half = {sn_random_between(random, 0.01, 0.5), sn_random_between(random, 0.01, 0.5),
               sn_random_between(random, 0.01, 0.5)},
      .radius = sn_random_below(random, 2) == 0 ? 0.0 : 0.1};
  if (shape.kind == SN__CONVEX_HULL) {
    shape.vertices = vertices;
    shape.vertex_count = VERTICES;
    for (size_t i = 0; i < VERTICES; i++) {
      vertices[i] = sn_vec3_scale(direction(random), sn_random_between(random, 0.1, 0.4));
    }
  }
  return shape;
}

/* A point of the core; corners and rims now and then. */
static sn_vec3 draw_point(sn_random *random, const sn__convex *shape) {
  const bool is_corner = sn_random_below(random, 3) == 0;
  double u[3];
  for (size_t i = 0; i < 3; i++) {
    u[i] = sn_random_between(random, -1, 1);
    u[i] = is_corner ? copysign(1.0, u[i]) : u[i];
  }
  const sn_vec3 half = shape->half;
  switch (shape->kind) {
    case SN__CONVEX_BOX:
      return sn_vec3_make(u[0] * half.x, u[1] * half.y, u[2] * half.z);
    case SN__CONVEX_SEGMENT:
      return sn_vec3_make(0, 0, u[2] * half.z);
    case SN__CONVEX_CYLINDER: {
      const double angle = sn_random_between(random, 0, 6.3);
      return sn_vec3_make(u[0] * half.x * cos(angle), u[0] * half.x * sin(angle), u[2] * half.z);
    }
    case SN__CONVEX_HULL: {
      const sn_vec3 a = shape->vertices[sn_random_below(random, VERTICES)];
      const sn_vec3 b = shape->vertices[sn_random_below(random, VERTICES)];
      return sn_vec3_add_scaled(a, sn_random_unit(random), sn_vec3_sub(b, a));
    }
    default:
      return sn_vec3_make(0, 0, 0);
  }
}

/* No point of the shape is beyond the plane through @p on with this normal. */
static void check_plane(sn_random *random, const sn__convex *shape, sn_pose pose, sn_vec3 on,
                        sn_vec3 normal, double tol) {
  for (size_t i = 0; i < POINTS; i++) {
    const sn_vec3 p = sn_pose_apply(pose, draw_point(random, shape));
    const double beyond = sn_vec3_dot(normal, sn_vec3_sub(p, on)) + shape->radius;
    assert_true(beyond <= tol);
  }
}

/* How far a point is outside of a core, m; of a hull by distances of directions. */
static double outside(sn_random *random, const sn__convex *shape, sn_vec3 p) {
  const sn_vec3 half = shape->half;
  switch (shape->kind) {
    case SN__CONVEX_BOX:
      return sn_vec3_norm(sn_vec3_make(fmax(fabs(p.x) - half.x, 0), fmax(fabs(p.y) - half.y, 0),
                                       fmax(fabs(p.z) - half.z, 0)));
    case SN__CONVEX_SEGMENT:
      return sn_vec3_norm(sn_vec3_make(p.x, p.y, fmax(fabs(p.z) - half.z, 0)));
    case SN__CONVEX_CYLINDER:
      return hypot(fmax(hypot(p.x, p.y) - half.x, 0), fmax(fabs(p.z) - half.z, 0));
    case SN__CONVEX_HULL: {
      double most = 0.0;
      for (size_t i = 0; i < POINTS; i++) {
        const sn_vec3 d = direction(random);
        double reach = -INFINITY;
        for (size_t k = 0; k < VERTICES; k++) {
          reach = fmax(reach, sn_vec3_dot(d, shape->vertices[k]));
        }
        most = fmax(most, sn_vec3_dot(d, p) - reach);
      }
      return most;
    }
    default:
      return sn_vec3_norm(p);
  }
}

/* @return whether they are apart: then two points of the shapes are this far apart, and nothing
   crosses the planes through them */
static bool check_proof(sn_random *random, const sn__convex *a, const sn__convex *b, sn_pose pose) {
  sn_vec3 hint = {0};
  sn__gap gap;
  sn__gjk(a, b, &pose, &exact, &hint, &gap);
  assert_false(gap.is_bound);
  sn_assert_near(sn_vec3_dot(gap.normal, sn_vec3_sub(gap.point_b, gap.point_a)), gap.distance,
                 1e-7);
  if (gap.distance <= 0.0) {
    return false;
  }
  const sn_vec3 on_b = sn_pose_apply(sn_pose_inverse(pose), gap.point_b);
  assert_true(outside(random, a, gap.point_a) <= a->radius + 1e-7);
  assert_true(outside(random, b, on_b) <= b->radius + 1e-7);
  check_plane(random, a, sn_pose_identity(), gap.point_a, gap.normal, 1e-6);
  check_plane(random, b, pose, gap.point_b, sn_vec3_neg(gap.normal), 1e-6);
  return true;
}

SN_TEST(distances_come_with_a_proof) {
  sn_random random;
  sn_random_init(&random, 1);
  size_t apart = 0;
  for (size_t i = 0; i < CASES; i++) {
    sn_vec3 va[VERTICES], vb[VERTICES];
    const sn__convex a = draw_shape(&random, va), b = draw_shape(&random, vb);
    apart += check_proof(&random, &a, &b, draw_pose(&random, 1.2));
  }
  assert_true(apart > CASES / 4);
}

/* Three corners of the last tetrahedron were within 1e-6 m, and rounding put the origin inside. */
SN_TEST(corners_close_to_each_other_are_not_taken_for_an_overlap) {
  const sn__convex a = {.kind = SN__CONVEX_CYLINDER, .half = {0.075, 0.0, 0.0225}};
  const sn__convex b = {.kind = SN__CONVEX_CYLINDER, .half = {0.04, 0.0, 0.231125}};
  const sn_pose pose = {.rot = {{0.5089156968505234, -0.38409637630067789, -0.77037314803401225},
                                {-0.60241595687217242, -0.79818231933925021, 0.0},
                                {-0.61489822605446742, 0.46408507712153718, -0.63759329732060843}},
                        .pos = {-0.16398173060918586, 0.1337854880610313, -0.030029324578003731}};
  sn_random random;
  sn_random_init(&random, 2);
  assert_true(check_proof(&random, &a, &b, pose));
}

SN_TEST(a_hint_or_a_window_changes_nothing) {
  static const sn__gap_range near = {-INFINITY, 0.2, 1e-9};
  sn_random random;
  sn_random_init(&random, 2);
  for (size_t i = 0; i < CASES; i++) {
    sn_vec3 va[VERTICES], vb[VERTICES];
    const sn__convex a = draw_shape(&random, va), b = draw_shape(&random, vb);
    const sn_pose pose = draw_pose(&random, 1.2);
    sn_vec3 none = {0}, hint = direction(&random);
    sn__gap cold, warm, windowed;
    sn__gjk(&a, &b, &pose, &exact, &none, &cold);
    sn__gjk(&a, &b, &pose, &exact, &hint, &warm);
    sn_assert_near(warm.distance, cold.distance, 1e-6 + 1e-3 * fmax(0, -cold.distance));
    sn__gjk(&a, &b, &pose, &near, &hint, &windowed);
    if (windowed.is_bound) {
      assert_true(windowed.distance > 0.2);
      assert_true(windowed.distance <= cold.distance + 1e-9);
    } else {
      sn_assert_near(windowed.distance, cold.distance, 1e-6 + 1e-3 * fmax(0, -cold.distance));
    }
  }
}

/* Where the depth is not asked for, shapes overlap in the same poses. */
SN_TEST(without_a_depth_the_same_shapes_overlap) {
  static const sn__gap_range touching = {0.0, INFINITY, 1e-9};
  sn_random random;
  sn_random_init(&random, 5);
  size_t overlaps = 0;
  for (size_t i = 0; i < CASES; i++) {
    sn_vec3 va[VERTICES], vb[VERTICES];
    const sn__convex a = draw_shape(&random, va), b = draw_shape(&random, vb);
    const sn_pose pose = draw_pose(&random, 0.5);
    sn_vec3 none = {0}, again = {0};
    sn__gap full, quick;
    sn__gjk(&a, &b, &pose, &exact, &none, &full);
    sn__gjk(&a, &b, &pose, &touching, &again, &quick);
    assert_true(quick.distance >= full.distance - 1e-9);
    assert_int_equal(quick.distance <= 0.0, full.distance <= 0.0);
    if (!quick.is_bound) {
      sn_assert_near(quick.distance, full.distance, 1e-9);
    }
    overlaps += quick.is_bound;
  }
  assert_in_range(overlaps, CASES / 20, CASES);
}

/* Moved out by the depth, the shapes just touch; by less they overlap. */
SN_TEST(the_depth_is_what_it_takes_to_part_them) {
  sn_random random;
  sn_random_init(&random, 3);
  size_t deep = 0;
  for (size_t i = 0; i < CASES; i++) {
    sn_vec3 va[VERTICES], vb[VERTICES];
    const sn__convex a = draw_shape(&random, va), b = draw_shape(&random, vb);
    sn_pose pose = draw_pose(&random, 0.3);
    sn_vec3 hint = {0};
    sn__gap gap, after;
    sn__gjk(&a, &b, &pose, &exact, &hint, &gap);
    if (gap.distance >= -1e-3) {
      continue;
    }
    deep++;
    pose.pos = sn_vec3_add_scaled(pose.pos, -gap.distance, gap.normal);
    sn__gjk(&a, &b, &pose, &exact, &hint, &after);
    assert_true(after.distance >= -1e-5);
    assert_true(after.distance <= 1e-3);
    for (size_t k = 0; k < 20; k++) { /* no shorter way out in any direction */
      sn_pose other = pose;
      other.pos = sn_vec3_add_scaled(pose.pos, gap.distance, gap.normal);
      other.pos = sn_vec3_add_scaled(other.pos, -0.97 * gap.distance, direction(&random));
      sn__gjk(&a, &b, &other, &exact, &hint, &after);
      assert_true(after.distance <= 1e-6);
    }
  }
  assert_true(deep > CASES / 8);
}

SN_TEST(closed_forms_agree) {
  const sn__convex ball = {.kind = SN__CONVEX_POINT, .radius = 0.5};
  const sn__convex box = {.kind = SN__CONVEX_BOX, .half = {1, 2, 3}};
  const sn__convex plane = {.kind = SN__CONVEX_PLANE};
  sn_pose pose = sn_pose_identity();
  sn_vec3 hint = {0};
  sn__gap gap;
  pose.pos = sn_vec3_make(3, 4, 0);
  sn__gjk(&ball, &ball, &pose, &exact, &hint, &gap);
  sn_assert_near(gap.distance, 4.0, 1e-9);
  hint = sn_vec3_make(0, 0, 0);
  sn__gjk(&box, &ball, &pose, &exact, &hint, &gap);
  sn_assert_near(gap.distance, sqrt(8.0) - 0.5, 1e-9);
  pose.pos = sn_vec3_make(0.7, 0, 0); /* the centre is inside, 0.3 below the nearest face */
  hint = sn_vec3_make(0, 0, 0);
  sn__gjk(&box, &ball, &pose, &exact, &hint, &gap);
  sn_assert_near(gap.distance, -0.8, 1e-6);
  sn_assert_vec3_near(gap.normal, sn_vec3_make(1, 0, 0), 1e-6);
  pose.pos = sn_vec3_make(9, 9, 3.25);
  sn__gjk(&plane, &box, &pose, &exact, &hint, &gap);
  sn_assert_near(gap.distance, 0.25, 1e-12);
  pose = sn_pose_inverse(pose);
  sn__gjk(&box, &plane, &pose, &exact, &hint, &gap);
  sn_assert_near(gap.distance, 0.25, 1e-12);
  sn_assert_vec3_near(gap.normal, sn_vec3_make(0, 0, -1), 1e-12);
}

SN_TEST(equal_shapes_in_the_same_place_are_in_contact) {
  sn_random random;
  sn_random_init(&random, 4);
  for (size_t i = 0; i < 200; i++) {
    sn_vec3 va[VERTICES];
    const sn__convex a = draw_shape(&random, va);
    const sn_pose pose = sn_pose_identity();
    sn_vec3 hint = {0};
    sn__gap gap;
    sn__gjk(&a, &a, &pose, &exact, &hint, &gap);
    assert_true(gap.distance <= 0.0);
    assert_true(isfinite(gap.point_a.x + gap.point_b.y + gap.normal.z));
  }
}

static double reach(const sn__capsule *c, sn_vec3 d) {
  return fmax(sn_vec3_dot(c->ends[0], d), sn_vec3_dot(c->ends[1], d)) + c->radius;
}

SN_TEST(capsules_cover_their_shapes) {
  sn_random random;
  sn_random_init(&random, 5);
  for (size_t i = 0; i < CASES; i++) {
    sn_vec3 va[VERTICES];
    const sn__convex shape = draw_shape(&random, va);
    const sn__capsule capsule = sn__convex_capsule(&shape);
    for (size_t k = 0; k < POINTS; k++) {
      const sn_vec3 d = direction(&random);
      const sn_vec3 p = draw_point(&random, &shape);
      assert_true(sn_vec3_dot(p, d) + shape.radius <= reach(&capsule, d) + 1e-9);
    }
  }
}

/* Two ways to the same distance. */
SN_TEST(capsule_distances_agree_with_the_general_ones) {
  sn_random random;
  sn_random_init(&random, 6);
  for (size_t i = 0; i < CASES; i++) {
    const sn__convex a = {.kind = SN__CONVEX_SEGMENT,
                          .half = {0, 0, sn_random_below(&random, 4) == 0 ? 0 : 0.4},
                          .radius = 0.1};
    const sn__convex b = {.kind = SN__CONVEX_SEGMENT,
                          .half = {0, 0, sn_random_below(&random, 4) == 0 ? 0 : 0.7},
                          .radius = 0.2};
    const sn_pose pose = draw_pose(&random, 1.0);
    const sn__capsule in_b = sn__convex_capsule(&b), in_a = sn__convex_capsule(&a);
    const sn__capsule moved = {
        {sn_pose_apply(pose, in_b.ends[0]), sn_pose_apply(pose, in_b.ends[1])}, in_b.radius};
    sn_vec3 hint = {0};
    sn__gap gap;
    sn__gjk(&a, &b, &pose, &exact, &hint, &gap);
    sn_assert_near(sn__capsule_distance(&in_a, &moved), gap.distance, 1e-8);
  }
}
