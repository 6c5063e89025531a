/** @file
 *  A robot under test: text in, model and problems out. */
#ifndef SN_TEST_ROBOT_H
#define SN_TEST_ROBOT_H

#include "sinew/model.h"

/** Elements of a URDF. */
#define SN_TEST_LINK(name) "<link name='" name "'/>"
#define SN_TEST_MOVES(name, parent, child)                                                \
  "<joint name='" name "' type='revolute'><parent link='" parent "'/><child link='" child \
  "'/><limit lower='-1' upper='1' effort='1' velocity='1'/></joint>"
#define SN_TEST_FIXED(name, parent, child)                                             \
  "<joint name='" name "' type='fixed'><parent link='" parent "'/><child link='" child \
  "'/></"                                                                              \
  "joint>"

/** A robot with every feature: two arms on a shared trunk joint, a virtual link, a gripper
 *  with a mimic joint, fixed joints in between; and its chains, contacts and groups. */
extern const char sn_test_torso[];
extern const char sn_test_torso_yaml[];

/** Must not be moved: the report points to its arena. */
typedef struct sn_test_robot {
  sn_arena arena;        /**< of the model */
  sn_arena report_arena; /**< of problems and properties */
  sn_report *report;
  const sn_model *model; /**< NULL if it was rejected */
  sn_status status;      /**< of the property file if that failed, else of the model */
  sn_error err;
} sn_test_robot;

/** Parse a URDF as "robot.urdf" and, unless @p yaml is NULL, properties as "robot.yaml". */
void sn_test_robot_init(sn_test_robot *robot, const char *urdf, const char *yaml);

/** The same, and fail the test with all problems printed if it was rejected. */
void sn_test_robot_init_good(sn_test_robot *robot, const char *urdf, const char *yaml);

/** The path of a robot's file: of robots/ or, where there is none, of tests/robots/.
 *  @param extension  "urdf" or "yaml" */
void sn_test_robot_path(const char *name, const char *extension, char *path, size_t size);

/** Load `robots/NAME.urdf` with `robots/NAME.yaml`; fails the test if it has any problem. */
void sn_test_robot_load(sn_test_robot *robot, const char *name);

void sn_test_robot_free(sn_test_robot *robot);

/** All problems, one in a line: `line:column: error: message (hint)`, the file name in front unless
 *  it is robot.urdf. Static text, valid until the next call. */
const char *sn_test_problems(const sn_report *report);

/** The problems are exactly these lines, in this order; "" for none. */
#define sn_assert_problems(report, expected) \
  sn_test_problems_equal((report), (expected), __FILE__, __LINE__)

void sn_test_problems_equal(const sn_report *report, const char *expected, const char *file,
                            int line);

/** The table holds exactly these names, and finds them. */
void sn_assert_names(const sn_names *names, const char *const *expected, size_t count);

void sn_assert_indices(const int *actual, size_t actual_count, const int *expected, size_t count);

#endif
