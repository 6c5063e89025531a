/* `sinew plan-walk`: a request to move the base, planned as a step sequence. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "commands.h"
#include "common/print.h"
#include "movements/movement.h"
#include "play/play_start.h"
#include "sinew/tap.h"

typedef struct plan_arguments {
  play_arguments play; /* robot, movements, servos */
  const char *request, *from, *output;
} plan_arguments;

typedef struct planning {
  const plan_arguments *arguments;
  play_setup setup;
  sn_arena arena;
  sn__movement request;
  app_system app;
  play_result result; /* errors */
  sn_move_base_plan *plan;
  sn_step_goal *sequence;
  double solve_ms, processor_ms;
} planning;

/* Long enough for the pose to go round. */
static const int64_t RUN_NS = 100000000;

static bool fail_with(planning *p, int code, const char *text) {
  play_fail(&p->result, code, "%s", text);
  return false;
}

static bool load_movement(planning *p, const char *path, sn__movement_kind kind, const char *what,
                          sn__movement *out) {
  sn_error err = {.message = ""};
  if (sn__movement_load(path, &p->arena, out, &err) != SN_OK ||
      (out->kind == kind && sn__movement_check_robot(out, p->setup.model, &err) != SN_OK)) {
    return fail_with(p, SN_MOVE_BASE_INVALID_GOAL, err.message);
  }
  if (out->kind != kind) {
    play_fail(&p->result, SN_MOVE_BASE_INVALID_GOAL, "%s: a %s, not %s", path,
              sn__movement_kind_name(out->kind), what);
    return false;
  }
  return true;
}

/* The pose of a file on top of the nominal one. */
static bool read_from(planning *p, play_start *start) {
  sn__movement pose;
  if (p->arguments->from == NULL) {
    return true;
  }
  if (!load_movement(p, p->arguments->from, SN__MOVEMENT_JOINT_STATE, "a pose", &pose)) {
    return false;
  }
  for (size_t i = 0; i < pose.pose->name.count; i++) {
    const int joint = sn_model_joint_index(p->setup.model, sn_msg_names_at(&pose.pose->name, i));
    if (joint >= 0) {
      start->q[joint] = pose.pose->position.data[i];
    }
  }
  return true;
}

static bool load_system(planning *p) {
  play_start start;
  text_list settings = p->setup.settings;
  sn_error err = {.message = "out of memory"};
  if (!play_start_find(&p->setup, &p->request, &p->arena, &start, &p->result) ||
      !read_from(p, &start)) {
    return false;
  }
  play_start_set(&p->setup, &start, &p->arena, &settings);
  const app_system_options options = play_setup_options(&p->setup, &settings);
  sn_clock_init_simulated(&p->app.clock, 0);
  if (!app_system_load(&p->app, p->setup.arguments->robot, &options) || p->app.system == NULL ||
      sn_system_begin(p->app.system, &err) != SN_OK ||
      sn_system_run(p->app.system, RUN_NS, NULL, NULL, &err) != SN_OK) {
    return fail_with(p, SN_MOVE_BASE_INTERNAL_ERROR, err.message);
  }
  return true;
}

/* ---- calls ---- */

static bool call(planning *p, const char *operation, const void *request, void *response) {
  char name[160];
  sn_caller caller = {0};
  sn_error err = {.message = "out of memory"};
  snprintf(name, sizeof name, "%.120s.%s", p->setup.move_base, operation);
  const bool is_good = response != NULL &&
                       sn_caller_open(p->app.system, name, &caller, &err) == SN_OK &&
                       sn_call(&caller, request, response, &err) == SN_OK;
  sn_caller_close(&caller);
  return is_good || fail_with(p, SN_MOVE_BASE_INTERNAL_ERROR, err.message);
}

