/* The standard deployment with every controller at work, a recording, the cockpit and the bridges
   to ROS: once it runs, the thread that steps it makes no system call, takes no lock and does not
   touch the heap. All of it is in a child process, which ends at the first offence. */
#define _GNU_SOURCE

#include <ifaddrs.h>
#include <math.h>
#include <net/if.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocation.h"
#include "msg/msg_names_internal.h"
#include "rt/component_runtime.h"
#include "rt_guard.h"
#include "run/bridges.h"
#include "sinew/components.h"
#include "sinew/deployment.h"
#include "sinew/msg_calls.h"
#include "sinew/msg_types.h"
#include "sinew/msg_wire.h"
#include "sinew/tap.h"
#include "sn_test.h"

enum { CYCLES = 1500, TAPS_MAX = 256 };

typedef enum sin_kind { SIN_NONE, SIN_CALL, SIN_LOCK, SIN_HEAP } sin_kind;

static sin_kind sin_of_child;

/* ---- a component that does what it must not, once the guard is up ---- */

typedef struct sinner {
  sn_component component;
  bool is_done;
} sinner;

static sn_status sinner_step(sn_component *component, int64_t now_ns) {
  sinner *self = (sinner *)component;
  (void)now_ns;
  if (!rt_guard_is_on() || self->is_done) {
    return SN_OK;
  }
  self->is_done = true;
  if (sin_of_child == SIN_CALL) {
    (void)syscall(SYS_getpid);
  } else if (sin_of_child == SIN_LOCK) {
    sn_system_hold(component->system);
    sn_system_release(component->system);
  } else if (sin_of_child == SIN_HEAP) {
    void *volatile block = malloc(64);
    free(block);
  }
  return SN_OK;
}

static const sn_component_type sinner_type = {.abi = SN_COMPONENT_ABI,
                                              .name = "sinner",
                                              .doc = "Breaks a rule.",
                                              .size = sizeof(sinner),
                                              .step = sinner_step};

/* ---- the system ---- */

typedef struct world {
  sn_arena arena;
  sn_clock clock;
  sn_log *log;
  sn_system *system;
  sn_activity *activity;
  sn_error err;
  sn_tap *taps[TAPS_MAX];
  size_t tap_count;
  sn_source *joints, *limbs;
  sn_tap *where;
  atomic_bool is_guarded, must_guard;
} world;

static void expect(const world *w, bool is_good, const char *what) {
  if (!is_good) {
    fprintf(stderr, "%s: %s\n", what, w->err.message);
    _exit(RT_GUARD_BAD);
  }
}

static bool knows(const sn_component_registry *registry, const char *type) {
  return sn_component_registry_find(registry, type) != NULL;
}

/* DDS does not start where no interface is up. */
static bool has_network(void) {
  struct ifaddrs *list = NULL;
  bool is_up = false;
  if (getifaddrs(&list) == 0) {
    for (const struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
      is_up |= i->ifa_addr != NULL && i->ifa_addr->sa_family == AF_INET && (i->ifa_flags & IFF_UP);
    }
    freeifaddrs(list);
  }
  return is_up;
}

static void build(world *w, const char *folder) {
  sn_component_registry *registry = sn_component_registry_create(&w->arena);
  expect(w, sn_components_add(registry, &w->err) == SN_OK, "components");
  expect(w, sn_bridges_add(registry, &w->err) == SN_OK, "bridges");
  expect(w, sn_component_registry_add(registry, &sinner_type, &w->err) == SN_OK, "sinner");
  char text[800];
  snprintf(text, sizeof text,
           "include: [standard.yaml]\n"
           "components:\n"
           "  sinner: {type: sinner}\n"
           "  recorder: {properties: {folder: '%s'}}\n"
           "  ros1: {type: ros1, properties: {master_uri: 'http://127.0.0.1:1'}}\n"
           "%s%s",
           folder, knows(registry, "cockpit") ? "  cockpit: {properties: {port: 0}}\n" : "",
           knows(registry, "ros2") && has_network()
               ? "  ros2: {type: ros2, properties: {domain: 97, localhost_only: true}}\n"
               : "");
  sn_deployment_file standard = {.name = "standard.yaml"};
  standard.text = sn_standard_deployment(&standard.size);
  const char *const without[] = {"cockpit"};
  const sn_deployment_config config = {.registry = registry,
                                       .files = &standard,
                                       .file_count = 1,
                                       .robot = SINEW_ROBOTS "/quadruped.yaml",
                                       .without = without,
                                       .without_count = knows(registry, "cockpit") ? 0 : 1,
                                       .may_read = true};
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&w->arena, &report, NULL), SN_OK);
  const sn_deployment *deployment = NULL;
  const sn_status status = sn_deployment_parse(&w->arena, text, strlen(text), "guard.yaml", &config,
                                               report, &deployment);
  if (sn_report_count(report) > 0) {
    snprintf(w->err.message, sizeof w->err.message, "%s", sn_report_at(report, 0)->message);
  }
  expect(w, status == SN_OK, "deployment");
  w->system = sn_system_create(&(sn_system_config){
      .clock = &w->clock, .log = w->log, .capacity = sn_deployment_capacity(deployment)});
  expect(w, sn_deployment_build(deployment, w->system, report) == SN_OK, "build");
  w->activity = sn_system_activity_at(w->system, 0);
  expect(w, sn_system_begin(w->system, &w->err) == SN_OK, "begin");
}

