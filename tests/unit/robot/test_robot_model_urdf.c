#include <stdlib.h>
#include <string.h>

#include "model/robot_model.h"
#include "rig.h"
#include "robot/robot_messages.h"
#include "sinew/components.h"
#include "sinew/msg_calls.h"
#include "sn_test.h"

enum { MS = 1000000 };

typedef struct bench {
  rig r;
  sn_component *model;
  const sn_model *oracle; /* the same robot, loaded without the service */
  sn_arena arena;
  bool with_virtual; /* asks for chains with their virtual joints */
} bench;

/* The quadruped with its properties, as a deployment hands them over. */
static void bench_open(bench *b) {
  b->with_virtual = true;
  rig_open(&b->r, MS);
  sn_arena_init_growing(&b->arena, "robot", 0);
  sn_report *report = NULL;
  assert_int_equal(sn_report_create(&b->r.arena, &report, NULL), SN_OK);
  const sn_value *properties = NULL;
  assert_int_equal(sn_value_load(&b->r.arena, SINEW_ROBOTS "/quadruped.yaml", report, &properties),
                   SN_OK);
  const sn_model_config config = {.properties = properties};
  assert_int_equal(sn_model_load(&b->arena, SINEW_ROBOTS "/quadruped.urdf", &config, report,
                                 &b->oracle, &b->r.err),
                   SN_OK);
  b->model = rig_add_to(&b->r, &sn_robot_model_component, "robot_model", NULL, 0);
  const sn_value text = {.name = "",
                         .kind = SN_VALUE_TEXT,
                         .text = sn_model_description(b->oracle, NULL),
                         .place = {.file = "test"}};
  assert_int_equal(
      sn_system_set(b->r.system, b->model, "robot_description", &text, report, &b->r.err), SN_OK);
  static const char *const keys[] = {"kinematics_chains", "contacts"};
  for (size_t i = 0; i < 2; i++) {
    const sn_value *tree = sn_value_find(properties, keys[i]);
    assert_non_null(tree);
    assert_int_equal(sn_system_set(b->r.system, b->model, keys[i], tree, report, &b->r.err), SN_OK);
  }
}

static void bench_close(bench *b) {
  rig_close(&b->r);
  sn_arena_release(&b->arena);
}

/* Call an operation with one name; the answer lives in the bench. */
static void *ask(bench *b, const char *operation, const char *name, sn_status *status) {
  char path[100];
  snprintf(path, sizeof path, "robot_model.%s", operation);
  sn_caller caller = {0};
  assert_int_equal(sn_caller_open(b->r.system, path, &caller, &b->r.err), SN_OK);
  const sn_msg_capacity capacity = {.item_count = 128, .text_size = 1 << 18};
  const sn_operation *o = caller.operation;
  void *request = o->request == NULL ? NULL : sn_msg_create(&b->r.arena, o->request, NULL);
  void *response =
      sn_msg_create(&b->r.arena, o->response, o->response == &sn_call_text_type ? &capacity : NULL);
  if (o->request == &sn_call_name_type || o->request == &sn_call_contact_buffer_type) {
    assert_int_equal(sn_msg_text_set(request, name), SN_OK); /* the first field of both */
  }
  if (o->request == &sn_call_chain_type) {
    sn_call_chain *chain = request;
    assert_int_equal(sn_msg_text_set(&chain->name, name), SN_OK);
    chain->with_virtual_joints = b->with_virtual;
  }
  *status = sn_call(&caller, request, response, &b->r.err);
  sn_caller_close(&caller);
  return response;
}

static void *ask_good(bench *b, const char *operation, const char *name) {
  sn_status status = SN_OK;
  void *response = ask(b, operation, name, &status);
  if (status != SN_OK) {
    fail_msg("%s", b->r.err.message);
  }
  return response;
}

static void assert_names(const sn_call_names *answer, const sn_names *expected) {
  assert_int_equal(answer->names.count, sn_names_count(expected));
  assert_null(answer->names.table); /* own texts: they outlive the model */
  for (size_t i = 0; i < answer->names.count; i++) {
    assert_string_equal(sn_msg_names_at(&answer->names, i), sn_names_at(expected, i));
  }
}