/* Time that this thread had the processor: other programs do not count. */
static double processor_ms(void) {
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* The first call of the planner prepares it; the time is that of the second one. */
static bool make_plan(planning *p) {
  enum { POINTS_MAX = 1000 };
  const sn_msg_capacity large = {.item_count = POINTS_MAX, .text_size = 300};
  const sn_msg_capacity small = {.item_count = sn_model_pose_size(p->setup.model) + 1,
                                 .text_size = 300};
  sn_clock wall;
  p->plan = sn_msg_create(&p->arena, &sn_move_base_plan_type, &small);
  p->sequence = sn_msg_create(&p->arena, &sn_step_goal_type, &large);
  if (!call(p, "getNominal", NULL, sn_msg_create(&p->arena, &sn_joint_state_type, &small))) {
    return false;
  }
  sn_clock_init_monotonic(&wall);
  const int64_t start_ns = sn_clock_now_ns(&wall);
  const double start_ms = processor_ms();
  const bool is_called = call(p, "plan", p->request.msg, p->plan);
  p->processor_ms = processor_ms() - start_ms;
  p->solve_ms = 1e-6 * (double)(sn_clock_now_ns(&wall) - start_ns);
  if (is_called && p->plan->error_code != SN_MOVE_BASE_SUCCESS) {
    return fail_with(p, p->plan->error_code, p->plan->error_string.data);
  }
  return is_called && call(p, "getPlan", NULL, p->sequence);
}

static bool save(planning *p) {
  sn_error err = {.message = ""};
  const sn__movement movement = {.kind = SN__MOVEMENT_STEP_SEQUENCE, .steps = p->sequence};
  return p->arguments->output == NULL ||
         sn__movement_save(p->arguments->output, &movement, &err) == SN_OK ||
         fail_with(p, SN_MOVE_BASE_INTERNAL_ERROR, err.message);
}

/* ---- output ---- */

static int print_json(const planning *p, bool is_ok) {
  sn__buffer out = {0};
  sn__json_open(&out, NULL, '{');
  sn__json_bool(&out, "ok", is_ok);
  sn__json_int(&out, "error_code", is_ok ? 0 : p->result.error_code);
  sn__json_text(&out, "error_string", is_ok ? "" : p->result.error);
  sn__json_real(&out, "solve_ms", p->solve_ms);
  sn__json_real(&out, "processor_ms", p->processor_ms);
  sn__json_int(&out, "steps", is_ok ? (int64_t)p->plan->n_steps : 0);
  sn__json_real(&out, "duration_s", is_ok ? p->plan->duration : 0.0);
  sn__json_real(&out, "zmp_margin_m", is_ok ? p->plan->zmp_margin : 0.0);
  sn__json_real(&out, "peak_joint_speed", is_ok ? p->plan->peak_joint_speed : 0.0);
  sn__json_real(&out, "peak_load", is_ok ? p->plan->peak_load : 0.0);
  sn__json_real(&out, "stretch", is_ok ? p->plan->stretch : 0.0);
  sn__json_close(&out, '}');
  if (!out.failed) {
    printf("%.*s\n", (int)out.used, out.data);
  }
  const int code = out.failed ? out_of_memory() : is_ok ? EXIT_GOOD : EXIT_NO;
  sn__buffer_free(&out);
  return code;
}

static int print_plan(const planning *p, bool is_ok) {
  if (!is_ok) {
    fprintf(stderr, "sinew plan-walk: %s\n", p->result.error);
    return EXIT_NO;
  }
  printf("steps of each leg   %u\n", p->plan->n_steps);
  printf("duration            %.3f s (%.2f times that of the request)\n", p->plan->duration,
         p->plan->stretch);
  printf("margin of the ZMP   %.4f m\n", p->plan->zmp_margin);
  printf("peak joint speed    %.2f rad/s\n", p->plan->peak_joint_speed);
  printf("peak load of drives %.2f\n", p->plan->peak_load);
  printf("planned in          %.2f ms, %.2f ms of the processor\n", p->solve_ms, p->processor_ms);
  return EXIT_GOOD;
}

static int run_plan_walk(void *arguments) {
  plan_arguments *a = arguments;
  planning p = {.arguments = a};
  sn_arena_init_growing(&p.arena, "plan-walk", 64 * 1024);
  int code = play_setup_open(&p.setup, &a->play);
  if (code == EXIT_GOOD) {
    const bool is_ok = load_movement(&p, a->request, SN__MOVEMENT_MOVE_BASE,
                                     "a request to move the base", &p.request) &&
                       load_system(&p) && make_plan(&p) && save(&p);
    code = a->play.as_json ? print_json(&p, is_ok) : print_plan(&p, is_ok);
  }
  app_system_free(&p.app);
  play_setup_close(&p.setup);
  sn_arena_release(&p.arena);
  return code;
}

#define AT(member) offsetof(plan_arguments, member)
static const command_argument plan_argument_table[] = {
    {"ROBOT", ARGUMENT_ONE, AT(play.robot),
     "A robot (.urdf, .xacro, MJCF .xml), a file that names one, or a deployment (.yaml)",
     WORD_FILE, NULL},
    {"REQUEST", ARGUMENT_ONE, AT(request), "A request to move the base (.json)", WORD_FILE, NULL},
    {0}};
static const command_option plan_option_table[] = {
    {"--from", "FILE", OPTION_TEXT, AT(from),
     .help = "Pose that the plan begins from (.json); without it the nominal stance",
     .word = WORD_FILE},
    {"-o", "FILE", OPTION_TEXT, AT(output), .help = "Write the step sequence (.json)",
     .word = WORD_FILE},
    {"--servo-models", "FILE", OPTION_TEXT, AT(play.servo_models),
     .help = "Models of the servos (servo_models in a .yaml), which limit the plan",
     .word = WORD_FILE},
    {"--torque-max", "NM", OPTION_NUMBER, AT(play.torque_max), .help = "Torque limit of all motors",
     .min = 1e-6, .max = 1e6},
    {"--json", NULL, OPTION_FLAG, AT(play.as_json), .help = "Print one line of JSON"},
    {0}};
static const plan_arguments initial = {.play = {.friction = -1.0, .seed = 1}};

const command command_plan_walk = {.name = "plan-walk",
                                   .purpose = "Plan the steps of a request to move the base.",
                                   .arguments = plan_argument_table,
                                   .options = {robot_option_table, plan_option_table},
                                   .size = sizeof initial,
                                   .initial = &initial,
                                   .run = run_plan_walk};
