// FCL's side of the collision benchmark: peer_fcl ROBOT JOINTS NAME SCENE, a file that
// bench_collision writes. The objects are in a dynamic tree of boxes, as in MoveIt; pairs that we
// do not check are filtered in the callback.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <vector>

#include "bench.h"

using Object = fcl::CollisionObjectd;

static double number() {
  double x = 0;
  if (std::scanf("%lf", &x) != 1) {
    std::exit(1);
  }
  return x;
}

static fcl::Transform3d pose() {
  fcl::Transform3d p = fcl::Transform3d::Identity();
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      p.linear()(i, k) = number();
    }
  }
  for (int i = 0; i < 3; i++) {
    p.translation()(i) = number();
  }
  return p;
}

static std::shared_ptr<fcl::CollisionGeometryd> shape() {
  double x[5];
  for (double &value : x) {
    value = number();
  }
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

struct Scene {
  std::vector<std::unique_ptr<Object>> objects;
  std::set<std::pair<const Object *, const Object *>> pairs;
  std::vector<std::vector<fcl::Transform3d>> poses;  // of each input, of each object
  fcl::DynamicAABBTreeCollisionManagerd manager;
  bool is_contact = false;
  double distance = 0;

  bool has(const Object *a, const Object *b) const {
    return pairs.count({a, b}) != 0;
  }

  void place(size_t input) {
    for (size_t i = 0; i < objects.size(); i++) {
      objects[i]->setTransform(poses[input][i]);
      objects[i]->computeAABB();
    }
    manager.update();
  }
};

static void collide(void *context, size_t input) {
  Scene &s = *static_cast<Scene *>(context);
  s.place(input);
  s.is_contact = false;
  s.manager.collide(&s, [](Object *a, Object *b, void *data) {
    Scene &scene = *static_cast<Scene *>(data);
    if (scene.has(a, b)) {
      fcl::CollisionRequestd request;
      fcl::CollisionResultd result;
      scene.is_contact = fcl::collide(a, b, request, result) > 0;
    }
    return scene.is_contact;
  });
}

static void measure(void *context, size_t input) {
  Scene &s = *static_cast<Scene *>(context);
  s.place(input);
  s.distance = 1e9;
  s.manager.distance(&s, [](Object *a, Object *b, void *data, double &least) {
    Scene &scene = *static_cast<Scene *>(data);
    if (scene.has(a, b)) {
      fcl::DistanceRequestd request;
      fcl::DistanceResultd result;
      const double distance = fcl::distance(a, b, request, result);
      scene.distance = std::min(scene.distance, distance);
    }
    least = scene.distance;
    return scene.distance <= 0;
  });
}

int main(int argc, char **argv) {
  if (argc < 5 || std::freopen(argv[4], "r", stdin) == nullptr) {
    return 1;
  }
  Scene scene;
  const size_t object_count = static_cast<size_t>(number());
  for (size_t i = 0; i < object_count; i++) {
    scene.objects.push_back(std::make_unique<Object>(shape()));
    scene.manager.registerObject(scene.objects.back().get());
  }
  const size_t pair_count = static_cast<size_t>(number());
  for (size_t i = 0; i < pair_count; i++) {
    const Object *a = scene.objects[static_cast<size_t>(number())].get();
    const Object *b = scene.objects[static_cast<size_t>(number())].get();
    scene.pairs.insert({a, b});
    scene.pairs.insert({b, a});
  }
  scene.poses.resize(BENCH_INPUTS);
  for (auto &poses : scene.poses) {
    for (size_t i = 0; i < object_count; i++) {
      poses.push_back(pose());
    }
  }
  scene.manager.setup();
  char name[64];
  const size_t joint_count = static_cast<size_t>(std::atoi(argv[2]));
  bench_case what = {"fcl", name, argv[1], joint_count, 4, BENCH_ROUND_BATCHES, 0};
  std::snprintf(name, sizeof name, "collide_%s", argv[3]);
  bench_run(&what, collide, &scene);
  std::snprintf(name, sizeof name, "distance_%s", argv[3]);
  bench_run(&what, measure, &scene);
  return 0;
}