SN_TEST(before_configuration_every_query_reports_it) {
  bench b;
  bench_open(&b);
  const sn_call_flag *flag = ask_good(&b, "isConfigured", "");
  assert_false(flag->value);
  for (const sn_operation *o = sn_robot_model_component.operations + 1; o->name != NULL; o++) {
    sn_status status = SN_OK;
    (void)ask(&b, o->name, "", &status);
    assert_int_equal(status, SN_ENOTCONFIGURED);
    assert_string_equal(b.r.err.message, "the robot model is not configured");
  }
  bench_close(&b);
}

static void assert_joint(const sn_call_tree *tree, size_t i, const sn_joint *joint) {
  assert_string_equal(sn_msg_names_at(&tree->joints, i), joint->name);
  const sn_msg_pose origin = sn_msg_pose_from(joint->pose_parent_joint);
  assert_memory_equal(&tree->origins.data[i], &origin, sizeof origin);
  assert_memory_equal(&tree->axes.data[i], &joint->axis, sizeof joint->axis);
}

static void assert_tree(const sn_call_tree *tree, const sn_model *m) {
  assert_int_equal(tree->links.count, sn_model_link_count(m));
  assert_int_equal(tree->parents.count, tree->links.count);
  for (size_t i = 0; i < tree->links.count; i++) {
    const sn_link *link = sn_model_link(m, i);
    assert_string_equal(sn_msg_names_at(&tree->links, i), link->name);
    if (link->parent_joint < 0) {
      assert_int_equal(tree->parents.data[i], -1);
      assert_string_equal(sn_msg_names_at(&tree->joints, i), "");
    } else {
      const sn_joint *joint = sn_model_joint(m, (size_t)link->parent_joint);
      assert_int_equal(tree->parents.data[i], joint->parent_link);
      assert_joint(tree, i, joint);
    }
  }
}

static void assert_chain(const sn_call_tree *tree, const sn_model *m, const sn_chain *chain) {
  assert_string_equal(sn_msg_names_at(&tree->links, 0),
                      sn_model_link(m, (size_t)chain->first_link)->name);
  assert_string_equal(sn_msg_names_at(&tree->links, tree->links.count - 1),
                      sn_model_link(m, (size_t)chain->last_link)->name);
  size_t moving = 0;
  for (size_t i = 1; i < tree->links.count; i++) {
    assert_int_equal(tree->parents.data[i], i - 1);
    const int joint = sn_model_joint_index(m, sn_msg_names_at(&tree->joints, i));
    if (joint >= 0) { /* not a fixed one */
      assert_int_equal(joint, chain->joints[moving++]);
      assert_joint(tree, i, sn_model_joint(m, (size_t)joint));
    } else {
      assert_string_equal(sn_msg_names_at(&tree->types, i), "fixed");
    }
  }
  assert_int_equal(moving, chain->joint_count);
}

static void assert_points(bench *b) {
  const sn_contact *contact = sn_model_contact(b->oracle, 0);
  const sn_call_contact_points *points = ask_good(b, "addContactPointsToBuffer", contact->name);
  assert_int_equal(points->appended, contact->point_count);
  assert_memory_equal(points->points.data, contact->points,
                      contact->point_count * sizeof *contact->points);
  points = ask_good(b, "addContactPointsToBuffer", "none");
  assert_int_equal(points->appended, -1);
  assert_int_equal(points->points.count, 0);
}

SN_TEST(all_limbs_are_in_one_answer) {
  bench b;
  bench_open(&b);
  rig_begin(&b.r);
  const sn_model *m = b.oracle;
  const sn__call_limbs *limbs = ask_good(&b, "listLimbs", "");
  const size_t chains = sn_names_count(sn_model_chain_names(m));
  assert_true(chains > 4);
  assert_int_equal(limbs->chains.count, chains);
  assert_int_equal(limbs->contacts.count, chains);
  assert_int_equal(limbs->joint_counts.count, chains);
  size_t at = 0;
  for (size_t c = 0; c < chains; c++) {
    const sn_chain *chain = sn_model_chain(m, c, true);
    const int contact = sn_model_chain_default_contact(m, c);
    assert_string_equal(sn_msg_names_at(&limbs->chains, c),
                        sn_names_at(sn_model_chain_names(m), c));
    assert_string_equal(sn_msg_names_at(&limbs->contacts, c),
                        contact < 0 ? "" : sn_model_contact(m, (size_t)contact)->name);
    assert_int_equal(limbs->joint_counts.data[c], chain->joint_count);
    for (size_t i = 0; i < chain->joint_count; i++) {
      assert_string_equal(sn_msg_names_at(&limbs->joints, at++),
                          sn_model_joint(m, (size_t)chain->joints[i])->name);
    }
  }
  assert_int_equal(limbs->joints.count, at);
  bench_close(&b);
}

