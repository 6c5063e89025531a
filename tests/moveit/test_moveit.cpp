/* The plugin for MoveIt against a stub of its interface: arms with 6 and 7 joints and the whole
   quadruped, queried as MoveIt does. Forward kinematics is the oracle of inverse kinematics.
   usage: test_moveit ROBOTS     exit 0 on success, otherwise it prints the failed check */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <moveit/kinematics_base/kinematics_base.hpp>
#include <moveit/robot_state/robot_state.hpp>
#include <random>
#include <sstream>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

std::unique_ptr<kinematics::KinematicsBase> stub_create_plugin();

namespace {

using Base = kinematics::KinematicsBase;
using Joints = std::vector<double>;
using Error = moveit_msgs::msg::MoveItErrorCodes;
using Pose = geometry_msgs::msg::Pose;

std::string robots;

struct Arm {
  std::shared_ptr<rclcpp::Node> node = std::make_shared<rclcpp::Node>();
  std::shared_ptr<moveit::core::RobotModel> model;
  std::unique_ptr<Base> solver = stub_create_plugin();
  std::vector<std::string> tips;
  std::mt19937 random{5};

  Arm(const std::string &file, const std::vector<std::string> &tip_names,
      const std::vector<std::string> &variables)
      : tips(tip_names) {
    std::ifstream stream(robots + "/" + file);
    std::stringstream text;
    text << stream.rdbuf();
    CHECK(!text.str().empty());
    node->parameters["robot_description"] = text.str();
    model = std::make_shared<moveit::core::RobotModel>(variables, "arm");
  }
  bool initialize() {
    return solver->initialize(node, *model, "arm", "base_link", tips, 0.05);
  }
  /* Inside the limits of all arms. */
  Joints draw() {
    std::uniform_real_distribution<double> angle(0.0, 1.2);
    Joints q(solver->getJointNames().size());
    for (double &x : q) {
      x = angle(random);
    }
    return q;
  }
  std::vector<Pose> fk(const Joints &q) const {
    std::vector<Pose> poses;
    CHECK(solver->getPositionFK(tips, q, poses));
    return poses;
  }
};

double distance(const Pose &a, const Pose &b) {
  const double dot = a.orientation.x * b.orientation.x + a.orientation.y * b.orientation.y +
                     a.orientation.z * b.orientation.z + a.orientation.w * b.orientation.w;
  return std::hypot(a.position.x - b.position.x, a.position.y - b.position.y,
                    a.position.z - b.position.z) +
         std::sqrt(std::fmax(0.0, 1.0 - dot * dot));
}

void check_reached(const Arm &arm, const std::vector<Pose> &targets, const Joints &q) {
  const std::vector<Pose> reached = arm.fk(q);
  for (size_t i = 0; i < targets.size(); i++) {
    CHECK(distance(targets[i], reached[i]) < 1e-5);
  }
}

/* Every form of a query finds the pose. */
void check_queries(const std::string &file) {
  Arm arm(file, {"tool0"}, {});
  CHECK(arm.initialize());
  CHECK(arm.solver->supportsGroup(arm.model->getJointModelGroup("arm"), nullptr));
  CHECK(arm.solver->getSupportedDiscretizationMethods().size() == 5);
  for (int round = 0; round < 20; round++) {
    const Joints seed = arm.draw();
    const std::vector<Pose> target = arm.fk(arm.draw());
    Joints solution;
    Error error;
    CHECK(arm.solver->searchPositionIK(target[0], seed, 1.0, solution, error));
    CHECK(error.val == Error::SUCCESS);
    check_reached(arm, target, solution);
    std::vector<Joints> all;
    kinematics::KinematicsResult result;
    CHECK(arm.solver->getPositionIK(arm.fk(seed), seed, all, result, {}));
    CHECK(result.kinematic_error == kinematics::KinematicErrors::OK && !all.empty());
    check_reached(arm, arm.fk(seed), all[0]);
    CHECK(arm.solver->getPositionIK(arm.fk(seed)[0], seed, solution, error));
    for (size_t i = 0; i < seed.size(); i++) {
      CHECK(std::fabs(solution[i] - seed[i]) < 1e-3); /* the nearest is the seed itself */
    }
    const Joints limits(seed.size(), 0.02);
    CHECK(arm.solver->searchPositionIK(arm.fk(seed)[0], seed, 1.0, limits, solution, error));
    CHECK(!arm.solver->searchPositionIK(target[0], seed, 0.01, Joints(seed.size(), 1e-6), solution,
                                        error));
  }
}

/* A callback decides, and its code is the result. */
void check_callback() {
  Arm arm("arm_ur.urdf", {"tool0"}, {});
  CHECK(arm.initialize());
  const Joints seed = arm.draw();
  const Pose target = arm.fk(arm.draw())[0];
  Joints solution;
  Error error;
  int calls = 0;
  const auto refuse = [&](const Pose &pose, const Joints &q, Error &code) {
    CHECK(distance(pose, target) == 0.0 && q.size() == seed.size());
    calls++;
    code.val = Error::GOAL_IN_COLLISION;
  };
  CHECK(!arm.solver->searchPositionIK(target, seed, 0.05, solution, refuse, error));
  CHECK(calls > 0 && error.val == Error::GOAL_IN_COLLISION);
  const auto second = [&](const Pose &, const Joints &, Error &code) {
    code.val = ++calls > 1 ? Error::SUCCESS : Error::GOAL_IN_COLLISION;
  };
  calls = 0;
  CHECK(arm.solver->searchPositionIK(target, seed, 1.0, solution, second, error));
  CHECK(calls == 2 && error.val == Error::SUCCESS);
}

/* The cheapest of all solutions, by a cost that sees the state of the whole robot. */
void check_cost() {
  Arm arm("arm_ur.urdf", {"tool0"}, {"joint1", "elsewhere"});
  CHECK(arm.initialize());
  moveit::core::RobotState context(arm.model);
  context.setToDefaultValues();
  context.setVariablePositions({"elsewhere"}, {42.0});
  const std::string elbow = arm.solver->getJointNames()[2];
  const auto cost = [&](const Pose &, const moveit::core::RobotState &state,
                        const moveit::core::JointModelGroup *group, const Joints &) {
    CHECK(state.is_updated && state.getVariablePosition("elsewhere") == 42.0);
    CHECK(group == arm.model->getJointModelGroup("arm"));
    return state.getVariablePosition(elbow);
  };
  for (int round = 0; round < 20; round++) {
    const Joints seed = arm.draw();
    const std::vector<Pose> target = arm.fk(arm.draw());
    std::vector<Joints> all;
    kinematics::KinematicsResult result;
    CHECK(arm.solver->getPositionIK(target, seed, all, result, {}));
    double least = INFINITY;
    for (const Joints &q : all) {
      least = std::fmin(least, q[2]);
    }
    Joints solution;
    Error error;
    CHECK(arm.solver->searchPositionIK(target, seed, 1.0, {}, solution, nullptr, cost, error, {},
                                       &context));
    check_reached(arm, target, solution);
    CHECK(std::fabs(solution[2] - least) < 1e-6);
  }
}

/* What MoveIt may do wrong, and what a user may configure wrong. */
void check_mistakes() {
  Arm arm("arm6.urdf", {"tool0"}, {});
  Joints solution;
  Error error;
  std::vector<Pose> poses;
  CHECK(!arm.solver->searchPositionIK(Pose(), Joints(6), 0.1, solution, error));
  CHECK(!arm.solver->getPositionFK({"tool0"}, Joints(6), poses));
  Arm lost("arm6.urdf", {"no_such_link"}, {});
  CHECK(!lost.initialize());
  Arm empty("arm6.urdf", {"tool0"}, {});
  empty.node->parameters.clear();
  CHECK(!empty.initialize());
  Arm broken("arm6.urdf", {"tool0"}, {});
  broken.node->parameters["robot_description"] = std::string("<robot");
  CHECK(!broken.initialize());

  CHECK(arm.initialize());
  Pose pose = arm.fk(Joints(6, 0.1))[0];
  CHECK(!arm.solver->searchPositionIK(pose, Joints(5), 0.1, solution, error));
  CHECK(error.val == Error::NO_IK_SOLUTION);
  CHECK(!arm.solver->searchPositionIK({pose, pose}, Joints(6), 0.1, {}, solution, nullptr, error));
  CHECK(arm.solver->searchPositionIK(pose, Joints(6, 100.0), 1.0, solution, error)); /* clamped */
  pose.orientation.w = 3.0;
  CHECK(!arm.solver->searchPositionIK(pose, Joints(6), 0.1, solution, error));
  pose.position.x = NAN;
  CHECK(!arm.solver->getPositionIK(pose, Joints(6), solution, error));
  CHECK(!arm.solver->setRedundantJoints({99}));
  CHECK(arm.solver->setRedundantJoints({0}));

  Arm strict("arm6.urdf", {"tool0"}, {});
  strict.node->parameters["robot_description_kinematics.arm.clamp_seed"] = false;
  CHECK(strict.initialize());
  const Pose target = strict.fk(Joints(6, 0.1))[0];
  CHECK(!strict.solver->searchPositionIK(target, Joints(6, 100.0), 1.0, solution, error));
}

/* All feet at once. */
void check_several_tips() {
  Arm body("quadruped.urdf", {"leg1_link6", "leg2_link6"}, {});
  CHECK(body.initialize());
  const Joints seed(body.solver->getJointNames().size(), 0.1);
  const std::vector<Pose> targets = body.fk(Joints(seed.size(), 0.15));
  Joints solution;
  Error error;
  CHECK(body.solver->searchPositionIK(targets, seed, 2.0, {}, solution, nullptr, error));
  check_reached(body, targets, solution);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    fputs("usage: test_moveit ROBOTS\n", stderr);
    return 2;
  }
  robots = argv[1];
  for (const char *file : {"arm6.urdf", "arm7.urdf", "arm_ur.urdf"}) {
    check_queries(file);
  }
  check_callback();
  check_cost();
  check_mistakes();
  check_several_tips();
  puts("test_moveit: all checks passed");
  return 0;
}
