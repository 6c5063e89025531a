/* Which resources exist, who gets them, and the answers to requests: whole deployments. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "deployed.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "robot.h"
#include "sinew/components.h"
#include "sinew/controller.h"
#include "sn_test.h"

static char folder[64];

static int set_up(void **state) {
  (void)state;
  sn_test_folder_create(folder);
  sn_test_write(folder, "small.urdf", sn_deployed_robot);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  sn_test_folder_remove(folder);
  return 0;
}

/* As files of the original have it: `chains`, lists as structs of type X[] or as sequences. */
static const char chains_cpf[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n<!DOCTYPE properties SYSTEM 'cpf.dtd'>\n<properties>\n"
    "<struct name='chains' type='PropertyBag'>\n"
    "<struct name='leg' type='PropertyBag'><simple name='first_link' type='string'>"
    "<value>base</value></simple><simple name='last_link' type='string'><value>leg2</value>"
    "</simple></struct>\n"
    "<struct name='head' type='PropertyBag'><simple name='first_link' type='string'>"
    "<value>base</value></simple><simple name='last_link' type='string'><value>head2</value>"
    "</simple></struct>\n"
    "<struct name='nose' type='PropertyBag'><simple name='first_link' type='string'>"
    "<value>base</value></simple><simple name='last_link' type='string'><value>nose1</value>"
    "</simple></struct>\n"
    "</struct>\n"
    "<struct name='groups' type='PropertyBag'>\n"
    "<struct name='head' type='PropertyBag'><struct name='chains' type='string[]'>"
    "<simple name='Element0' type='string'><value>head</value></simple>"
    "<simple name='Element1' type='string'><value>nose</value></simple></struct></struct>\n"
    "<struct name='eyes' type='PropertyBag'><sequence name='joints' type='string[]'>"
    "<simple type='string'><value>e1</value></simple>"
    "<simple type='string'><value>e2</value></simple></sequence></struct>\n"
    "</struct>\n</properties>\n";

#define ROBOT "include: [standard.yaml, chains.cpf]\nrobot: small.urdf\n"

/* @param components  more of the deployment, YAML */
static void open_with(sn_deployed *d, const char *components) {
  char text[4096];
  char path[128];
  snprintf(text, sizeof text, ROBOT "components:\n%s", components);
  sn_test_write(folder, "chains.cpf", chains_cpf);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(d, path);
}

SN_TEST(chain_and_group_of_one_name_are_two_sets_of_joints) {
  sn_deployed d;
  open_with(&d, "  hold: {properties: {stay_operational: true}}\n");
  sn_deployed_run(&d, 0.1);
  static const char *const all[] = {"leg", "head", "nose", "eyes"};
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(sn_deployed_owner(&d, all[i]), "hold");
  }
  assert_true(sn_deployed_switch(&d, "follow", true, "n1"));
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "nose"), "follow");
  assert_string_equal(sn_deployed_owner(&d, "head"), "hold");
  sn_deployed_free(&d);
}

SN_TEST(listed_alone_the_name_means_the_whole_group) {
  sn_deployed d;
  open_with(&d, "  resources_control: {properties: {resources: [head, leg]}}\n");
  sn_deployed_run(&d, 0.1);
  assert_string_equal(sn_deployed_owner(&d, "nose"), "?");
  sn_tap *out = NULL;
  assert_int_equal(sn_tap_open(d.system, "follow.out_joints_ref", NULL, &out, &d.err), SN_OK);
  /* The chain inside the group means the resource that has its joints. */
  assert_true(sn_deployed_switch(&d, "follow", true, "nose"));
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "head"), "follow");
  const sn_joint_state *msg = sn_tap_read(out, NULL);
  assert_int_equal(msg->name.count, 3);
  assert_true(sn__msg_names_index(&msg->name, "n1") >= 0);
  sn_tap_close(out);
  sn_deployed_free(&d);
}

