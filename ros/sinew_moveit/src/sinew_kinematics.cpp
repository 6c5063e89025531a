#include "sinew_moveit/sinew_kinematics.hpp"

#if __has_include(<moveit/robot_model/robot_model.hpp>)
#include <moveit/robot_model/robot_model.hpp>
#else
#include <moveit/robot_model/robot_model.h>
#endif
#include <pluginlib/class_list_macros.hpp>
#include <rclcpp/rclcpp.hpp>

#include "query.hpp"

namespace sinew_moveit {

namespace {

const rclcpp::Logger logger = rclcpp::get_logger("sinew_kinematics");
constexpr size_t solutions_max = 64;
const SinewKinematics::Joints no_limits;

std::vector<std::string> list(const sn_names *names) {
  std::vector<std::string> copy;
  for (size_t i = 0; i < sn_names_count(names); i++) {
    copy.emplace_back(sn_names_at(names, i));
  }
  return copy;
}

geometry_msgs::msg::Pose to_message(const sn_pose &pose) {
  const sn_quat rotation = sn_quat_from_mat3(pose.rot);
  geometry_msgs::msg::Pose message;
  message.position.x = pose.pos.x;
  message.position.y = pose.pos.y;
  message.position.z = pose.pos.z;
  message.orientation.x = rotation.x;
  message.orientation.y = rotation.y;
  message.orientation.z = rotation.z;
  message.orientation.w = rotation.w;
  return message;
}

}  // namespace

SinewKinematics::SinewKinematics() : arena_{} {
  sn_arena_init_growing(&arena_, "sinew_moveit", 0);
}

SinewKinematics::~SinewKinematics() {
  sn_arena_release(&arena_);
}

/* ---- setup ---- */

bool SinewKinematics::load(const rclcpp::Node::SharedPtr &node) {
  std::string urdf;
  if (!node->has_parameter("robot_description") ||
      !node->get_parameter("robot_description", urdf)) {
    RCLCPP_ERROR(logger, "the node has no parameter 'robot_description': set it to the URDF");
    return false;
  }
  sn_error err{};
  if (sn_model_parse(&arena_, urdf.data(), urdf.size(), nullptr, nullptr, &model_, &err) != SN_OK) {
    RCLCPP_ERROR(logger, "robot_description: %s", err.message);
    return false;
  }
  return true;
}

void SinewKinematics::read_parameters(const rclcpp::Node::SharedPtr &node) {
  std::string measure;
  lookupParam(node, "clamp_seed", clamps_seed_, true);
  lookupParam(node, "measure", measure, std::string("euclidean"));
  measure_ = measure == "sum"       ? SN_IK_LEAST_SUM
             : measure == "largest" ? SN_IK_LEAST_LARGEST
                                    : SN_IK_EUCLIDEAN;
  if (measure_ == SN_IK_EUCLIDEAN && measure != "euclidean") {
    RCLCPP_WARN(logger, "measure is '%s', expected euclidean, sum or largest: using euclidean",
                measure.c_str());
  }
}

bool SinewKinematics::create(const rclcpp::Node::SharedPtr &node, double search_discretization) {
  std::string solver;
  sn_ik_config config{};
  lookupParam(node, "solver", solver, std::string("auto"));
  lookupParam(node, "position_tolerance", config.position_tolerance_m, 0.0);
  lookupParam(node, "rotation_tolerance", config.rotation_tolerance_rad, 0.0);
  std::vector<const char *> tips;
  for (const std::string &tip : tip_frames_) {
    tips.push_back(tip.c_str());
  }
  config.solver = solver.c_str();
  config.base_frame = base_frame_.c_str();
  config.tip_frames = tips.data();
  config.tip_count = tips.size();
  config.search_discretization = search_discretization;
  config.default_timeout_s = default_timeout_;
  sn_error err{};
  if (sn_ik_create(&arena_, model_, &config, &ik_, &err) != SN_OK) {
    RCLCPP_ERROR(logger, "group '%s': %s", group_name_.c_str(), err.message);
    return false;
  }
  joint_names_ = list(sn_ik_joint_names(ik_));
  link_names_ = list(sn_ik_link_names(ik_));
  RCLCPP_INFO(logger, "group '%s': solver %s (%s)", group_name_.c_str(), sn_ik_solver_name(ik_),
              sn_ik_solver_description(ik_));
  return true;
}

bool SinewKinematics::initialize(const rclcpp::Node::SharedPtr &node,
                                 const moveit::core::RobotModel &robot_model,
                                 const std::string &group_name, const std::string &base_frame,
                                 const std::vector<std::string> &tip_frames,
                                 double search_discretization) {
  const std::lock_guard<std::mutex> lock(mutex_);
  node_ = node;
  storeValues(robot_model, group_name, base_frame, tip_frames, search_discretization);
  group_ = robot_model.getJointModelGroup(group_name);
  ik_ = nullptr;
  read_parameters(node);
  if (!load(node) || !create(node, search_discretization)) {
    return false;
  }
  sn_ik_discretization methods[5];
  const size_t count = sn_ik_discretization_methods(ik_, methods);
  supported_methods_.clear();
  for (size_t i = 0; i < count; i++) {
    supported_methods_.push_back(static_cast<kinematics::DiscretizationMethod>(methods[i]));
  }
  return true;
}

bool SinewKinematics::supportsGroup(const moveit::core::JointModelGroup *group,
                                    std::string *error_text) const {
  if (ik_ != nullptr && group->getName() == group_name_) {
    return true; /* libsinew has created a solver for it */
  }
  return KinematicsBase::supportsGroup(group, error_text);
}

bool SinewKinematics::setRedundantJoints(const std::vector<unsigned int> &joints) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<int> indices(joints.begin(), joints.end());
  sn_error err{};
  if (ik_ == nullptr ||
      sn_ik_set_redundant_joints(ik_, indices.data(), indices.size(), &err) != SN_OK) {
    RCLCPP_ERROR(logger, "redundant joints: %s", ik_ == nullptr ? "no solver" : err.message);
    return false;
  }
  redundant_joint_indices_ = joints;
  setSearchDiscretization(DEFAULT_SEARCH_DISCRETIZATION);
  return true;
}