/* What a client of the cockpit or a subscriber of ROS costs the cycle: a shared tap. */
static void tap_all_outputs(world *w) {
  for (size_t i = 0; i < sn_system_component_count(w->system); i++) {
    const sn_component *c = sn_system_component_at(w->system, i);
    for (const sn_port *p = c->type->ports; p != NULL && p->name != NULL; p++) {
      if (p->kind == SN_PORT_OUT && w->tap_count < TAPS_MAX) {
        char path[200];
        snprintf(path, sizeof path, "%s.%s", c->name, p->name);
        const sn_connection shared = {.buffer = 4, .shared = true};
        expect(w, sn_tap_open(w->system, path, &shared, &w->taps[w->tap_count++], &w->err) == SN_OK,
               path);
      }
    }
  }
}

/* ---- the thread that is guarded ---- */

static void wait_until_due(const world *w) {
  while (sn_clock_now_ns(&w->clock) < w->activity->due_ns) {
  }
}

static void one_cycle(world *w) {
  wait_until_due(w);
  sn__activity_cycle(w->activity, sn_clock_now_ns(&w->clock));
  sn__activity_advance(w->activity, sn_clock_now_ns(&w->clock));
}

/* All components that are stepped ran in every cycle, and none was held. */
static bool all_went_on(const world *w, const uint64_t *steps_before) {
  for (size_t i = 0; i < w->system->runtime_count; i++) {
    const sn__component_runtime *runtime = w->system->runtimes[i];
    const uint64_t steps = atomic_load(&runtime->steps) - steps_before[i];
    const bool is_event_driven = runtime->has_events || runtime->component->type->step == NULL;
    if (sn__runtime_state(runtime) != SN_STATE_RUNNING || (!is_event_driven && steps != CYCLES)) {
      return false;
    }
  }
  return true;
}

static void *run_cycles(void *argument) {
  world *w = argument;
  static uint64_t steps_before[256];
  void *volatile block = malloc(64); /* the first one of a thread maps memory */
  free(block);
  w->activity->due_ns = sn_clock_now_ns(&w->clock);
  while (!atomic_load(&w->must_guard)) {
    one_cycle(w);
  }
  for (size_t i = 0; i < w->system->runtime_count; i++) {
    steps_before[i] = atomic_load(&w->system->runtimes[i]->steps);
  }
  rt_guard_begin();
  atomic_store(&w->is_guarded, true);
  for (int i = 0; i < CYCLES; i++) {
    one_cycle(w);
  }
  rt_guard_check_heap();
  _exit(all_went_on(w, steps_before) ? 0 : RT_GUARD_BAD);
}

/* ---- other threads ---- */

static void call(world *w, const char *operation, const char *json) {
  sn_caller caller = {0};
  expect(w, sn_caller_open(w->system, operation, &caller, &w->err) == SN_OK, operation);
  const sn_msg_capacity roomy = {.item_count = 64, .text_size = 256};
  void *request = sn_msg_create(&w->arena, caller.operation->request, &roomy);
  void *response = sn_msg_create(&w->arena, caller.operation->response, &roomy);
  expect(w,
         sn_msg_from_json(caller.operation->request, json, strlen(json), request, &w->err) == SN_OK,
         json);
  expect(w, sn_call(&caller, request, response, &w->err) == SN_OK, operation);
  if (caller.operation->response == &sn_call_outcome_type) {
    const sn_call_outcome *outcome = response;
    snprintf(w->err.message, sizeof w->err.message, "%s", outcome->message.data);
    expect(w, outcome->success, operation);
  }
  sn_caller_close(&caller);
}