SN_TEST(resource_without_joints_is_owned_and_handed_over) {
  sn_deployed d;
  open_with(&d, "  resources_control: {properties: {other_resources: [tail, eyes_focus]}}\n");
  sn_deployed_run(&d, 0.1);
  assert_string_equal(sn_deployed_owner(&d, "tail"), "hold");
  assert_true(sn_deployed_switch(&d, "follow", true, "tail"));
  sn_deployed_run(&d, 2.0);
  assert_string_equal(sn_deployed_owner(&d, "tail"), "follow");
  assert_string_equal(sn_deployed_owner(&d, "eyes_focus"), "hold");
  assert_true(sn_deployed_switch(&d, "follow", false, NULL));
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "tail"), "hold");
  assert_false(sn_deployed_switch(&d, "follow", true, "tial"));
  sn_assert_contains(d.err.message, "'tial' is not a resource");
  sn_deployed_free(&d);
}

SN_TEST(groups_as_resources_cause_no_warning) {
  sn_deployed d;
  open_with(&d, "  resources_control: {properties: {resources: [head, eyes]}}\n");
  sn_deployed_run(&d, 3.0);
  assert_string_equal(sn_deployed_owner(&d, "eyes"), "hold");
  /* Only that this robot has no shapes. */
  assert_int_equal(sn_deployed_count_log(&d, "aggregator"), 1);
  sn_deployed_free(&d);
}

SN_TEST(bad_lists_of_resources_are_refused) {
  static const struct {
    const char *list, *reason;
  } cases[] = {
      {"resources: [haed]", "resources: the robot has no chain or group 'haed'"},
      {"other_resources: [nose]", "other_resources: 'nose' is a chain, group or joint"},
      {"other_resources: [n1]", "other_resources: 'n1' is a chain, group or joint"},
      {"other_resources: [tail, tail]", "'tail'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[512];
    char path[128];
    snprintf(text, sizeof text, ROBOT "components:\n  resources_control: {properties: {%s}}\n",
             cases[i].list);
    sn_test_write(folder, "chains.cpf", chains_cpf);
    sn_test_write(folder, "d.yaml", text);
    snprintf(path, sizeof path, "%s/d.yaml", folder);
    sn_deployed d;
    sn_deployed_init(&d);
    if (sn_deployed_load(&d, path) == SN_OK) {
      assert_int_not_equal(sn_system_begin(d.system, &d.err), SN_OK);
      sn_assert_contains(d.err.message, cases[i].reason);
    }
    sn_deployed_free(&d);
  }
}

/* ---- part of what it asks for ---- */

#define BACKGROUND                                                             \
  "  hold: {properties: {start_operational: false, stay_operational: true}}\n" \
  "  follow: {properties: {priority: 5}}\n"

SN_TEST(background_controller_starts_with_what_a_stronger_one_leaves) {
  sn_deployed d;
  open_with(&d, BACKGROUND);
  sn_deployed_run(&d, 0.1);
  assert_true(sn_deployed_switch(&d, "follow", true, "leg"));
  sn_deployed_run(&d, 0.01);
  (void)sn_deployed_count_log(&d, "");
  assert_true(sn_deployed_switch(&d, "hold", true, NULL));
  sn_assert_contains(d.err.message, "active without 'leg'");
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "leg"), "follow");
  assert_string_equal(sn_deployed_owner(&d, "head"), "hold");
  assert_int_equal(sn_deployed_count_log(&d, "active without 'leg'"), 1);
  /* It stays active, so what was missing comes when it is free. */
  assert_true(sn_deployed_switch(&d, "follow", false, NULL));
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "leg"), "hold");
  sn_deployed_free(&d);
}

SN_TEST(background_controller_starts_with_nothing_if_all_is_taken) {
  sn_deployed d;
  open_with(&d, BACKGROUND);
  sn_deployed_run(&d, 0.1);
  assert_true(sn_deployed_switch(&d, "follow", true, NULL));
  sn_deployed_run(&d, 0.01);
  assert_true(sn_deployed_switch(&d, "hold", true, NULL));
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "head"), "follow");
  assert_true(sn_deployed_switch(&d, "follow", false, NULL));
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "head"), "hold");
  assert_string_equal(sn_deployed_owner(&d, "leg"), "hold");
  sn_deployed_free(&d);
}

