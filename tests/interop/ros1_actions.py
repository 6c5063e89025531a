"""The ROS 1 actions of the packages sweetie_bot_control_msgs, sweetie_bot_resource_control_msgs, sinew_msgs and
control_msgs, which are not in Debian: their definitions, and the classes that genpy generates from them."""
import genpy.dynamic

from ros1_follow import BAR, GOAL_ID, HEADER, STATUS

POINT_TYPE = BAR + """MSG: sweetie_bot_control_msgs/RigidBodyTrajectoryPoint
geometry_msgs/Pose pose
kdl_msgs/Twist twist
kdl_msgs/Twist accel
bool contact
""" + BAR + """MSG: geometry_msgs/Pose
Point position
Quaternion orientation
""" + BAR + "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n" + BAR + """MSG: geometry_msgs/Quaternion
float64 x
float64 y
float64 z
float64 w
""" + BAR + "MSG: kdl_msgs/Twist\ngeometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular\n" + BAR + """MSG: geometry_msgs/Vector3
float64 x
float64 y
float64 z
"""
TRAJECTORY = BAR + """MSG: sweetie_bot_control_msgs/RigidBodyTrajectory
string name
sweetie_bot_control_msgs/RigidBodyTrajectoryPoint[] points
""" + POINT_TYPE

POSE_TYPES = POINT_TYPE[POINT_TYPE.index("MSG: geometry_msgs/Pose\n") - len(BAR):POINT_TYPE.index("MSG: kdl_msgs") - len(BAR)]

FOOT_GOAL = BAR + """MSG: sweetie_bot_gait_generator/EndEffectorGoal
int32 NOMINAL_POSE=0
int32 BASE_INITIAL=1
int32 BASE_FINAL=2
int32 PATH_INITIAL=3
int32 PATH_FINAL=4
int32 WORLD=5
uint32 POSITION_FIXED=0
uint32 POSITION_FREE_XY=3
uint32 POSITION_FREE_Z=4
uint32 POSITION_FREE=7
string name
uint32 frame_type
geometry_msgs/Point position
uint32 position_bounds
bool contact
""" + POSE_TYPES


class Action:
    """The classes of one action; actionlib expects a class that is called without arguments."""

    def __init__(self, package, name, goal, result, feedback, goal_types=""):
        whole = package + "/" + name

        def make(part, definition, types):
            found = genpy.dynamic.generate_dynamic(whole + part, definition + HEADER + types)
            return found, found[whole + part]

        found, self.goals = make("ActionGoal", "Header header\nactionlib_msgs/GoalID goal_id\n%sGoal goal\n" % whole,
                                 GOAL_ID + BAR + "MSG: %sGoal\n%s" % (whole, goal) + goal_types)
        self.types = found
        self.Goal = found[whole + "Goal"]
        _, self.results = make("ActionResult", "Header header\nactionlib_msgs/GoalStatus status\n%sResult result\n" % whole,
                               STATUS + BAR + "MSG: %sResult\n%s" % (whole, result))
        _, self.feedbacks = make("ActionFeedback",
                                 "Header header\nactionlib_msgs/GoalStatus status\n%sFeedback feedback\n" % whole,
                                 STATUS + BAR + "MSG: %sFeedback\n%s" % (whole, feedback))

    def __call__(self):
        self.action_goal, self.action_result, self.action_feedback = self.goals(), self.results(), self.feedbacks()
        return self


SetOperational = Action(
    "sweetie_bot_resource_control_msgs", "SetOperational", "bool operational\nstring[] resources\n",
    "int32 error_code\nstring error_string\nint32 SUCCESSFUL = 0\nint32 COMPONENT_IS_NOT_READY = -1\n"
    "int32 INVALID_RESOURCE_SET = -2\nint32 START_CONDITIONS_VIOLATED = -3\nint32 EXECUTION_ERROR = -4\n",
    "string[] resources\n")

FollowStepSequence = Action(
    "sweetie_bot_control_msgs", "FollowStepSequence",
    "Header header\nbool append\nfloat64[] time_from_start\nsweetie_bot_control_msgs/RigidBodyTrajectory base_motion\n"
    "sweetie_bot_control_msgs/RigidBodyTrajectory[] ee_motion\nfloat64 position_tolerance\nfloat64 orientation_tolerance\n",
    "int32 error_code\nstring error_string\nint32 SUCCESSFUL = 0\nint32 INVALID_TRAJECTORY = -1\n"
    "int32 INVALID_END_EFFECTOR = -2\nint32 UNABLE_TO_APPEND = -3\nint32 TOLERANCE_VIOLATED = -4\nint32 INTERNAL_ERROR = -5\n",
    "duration time_from_start\n", TRAJECTORY)

Trajectory = FollowStepSequence.types["sweetie_bot_control_msgs/RigidBodyTrajectory"]
Point = FollowStepSequence.types["sweetie_bot_control_msgs/RigidBodyTrajectoryPoint"]

MoveBase = Action(
    "sweetie_bot_gait_generator", "MoveBase",
    "uint32 POSE_FIXED=0\nuint32 POSE_FREE_XY=3\nuint32 POSE_FREE_Z=4\nuint32 POSE_FIXED_POSITION=56\n"
    "uint32 POSE_FIXED_ORIENTATION=7\nuint32 POSE_FREE=63\nHeader header\nstring gait_type\nfloat64 duration\n"
    "uint32 n_steps\ngeometry_msgs/Pose base_goal\nuint32 base_goal_bounds\n"
    "sweetie_bot_gait_generator/EndEffectorGoal[] ee_goal\nfloat64 position_tolerance\n"
    "float64 orientation_tolerance\nbool visualize_only\nbool execute_only\n",
    "int32 SUCCESS=0\nint32 SOLUTION_NOT_FOUND=-1\nint32 INVALID_GOAL=-2\nint32 INTERNAL_ERROR=-3\n"
    "int32 TOLERANCE_VIOLATED=-4\nint32 INVALID_INITIAL_POSE=-5\nint32 EXECUTION_FAILED=-6\n"
    "int32 error_code\nstring error_string\n",
    "float64 time_from_start\n", FOOT_GOAL)

FootGoal = MoveBase.types["sweetie_bot_gait_generator/EndEffectorGoal"]

MoveTool = Action(
    "sinew_msgs", "MoveTool", "sinew_msgs/ToolTarget[] targets\nfloat64 speed\nbool other_branch\n",
    "int32 SUCCESSFUL=0\nint32 INVALID_GOAL=-1\nint32 OFF_PATH=-4\nint32 OFF_GOAL=-5\nint32 error_code\nstring error_string\n",
    "duration time_from_start\nduration duration\n",
    BAR + "MSG: sinew_msgs/ToolTarget\nstring kind\nfloat64[] joints\ngeometry_msgs/Pose pose\ngeometry_msgs/Point via\n"
    "float64 blend\n" + POSE_TYPES)

ToolTarget = MoveTool.types["sinew_msgs/ToolTarget"]

GRIPPER = "float64 position\nfloat64 effort\nbool stalled\nbool reached_goal\n"
GripperCommand = Action(
    "control_msgs", "GripperCommand", "control_msgs/GripperCommand command\n", GRIPPER, GRIPPER,
    BAR + "MSG: control_msgs/GripperCommand\nfloat64 position\nfloat64 max_effort\n")
