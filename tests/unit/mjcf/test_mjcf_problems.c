/* Whatever is wrong with an MJCF file is reported with its place; nothing outside is opened. */
#define _POSIX_C_SOURCE 200809L /* mkdir() */

#include <string.h>
#include <sys/stat.h>

#include "program.h"
#include "robot.h"
#include "sn_test.h"

#define WORLD(inside) "<mujoco><worldbody>" inside "</worldbody></mujoco>"
#define HEAVY "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
#define ONE "<body name='b'><joint name='j' range='-9 9'/>" HEAVY "</body>"

typedef struct bad_case {
  const char *text, *problems;
} bad_case;

static void check_cases(const bad_case *cases, size_t count, bool is_rejected) {
  for (size_t i = 0; i < count; i++) {
    sn_test_robot robot;
    sn_test_robot_init(&robot, cases[i].text, NULL);
    sn_assert_problems(robot.report, cases[i].problems);
    assert_int_equal(robot.model == NULL, is_rejected);
    sn_test_robot_free(&robot);
  }
}

SN_TEST(errors_have_their_places) {
  static const bad_case cases[] = {
      {"<mujoco><compiler coordinate='global'/><worldbody>" ONE "</worldbody></mujoco>",
       "1:9: error: <compiler> coordinate is 'global', expected 'local' "
       "(save the model with MuJoCo, which writes local ones)\n"},
      {"<mujoco><compiler eulerseq='xyw'/><worldbody>" ONE "</worldbody></mujoco>",
       "1:9: error: <compiler> eulerseq is 'xyw', expected three of x, y, z, X, Y, Z\n"},
      {"<mujoco><default><default/></default><worldbody>" ONE "</worldbody></mujoco>",
       "1:18: error: a <default> inside another has no class\n"},
      {WORLD("<body name='b' pos='0 0'/>"),
       "1:20: error: <body> pos is '0 0', expected 3 numbers\n"},
      {WORLD("<body name='b' pos='0 0 x'/>"),
       "1:20: error: <body> pos is '0 0 x', expected at most 3 finite numbers\n"},
      {WORLD("<body name='b' quat='0 0 0 0'/>"), "1:20: error: <body> quat is zero\n"},
      {WORLD("<body name='b' childclass='c'/>"),
       "1:20: error: <body>: unknown default class 'c'\n"},
      {WORLD("<body name='b'>" HEAVY "<joint type='ball'/></body>"),
       "1:87: error: body 'b' has a joint of type 'ball', expected hinge, slide or free "
       "(write three hinges instead)\n"},
      {WORLD("<body name='b'>" HEAVY "<joint name='j' range='2 1'/></body>"),
       "1:87: error: joint 'j': range is 2 1, the first must be below the second\n"},
      {WORLD("<body name='b'>" HEAVY "<joint name='j' axis='0 0 0'/></body>"),
       "1:87: error: joint 'j': the axis is zero\n"},
      {WORLD("<body name='b'/><body name='b'/>"),
       "1:36: error: there are two <body> of the name 'b'\n"},
      {WORLD("<body name='b'><inertial pos='0 0 0' diaginertia='1 1 1'/></body>"),
       "1:35: error: <inertial> has no mass, or a negative one\n"},
      {WORLD("<body name='b'><inertial pos='0 0 0' mass='1'/></body>"),
       "1:35: error: <inertial> has neither diaginertia nor fullinertia\n"},
      {WORLD("<body name='b'><geom type='box' size='1 1'/></body>"),
       "1:35: error: <geom> size has 2 numbers, a box needs 3\n"},
      {WORLD("<body name='b'><geom size='-1'/></body>"),
       "1:35: error: <geom> size is -1, must be positive\n"},
      {"<mujoco><include file='other.xml'/></mujoco>",
       "1:9: error: <include> of 'other.xml': no file can be read here\n"},
      {"<mujoco><include/></mujoco>", "1:9: error: <include> names no file\n"},
      {"<mujoco><worldbody>" ONE "</worldbody><keyframe><key qpos='1 2'/></keyframe></mujoco>",
       "1:146: error: <key> qpos is '1 2', expected at most 1 finite numbers\n"}};
  check_cases(cases, sizeof cases / sizeof *cases, true);
}

