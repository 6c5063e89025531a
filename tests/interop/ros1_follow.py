"""The ROS 1 action control_msgs/FollowJointTrajectory, whose package is not in Debian: its definition and the classes
that genpy generates from it."""
import genpy.dynamic

BAR = "=" * 80 + "\n"
HEADER = BAR + "MSG: std_msgs/Header\nuint32 seq\ntime stamp\nstring frame_id\n"
POINT = BAR + """MSG: trajectory_msgs/JointTrajectoryPoint
float64[] positions
float64[] velocities
float64[] accelerations
float64[] effort
duration time_from_start
"""
TRAJECTORY = BAR + """MSG: trajectory_msgs/JointTrajectory
Header header
string[] joint_names
JointTrajectoryPoint[] points
""" + POINT
TOLERANCE = BAR + """MSG: control_msgs/JointTolerance
string name
float64 position
float64 velocity
float64 acceleration
"""
GOAL_ID = BAR + "MSG: actionlib_msgs/GoalID\ntime stamp\nstring id\n"
STATUS = BAR + """MSG: actionlib_msgs/GoalStatus
GoalID goal_id
uint8 status
uint8 PENDING         = 0
uint8 ACTIVE          = 1
uint8 PREEMPTED       = 2
uint8 SUCCEEDED       = 3
uint8 ABORTED         = 4
uint8 REJECTED        = 5
uint8 PREEMPTING      = 6
uint8 RECALLING       = 7
uint8 RECALLED        = 8
uint8 LOST            = 9
string text
""" + GOAL_ID
GOAL = """trajectory_msgs/JointTrajectory trajectory
JointTolerance[] path_tolerance
JointTolerance[] goal_tolerance
duration goal_time_tolerance
"""
RESULT = """int32 error_code
int32 SUCCESSFUL = 0
int32 INVALID_GOAL = -1
int32 INVALID_JOINTS = -2
int32 OLD_HEADER_TIMESTAMP = -3
int32 PATH_TOLERANCE_VIOLATED = -4
int32 GOAL_TOLERANCE_VIOLATED = -5
string error_string
"""
FEEDBACK = """Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint desired
trajectory_msgs/JointTrajectoryPoint actual
trajectory_msgs/JointTrajectoryPoint error
"""
NAME = "control_msgs/FollowJointTrajectory"


def make(part, definition):
    return genpy.dynamic.generate_dynamic(NAME + part, definition)


GOALS = make("ActionGoal", "Header header\nactionlib_msgs/GoalID goal_id\nFollowJointTrajectoryGoal goal\n" + HEADER + GOAL_ID
             + BAR + "MSG: " + NAME + "Goal\n" + GOAL + TRAJECTORY + TOLERANCE)
RESULTS = make("ActionResult", "Header header\nactionlib_msgs/GoalStatus status\nFollowJointTrajectoryResult result\n" + HEADER
               + STATUS + BAR + "MSG: " + NAME + "Result\n" + RESULT)
FEEDBACKS = make("ActionFeedback", "Header header\nactionlib_msgs/GoalStatus status\nFollowJointTrajectoryFeedback feedback\n"
                 + HEADER + STATUS + BAR + "MSG: " + NAME + "Feedback\n" + FEEDBACK + POINT)


class FollowJointTrajectoryAction:
    """The action class that actionlib expects."""

    def __init__(self):
        self.action_goal = GOALS[NAME + "ActionGoal"]()
        self.action_result = RESULTS[NAME + "ActionResult"]()
        self.action_feedback = FEEDBACKS[NAME + "ActionFeedback"]()


Goal = GOALS[NAME + "Goal"]
Tolerance = GOALS["control_msgs/JointTolerance"]
Trajectory = GOALS["trajectory_msgs/JointTrajectory"]
Point = GOALS["trajectory_msgs/JointTrajectoryPoint"]

if __name__ == "__main__":
    for family in (GOALS, RESULTS, FEEDBACKS):
        for name, kind in sorted(family.items()):
            print(kind._md5sum, name)
