/** @file
 *  Inverse kinematics of libsinew as a plugin of MoveIt 2. The robot comes from the parameter
 *  `robot_description` of the node; config/kinematics.yaml lists the parameters of the solver. */
#ifndef SINEW_MOVEIT_SINEW_KINEMATICS_HPP
#define SINEW_MOVEIT_SINEW_KINEMATICS_HPP

#if __has_include(<moveit/kinematics_base/kinematics_base.hpp>)
#include <moveit/kinematics_base/kinematics_base.hpp>
#else
#include <moveit/kinematics_base/kinematics_base.h>
#endif

#include <mutex>
#include <string>
#include <vector>

#include "sinew/arena.h"
#include "sinew/ik.h"
#include "sinew/model.h"

namespace sinew_moveit {

struct Request;

/** Queries may come from several threads; they take turns. */
class SinewKinematics : public kinematics::KinematicsBase {
 public:
  using Pose = geometry_msgs::msg::Pose;
  using Joints = std::vector<double>;
  using Error = moveit_msgs::msg::MoveItErrorCodes;
  using Options = kinematics::KinematicsQueryOptions;

  SinewKinematics();
  ~SinewKinematics() override;
  SinewKinematics(const SinewKinematics &) = delete;
  SinewKinematics &operator=(const SinewKinematics &) = delete;

  bool initialize(const rclcpp::Node::SharedPtr &node, const moveit::core::RobotModel &robot_model,
                  const std::string &group_name, const std::string &base_frame,
                  const std::vector<std::string> &tip_frames,
                  double search_discretization) override;
  bool supportsGroup(const moveit::core::JointModelGroup *group,
                     std::string *error_text) const override;

  /** The solution nearest to the seed, without random restarts. */
  bool getPositionIK(const Pose &pose, const Joints &seed, Joints &solution, Error &error,
                     const Options &options) const override;
  /** All solutions, the nearest to the seed first. */
  bool getPositionIK(const std::vector<Pose> &poses, const Joints &seed,
                     std::vector<Joints> &solutions, kinematics::KinematicsResult &result,
                     const Options &options) const override;

  bool searchPositionIK(const Pose &pose, const Joints &seed, double timeout, Joints &solution,
                        Error &error, const Options &options) const override;
  bool searchPositionIK(const Pose &pose, const Joints &seed, double timeout,
                        const Joints &consistency_limits, Joints &solution, Error &error,
                        const Options &options) const override;
  bool searchPositionIK(const Pose &pose, const Joints &seed, double timeout, Joints &solution,
                        const IKCallbackFn &callback, Error &error,
                        const Options &options) const override;
  bool searchPositionIK(const Pose &pose, const Joints &seed, double timeout,
                        const Joints &consistency_limits, Joints &solution,
                        const IKCallbackFn &callback, Error &error,
                        const Options &options) const override;
  bool searchPositionIK(const std::vector<Pose> &poses, const Joints &seed, double timeout,
                        const Joints &consistency_limits, Joints &solution,
                        const IKCallbackFn &callback, Error &error, const Options &options,
                        const moveit::core::RobotState *context_state) const override;
  bool searchPositionIK(const std::vector<Pose> &poses, const Joints &seed, double timeout,
                        const Joints &consistency_limits, Joints &solution,
                        const IKCallbackFn &callback, const IKCostFn &cost, Error &error,
                        const Options &options,
                        const moveit::core::RobotState *context_state) const override;

  bool getPositionFK(const std::vector<std::string> &links, const Joints &joints,
                     std::vector<Pose> &poses) const override;

  bool setRedundantJoints(const std::vector<unsigned int> &joints) override;
  const std::vector<std::string> &getJointNames() const override;
  const std::vector<std::string> &getLinkNames() const override;

 private:
  bool load(const rclcpp::Node::SharedPtr &node);
  bool create(const rclcpp::Node::SharedPtr &node, double search_discretization);
  void read_parameters(const rclcpp::Node::SharedPtr &node);
  void update_discretization() const;
  bool search(const Request &request, double timeout, Joints &solution, Error &error) const;

  sn_arena arena_;
  const sn_model *model_ = nullptr;
  sn_ik *ik_ = nullptr;
  mutable std::mutex mutex_; /**< of the solver */
  std::vector<std::string> joint_names_, link_names_;
  const moveit::core::JointModelGroup *group_ = nullptr;
  bool clamps_seed_ = true;
  sn_ik_measure measure_ = SN_IK_EUCLIDEAN;
};

}  // namespace sinew_moveit

#endif
