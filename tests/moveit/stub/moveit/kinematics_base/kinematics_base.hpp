/* The interface of kinematics solvers of MoveIt 2, written from its documentation: what the plugin
   overrides and what it inherits. */
#ifndef STUB_MOVEIT_KINEMATICS_BASE_HPP
#define STUB_MOVEIT_KINEMATICS_BASE_HPP

#include <functional>
#include <geometry_msgs/msg/pose.hpp>
#include <map>
#include <moveit/robot_model/robot_model.hpp>
#include <moveit_msgs/msg/move_it_error_codes.hpp>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

namespace moveit::core {
class RobotState;
}

namespace kinematics {

namespace DiscretizationMethods {
enum DiscretizationMethod {
  NO_DISCRETIZATION = 1,
  ALL_DISCRETIZED,
  SOME_DISCRETIZED,
  ALL_RANDOM_SAMPLED,
  SOME_RANDOM_SAMPLED
};
}
using DiscretizationMethod = DiscretizationMethods::DiscretizationMethod;

namespace KinematicErrors {
enum KinematicError {
  OK = 1,
  UNSUPORTED_DISCRETIZATION_REQUESTED,
  DISCRETIZATION_NOT_INITIALIZED,
  MULTIPLE_TIPS_NOT_SUPPORTED,
  EMPTY_TIP_POSES,
  IK_SEED_OUTSIDE_LIMITS,
  SOLVER_NOT_ACTIVE,
  NO_SOLUTION
};
}
using KinematicError = KinematicErrors::KinematicError;

struct KinematicsQueryOptions {
  bool lock_redundant_joints = false;
  bool return_approximate_solution = false;
  DiscretizationMethod discretization_method = DiscretizationMethods::NO_DISCRETIZATION;
};

struct KinematicsResult {
  KinematicError kinematic_error;
  double solution_percentage;
};

class KinematicsBase {
 public:
  static constexpr double DEFAULT_SEARCH_DISCRETIZATION = 0.1;
  using Pose = geometry_msgs::msg::Pose;
  using Joints = std::vector<double>;
  using Error = moveit_msgs::msg::MoveItErrorCodes;
  using Options = KinematicsQueryOptions;
  using IKCallbackFn = std::function<void(const Pose &, const Joints &, Error &)>;
  using IKCostFn = std::function<double(const Pose &, const moveit::core::RobotState &,
                                        const moveit::core::JointModelGroup *, const Joints &)>;

  virtual ~KinematicsBase() = default;

  virtual bool getPositionIK(const Pose &, const Joints &, Joints &, Error &,
                             const Options & = Options()) const = 0;
  virtual bool getPositionIK(const std::vector<Pose> &, const Joints &, std::vector<Joints> &,
                             KinematicsResult &, const Options &) const = 0;
  virtual bool searchPositionIK(const Pose &, const Joints &, double, Joints &, Error &,
                                const Options & = Options()) const = 0;
  virtual bool searchPositionIK(const Pose &, const Joints &, double, const Joints &, Joints &,
                                Error &, const Options & = Options()) const = 0;
  virtual bool searchPositionIK(const Pose &, const Joints &, double, Joints &,
                                const IKCallbackFn &, Error &,
                                const Options & = Options()) const = 0;
  virtual bool searchPositionIK(const Pose &, const Joints &, double, const Joints &, Joints &,
                                const IKCallbackFn &, Error &,
                                const Options & = Options()) const = 0;
  virtual bool searchPositionIK(const std::vector<Pose> &, const Joints &, double, const Joints &,
                                Joints &, const IKCallbackFn &, Error &,
                                const Options & = Options(),
                                const moveit::core::RobotState * = nullptr) const = 0;
  virtual bool searchPositionIK(const std::vector<Pose> &, const Joints &, double, const Joints &,
                                Joints &, const IKCallbackFn &, const IKCostFn &, Error &,
                                const Options & = Options(),
                                const moveit::core::RobotState * = nullptr) const = 0;
  virtual bool getPositionFK(const std::vector<std::string> &, const Joints &,
                             std::vector<Pose> &) const = 0;
  virtual bool initialize(const rclcpp::Node::SharedPtr &, const moveit::core::RobotModel &,
                          const std::string &, const std::string &,
                          const std::vector<std::string> &, double) = 0;
  virtual bool setRedundantJoints(const std::vector<unsigned int> &) = 0;
  virtual const std::vector<std::string> &getJointNames() const = 0;
  virtual const std::vector<std::string> &getLinkNames() const = 0;
  virtual bool supportsGroup(const moveit::core::JointModelGroup *group,
                             std::string *error_text = nullptr) const {
    if (!group->isChain() && error_text != nullptr) {
      *error_text = "not a chain";
    }
    return group->isChain();
  }

  void setSearchDiscretization(double step) {
    redundant_joint_discretization_.clear();
    for (const unsigned index : redundant_joint_indices_) {
      redundant_joint_discretization_[static_cast<int>(index)] = step;
    }
  }
  std::vector<DiscretizationMethod> getSupportedDiscretizationMethods() const {
    return supported_methods_;
  }

 protected:
  template <typename T>
  bool lookupParam(const rclcpp::Node::SharedPtr &node, const std::string &name, T &value,
                   const T &fallback) const {
    if (node->get_parameter("robot_description_kinematics." + group_name_ + "." + name, value)) {
      return true;
    }
    value = fallback;
    return false;
  }
  void storeValues(const moveit::core::RobotModel &model, const std::string &group,
                   const std::string &base, const std::vector<std::string> &tips, double step) {
    robot_model_ = moveit::core::RobotModelConstPtr(&model, [](const auto *) {}); /* not owned */
    group_name_ = group;
    base_frame_ = base;
    tip_frames_ = tips;
    setSearchDiscretization(step);
  }

  rclcpp::Node::SharedPtr node_;
  moveit::core::RobotModelConstPtr robot_model_;
  std::string group_name_, base_frame_;
  std::vector<std::string> tip_frames_;
  double default_timeout_ = 1.0;
  std::vector<unsigned int> redundant_joint_indices_;
  std::map<int, double> redundant_joint_discretization_;
  std::vector<DiscretizationMethod> supported_methods_;
};

}  // namespace kinematics

#endif
