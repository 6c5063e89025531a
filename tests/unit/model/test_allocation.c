#include <stdlib.h>

#include "allocation.h"
#include "arbiter/arbiter_core.h"
#include "arbiter/owners.h"
#include "files/value_cpf.h"
#include "gate/gate.h"
#include "gate/supports.h"
#include "model/robot_model.h"
#include "program.h"
#include "robot.h"
#include "sn_test.h"

/* Memory fails at the n-th allocation, for every n until the call succeeds: each time SN_ENOMEM,
 * nothing written, nothing leaked. First the heap fails, also inside expat and libyaml; then every
 * single allocation in an arena, most of which do not reach the heap. */

/* The linker redirects calls of these three from other files to here (tests/CMakeLists.txt). */
void *__real_sn_arena_alloc(sn_arena *arena, size_t size, size_t align);
void *__real_sn_arena_alloc_array(sn_arena *arena, size_t count, size_t size, size_t align);
char *__real_sn_arena_text(sn_arena *arena, const char *text, size_t length);
void *__wrap_sn_arena_alloc(sn_arena *arena, size_t size, size_t align);
void *__wrap_sn_arena_alloc_array(sn_arena *arena, size_t count, size_t size, size_t align);
char *__wrap_sn_arena_text(sn_arena *arena, const char *text, size_t length);

static size_t room_until_failure;
static size_t room_failures_left;
static size_t room_failure_count;

static void fail_room(size_t first, size_t count) {
  room_until_failure = first - 1;
  room_failures_left = count;
  room_failure_count = 0;
}

static size_t room_failures(void) {
  return room_failure_count;
}

/* A report may lose a problem for want of memory, so it is spared. */
static bool has_to_fail(const sn_arena *arena) {
  if (room_failures_left == 0 || strcmp(sn_arena_name(arena), "report") == 0) {
    return false;
  }
  if (room_until_failure > 0) {
    room_until_failure--;
    return false;
  }
  room_failures_left--;
  room_failure_count++;
  return true;
}

void *__wrap_sn_arena_alloc(sn_arena *arena, size_t size, size_t align) {
  return has_to_fail(arena) ? NULL : __real_sn_arena_alloc(arena, size, align);
}

void *__wrap_sn_arena_alloc_array(sn_arena *arena, size_t count, size_t size, size_t align) {
  return has_to_fail(arena) ? NULL : __real_sn_arena_alloc_array(arena, count, size, align);
}

char *__wrap_sn_arena_text(sn_arena *arena, const char *text, size_t length) {
  return has_to_fail(arena) ? NULL : __real_sn_arena_text(arena, text, length);
}

/* What can fail, and how often it did. */
typedef struct failure {
  void (*begin)(size_t first, size_t count);
  size_t (*count)(void);
} failure;

static const failure of_heap = {sn_test_heap_fail, sn_test_heap_failures};
static const failure of_room = {fail_room, room_failures};

typedef struct attempt {
  sn_arena arena;
  sn_arena report_arena;
  sn_report *report;
  const sn_value *properties; /* good ones, of before */
} attempt;

/* One call; returns its status and checks its outputs. */
typedef sn_status operation(attempt *a);

/* What is parsed. */
typedef struct sources {
  const char *urdf, *yaml, *cpf;
  const char *first, *last; /* links of a chain */
} sources;

/* A bit of everything, without a warning, and short: there are as many attempts as allocations. */
#define MASS                                                                     \
  "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' " \
  "izz='1'/></inertial>"
static const sources small = {
    "<robot name='r'><material name='red'><color rgba='1 0 0 1'/></material><link name='a'><visual>"
    "<geometry><box size='1 1 1'/></geometry><material name='red'/></visual></link>"
    "<link name='b'>" MASS "</link><link name='c'>" MASS
    "</link><link name='tip'/>"
    "<joint name='jb' type='continuous'><parent link='a'/><child link='b'/></joint>"
    "<joint name='jc' type='continuous'><parent link='b'/><child link='c'/><mimic joint='jb'/>"
    "</joint><joint name='jt' type='continuous'><parent link='c'/><child link='tip'/></joint>"
    "</robot>",
    "chains:\n"
    "  arm: {first_link: a, last_link: c, last_link_virtual: tip, default_contact: p, extra: x}\n"
    "contacts: {p: {points: [[0, 0, 0], [1, 0, 0]]}}\n"
    "groups: {g: {chains: [arm]}, h: {joints: []}}\n",
    "<!DOCTYPE properties SYSTEM 'cpf.dtd'><properties><struct name='chains' type='PropertyBag'>"
    "<struct name='arm' type='PropertyBag'>"
    "<simple name='first_link' type='string'><value>a</value></simple></struct></struct>"
    "<sequence name='s' type='x'><simple name='e' type='string'><value>1</value></simple>"
    "</sequence></properties>",
    "a", "tip"};

