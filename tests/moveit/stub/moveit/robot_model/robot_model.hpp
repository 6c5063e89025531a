/* The robot model of MoveIt, as far as the plugin needs it. */
#ifndef STUB_MOVEIT_ROBOT_MODEL_HPP
#define STUB_MOVEIT_ROBOT_MODEL_HPP

#include <memory>
#include <string>
#include <vector>

namespace moveit::core {

class JointModelGroup {
 public:
  explicit JointModelGroup(std::string name, bool is_chain)
      : name_(std::move(name)), is_chain_(is_chain) {}
  const std::string &getName() const {
    return name_;
  }
  bool isChain() const {
    return is_chain_;
  }

 private:
  std::string name_;
  bool is_chain_;
};

class RobotModel {
 public:
  RobotModel(std::vector<std::string> variables, const std::string &group)
      : variables_(std::move(variables)), group_(group, true) {}
  const JointModelGroup *getJointModelGroup(const std::string &name) const {
    return name == group_.getName() ? &group_ : nullptr;
  }
  const std::vector<std::string> &getVariableNames() const {
    return variables_;
  }

 private:
  std::vector<std::string> variables_;
  JointModelGroup group_;
};

using RobotModelConstPtr = std::shared_ptr<const RobotModel>;

}  // namespace moveit::core

#endif
