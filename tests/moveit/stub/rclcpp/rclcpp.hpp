/* A node with parameters, and loggers that print, in place of rclcpp. */
#ifndef STUB_RCLCPP_HPP
#define STUB_RCLCPP_HPP

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <variant>

namespace rclcpp {

class Node {
 public:
  using SharedPtr = std::shared_ptr<Node>;
  using Value = std::variant<bool, double, std::string>;

  bool has_parameter(const std::string &name) const {
    return parameters.count(name) > 0;
  }
  template <typename T>
  bool get_parameter(const std::string &name, T &value) const {
    const auto found = parameters.find(name);
    if (found == parameters.end() || !std::holds_alternative<T>(found->second)) {
      return false;
    }
    value = std::get<T>(found->second);
    return true;
  }

  std::map<std::string, Value> parameters;
};

struct Logger {
  std::string name;
};

inline Logger get_logger(const std::string &name) {
  return {name};
}

}  // namespace rclcpp

#define STUB_LOG(logger, level, ...)                            \
  do {                                                          \
    fprintf(stderr, "[%s] %s: ", level, (logger).name.c_str()); \
    fprintf(stderr, __VA_ARGS__);                               \
    fputc('\n', stderr);                                        \
  } while (0)
#define RCLCPP_ERROR(logger, ...) STUB_LOG(logger, "error", __VA_ARGS__)
#define RCLCPP_WARN(logger, ...) STUB_LOG(logger, "warning", __VA_ARGS__)
#define RCLCPP_INFO(logger, ...) STUB_LOG(logger, "info", __VA_ARGS__)

#endif
