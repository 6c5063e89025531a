#define _POSIX_C_SOURCE 200809L

#include "ident_tools/ident.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "common/numbers.h"
#include "common/print.h"
#include "common/robot.h"
#include "ident_tools/pendulum.h"

/* What all threads work on. */
typedef struct work {
  const ident_request *request;
  ident_answer *answers;
  size_t count;
  atomic_size_t next; /* first servo without a thread */
  atomic_size_t done;
  bool progress;
} work;

static void *identify(void *argument) {
  work *w = argument;
  for (;;) {
    const size_t i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed);
    if (i >= w->count) {
      return NULL;
    }
    ident_answer *a = &w->answers[i];
    a->status = sn__ident_fit(&a->arena, &w->request->config, &a->entry->params, a->track->samples,
                              a->track->count, &a->result, &a->error);
    if (w->request->report == NULL) {
      sn_arena_release(&a->arena);
    }
    const size_t done = atomic_fetch_add_explicit(&w->done, 1, memory_order_relaxed) + 1;
    if (w->progress) {
      progress_show("fitting", (double)done / (double)w->count);
    }
  }
}

static void identify_all(work *w) {
  pthread_t threads[IDENT_THREADS_MAX];
  const size_t wanted = ident_thread_count() < w->count ? ident_thread_count() : w->count;
  size_t started = 1;
  while (started < wanted && pthread_create(&threads[started], NULL, identify, w) == 0) {
    started++;
  }
  identify(w);
  for (size_t i = 1; i < started; i++) {
    pthread_join(threads[i], NULL);
  }
  if (w->progress) {
    progress_end();
  }
}

/* Limits of a joint: from the URDF, or the range in the log. */
static bool find_limits(const ident_answer *a, const robot *r, double *lower, double *upper,
                        double *velocity_max) {
  *lower = INFINITY;
  *upper = -INFINITY;
  *velocity_max = INFINITY;
  const int joint = r->model == NULL ? -1 : sn_model_joint_index(r->model, a->entry->name);
  if (joint >= 0) {
    const sn_joint *j = sn_model_joint(r->model, (size_t)joint);
    *lower = j->lower;
    *upper = j->upper;
    *velocity_max = j->velocity_max;
    return true;
  }
  for (size_t i = 0; i < a->track->count; i++) {
    *lower = fmin(*lower, a->track->samples[i].position);
    *upper = fmax(*upper, a->track->samples[i].position);
  }
  return a->track->count > 0;
}

static int suggest(const ident_request *request, ident_answer *answers, size_t count) {
  robot r = {0};
  int code = request->urdf == NULL ? EXIT_GOOD : robot_require(&r, request->urdf);
  for (size_t i = 0; code == EXIT_GOOD && i < count; i++) {
    ident_answer *a = &answers[i];
    double lower;
    double upper;
    double velocity_max;
    if (!a->result.excited && find_limits(a, &r, &lower, &upper, &velocity_max)) {
      a->has_motion = sn__ident_suggest(&a->result.params, lower, upper, velocity_max, &a->motion);
    }
  }
  if (request->urdf != NULL) {
    robot_free(&r);
  }
  return code;
}

/* Replace the models that were identified well; without any the files stay as they are. */
static int save(const ident_request *request, const sn_servo_list *list,
                const ident_answer *answers) {
  bool has_any = false;
  for (size_t i = 0; i < list->count; i++) {
    has_any = has_any || answers[i].result.ok;
    if (answers[i].result.ok) {
      list->entries[i].params = answers[i].result.params;
      list->entries[i].has_alpha = true;
    }
  }
  sn_error err;
  if (has_any && sn__servo_store_save(request->models, list, &err) != SN_OK) {
    fprintf(stderr, "sinew ident: %s\n", err.message);
    return EXIT_FAULT;
  }
  return EXIT_GOOD;
}

/* @return EXIT_NO if the result of any servo is not good */
static int judge(const ident_request *request, const ident_answer *answers, size_t count) {
  int code = EXIT_GOOD;
  for (size_t i = 0; i < count; i++) {
    if (answers[i].status != SN_OK) {
      char path[512];
      text_clean(request->log, path, sizeof path);
      fprintf(stderr, "%s: error: servo '%.80s': %s\n", path, answers[i].entry->name,
              answers[i].error.message);
      return answers[i].status == SN_ENOMEM ? EXIT_FAULT : EXIT_NO;
    }
    code = answers[i].result.ok ? code : EXIT_NO;
  }
  return code;
}