SN_TEST(operations_return_what_the_model_holds) {
  bench b;
  bench_open(&b);
  rig_begin(&b.r);
  const sn_model *m = b.oracle;
  assert_true(((sn_call_flag *)ask_good(&b, "isConfigured", ""))->value);
  assert_names(ask_good(&b, "listChains", ""), sn_model_chain_names(m));
  assert_names(ask_good(&b, "listJoints", ""), sn_model_joint_names(m));
  assert_names(ask_good(&b, "listContacts", ""), sn_model_contact_names(m));
  const sn_call_text *description = ask_good(&b, "getRobotDescription", "");
  assert_string_equal(description->text.data, sn_model_description(m, NULL));
  assert_tree(ask_good(&b, "getTree", ""), m);
  for (size_t c = 0; c < sn_names_count(sn_model_chain_names(m)); c++) {
    const char *name = sn_names_at(sn_model_chain_names(m), c);
    const sn_chain *chain = sn_model_chain(m, c, true);
    assert_int_equal(((sn_call_index *)ask_good(&b, "getChainIndex", name))->index, c);
    const sn_call_names *joints = ask_good(&b, "getChainJoints", name);
    assert_int_equal(joints->names.count, chain->joint_count);
    for (int with_virtual = 0; with_virtual < 2; with_virtual++) {
      b.with_virtual = with_virtual != 0;
      assert_chain(ask_good(&b, "getChain", name), m, sn_model_chain(m, c, b.with_virtual));
    }
    const int contact = sn_model_chain_default_contact(m, c);
    assert_string_equal(((sn_call_text *)ask_good(&b, "getChainDefaultContact", name))->text.data,
                        contact < 0 ? "" : sn_model_contact(m, (size_t)contact)->name);
  }
  for (size_t j = 0; j < sn_model_pose_size(m); j++) {
    const sn_joint *joint = sn_model_joint(m, j);
    assert_int_equal(((sn_call_index *)ask_good(&b, "getJointIndex", joint->name))->index, j);
    assert_string_equal(
        ((sn_call_text *)ask_good(&b, "getJointChain", joint->name))->text.data,
        joint->chain < 0 ? "" : sn_names_at(sn_model_chain_names(m), (size_t)joint->chain));
  }
  assert_int_equal(((sn_call_index *)ask_good(&b, "getJointIndex", "none"))->index, -1);
  for (size_t k = 0; k < sn_names_count(sn_model_contact_names(m)); k++) {
    const sn_contact *contact = sn_model_contact(m, k);
    const sn_call_points *points = ask_good(&b, "getContactPoints", contact->name);
    assert_int_equal(points->points.count, contact->point_count);
    assert_memory_equal(points->points.data, contact->points,
                        contact->point_count * sizeof *contact->points);
  }
  assert_string_equal(((sn_call_text *)ask_good(&b, "getJointChain", "none"))->text.data, "");
  assert_points(&b);
  static const char *const asking[] = {"getChainJoints", "getChain", "getChainDefaultContact",
                                       "getContactPoints"};
  for (size_t i = 0; i < 4; i++) {
    sn_status status = SN_OK;
    (void)ask(&b, asking[i], "none", &status);
    assert_int_equal(status, SN_ENOENT);
    assert_non_null(strstr(b.r.err.message, "'none'"));
  }
  bench_close(&b);
}

SN_TEST(model_can_be_configured_again_and_again) {
  bench b;
  bench_open(&b);
  for (int i = 0; i < 3; i++) {
    rig_begin(&b.r);
    assert_true(((sn_call_flag *)ask_good(&b, "isConfigured", ""))->value);
    sn_system_end(b.r.system);
    assert_false(((sn_call_flag *)ask_good(&b, "isConfigured", ""))->value);
  }
  bench_close(&b);
}

SN_TEST(bad_robot_is_refused_with_its_reason) {
  bench b;
  bench_open(&b);
  rig_set(&b.r, b.model, "robot_description", "<robot name='x'><link/></robot>");
  assert_int_equal(sn_system_begin(b.r.system, &b.r.err), SN_EMODEL);
  assert_non_null(strstr(b.r.err.message, "robot_model did not configure: robot_description:1"));
  bench_close(&b);
}