/* The base class keeps the steps of redundant joints; its setters are not virtual. */
void SinewKinematics::update_discretization() const {
  Joints steps(joint_names_.size(), 0.0);
  for (const auto &entry : redundant_joint_discretization_) {
    if (entry.first >= 0 && static_cast<size_t>(entry.first) < steps.size()) {
      steps[static_cast<size_t>(entry.first)] = entry.second;
    }
  }
  sn_error err{};
  if (sn_ik_set_search_discretizations(ik_, steps.data(), steps.size(), &err) != SN_OK) {
    RCLCPP_ERROR(logger, "search discretization: %s", err.message);
  }
  (void)sn_ik_set_default_timeout(ik_, default_timeout_, &err);
}

/* ---- queries ---- */

bool SinewKinematics::search(const Request &request, double timeout, Joints &solution,
                             Error &error) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  error.val = Error::NO_IK_SOLUTION;
  if (ik_ == nullptr) {
    RCLCPP_ERROR(logger, "kinematics of group '%s' are not initialized", group_name_.c_str());
    return false;
  }
  const Query query(request, {robot_model_, group_, model_, joint_names_}, clamps_seed_, measure_);
  if (!query.has_valid_poses()) {
    RCLCPP_ERROR(logger, "a pose is not finite, or its quaternion is not of unit length");
    return false;
  }
  update_discretization();
  Joints found(joint_names_.size());
  sn_ik_result result{};
  const sn_ik_code code =
      sn_ik_search(ik_, query.poses().data(), query.poses().size(), request.seed.data(),
                   request.seed.size(), timeout, &query.options(), found.data(), &result);
  error.val = query.error_of(code);
  if (code == SN_IK_INVALID_ARGUMENT || code == SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED) {
    char reason[320];
    sn_ik_explain(ik_, reason, sizeof reason);
    RCLCPP_ERROR(logger, "group '%s': %s", group_name_.c_str(), reason);
  }
  if (code == SN_IK_OK || result.approximate) {
    solution = found;
    error.val = Error::SUCCESS; /* as asked for by return_approximate_solution */
    return true;
  }
  return false;
}

bool SinewKinematics::getPositionIK(const Pose &pose, const Joints &seed, Joints &solution,
                                    Error &error, const Options &options) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Pose> poses{pose};
  const Request request{poses, seed, no_limits, nullptr, nullptr, options, nullptr};
  error.val = Error::NO_IK_SOLUTION;
  if (ik_ == nullptr) {
    return false;
  }
  const Query query(request, {robot_model_, group_, model_, joint_names_}, clamps_seed_, measure_);
  update_discretization();
  Joints found(joint_names_.size());
  const sn_ik_code code = query.has_valid_poses()
                              ? sn_ik_get_position(ik_, query.poses().data(), seed.data(),
                                                   seed.size(), &query.options(), found.data())
                              : SN_IK_INVALID_ARGUMENT;
  error.val = query.error_of(code);
  if (code == SN_IK_OK) {
    solution = found;
  }
  return code == SN_IK_OK;
}