static void send_references(world *w, double phase) {
  sn_joint_state *joints = sn_source_msg(w->joints);
  sn_msg_reset(&sn_joint_state_type, joints);
  (void)sn_msg_names_add(&joints->name, "leg1_joint2", 11);
  joints->position.count = 1;
  joints->position.data[0] = 0.2 * sin(phase);
  (void)sn_source_write(w->joints);
  sn_flow flow = SN_NO_DATA;
  const sn_limb_state *now = sn_tap_read(w->where, &flow);
  const int leg = now == NULL ? -1 : sn__msg_names_index(&now->name, "leg2");
  if (flow != SN_NO_DATA && leg >= 0) {
    sn_limb_state *limbs = sn_source_msg(w->limbs);
    sn_msg_reset(&sn_limb_state_type, limbs);
    (void)sn_msg_names_add(&limbs->name, "leg2", 4);
    limbs->pose.count = 1;
    limbs->pose.data[0] = now->pose.data[leg];
    limbs->pose.data[0].position.z += 1e-3 * sin(phase);
    (void)sn_source_write(w->limbs);
  }
}

static void put_all_to_work(world *w) {
  call(w, "recorder.startRecording", "{\"name\":\"guard\"}");
  call(w, "follow.setOperational", "{\"operational\":true,\"resources\":[\"leg1\"]}");
  call(w, "reach.setOperational", "{\"operational\":true,\"resources\":[\"leg2\"]}");
  call(w, "torque_off.setOperational", "{\"operational\":true,\"resources\":[\"leg3\"]}");
  call(w, "execute.execute",
       "{\"trajectory\":{\"joint_names\":[\"leg4_joint1\"],\"points\":["
       "{\"positions\":[0.2],\"time_from_start\":{\"sec\":2}},"
       "{\"positions\":[0.0],\"time_from_start\":{\"sec\":6}}]}}");
}

static void nap_ms(long ms) {
  const struct timespec nap = {.tv_nsec = ms * 1000000};
  nanosleep(&nap, NULL);
}

/* Controllers take limbs only when they know the pose: two cycles have published one. */
static void wait_for_pose(world *w) {
  for (int seen = 0; seen < 2;) {
    sn_flow flow = SN_NO_DATA;
    (void)sn_tap_read(w->where, &flow);
    seen += flow == SN_NEW_DATA;
    nap_ms(5);
  }
}

static void run_child(const char *folder) {
  static world w;
  sn_arena_init_growing(&w.arena, "guard", 0);
  sn_clock_init_monotonic(&w.clock);
  expect(&w, sn_log_create(&w.arena, 1024, &w.log, &w.err) == SN_OK, "log");
  build(&w, folder);
  tap_all_outputs(&w);
  expect(&w, sn_source_open(w.system, "follow.in_joints_ref", NULL, &w.joints, &w.err) == SN_OK,
         "follow");
  expect(&w, sn_source_open(w.system, "kinematics_inv.limbs_ref", NULL, &w.limbs, &w.err) == SN_OK,
         "kinematics_inv");
  expect(&w, sn_tap_open(w.system, "kinematics_fwd.limbs", NULL, &w.where, &w.err) == SN_OK,
         "kinematics_fwd");
  atomic_store(&w.activity->is_live, true);
  pthread_t thread;
  expect(&w, pthread_create(&thread, NULL, run_cycles, &w) == 0, "thread");
  wait_for_pose(&w);
  put_all_to_work(&w);
  for (int i = 0;; i++) { /* until the other thread ends the process */
    atomic_store(&w.must_guard, i > 20);
    send_references(&w, 0.01 * i);
    for (size_t k = 0; k < w.tap_count; k++) {
      (void)sn_tap_read(w.taps[k], NULL);
    }
    nap_ms(5);
  }
}

/* @return how the child ended, as waitpid() reports it */
static int run_guarded(sin_kind sin) {
  char folder[] = "/tmp/sinew_guard_XXXXXX";
  assert_non_null(mkdtemp(folder));
  sin_of_child = sin;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(120);
    run_child(folder);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  char file[80];
  snprintf(file, sizeof file, "%s/guard.mcap", folder);
  (void)unlink(file);
  (void)rmdir(folder);
  return status;
}

SN_TEST(standard_deployment_makes_no_system_call_and_takes_no_lock) {
  if (!sn_test_heap_is_watched()) {
    skip(); /* sanitizers make system calls of their own */
  }
  const int status = run_guarded(SIN_NONE);
  assert_true(WIFEXITED(status)); /* else: a system call */
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* Without this the test above could not fail. */
SN_TEST(guard_sees_a_system_call_a_lock_and_the_heap) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  int status = run_guarded(SIN_CALL);
  assert_true(WIFSIGNALED(status));
  assert_int_equal(WTERMSIG(status), SIGSYS);
  status = run_guarded(SIN_LOCK);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), RT_GUARD_LOCKED);
  status = run_guarded(SIN_HEAP);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), RT_GUARD_HEAP);
}