SN_TEST(what_is_left_out_is_named) {
  static const bad_case cases[] = {
      {WORLD(ONE "<replicate/><replicate/>"),
       "1:124: warning: <replicate> inside <worldbody> is left out: it has no meaning here\n"},
      {WORLD("<body name='b'>" HEAVY "<joint name='j' range='-9 9' stiffness='2.5'/></body>"),
       "1:87: warning: joint 'j': its spring (stiffness 2.5) is left out\n"},
      {"<mujoco><extension/><worldbody>" ONE "</worldbody></mujoco>",
       "1:9: warning: <extension> inside <mujoco> is left out: it has no meaning here\n"},
      {"<mujoco><compiler settotalmass='3' balanceinertia='true'/><worldbody>" ONE
       "</worldbody></mujoco>",
       "1:9: warning: <compiler> settotalmass is ignored (write the masses of the bodies)\n"
       "1:9: warning: <compiler> balanceinertia is ignored (write the inertias that it leads "
       "to)\n"},
      {"<mujoco><worldbody>" ONE "</worldbody><equality><weld/></equality></mujoco>",
       "1:146: warning: <weld> inside <equality> is left out: it has no meaning here\n"},
      {"<mujoco><worldbody>" ONE
       "</worldbody><equality><joint joint1='j' joint2='k'/></equality></mujoco>",
       "1:146: warning: <equality>: expected two hinges or slides and a straight line as polycoef "
       "(it is left out)\n"},
      {"<mujoco><worldbody>" ONE
       "</worldbody><actuator><motor joint='j'/><motor joint='k'/><adhesion/></actuator></mujoco>",
       "1:164: warning: <motor> drives 'k', which is neither a hinge or slide nor a fixed tendon "
       "(it is left out)\n"
       "1:182: warning: <adhesion> inside <actuator> is left out: it has no meaning here\n"},
      {WORLD("<body name='b'>" HEAVY "<joint name='j' type='slide'/></body>"),
       "1:87: warning: joint 'j' slides without limits, 100 m to both sides are taken "
       "(give it a range)\n"},
      {WORLD("<body name='b'>" HEAVY "<geom type='mesh' mesh='m'/><geom type='blob'/></body>"),
       "1:87: warning: <geom> mesh is 'm', which is not an <asset> with a file (it is left out)\n"
       "1:115: warning: a geom of type 'blob' is left out: it is not known here\n"}};
  check_cases(cases, sizeof cases / sizeof *cases, false);
}

/* ---- files ---- */

typedef struct include_case {
  const char *text;
  const char *part;    /* of parts/a.xml */
  const char *problem; /* NULL: none */
} include_case;

static void check_include(const char *folder, const include_case *c) {
  char path[256];
  sn_test_write(folder, "robots/r.xml", c->text);
  sn_test_write(folder, "robots/parts/a.xml", c->part);
  sn_test_write(folder, "secret.xml", "<mujoco/>");
  snprintf(path, sizeof path, "%s/robots/r.xml", folder);
  sn_arena arena, notes;
  sn_arena_init_growing(&arena, "model", 0);
  sn_arena_init_growing(&notes, "report", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&notes, &report, NULL), SN_OK);
  const sn_model *model = NULL;
  (void)sn_model_load(&arena, path, NULL, report, &model, NULL);
  if (c->problem == NULL) {
    sn_assert_problems(report, "");
    assert_non_null(model);
  } else {
    sn_assert_contains(sn_test_problems(report), c->problem);
    assert_null(model);
  }
  sn_arena_release(&arena);
  sn_arena_release(&notes);
}

#define INCLUDE "<include file='parts/a.xml'/>"
#define ROBOT(inside) "<mujoco><worldbody>" inside "</worldbody></mujoco>"

SN_TEST(only_files_of_the_robot_are_included_and_once) {
  static const include_case cases[] = {
      {ROBOT(INCLUDE), "<mujocoinclude>" ONE "</mujocoinclude>", NULL},
      {ROBOT(INCLUDE), "<robot/>",
       "a.xml:1:1: error: the root element is <robot>, expected <mujoco>"},
      {ROBOT(INCLUDE), "<mujoco>", "a.xml:1:"},
      {ROBOT(INCLUDE), "<mujoco>" INCLUDE "</mujoco>", "a file can be included once only"},
      {ROBOT(INCLUDE INCLUDE), "<mujoco/>", "a file can be included once only"},
      {ROBOT(INCLUDE), "<mujoco><include file='r.xml'/></mujoco>",
       "a file can be included once only"},
      {ROBOT("<include file='missing.xml'/>"), "", "missing.xml: No such file or directory"},
      {ROBOT("<include file='../secret.xml'/>"), "", "not a file that can be read in the folder"},
      {ROBOT("<include file='/etc/hostname'/>"), "", "not a file that can be read in the folder"}};
  char folder[64];
  sn_test_folder_create(folder);
  static const char *const folders[] = {"robots", "robots/parts"};
  for (size_t i = 0; i < 2; i++) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
    assert_int_equal(mkdir(path, 0700), 0);
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    check_include(folder, &cases[i]);
  }
  sn_test_folder_remove(folder);
}
