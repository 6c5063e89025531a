#!/usr/bin/env python3
"""Our package.xml, and those of sinew_msgs and sinew_moveit, as the build tools of ROS read them.

usage: package_xml.py ROOT VERSION SINEW_MSGS     the folder of the sources, and of the package
"""
import sys

try:
    from catkin_pkg.package import parse_package
except ImportError:
    print("package: catkin_pkg is missing, nothing was checked")
    sys.exit(77)  # what ctest takes as skipped


def check(is_good, what):
    if not is_good:
        sys.exit("package: " + what)


def names(dependencies):
    return {d.name for d in dependencies if d.evaluated_condition}


def read(folder, name, version, ros_version):
    warnings = []
    package = parse_package(folder, warnings=warnings)  # validates
    package.evaluate_conditions({"ROS_VERSION": ros_version})
    package.validate(warnings=warnings)
    check(not warnings, "%s: %s" % (folder, warnings))
    check(package.package_format == 3, "%s: format %s" % (folder, package.package_format))
    check(package.name == name, "%s: name %s" % (folder, package.name))
    check(package.version == version, "%s: version %s, that of CMake is %s" %
          (folder, package.version, version))
    return package


root, version, messages = sys.argv[1:]
for ros_version, build_type, generator in (("1", "catkin", "message_generation"),
                                           ("2", "ament_cmake", "rosidl_default_generators")):
    package = read(root, "sinew", version, ros_version)
    check(package.get_build_type() == "cmake", "sinew: built by " + package.get_build_type())
    for name in ("cyclonedds", "fastrtps"):
        check((name in names(package.build_depends)) == (ros_version == "2"), "sinew: %s is a package of ROS 2" % name)
    if ros_version == "2":
        package = read(root + "/ros/sinew_moveit", "sinew_moveit", version, ros_version)
        check(package.get_build_type() == "ament_cmake" and "moveit_core" in names(package.build_depends),
              "sinew_moveit: built by " + package.get_build_type())
    package = read(messages, "sinew_msgs", version, ros_version)
    check(package.get_build_type() == build_type,
          "sinew_msgs: ROS %s, built by %s" % (ros_version, package.get_build_type()))
    needed = names(package.build_depends) | names(package.buildtool_depends)
    check({generator, build_type, "std_msgs", "geometry_msgs"} <= needed,
          "sinew_msgs: ROS %s needs %s" % (ros_version, sorted(needed)))
print("package: all package.xml are good for ROS 1 and ROS 2")