static sources quadruped; /* larger than a block of any arena */
static sources now;

static sn_status parse_model(attempt *a) {
  const sn_model_config config = {.properties = a->properties};
  const sn_model *model = NULL;
  sn_error err = {0};
  const size_t used = sn_arena_used(&a->arena);
  const sn_status status =
      sn_model_parse(&a->arena, now.urdf, strlen(now.urdf), &config, a->report, &model, &err);
  assert_int_equal(status == SN_OK, model != NULL);
  assert_int_equal(err.code, status);
  if (status != SN_OK) {
    assert_string_equal(err.message, "out of memory");
    assert_int_equal(sn_arena_used(&a->arena), used);
  }
  return status;
}

static sn_status parse_model_without_report(attempt *a) {
  const sn_model_config config = {.properties = a->properties};
  const sn_model *model = NULL;
  const sn_status status =
      sn_model_parse(&a->arena, now.urdf, strlen(now.urdf), &config, NULL, &model, NULL);
  assert_int_equal(status == SN_OK, model != NULL);
  return status;
}

static sn_status load_model(attempt *a) {
  const sn_model *model = NULL;
  const sn_status status =
      sn_model_load(&a->arena, SINEW_ROBOTS "/quadruped.urdf", NULL, a->report, &model, NULL);
  assert_int_equal(status == SN_OK, model != NULL);
  return status;
}

/* Chains are derived; the warnings about it are not checked. */
static sn_status parse_model_without_properties(attempt *a) {
  const sn_model *model = NULL;
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&a->report_arena, &report, NULL), SN_OK);
  const sn_status status =
      sn_model_parse(&a->arena, now.urdf, strlen(now.urdf), NULL, report, &model, NULL);
  assert_int_equal(status == SN_OK, model != NULL);
  return status;
}

static sn_status parse_empty_yaml(attempt *a) {
  static const char *const empty[] = {"---\n", ""};
  sn_status status = SN_OK;
  for (size_t i = 0; i < 2 && status == SN_OK; i++) {
    const sn_value *root = NULL;
    status = sn_value_parse_yaml(&a->arena, empty[i], strlen(empty[i]), "p.yaml", a->report, &root);
    assert_int_equal(status == SN_OK, root != NULL);
  }
  return status;
}

static sn_status parse_yaml(attempt *a) {
  const sn_value *root = NULL;
  const sn_status status =
      sn_value_parse_yaml(&a->arena, now.yaml, strlen(now.yaml), "p.yaml", a->report, &root);
  assert_int_equal(status == SN_OK, root != NULL);
  return status;
}

static sn_status parse_cpf(attempt *a) {
  const sn_value *root = NULL;
  const sn_status status =
      sn__value_parse_cpf(&a->arena, now.cpf, strlen(now.cpf), "p.cpf", a->report, &root);
  assert_int_equal(status == SN_OK, root != NULL);
  return status;
}

static sn_status load_yaml(attempt *a) {
  const sn_value *root = NULL;
  const sn_status status =
      sn_value_load(&a->arena, SINEW_ROBOTS "/quadruped.yaml", a->report, &root);
  assert_int_equal(status == SN_OK, root != NULL);
  return status;
}

static sn_status configure(attempt *a) {
  sn_robot_model *service = NULL;
  if (sn__robot_model_create(&service, NULL) != SN_OK) {
    return SN_ENOMEM;
  }
  const sn_model_config config = {.properties = a->properties};
  const sn_status status =
      sn__robot_model_configure(service, now.urdf, strlen(now.urdf), &config, NULL, NULL);
  assert_int_equal(sn__robot_model_is_configured(service), status == SN_OK);
  if (status != SN_OK) { /* reusable as soon as there is memory again */
    sn_test_heap_fail(1, 0);
    fail_room(1, 0);
    assert_int_equal(
        sn__robot_model_configure(service, now.urdf, strlen(now.urdf), &config, NULL, NULL), SN_OK);
  }
  sn__robot_model_destroy(service);
  return status;
}

