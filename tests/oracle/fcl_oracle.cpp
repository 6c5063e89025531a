// Collision and distance of two shapes by FCL. Per line: two shapes (kind, three half sizes, radius
// each; kinds as in collision/convex.h) and the pose of the second in the first (rotation by rows,
// then position). Answers 1 or 0 (in collision), and the distance (0 in collision).
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cstdio>
#include <memory>

static std::shared_ptr<fcl::CollisionGeometryd> make(const double *x) {
  switch (static_cast<int>(x[0])) {
    case 0:
      return std::make_shared<fcl::Sphered>(x[4]);
    case 1:
      return std::make_shared<fcl::Capsuled>(x[4], 2 * x[3]);
    case 2:
      return std::make_shared<fcl::Boxd>(2 * x[1], 2 * x[2], 2 * x[3]);
    default:
      return std::make_shared<fcl::Cylinderd>(x[1], 2 * x[3]);
  }
}

static bool read(double *x, int count) {
  for (int i = 0; i < count; i++) {
    if (std::scanf("%lf", &x[i]) != 1) {
      return false;
    }
  }
  return true;
}

int main() {
  std::puts("fcl");
  std::fflush(stdout);
  double x[22];
  while (read(x, 22)) {
    fcl::Transform3d pose = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        pose.linear()(i, k) = x[10 + 3 * i + k];
      }
      pose.translation()(i) = x[19 + i];
    }
    fcl::CollisionObjectd a(make(x)), b(make(x + 5), pose);
    fcl::CollisionRequestd collide;
    collide.gjk_solver_type = fcl::GST_LIBCCD;
    fcl::CollisionResultd contact;
    fcl::collide(&a, &b, collide, contact);
    fcl::DistanceRequestd measure(false);
    measure.gjk_solver_type = fcl::GST_INDEP;
    measure.distance_tolerance = 1e-9;
    fcl::DistanceResultd distance;
    fcl::distance(&a, &b, measure, distance);
    std::printf("%d %.17g\n", contact.isCollision() ? 1 : 0, distance.min_distance);
    std::fflush(stdout);
  }
  return 0;
}