static int answer(const ident_request *request, const sn_servo_list *list, const ident_data *data,
                  bool progress, ident_answer *answers) {
  for (size_t i = 0; i < list->count; i++) {
    answers[i] = (ident_answer){.entry = &list->entries[i], .track = &data->tracks[i]};
    sn_arena_init_growing(&answers[i].arena, "identification", 1 << 20);
  }
  work w = {.request = request, .answers = answers, .count = list->count, .progress = progress};
  if (progress && w.count > 0) {
    progress_show("fitting", 0.0);
  }
  identify_all(&w);
  int code = judge(request, answers, list->count);
  bool is_complete = true;
  for (size_t i = 0; i < list->count; i++) {
    is_complete = is_complete && answers[i].status == SN_OK;
  }
  if (!is_complete) {
    return code;
  }
  if (request->suggest && suggest(request, answers, list->count) != EXIT_GOOD) {
    return EXIT_NO;
  }
  if (ident_print(request, answers, list->count) != EXIT_GOOD ||
      (request->report != NULL && ident_report(request, answers, list->count) != EXIT_GOOD) ||
      (request->save && save(request, list, answers) != EXIT_GOOD)) {
    return EXIT_FAULT;
  }
  return code;
}

static int run(const ident_request *request, robot *holder) {
  sn_servo_list list = {0};
  if (sn__servo_store_load(&holder->arena, request->models, holder->report, &list) != SN_OK) {
    problems_print(holder->report);
    return EXIT_NO;
  }
  if (pendulum_is_wanted(request)) {
    return pendulum_run(request, &list);
  }
  const bool progress = isatty(STDERR_FILENO) == 1;
  ident_data data;
  int code = ident_read(request->log, &list, &request->topics, progress, &data);
  if (code == EXIT_GOOD) {
    ident_data_warn(request->log, &data);
    ident_answer *answers = calloc(list.count + 1, sizeof *answers);
    code = answers == NULL ? EXIT_FAULT : answer(request, &list, &data, progress, answers);
    for (size_t i = 0; answers != NULL && i < list.count; i++) {
      sn_arena_release(&answers[i].arena);
    }
    free(answers);
  }
  ident_data_free(&data);
  return code;
}

/* @return what an option needs that the request does not have; NULL: nothing */
static const char *missing_model(const ident_request *request) {
  const char *model = request->model == NULL ? "full" : request->model;
  if ((request->is_directional || request->has_backlash) && !pendulum_is_wanted(request)) {
    return "options '--directional' and '--backlash': only with --load or logs of Rhoban/bam";
  }
  if (request->has_backlash && strcmp(model, "full") != 0) {
    return "option '--backlash': only with --model full";
  }
  if (request->is_directional && strcmp(model, "basic") == 0) {
    return "option '--directional': only with --model load or full";
  }
  return NULL;
}

static int run_ident(void *arguments) {
  ident_request *request = arguments;
  request->has_load = request->load_text != NULL;
  if (request->has_load && load_urdf_is_one(request->load_text)) {
    const int code = load_urdf_read(request->load_text, &request->load, &request->limits);
    if (code != EXIT_GOOD) {
      return code;
    }
  } else if (request->has_load && !pendulum_parse(request->load_text, &request->load)) {
    return command_misused(
        &command_ident,
        "option '--load': '%s' is not valid, expected "
        "pendulum:mass=KG,length=M[,arm=KG] with numbers above 0, or urdf:FILE:JOINT",
        request->load_text);
  }
  if (request->save_servo != NULL && !servo_file_is_name(request->save_servo)) {
    return command_misused(&command_ident,
                           "option '--save-servo': '%s' is not valid, expected a name of small "
                           "letters, digits, _ and -",
                           request->save_servo);
  }
  if (request->threshold.unit != IDENT_RAD && !pendulum_is_wanted(request)) {
    return command_misused(&command_ident,
                           "option '--threshold': only rad without a simulation; V and noise need "
                           "--load, --validate or logs of Rhoban/bam");
  }
  const char *missing = missing_model(request);
  return missing == NULL ? ident_run(request) : command_misused(&command_ident, "%s", missing);
}

int ident_run(ident_request *request) {
  request->log = request->logs.items[0];
  request->config.threshold_rad = request->threshold.value; /* other units: not read */
  request->config.want_plots = request->report != NULL;
  request->config.has_delay = request->delay >= 0;
  request->config.control_delay = request->delay >= 0 ? (size_t)request->delay : 0;
  robot holder = {0}; /* holds the problems */
  sn_arena_init_growing(&holder.arena, "servos", 64 * 1024);
  sn_arena_init_growing(&holder.report_arena, "problems", 64 * 1024);
  const bool is_ready = sn_report_create(&holder.report_arena, &holder.report, NULL) == SN_OK;
  const int code = is_ready ? run(request, &holder) : EXIT_FAULT;
  robot_free(&holder);
  return code;
}

#define AT(member) offsetof(ident_request, member)
#define POSITIVE .min = DBL_MIN, .max = HUGE_VAL, .expected = "a number above 0"
static const command_argument ident_argument_table[] = {
    {"LOG", ARGUMENT_MANY, AT(logs), "Logs of the servos: .csv, .mcap, or .json of Rhoban/bam",
     WORD_FILE, NULL},
    {0}};