static const sn_model *kept_model;

static sn_status create_chain(attempt *a) {
  const sn_chain *chain = NULL;
  const size_t used = sn_arena_used(&a->arena);
  const sn_status status =
      sn_chain_create(&a->arena, kept_model, now.first, now.last, &chain, NULL);
  assert_int_equal(status == SN_OK, chain != NULL);
  assert_int_equal(status == SN_OK, sn_arena_used(&a->arena) > used);
  return status;
}

static sn_status create_gate(attempt *a) {
  const sn_gate_config config = {.source_count = 2};
  sn_gate *gate = NULL;
  const size_t used = sn_arena_used(&a->arena);
  const sn_status status = sn__gate_create(&a->arena, kept_model, &config, &gate, NULL);
  assert_int_equal(status == SN_OK, gate != NULL);
  assert_int_equal(status == SN_OK, sn_arena_used(&a->arena) > used);
  return status;
}

static sn_status create_supports(attempt *a) {
  return sn__supports_create(&a->arena, kept_model) == NULL ? SN_ENOMEM : SN_OK;
}

static sn_status create_owners(attempt *a) {
  return sn__owners_create(&a->arena, 3) == NULL ? SN_ENOMEM : SN_OK;
}

/* Of a controller for each joint. */
static sn_status create_arbiter(attempt *a) {
  const sn_arbiter_config config = {.controllers = sn_model_joint_names(kept_model),
                                    .resources = sn_model_joint_names(kept_model)};
  sn_arbiter *arbiter = NULL;
  const size_t used = sn_arena_used(&a->arena);
  const sn_status status = sn__arbiter_create(&a->arena, &config, &arbiter, NULL);
  assert_int_equal(status == SN_OK, arbiter != NULL);
  assert_int_equal(status == SN_OK, sn_arena_used(&a->arena) > used);
  return status;
}

/* @return how often it failed before it passed */
static size_t run_until_it_passes(operation *run, const failure *of, size_t count) {
  for (size_t n = 1;; n++) {
    const long live = sn_test_heap_live();
    attempt a = {0};
    sn_arena_init_growing(&a.arena, "attempt", 0);
    sn_arena_init_growing(&a.report_arena, "report", 0);
    assert_int_equal(sn_report_create(&a.report_arena, &a.report, NULL), SN_OK);
    assert_int_equal(sn_value_parse_yaml(&a.report_arena, now.yaml, strlen(now.yaml), "p", a.report,
                                         &a.properties),
                     SN_OK);
    of->begin(n, count);
    const sn_status status = run(&a);
    const bool has_failed = of->count() > 0;
    of->begin(1, 0);
    if (status == SN_OK) {
      assert_false(has_failed); /* a failure that was not noticed */
    } else {
      assert_int_equal(status, SN_ENOMEM);
      sn_assert_problems(a.report, "");
    }
    sn_arena_release(&a.arena);
    sn_arena_release(&a.report_arena);
    assert_int_equal(sn_test_heap_live(), live);
    if (status == SN_OK) {
      return n - 1;
    }
    assert_true(n < 100000);
  }
}

/* One failure alone must be noticed; after one, all the rest may fail as well. */
static void run_all(const sources *of_robot, const failure *of, size_t at_least) {
  now = *of_robot;
  sn_arena kept_arena;
  sn_arena_init_growing(&kept_arena, "kept", 0);
  assert_int_equal(
      sn_model_parse(&kept_arena, now.urdf, strlen(now.urdf), NULL, NULL, &kept_model, NULL),
      SN_OK);
  operation *const operations[] = {
      parse_model, parse_model_without_report, parse_yaml, parse_cpf, configure, create_chain};
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    const size_t alone = run_until_it_passes(operations[i], of, 1);
    const size_t all = run_until_it_passes(operations[i], of, (size_t)-1);
    assert_int_equal(alone, all);
    assert_true(alone >= at_least);
  }
  sn_arena_release(&kept_arena);
}

SN_TEST(every_failure_of_the_heap_is_clean) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  run_all(&quadruped, &of_heap, 2);
  run_all(&small, &of_heap, 2);
}

