/** @file
 *  Internal: one query of MoveIt, with its callbacks, as options of libsinew. */
#ifndef SINEW_MOVEIT_QUERY_HPP
#define SINEW_MOVEIT_QUERY_HPP

#include <geometry_msgs/msg/pose.hpp>
#include <moveit_msgs/msg/move_it_error_codes.hpp>
#include <string>
#include <vector>

#include "sinew/ik.h"
#include "sinew_moveit/sinew_kinematics.hpp"

namespace sinew_moveit {

/** What a query consists of. References and pointers are valid while it runs. */
struct Request {
  const std::vector<geometry_msgs::msg::Pose> &poses;
  const std::vector<double> &seed;
  const std::vector<double> &consistency_limits;
  kinematics::KinematicsBase::IKCallbackFn callback;
  kinematics::KinematicsBase::IKCostFn cost;
  const kinematics::KinematicsQueryOptions &options;
  const moveit::core::RobotState *context; /**< may be null */
};

/** The model of MoveIt that a query refers to. */
struct Group {
  moveit::core::RobotModelConstPtr robot;
  const moveit::core::JointModelGroup *group; /**< may be null */
  const sn_model *model;
  const std::vector<std::string> &joint_names;
};

class Query {
 public:
  /** @param clamps_seed, measure  as configured */
  Query(const Request &request, const Group &group, bool clamps_seed, sn_ik_measure measure);
  Query(const Query &) = delete;
  Query &operator=(const Query &) = delete;

  /** Whether all poses are finite and have unit quaternions. */
  bool has_valid_poses() const {
    return has_valid_poses_;
  }
  const std::vector<sn_pose> &poses() const {
    return poses_;
  }
  const sn_ik_options &options() const {
    return options_;
  }
  /** The code of MoveIt for the outcome; a refusal has that of the callback. */
  int32_t error_of(sn_ik_code code) const;

 private:
  static bool accept(void *context, const sn_pose *poses, const double *solution);
  static double evaluate(void *context, const sn_pose *poses, const double *solution);
  void take_poses();
  void take_context();

  const Request &request_;
  Group group_;
  std::vector<sn_pose> poses_;
  bool has_valid_poses_ = true;
  std::vector<double> context_;
  int refusal_ = 0; /**< code of the last refusal */
  sn_ik_options options_{};
};

}  // namespace sinew_moveit

#endif
