// Collision and distance of pairs of shapes by FCL. In and out are native doubles, in batches: the
// number of pairs, then for each of them two shapes (kind, three half sizes, radius each; kinds as
// in collision/convex.h) and the pose of the second in the first (rotation by rows, then position).
// Answers for each pair 1 or 0 (in collision), and the distance (0 in collision).
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cstdio>
#include <memory>
#include <vector>

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

static void measure(const double *x, double *answer) {
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
  answer[0] = contact.isCollision() ? 1.0 : 0.0;
  answer[1] = distance.min_distance;
}

int main() {
  std::puts("fcl");
  std::fflush(stdout);
  double count = 0.0;
  while (std::fread(&count, sizeof count, 1, stdin) == 1) {
    const size_t pairs = static_cast<size_t>(count);
    std::vector<double> x(22 * pairs), answers(2 * pairs);
    if (std::fread(x.data(), sizeof(double), x.size(), stdin) != x.size()) {
      return 1;
    }
    for (size_t i = 0; i < pairs; i++) {
      measure(&x[22 * i], &answers[2 * i]);
    }
    std::fwrite(answers.data(), sizeof(double), answers.size(), stdout);
    std::fflush(stdout);
  }
  return 0;
}