SN_TEST(every_failure_in_an_arena_is_clean) {
  run_all(&small, &of_room, 10);
  assert_true(run_until_it_passes(parse_model_without_properties, &of_room, 1) > 100);
  assert_true(run_until_it_passes(parse_empty_yaml, &of_room, 1) > 5);
}

/* A file that is longer than the first buffer. */
SN_TEST(growing_the_buffer_of_a_file_may_fail) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  char folder[64];
  char path[128];
  sn_test_folder_create(folder);
  char *text = malloc(300001);
  memset(text, ' ', 300000);
  memcpy(text, "<robot><link name='a'/></robot>", 31);
  text[300000] = '\0';
  sn_test_write(folder, "long.urdf", text);
  free(text);
  snprintf(path, sizeof path, "%s/long.urdf", folder);
  sn_arena arena;
  sn_arena_init_growing(&arena, "long", 0);
  size_t refused = 0;
  for (size_t n = 1; n < 10; n++) {
    const sn_model *model = NULL;
    sn_error err = {0};
    sn_test_heap_fail(n, 1);
    const sn_status status = sn_model_load(&arena, path, NULL, NULL, &model, &err);
    sn_test_heap_fail(1, 0);
    assert_int_equal(status == SN_OK, model != NULL);
    if (status == SN_ENOMEM) {
      refused++;
      sn_assert_contains(err.message, "out of memory");
    }
  }
  assert_true(refused > 3);
  sn_arena_release(&arena);
  sn_test_folder_remove(folder);
}

/* Opening and reading a file needs memory too. The C library can do without a buffer, so not every
   failure is one of ours. */
SN_TEST(loading_without_memory_is_an_error) {
  if (!sn_test_heap_is_watched()) {
    skip();
  }
  now = quadruped;
  operation *const loads[] = {load_model, load_yaml};
  for (size_t i = 0; i < 2; i++) {
    bool has_failed = true;
    size_t refused = 0;
    for (size_t n = 1; has_failed; n++) {
      const long live = sn_test_heap_live();
      attempt a = {0};
      sn_arena_init_growing(&a.arena, "attempt", 0);
      sn_arena_init_growing(&a.report_arena, "report", 0);
      assert_int_equal(sn_report_create(&a.report_arena, &a.report, NULL), SN_OK);
      sn_test_heap_fail(n, 1);
      const sn_status status = loads[i](&a);
      has_failed = sn_test_heap_failures() > 0;
      sn_test_heap_fail(1, 0);
      assert_true(status == SN_OK || status == SN_ENOMEM || status == SN_EIO);
      assert_true(status == SN_OK || has_failed);
      refused += status != SN_OK ? 1 : 0;
      sn_arena_release(&a.arena);
      sn_arena_release(&a.report_arena);
      assert_int_equal(sn_test_heap_live(), live);
    }
    assert_true(refused > 10);
  }
}

static int read_files(void **state) {
  (void)state;
  quadruped =
      (sources){sn_test_read_file(SINEW_ROBOTS "/quadruped.urdf", NULL),
                sn_test_read_file(SINEW_ROBOTS "/quadruped.yaml", NULL),
                sn_test_read_file(SINEW_ROBOTS "/quadruped.cpf", NULL), "base_link", "leg1_link6"};
  return 0;
}

static int free_files(void **state) {
  (void)state;
  free((char *)quadruped.urdf);
  free((char *)quadruped.yaml);
  free((char *)quadruped.cpf);
  return 0;
}

SN_TEST_GROUP(read_files, free_files)

/* The safety core. */
SN_TEST(gate_and_arbiter_notice_every_failure) {
  operation *const operations[] = {create_gate, create_supports, create_owners, create_arbiter};
  sn_arena kept_arena;
  now = small;
  sn_arena_init_growing(&kept_arena, "kept", 0);
  assert_int_equal(
      sn_model_parse(&kept_arena, now.urdf, strlen(now.urdf), NULL, NULL, &kept_model, NULL),
      SN_OK);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
    const size_t alone = run_until_it_passes(operations[i], &of_room, 1);
    assert_int_equal(run_until_it_passes(operations[i], &of_room, (size_t)-1), alone);
    assert_true(alone >= 2);
  }
  sn_arena_release(&kept_arena);
}