bool SinewKinematics::getPositionIK(const std::vector<Pose> &poses, const Joints &seed,
                                    std::vector<Joints> &solutions,
                                    kinematics::KinematicsResult &result,
                                    const Options &options) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const Request request{poses, seed, no_limits, nullptr, nullptr, options, nullptr};
  result.kinematic_error = kinematics::KinematicErrors::SOLVER_NOT_ACTIVE;
  result.solution_percentage = 0.0;
  solutions.clear();
  if (ik_ == nullptr) {
    return false;
  }
  const Query query(request, {robot_model_, group_, model_, joint_names_}, clamps_seed_, measure_);
  if (!query.has_valid_poses()) {
    result.kinematic_error = kinematics::KinematicErrors::NO_SOLUTION;
    return false;
  }
  update_discretization();
  const size_t count = joint_names_.size();
  Joints rows(solutions_max * count);
  sn_ik_result found{};
  const sn_ik_code code =
      sn_ik_get_all(ik_, query.poses().data(), query.poses().size(), seed.data(), seed.size(),
                    &query.options(), rows.data(), solutions_max, &found);
  /* The codes of MoveIt are the first ones of libsinew. */
  result.kinematic_error = code <= SN_IK_NO_SOLUTION ? static_cast<kinematics::KinematicError>(code)
                                                     : kinematics::KinematicErrors::NO_SOLUTION;
  result.solution_percentage = found.solution_percentage;
  for (size_t i = 0; i < found.solution_count; i++) {
    solutions.emplace_back(rows.data() + i * count, rows.data() + (i + 1) * count);
  }
  return code == SN_IK_OK;
}

bool SinewKinematics::searchPositionIK(const Pose &pose, const Joints &seed, double timeout,
                                       Joints &solution, Error &error,
                                       const Options &options) const {
  return search({{pose}, seed, no_limits, nullptr, nullptr, options, nullptr}, timeout, solution,
                error);
}

bool SinewKinematics::searchPositionIK(const Pose &pose, const Joints &seed, double timeout,
                                       const Joints &consistency_limits, Joints &solution,
                                       Error &error, const Options &options) const {
  return search({{pose}, seed, consistency_limits, nullptr, nullptr, options, nullptr}, timeout,
                solution, error);
}

bool SinewKinematics::searchPositionIK(const Pose &pose, const Joints &seed, double timeout,
                                       Joints &solution, const IKCallbackFn &callback, Error &error,
                                       const Options &options) const {
  return search({{pose}, seed, no_limits, callback, nullptr, options, nullptr}, timeout, solution,
                error);
}

bool SinewKinematics::searchPositionIK(const Pose &pose, const Joints &seed, double timeout,
                                       const Joints &consistency_limits, Joints &solution,
                                       const IKCallbackFn &callback, Error &error,
                                       const Options &options) const {
  return search({{pose}, seed, consistency_limits, callback, nullptr, options, nullptr}, timeout,
                solution, error);
}

bool SinewKinematics::searchPositionIK(const std::vector<Pose> &poses, const Joints &seed,
                                       double timeout, const Joints &consistency_limits,
                                       Joints &solution, const IKCallbackFn &callback, Error &error,
                                       const Options &options,
                                       const moveit::core::RobotState *context_state) const {
  return search({poses, seed, consistency_limits, callback, nullptr, options, context_state},
                timeout, solution, error);
}

bool SinewKinematics::searchPositionIK(const std::vector<Pose> &poses, const Joints &seed,
                                       double timeout, const Joints &consistency_limits,
                                       Joints &solution, const IKCallbackFn &callback,
                                       const IKCostFn &cost, Error &error, const Options &options,
                                       const moveit::core::RobotState *context_state) const {
  return search({poses, seed, consistency_limits, callback, cost, options, context_state}, timeout,
                solution, error);
}

bool SinewKinematics::getPositionFK(const std::vector<std::string> &links, const Joints &joints,
                                    std::vector<Pose> &poses) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<const char *> names;
  for (const std::string &link : links) {
    names.push_back(link.c_str());
  }
  std::vector<sn_pose> found(links.size());
  if (ik_ == nullptr || sn_ik_fk(ik_, names.data(), names.size(), joints.data(), joints.size(),
                                 found.data()) != SN_IK_OK) {
    char reason[320] = "not initialized";
    sn_ik_explain(ik_, reason, sizeof reason);
    RCLCPP_ERROR(logger, "group '%s': %s", group_name_.c_str(), reason);
    return false;
  }
  poses.clear();
  for (const sn_pose &pose : found) {
    poses.push_back(to_message(pose));
  }
  return true;
}

const std::vector<std::string> &SinewKinematics::getJointNames() const {
  return joint_names_;
}

const std::vector<std::string> &SinewKinematics::getLinkNames() const {
  return link_names_;
}

}  // namespace sinew_moveit

PLUGINLIB_EXPORT_CLASS(sinew_moveit::SinewKinematics, kinematics::KinematicsBase)
