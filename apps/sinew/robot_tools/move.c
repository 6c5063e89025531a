/* Motions of a tool: targets in, joint positions over time out. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common/numbers.h"
#include "common/print.h"
#include "common/robot.h"
#include "path/tool_path.h"
#include "sinew/ik.h"
#include "traj/otg_limits.h"

enum { START_MAX = 256, TARGETS_MAX = 4096, NUMBERS_MAX = START_MAX };

/* As execute_joint_trajectory has them where a robot states no limits. */
static const sn__otg_defaults otg_defaults = {
    .velocity = 10.0, .acceleration_time_s = 0.25, .jerk_time_s = 0.1};

typedef struct move_arguments {
  chain_arguments chain; /* first, as chain_argument_table expects */
  double start[START_MAX];
  size_t start_count;
  bool has_start;
  double period_s, speed;
  bool may_change_branch;
} move_arguments;

typedef struct target_list {
  sn_arena *arena;
  size_t joint_count;
  size_t count;
  sn__tool_target items[TARGETS_MAX];
} target_list;

static bool parse_start(void *member, const char *text) {
  move_arguments *a = member;
  a->has_start = true;
  return numbers_list(text, START_MAX, a->start, &a->start_count);
}

/* ---- targets ---- */

static int complain(size_t line, const char *problem, const char *text) {
  char clean[64];
  text_clean(text, clean, sizeof clean);
  fprintf(stderr, "<stdin>:%zu: error: %s%s%s%s\n", line, problem, *clean == '\0' ? "" : " '",
          clean, *clean == '\0' ? "" : "'");
  return EXIT_USAGE;
}

/* A trailing "blend R" is cut off. @return false: not a number */
static bool cut_blend(char *text, double *radius) {
  char *word = strstr(text, "blend");
  size_t count = 0;
  *radius = 0.0;
  if (word == NULL) {
    return true;
  }
  *word = '\0';
  return numbers_list(word + strlen("blend"), 1, radius, &count) && count == 1;
}

static int read_joints(target_list *list, sn__tool_target *target, const double *numbers,
                       size_t count, size_t line) {
  double *q = SN_NEW(list->arena, double, count);
  if (count != list->joint_count) {
    char problem[96];
    snprintf(problem, sizeof problem, "ptp: %zu joint positions, expected %zu", count,
             list->joint_count);
    return complain(line, problem, "");
  }
  if (q == NULL) {
    return EXIT_FAULT;
  }
  memcpy(q, numbers, count * sizeof(double));
  target->q = q;
  return EXIT_GOOD;
}

static int read_pose(sn__tool_target *target, const double *numbers, size_t count, size_t line) {
  const size_t via = target->kind == SN__TOOL_CIRC ? 3 : 0;
  if (count != via + 7) {
    return complain(line,
                    via > 0 ? "circ: expected x y z of a point on the arc, then x y z qx qy qz qw"
                            : "expected x y z qx qy qz qw",
                    "");
  }
  const double *x = numbers + via;
  target->via = sn_vec3_make(numbers[0], numbers[1], numbers[2]);
  if (sn_ik_pose_from_quat(sn_vec3_make(x[0], x[1], x[2]), (sn_quat){x[3], x[4], x[5], x[6]},
                           &target->pose) != SN_IK_OK) {
    return complain(line, "the quaternion qx qy qz qw must have length 1", "");
  }
  return EXIT_GOOD;
}

/* One line: a kind, numbers, perhaps a blend. */
static int read_target(target_list *list, char *text, size_t line) {
  static const char *const kinds[] = {"ptp", "lin", "circ", "spline"};
  double numbers[NUMBERS_MAX];
  size_t count = 0;
  size_t kind = 0;
  text += strspn(text, " \t\r\n");
  if (*text == '\0') {
    return EXIT_GOOD;
  }
  const size_t length = strcspn(text, " \t\r\n");
  while (kind < 4 && (strlen(kinds[kind]) != length || strncmp(text, kinds[kind], length) != 0)) {
    kind++;
  }
  if (kind == 4) {
    return complain(line, "a target begins with ptp, lin, circ or spline, not with", text);
  }
  if (list->count == TARGETS_MAX) {
    return complain(line, "more than 4096 targets", "");
  }
  sn__tool_target *target = &list->items[list->count++];
  *target = (sn__tool_target){.kind = (sn__tool_kind)kind};
  text += length;
  if (!cut_blend(text, &target->blend_m)) {
    return complain(line, "blend: expected one radius in m", "");
  }
  if (!numbers_list(text, NUMBERS_MAX, numbers, &count)) {
    return complain(line, "expected finite numbers, found", text);
  }
  return kind == SN__TOOL_PTP ? read_joints(list, target, numbers, count, line)
                              : read_pose(target, numbers, count, line);
}

static int read_targets(target_list *list) {
  char *text = NULL;
  size_t capacity = 0;
  size_t line = 0;
  int code = EXIT_GOOD;
  while (code == EXIT_GOOD) {
    const ssize_t length = getline(&text, &capacity, stdin);
    if (length < 0) {
      break;
    }
    line++;
    code = strlen(text) == (size_t)length ? read_target(list, text, line)
                                          : complain(line, "the line contains a NUL byte", "");
  }
  free(text);
  return code;
}

