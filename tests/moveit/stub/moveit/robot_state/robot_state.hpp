/* The state of a robot in MoveIt, as far as the plugin needs it. */
#ifndef STUB_MOVEIT_ROBOT_STATE_HPP
#define STUB_MOVEIT_ROBOT_STATE_HPP

#include <map>
#include <moveit/robot_model/robot_model.hpp>
#include <string>
#include <vector>

namespace moveit::core {

class RobotState {
 public:
  explicit RobotState(RobotModelConstPtr model) : model_(std::move(model)) {}
  void setToDefaultValues() {
    for (const std::string &name : model_->getVariableNames()) {
      values_[name] = 0.0;
    }
  }
  void setVariablePositions(const std::vector<std::string> &names,
                            const std::vector<double> &values) {
    for (size_t i = 0; i < names.size(); i++) {
      values_[names[i]] = values.at(i);
    }
  }
  double getVariablePosition(const std::string &name) const {
    return values_.at(name);
  }
  const std::vector<std::string> &getVariableNames() const {
    return model_->getVariableNames();
  }
  void update() {
    is_updated = true;
  }
  bool is_updated = false; /* so that a test sees it */

 private:
  RobotModelConstPtr model_;
  std::map<std::string, double> values_;
};

}  // namespace moveit::core

#endif