SN_TEST(without_stay_operational_it_is_all_or_nothing_and_logged) {
  sn_deployed d;
  open_with(&d,
            "  hold: {properties: {priority: 7}}\n"
            "  follow: {properties: {start_operational: true}}\n");
  sn_deployed_run(&d, 0.5);
  assert_string_equal(sn_deployed_owner(&d, "leg"), "hold");
  assert_int_equal(sn_deployed_count_log(&d, "follow does not activate: a stronger controller"), 1);
  assert_false(sn_deployed_switch(&d, "follow", true, "leg"));
  sn_assert_contains(d.err.message, "a stronger controller holds 'leg'");
  sn_deployed_free(&d);
}

/* ---- changed while it was away ---- */

static void configure_again(sn_deployed *d, const char *name, const char *property,
                            const char *value) {
  sn_component *c = sn_deployed_find(d, name);
  assert_int_equal(sn_system_stop(d->system, c, &d->err), SN_OK);
  assert_int_equal(sn_system_cleanup(d->system, c, &d->err), SN_OK);
  assert_int_equal(sn_deployed_set(d, name, property, value), SN_OK);
  assert_int_equal(sn_system_configure(d->system, c, &d->err), SN_OK);
  assert_int_equal(sn_system_start(d->system, c, &d->err), SN_OK);
}

SN_TEST(a_changed_policy_applies_after_cleanup) {
  sn_deployed d;
  open_with(&d, "  hold: {properties: {start_operational: false}}\n");
  sn_deployed_run(&d, 0.1);
  for (int keeps = 1; keeps >= 0; keeps--) {
    configure_again(&d, "reach", "stay_operational", keeps ? "true" : "false");
    sn_deployed_run(&d, 0.01); /* the pose comes again */
    assert_true(sn_deployed_switch(&d, "reach", true, NULL));
    sn_deployed_run(&d, 0.01);
    assert_true(sn_deployed_switch(&d, "follow", true, "leg"));
    sn_deployed_run(&d, 0.01);
    assert_string_equal(sn_deployed_owner(&d, "leg"), "follow");
    assert_string_equal(sn_deployed_owner(&d, "head"), keeps ? "reach" : "");
    assert_true(sn_deployed_switch(&d, "follow", false, NULL));
    sn_deployed_run(&d, 0.01);
    assert_string_equal(sn_deployed_owner(&d, "leg"), keeps ? "reach" : "");
  }
  sn_deployed_free(&d);
}

SN_TEST(fallback_must_stay_operational_from_the_beginning) {
  sn_deployed d;
  open_with(&d, "  resources_control: {properties: {fallback: hold}}\n");
  sn_component *hold = sn_deployed_find(&d, "hold");
  sn_deployed_run(&d, 0.1);
  assert_int_equal(sn_system_stop(d.system, hold, &d.err), SN_OK);
  assert_int_equal(sn_system_cleanup(d.system, hold, &d.err), SN_OK);
  assert_int_equal(sn_deployed_set(&d, "hold", "stay_operational", "false"), SN_OK);
  assert_int_equal(sn_system_configure(d.system, hold, &d.err), SN_EINVAL);
  sn_assert_contains(d.err.message, "'hold' is the fallback");
  sn_deployed_free(&d);
}

SN_TEST(after_a_restart_of_the_arbiter_controllers_ask_again) {
  sn_deployed d;
  open_with(&d, "  hold: {properties: {stay_operational: true}}\n");
  sn_deployed_run(&d, 0.1);
  sn_component *control = sn_deployed_find(&d, "resources_control");
  assert_int_equal(sn_system_stop(d.system, control, &d.err), SN_OK);
  sn_deployed_run(&d, 0.01);
  assert_int_equal(sn_system_start(d.system, control, &d.err), SN_OK);
  sn_deployed_run(&d, 0.01);
  assert_string_equal(sn_deployed_owner(&d, "leg"), "hold");
  assert_string_equal(sn_deployed_owner(&d, "eyes"), "hold");
  sn_deployed_free(&d);
}