static const char *model_choice(size_t index) {
  static const char *const names[] = {"basic", "load", "full"};
  return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool parse_model(void *member, const char *value) {
  *(const char **)member = value;
  const char *name = NULL;
  for (size_t i = 0; (name = model_choice(i)) != NULL && strcmp(name, value) != 0; i++) {
  }
  return name != NULL;
}

static bool parse_threshold(void *member, const char *value) {
  static const char *const units[] = {
      [IDENT_RAD] = "rad", [IDENT_VOLT] = "V", [IDENT_NOISE] = "noise"};
  ident_threshold *out = member;
  const char *unit = number_at(value, &out->value);
  if (unit == NULL || !(out->value > 0.0) || !isfinite(out->value)) {
    return false;
  }
  size_t k = 0;
  while (*unit != '\0' && k < sizeof units / sizeof *units && strcmp(unit, units[k]) != 0) {
    k++;
  }
  out->unit = (ident_unit)k;
  return k < sizeof units / sizeof *units;
}

static const command_option options[] = {
    {"--model", "MODEL", OPTION_PARSED, AT(model), .parse = parse_model, .choices = model_choice,
     .help = "How much of the model to identify; default full with --load"},
    {"--models", "FILE", OPTION_TEXT, AT(models), .help = "Models of the servos", .word = WORD_FILE,
     .is_required = true},
    {"--load", "pendulum:mass=KG,length=M[,arm=KG]|urdf:FILE:JOINT", OPTION_TEXT, AT(load_text),
     .help = "What the servo moves: efforts are computed from it"},
    {"--directional", NULL, OPTION_FLAG, AT(is_directional),
     .help = "Load friction differs when the load drives the servo"},
    {"--backlash", NULL, OPTION_FLAG, AT(has_backlash),
     .help = "Identify the play of the drive, too; only with --model full"},
    {"--validate", "LOG", OPTION_WORDS, AT(validate),
     .help = "Logs that only judge the result, by simulation", .word = WORD_FILE},
    {"--json", NULL, OPTION_FLAG, AT(json), .help = "Print JSON"},
    {"--report", "FILE.html", OPTION_TEXT, AT(report), .help = "Write a report with plots",
     .word = WORD_FILE},
    {"--fit-stribeck", NULL, OPTION_FLAG, AT(config.fit_stribeck),
     .help = "Search the Stribeck parameters qs and delta, too"},
    {"--identify-inertia", NULL, OPTION_FLAG, AT(config.identify_inertia),
     .help = "Identify the inertia of the rotor, too"},
    {"--delay", "N", OPTION_INTEGER, AT(delay), .help = "Samples between a goal and its effect",
     .max = SN_IDENT_DELAY_MAX},
    {"--voltage", "V", OPTION_NUMBER, AT(config.voltage),
     .help = "Supply voltage, where the log has none", POSITIVE},
    {"--threshold", "ERROR", OPTION_PARSED, AT(threshold), .parse = parse_threshold,
     .expected = "a number above 0, of rad; or with its unit: 0.05rad, 0.5V, 10noise",
     .help = "Largest error of a good model: rad, or with a load V or noise"},
    {"--min-velocity", "RAD/S", OPTION_NUMBER, AT(config.min_velocity),
     .help = "Ignore samples that are slower", POSITIVE},
    {"--suggest", NULL, OPTION_FLAG, AT(suggest),
     .help = "Suggest a motion for each servo that moved too little"},
    {"--urdf", "FILE", OPTION_TEXT, AT(urdf), .help = "Robot whose joint limits --suggest respects",
     .word = WORD_FILE},
    {"--save", NULL, OPTION_FLAG, AT(save), .help = "Write good results into the file of models"},
    {"--save-servo", "NAME", OPTION_TEXT, AT(save_servo),
     .help = "Write a good result as NAME.yaml, which deployments can name"},
    {"--measured", "TOPIC", OPTION_TEXT, AT(topics.names[IDENT_MEASURED]),
     .help = "Topic of measured joint states"},
    {"--goals", "TOPIC", OPTION_TEXT, AT(topics.names[IDENT_GOALS]), .help = "Topic of goals"},
    {"--efforts", "TOPIC", OPTION_TEXT, AT(topics.names[IDENT_EFFORTS]),
     .help = "Topic of efforts"},
    {"--battery", "TOPIC", OPTION_TEXT, AT(topics.names[IDENT_BATTERY]),
     .help = "Topic of the battery's state"},
    {0}};
const ident_request ident_initial = {.delay = -1};

const command command_ident = {.name = "ident",
                               .purpose = "Identify servos from a log.",
                               .arguments = ident_argument_table,
                               .options = {options},
                               .size = sizeof ident_initial,
                               .initial = &ident_initial,
                               .run = run_ident};
