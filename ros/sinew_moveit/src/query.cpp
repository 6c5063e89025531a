#include "query.hpp"

#include <algorithm>

#if __has_include(<moveit/robot_state/robot_state.hpp>)
#include <moveit/robot_model/robot_model.hpp>
#include <moveit/robot_state/robot_state.hpp>
#else
#include <moveit/robot_model/robot_model.h>
#include <moveit/robot_state/robot_state.h>
#endif

namespace sinew_moveit {

using moveit_msgs::msg::MoveItErrorCodes;

Query::Query(const Request &request, const Group &group, bool clamps_seed, sn_ik_measure measure)
    : request_(request), group_(group) {
  take_poses();
  take_context();
  options_.lock_redundant_joints = request.options.lock_redundant_joints;
  options_.return_approximate_solution = request.options.return_approximate_solution;
  options_.discretization_method =
      static_cast<sn_ik_discretization>(request.options.discretization_method);
  if (!request.consistency_limits.empty()) {
    options_.consistency_limits = request.consistency_limits.data();
    options_.consistency_count = request.consistency_limits.size();
  }
  if (request.callback) {
    options_.callback = accept;
    options_.callback_context = this;
    options_.callback_code = &refusal_;
  }
  if (request.cost) {
    options_.cost = evaluate;
    options_.cost_context = this;
  }
  options_.clamp_seed = clamps_seed;
  options_.measure = measure;
}

void Query::take_poses() {
  for (const geometry_msgs::msg::Pose &pose : request_.poses) {
    sn_pose converted{};
    const sn_vec3 position = {pose.position.x, pose.position.y, pose.position.z};
    const sn_quat rotation = {pose.orientation.x, pose.orientation.y, pose.orientation.z,
                              pose.orientation.w};
    has_valid_poses_ =
        sn_ik_pose_from_quat(position, rotation, &converted) == SN_IK_OK && has_valid_poses_;
    poses_.push_back(converted);
  }
}

/* The joints of the whole robot, in the order of libsinew. Joints that MoveIt does not know, such
   as floating ones, are at zero. */
void Query::take_context() {
  if (request_.context == nullptr) {
    return;
  }
  const std::vector<std::string> &known = request_.context->getVariableNames();
  for (size_t i = 0; i < sn_model_pose_size(group_.model); i++) {
    const std::string name = sn_model_joint(group_.model, i)->name;
    const bool is_known = std::find(known.begin(), known.end(), name) != known.end();
    context_.push_back(is_known ? request_.context->getVariablePosition(name) : 0.0);
  }
  options_.context_state = context_.data();
  options_.context_count = context_.size();
}

bool Query::accept(void *context, const sn_pose *poses, const double *solution) {
  auto *query = static_cast<Query *>(context);
  (void)poses;
  MoveItErrorCodes code;
  code.val = MoveItErrorCodes::SUCCESS;
  const std::vector<double> joints(solution, solution + query->group_.joint_names.size());
  query->request_.callback(query->request_.poses.front(), joints, code);
  query->refusal_ = code.val;
  return code.val == MoveItErrorCodes::SUCCESS;
}

/* MoveIt's cost functions look at the state of the whole robot. */
double Query::evaluate(void *context, const sn_pose *poses, const double *solution) {
  const auto *query = static_cast<const Query *>(context);
  (void)poses;
  moveit::core::RobotState state(query->group_.robot);
  if (query->request_.context != nullptr) {
    state = *query->request_.context;
  } else {
    state.setToDefaultValues();
  }
  const std::vector<double> joints(solution, solution + query->group_.joint_names.size());
  state.setVariablePositions(query->group_.joint_names, joints);
  state.update();
  return query->request_.cost(query->request_.poses.front(), state, query->group_.group,
                              query->request_.seed);
}

int32_t Query::error_of(sn_ik_code code) const {
  switch (code) {
    case SN_IK_OK:
      return MoveItErrorCodes::SUCCESS;
    case SN_IK_TIMED_OUT:
      return MoveItErrorCodes::TIMED_OUT;
    case SN_IK_REFUSED:
      return refusal_ != 0 ? refusal_ : static_cast<int>(MoveItErrorCodes::NO_IK_SOLUTION);
    default:
      return MoveItErrorCodes::NO_IK_SOLUTION;
  }
}

}  // namespace sinew_moveit