/* ---- requests by messages ---- */

typedef struct asker {
  sn_component component;
  sn_output out;
} asker;

static const sn_port asker_ports[] = {
    SN_OUTPUT(asker, "out", out, &sn_resource_request_type, .doc = "Requests."), {0}};
static const sn_component_type asker_type = {
    .abi = SN_COMPONENT_ABI, .name = "asker", .size = sizeof(asker), .ports = asker_ports};

typedef struct bench {
  sn_deployed d;
  sn_tap *assignment;
} bench;

static void bench_open(bench *b, const char *more) {
  char text[4096];
  char path[128];
  snprintf(text, sizeof text,
           ROBOT
           "components:\n"
           "  resources_control: {properties: {list_ros: [walker, dancer]}}\n"
           "  asker: {type: asker}\n  other: {type: asker}\n%s"
           "connections:\n"
           "  - {from: asker.out, to: resources_control.requests, buffer: 16}\n"
           "  - {from: other.out, to: resources_control.requests, buffer: 16}\n",
           more);
  sn_test_write(folder, "chains.cpf", chains_cpf);
  sn_test_write(folder, "d.yaml", text);
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_init(&b->d);
  assert_int_equal(sn_component_registry_add(b->d.registry, &asker_type, &b->d.err), SN_OK);
  if (sn_deployed_load(&b->d, path) != SN_OK || sn_system_begin(b->d.system, &b->d.err) != SN_OK) {
    fail_msg("%s\n%s", sn_test_problems(b->d.report), b->d.err.message);
  }
  const sn_connection queue = {.buffer = 64};
  assert_int_equal(
      sn_tap_open(b->d.system, "resources_control.assignment", &queue, &b->assignment, &b->d.err),
      SN_OK);
  sn_deployed_run(&b->d, 0.1);
}

static void bench_close(bench *b) {
  sn_tap_close(b->assignment);
  sn_deployed_free(&b->d);
}

static void ask(bench *b, const char *component, const char *name, const char *resource,
                uint64_t id) {
  asker *a = (asker *)sn_deployed_find(&b->d, component);
  sn_resource_request *msg = a->out.msg;
  assert_int_equal(sn_msg_text_set(&msg->name, name), SN_OK);
  sn_msg_names_clear(&msg->resources);
  assert_int_equal(sn_msg_names_add(&msg->resources, resource, strlen(resource)), SN_OK);
  msg->request_id = id;
  assert_int_equal(sn_output_write(&a->out), SN_OK);
}

/* With a priority, and patience. Without a resource: release all. */
static void insist(bench *b, const char *component, const char *name, const char *resource,
                   int32_t priority, uint64_t id) {
  asker *a = (asker *)sn_deployed_find(&b->d, component);
  sn_resource_request *msg = a->out.msg;
  assert_int_equal(sn_msg_text_set(&msg->name, name), SN_OK);
  sn_msg_names_clear(&msg->resources);
  if (resource != NULL) {
    assert_int_equal(sn_msg_names_add(&msg->resources, resource, strlen(resource)), SN_OK);
  }
  msg->request_id = id;
  msg->priority = priority;
  msg->wait = true;
  assert_int_equal(sn_output_write(&a->out), SN_OK);
  msg->priority = 0;
  msg->wait = false;
}

/* The answer to a request, by its id; "" if none came. */
static const char *answer_of(bench *b, uint64_t id) {
  static char reason[256];
  reason[0] = '\0';
  sn_flow flow = SN_NO_DATA;
  for (;;) {
    const sn_resource_assignment *msg = sn_tap_read(b->assignment, &flow);
    if (flow != SN_NEW_DATA) {
      return reason;
    }
    if (msg->request_id == id) {
      snprintf(reason, sizeof reason, "%s|%s", msg->name.data, msg->reason.data);
      assert_int_equal(msg->owners.count, msg->resources.count);
    }
  }
}

