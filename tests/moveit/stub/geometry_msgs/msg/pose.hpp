/* A message of ROS 2, as far as the plugin needs it. */
#ifndef STUB_GEOMETRY_MSGS_POSE_HPP
#define STUB_GEOMETRY_MSGS_POSE_HPP

namespace geometry_msgs::msg {

struct Point {
  double x = 0.0, y = 0.0, z = 0.0;
};

struct Quaternion {
  double x = 0.0, y = 0.0, z = 0.0, w = 1.0;
};

struct Pose {
  Point position;
  Quaternion orientation;
};

}  // namespace geometry_msgs::msg

#endif