/* ---- motion ---- */

/* At the first time, once a period, and at the end. */
static void print_motion(const sn__tool_motion *motion, size_t n, double period_s, double *row) {
  const double duration_s = sn__tool_motion_duration(motion);
  for (size_t k = 0;; k++) {
    const double t = (double)k * period_s;
    const bool is_last = t >= duration_s;
    row[0] = is_last ? duration_s : t;
    sn__tool_motion_at(motion, row[0], row + 1, row + 1 + n, row + 1 + 2 * n);
    numbers_print(row, 1 + 3 * n);
    putchar('\n');
    if (is_last) {
      return;
    }
  }
}

/* Zero, or the nearest position within limits. */
static int choose_start(const move_arguments *a, const sn_chain *chain, double *q) {
  const size_t n = chain->joint_count;
  if (a->has_start && a->start_count != n) {
    return command_misused(&command_move, "option '--start': %zu joint positions, expected %zu",
                           a->start_count, n);
  }
  for (size_t j = 0; j < n; j++) {
    q[j] = a->has_start ? a->start[j] : fmin(fmax(0.0, chain->lower[j]), chain->upper[j]);
  }
  return EXIT_GOOD;
}

static int fail(const move_arguments *a, sn_status status, const sn_error *err) {
  fprintf(stderr, "sinew move: %s: %s\n", a->chain.urdf, err->message);
  return status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
}

static int move(robot *r, const move_arguments *a, target_list *list, const sn_chain *chain) {
  const size_t n = chain->joint_count;
  sn_otg_limits *limits = SN_NEW(&r->arena, sn_otg_limits, n);
  double *row = SN_NEW(&r->arena, double, 1 + 3 * n);
  if (limits == NULL || row == NULL) {
    return EXIT_FAULT;
  }
  int code = choose_start(a, chain, row);
  code = code == EXIT_GOOD ? read_targets(list) : code;
  if (code != EXIT_GOOD) {
    return code;
  }
  for (size_t j = 0; j < n; j++) {
    const sn_joint *joint = sn_model_joint(r->model, (size_t)chain->joints[j]);
    limits[j] = sn__otg_limits_of(joint, &otg_defaults);
  }
  const sn__tool_planner_config config = {
      .model = r->model, .base = a->chain.base, .tip = a->chain.tip, .limits = limits};
  const sn__tool_request request = {.q = row,
                                    .targets = list->items,
                                    .count = list->count,
                                    .speed = a->speed,
                                    .may_change_branch = a->may_change_branch};
  sn__tool_planner *planner = NULL;
  sn__tool_motion *motion = NULL;
  sn_error err;
  sn_status status = sn__tool_planner_create(&r->arena, &config, &planner, &err);
  if (status == SN_OK) {
    status = sn__tool_plan(planner, &r->arena, &request, &motion, &err);
  }
  if (status != SN_OK) {
    return fail(a, status, &err);
  }
  print_motion(motion, n, a->period_s, row);
  return EXIT_GOOD;
}

static int run_move(void *arguments) {
  const move_arguments *a = arguments;
  robot r;
  int code = robot_require(&r, a->chain.urdf);
  const sn_chain *chain = NULL;
  sn_error err;
  if (code == EXIT_GOOD) {
    const sn_status status =
        sn_chain_create(&r.arena, r.model, a->chain.base, a->chain.tip, &chain, &err);
    code = status == SN_OK ? EXIT_GOOD : fail(a, status, &err);
  }
  if (code == EXIT_GOOD) {
    target_list *list = SN_NEW(&r.arena, target_list, 1);
    if (list != NULL) {
      list->arena = &r.arena;
      list->joint_count = chain->joint_count;
    }
    code = list == NULL ? EXIT_FAULT : move(&r, a, list, chain);
  }
  robot_free(&r);
  return code;
}

#define AT(member) offsetof(move_arguments, member)
static const command_option options[] = {
    {"--start", "\"Q ...\"", OPTION_PARSED, 0,
     .help = "Joint positions to start from; zero unless "
             "given",
     .parse = parse_start, .expected = "joint positions, with blanks or commas between them"},
    {"--period", "S", OPTION_NUMBER, AT(period_s),
     .help = "Time between lines, 0.01 s unless given", .min = 1e-6, .max = 1e3},
    {"--speed", "F", OPTION_NUMBER, AT(speed), .help = "Share of the full speed, 1 unless given",
     .min = 1e-3, .max = 1.0},
    {"--other-branch", NULL, OPTION_FLAG, AT(may_change_branch),
     .help = "Where a line cannot be followed, first go to another pose of the joints"},
    {0}};
static const move_arguments initial = {.period_s = 0.01, .speed = 1.0};

const command command_move = {
    .name = "move",
    .purpose =
        "The fastest motion of a tool through targets on standard input: 'ptp Q ...', "
        "'lin X Y Z QX QY QZ QW [blend R]', 'circ X Y Z X Y Z QX QY QZ QW', 'spline X Y Z QX "
        "QY QZ QW'; to lines 't Q ... QD ... QDD ...'.",
    .arguments = chain_argument_table,
    .options = {options},
    .size = sizeof initial,
    .initial = &initial,
    .run = run_move};