SN_TEST(invalid_request_is_answered_with_its_id_and_why) {
  bench b;
  bench_open(&b, "");
  ask(&b, "asker", "walker", "lge", 41);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 41), "walker|invalid: unknown resource 'lge'");
  ask(&b, "asker", "wlaker", "leg", 42);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 42), "wlaker|invalid: unknown controller 'wlaker'");
  ask(&b, "asker", "w", "leg", 44);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 44), "w|invalid: unknown controller 'w'");
  ask(&b, "asker", "", "leg", 45);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 45), "|invalid: unknown controller ''");
  ask(&b, "asker", "walker", "leg", 43);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 43), "walker|granted");
  assert_string_equal(sn_deployed_owner(&b.d, "leg"), "walker");
  bench_close(&b);
}

/* What waits is answered at once, and again when it gets it. */
SN_TEST(request_that_waits_is_answered_when_the_resource_is_free) {
  bench b;
  bench_open(&b, "");
  insist(&b, "asker", "walker", "leg", 5, 51);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 51), "walker|granted");
  insist(&b, "other", "dancer", "leg", 3, 52);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 52), "dancer|waiting");
  sn_deployed_run(&b.d, 0.01);
  assert_string_equal(answer_of(&b, 52), "");
  assert_string_equal(sn_deployed_owner(&b.d, "leg"), "walker");
  insist(&b, "asker", "walker", NULL, 5, 53);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 52), "dancer|granted");
  assert_string_equal(sn_deployed_owner(&b.d, "leg"), "dancer");
  bench_close(&b);
}

static size_t count_tables(bench *b) {
  sn_flow flow = SN_NEW_DATA;
  size_t count = 0;
  for (; flow == SN_NEW_DATA; count += flow == SN_NEW_DATA) {
    (void)sn_tap_read(b->assignment, &flow);
  }
  return count;
}

/* While nothing changes, nothing is published and no controller is notified again. */
SN_TEST(table_is_published_when_it_changes_and_as_an_answer) {
  bench b;
  bench_open(&b, "");
  (void)count_tables(&b);
  sn_deployed_run(&b.d, 0.1);
  assert_int_equal(count_tables(&b), 0);
  for (uint64_t i = 0; i < 3; i++) {
    ask(&b, "asker", "walker", i % 2 == 0 ? "leg" : "head", 80 + i);
    sn_deployed_run(&b.d, 0.01);
    const size_t count = count_tables(&b);
    assert_true(count >= 1 && count <= 3); /* the answer, and what follows from it */
    sn_deployed_run(&b.d, 0.1);
    assert_int_equal(count_tables(&b), 0);
  }
  bench_close(&b);
}

/* All hand-overs of a resource that were logged, as "from to cause, ". */
static const char *changes_of(bench *b, const char *resource) {
  static char all[512];
  char start[64];
  sn_log_record record;
  all[0] = '\0';
  snprintf(start, sizeof start, "resources_control: %s: ", resource);
  while (sn_log_read(b->d.log, &record)) {
    char line[512];
    sn_log_format(&record, line, sizeof line);
    const char *change = strstr(line, start);
    if (change != NULL) {
      const size_t used = strlen(all);
      snprintf(all + used, sizeof all - used, "%s, ", change + strlen(start));
    }
  }
  return all;
}

SN_TEST(log_says_from_whom_to_whom_and_why) {
  bench b;
  bench_open(&b, "");
  assert_string_equal(changes_of(&b, "leg"), "free -> hold (request), ");
  insist(&b, "asker", "walker", "leg", 5, 61);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(changes_of(&b, "leg"), "hold -> walker (request), ");
  insist(&b, "other", "dancer", "leg", 7, 62);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(changes_of(&b, "leg"), "walker -> dancer (request), ");
  insist(&b, "other", "dancer", NULL, 7, 63);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(changes_of(&b, "leg"), "dancer -> hold (release), ");
  sn_component *hold = sn_deployed_find(&b.d, "hold");
  assert_int_equal(sn_system_stop(b.d.system, hold, &b.d.err), SN_OK);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(changes_of(&b, "leg"), "hold -> free (died), ");
  bench_close(&b);
}

SN_TEST(reason_that_is_too_long_is_cut_between_characters) {
  bench b;
  bench_open(&b, "");
  const asker *a = (const asker *)sn_deployed_find(&b.d, "asker");
  const sn_resource_assignment *table = sn_tap_read(b.assignment, NULL);
  const sn_resource_request *request = a->out.msg;
  const size_t room = table->reason.capacity, longest = request->name.capacity;
  for (size_t first = 0; first < 4; first++) {
    char name[256] = "", expected[512];
    memset(name, 'x', first);
    for (size_t used = first; used + 3 <= longest && used < 200; used += 3) {
      memcpy(name + used, "\u20ac", 3); /* three bytes */
    }
    const uint64_t id = 70 + first;
    ask(&b, "asker", name, "leg", id);
    sn_deployed_run(&b.d, 0.002);
    const char *got = strchr(answer_of(&b, id), '|');
    assert_non_null(got++);
    const size_t length = strlen(got);
    snprintf(expected, sizeof expected, "invalid: unknown controller '%s'", name);
    assert_true(strlen(expected) > room);
    assert_false(sn__text_has_control(got)); /* it is UTF-8 */
    assert_in_range(length, room - 2, room);
    assert_memory_equal(got, expected, length - 3);
    assert_string_equal(got + length - 3, "...");
  }
  bench_close(&b);
}

SN_TEST(every_refusal_is_logged_or_counted) {
  bench b;
  bench_open(&b, "");
  for (uint64_t i = 0; i < 5; i++) {
    ask(&b, "asker", "walker", "lge", 100 + i);
    sn_deployed_run(&b.d, 0.01);
  }
  assert_int_equal(sn_deployed_count_log(&b.d, "'walker' was refused: unknown resource 'lge'"), 1);
  sn_deployed_run(&b.d, 1.0);
  assert_int_equal(sn_deployed_count_log(&b.d, "refused"), 0);
  ask(&b, "asker", "walker", "lge", 200);
  sn_deployed_run(&b.d, 0.01);
  assert_int_equal(sn_deployed_count_log(&b.d, "unknown resource 'lge' (4 more suppressed)"), 1);
  bench_close(&b);
}

SN_TEST(one_connection_asks_for_one_controller) {
  bench b;
  bench_open(&b, "");
  ask(&b, "asker", "walker", "leg", 1);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 1), "walker|granted");
  ask(&b, "asker", "dancer", "head", 2); /* the same connection, another name */
  sn_deployed_run(&b.d, 0.002);
  sn_assert_contains(answer_of(&b, 2), "dancer|invalid: the connection of 'asker'");
  assert_string_equal(sn_deployed_owner(&b.d, "head"), "hold");
  ask(&b, "other", "walker", "head", 3); /* another connection, the same name */
  sn_deployed_run(&b.d, 0.002);
  sn_assert_contains(answer_of(&b, 3), "walker|invalid: 'asker' already asks for 'walker'");
  ask(&b, "other", "dancer", "head", 4);
  sn_deployed_run(&b.d, 0.002);
  assert_string_equal(answer_of(&b, 4), "dancer|granted");
  ask(&b, "other", "follow", "leg", 5); /* a controller of this process */
  sn_deployed_run(&b.d, 0.002);
  sn_assert_contains(answer_of(&b, 5), "follow|invalid: ");
  assert_string_equal(sn_deployed_owner(&b.d, "leg"), "walker");
  bench_close(&b);
}

SN_TEST_GROUP(set_up, tear_down)
