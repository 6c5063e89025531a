/* The robot model of a running system over its control socket. Oracle: the model in this process.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "deployed.h"
#include "model/groups.h"
#include "model/robot_model.h"
#include "msg/msg_names_internal.h"
#include "program.h"
#include "run/control_server.h"
#include "sinew/client.h"
#include "sinew/components.h"
#include "sn_test.h"

static char folder[64];

typedef struct bench {
  sn_deployed d;
  control_server *server;
  char socket[96];
  sn_client *client;
  sn_robot_client *robot;
  const sn_model *inside; /* the same model in this process */
  sn_robot_model *service;
} bench;

static void bench_open(bench *b) {
  char path[128];
  sn_test_folder_create(folder);
  sn_test_write(folder, "small.urdf", sn_deployed_robot);
  sn_test_write(folder, "d.yaml",
                "include: [standard.yaml]\nrobot: small.urdf\n"
                "kinematics_chains:\n"
                "  leg: {first_link: base, last_link: leg2, default_contact: foot, colour: red}\n"
                "  head: {first_link: base, last_link: head2, last_link_virtual: nose1}\n"
                "contacts: {foot: {points: [[0, 0, 0], [0, 0.5, 0]]}}\n");
  snprintf(path, sizeof path, "%s/d.yaml", folder);
  sn_deployed_open(&b->d, path);
  snprintf(b->socket, sizeof b->socket, "%s/s", folder);
  assert_int_equal(control_server_start(b->d.system, b->socket, &b->server, &b->d.err), SN_OK);
  const sn_client_config config = {.socket = b->socket, .timeout_s = 20};
  if (sn_client_open(&config, &b->client, &b->d.err) != SN_OK) {
    fail_msg("%s", b->d.err.message);
  }
  b->robot = sn_robot_client_create(b->client, NULL);
  assert_non_null(b->robot);
  const sn_component *model = sn_deployed_find(&b->d, "robot_model");
  b->service = (sn_robot_model *)model->type->services[0].iface((sn_component *)model);
  b->inside = sn__robot_model_hold(b->service);
  assert_non_null(b->inside);
}

static void bench_close(bench *b) {
  sn_robot_client_destroy(b->robot);
  sn_client_close(b->client);
  control_server_stop(b->server);
  sn__robot_model_release(b->service);
  sn_deployed_free(&b->d);
  sn_test_folder_remove(folder);
}

typedef const sn_names *names_inside(const sn_model *model);
typedef sn_status list_outside(sn_robot_client *robot, sn_name_list *list);

/* The names of a list, each with its NUL. */
static void assert_names(const sn_name_list *list, const sn_names *table, const int *indices,
                         size_t count) {
  const char *at = list->text;
  assert_int_equal(list->count, count);
  for (size_t i = 0; i < count; i++, at += strlen(at) + 1) {
    assert_string_equal(at, sn_names_at(table, indices == NULL ? i : (size_t)indices[i]));
  }
}

static void compare_lists(bench *b, names_inside *inside, list_outside *outside) {
  char text[1024];
  sn_name_list list = {text, sizeof text, 0};
  const sn_names *names = inside(b->inside);
  assert_int_equal(outside(b->robot, &list), SN_OK);
  assert_names(&list, names, NULL, sn_names_count(names));
  sn_name_list tight = {text, 3, 77};
  assert_int_equal(outside(b->robot, &tight), SN_ENOSPC);
  assert_int_equal(tight.count, 77); /* untouched */
}

static void compare_chain(bench *b, const char *name) {
  const sn_model *m = b->inside;
  const int chain = sn_model_chain_index(m, name);
  const sn_status expected = chain < 0 ? SN_ENOENT : SN_OK;
  char text[200];
  sn_name_list list = {text, sizeof text, 0};
  assert_int_equal(sn_robot_client_chain_default_contact(b->robot, name, text, 200), expected);
  if (chain >= 0) {
    const int contact = sn_model_chain_default_contact(m, (size_t)chain);
    assert_string_equal(text, contact < 0 ? "" : sn_model_contact(m, (size_t)contact)->name);
  }
  const char *colour = chain < 0 ? NULL : sn_model_chain_property(m, (size_t)chain, "colour");
  assert_int_equal(sn_robot_client_chain_property(b->robot, name, "colour", text, 200),
                   colour == NULL ? SN_ENOENT : SN_OK);
  if (colour != NULL) {
    assert_string_equal(text, colour);
  }
  assert_int_equal(sn_robot_client_chain_joints(b->robot, name, &list), expected);
  if (chain >= 0) {
    size_t count = 0;
    const int *joints = sn_model_chain_joints(m, (size_t)chain, &count);
    assert_names(&list, sn_model_joint_names(m), joints, count);
  }
}

SN_TEST(answers_equal_those_of_the_library) {
  bench b;
  bench_open(&b);
  const sn_model *m = b.inside;
  bool is_configured = false;
  assert_int_equal(sn_robot_client_is_configured(b.robot, &is_configured), SN_OK);
  assert_true(is_configured);
  compare_lists(&b, sn_model_chain_names, sn_robot_client_list_chains);
  compare_lists(&b, sn_model_joint_names, sn_robot_client_list_joints);
  compare_lists(&b, sn_model_contact_names, sn_robot_client_list_contacts);
  static const char *const names[] = {"l1", "n1", "e1", "leg", "head", "none"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    int index = -3;
    assert_int_equal(sn_robot_client_chain_index(b.robot, names[i], &index), SN_OK);
    assert_int_equal(index, sn_model_chain_index(m, names[i]));
    assert_int_equal(sn_robot_client_joint_index(b.robot, names[i], &index), SN_OK);
    assert_int_equal(index, sn_model_joint_index(m, names[i]));
    const int chain = index < 0 ? -1 : sn_model_joint(m, (size_t)index)->chain;
    char text[200] = "?";
    assert_int_equal(sn_robot_client_joint_chain(b.robot, names[i], text, 200), SN_OK);
    assert_string_equal(text, chain < 0 ? "" : sn_names_at(sn_model_chain_names(m), (size_t)chain));
    compare_chain(&b, names[i]);
    int chains[SN_CHAINS_MAX];
    size_t count = 0;
    sn_name_list list = {text, sizeof text, 0};
    assert_int_equal(sn__model_joints_chains(m, names, i + 1, chains, SN_CHAINS_MAX, &count),
                     SN_OK);
    assert_int_equal(sn_robot_client_joints_chains(b.robot, names, i + 1, &list), SN_OK);
    assert_names(&list, sn_model_chain_names(m), chains, count);
  }
  static char urdf[1 << 16];
  size_t length = 0;
  const char *description = sn_model_description(m, &length);
  assert_int_equal(sn_robot_client_description(b.robot, urdf, sizeof urdf), SN_OK);
  assert_int_equal(strlen(urdf), length);
  assert_string_equal(urdf, description);
  bench_close(&b);
}

SN_TEST(points_are_appended_and_trees_are_complete) {
  bench b;
  bench_open(&b);
  sn_vec3 points[4] = {{9.0, 9.0, 9.0}};
  sn_point_buffer buffer = {points, 1, 4};
  int appended = 0;
  assert_int_equal(sn_robot_client_add_contact_points(b.robot, "foot", &buffer, &appended), SN_OK);
  assert_int_equal(appended, 2);
  assert_int_equal(buffer.count, 3);
  assert_true(points[0].x == 9.0 && points[2].y == 0.5);
  assert_int_equal(sn_robot_client_add_contact_points(b.robot, "foot", &buffer, &appended),
                   SN_ENOSPC);
  assert_int_equal(buffer.count, 3);
  assert_int_equal(sn_robot_client_add_contact_points(b.robot, "none", &buffer, &appended), SN_OK);
  assert_int_equal(appended, -1);
  const sn_call_tree *tree = NULL;
  assert_int_equal(sn_robot_client_tree(b.robot, &tree), SN_OK);
  assert_int_equal(tree->links.count, 8);
  const int eye = sn__msg_names_index(&tree->links, "eye2");
  assert_string_equal(sn_msg_names_at(&tree->links, (size_t)tree->parents.data[eye]), "eye1");
  assert_true(tree->origins.data[eye].position.z == 0.1 && tree->axes.data[eye].y == 1.0);
  assert_string_equal(sn_msg_names_at(&tree->types, (size_t)eye), "revolute");
  assert_int_equal(sn_robot_client_chain(b.robot, "head", false, &tree), SN_OK);
  assert_int_equal(tree->links.count, 3);
  assert_int_equal(sn_robot_client_chain(b.robot, "head", true, &tree), SN_OK);
  assert_int_equal(tree->links.count, 4);
  assert_string_equal(sn_msg_names_at(&tree->links, 3), "nose1");
  assert_int_equal(sn_robot_client_chain(b.robot, "none", true, &tree), SN_ENOENT);
  assert_string_equal(sn_robot_client_error(b.robot), "unknown chain 'none'");
  bench_close(&b);
}

/* Other operations, with typed messages. */
SN_TEST(any_operation_can_be_called) {
  bench b;
  bench_open(&b);
  sn_call_flag flag = {false};
  assert_int_equal(sn_client_call(b.client, "robot_model.isConfigured", NULL, NULL,
                                  &sn_call_flag_type, &flag, &b.d.err),
                   SN_OK);
  assert_true(flag.value);
  assert_int_equal(
      sn_client_call(b.client, "robot_model.nothing", NULL, NULL, NULL, NULL, &b.d.err), SN_ENOENT);
  sn_assert_contains(b.d.err.message, "nothing");
  control_server_stop(b.server);
  b.server = NULL;
  assert_int_equal(
      sn_client_call(b.client, "robot_model.isConfigured", NULL, NULL, NULL, NULL, &b.d.err),
      SN_EIO);
  assert_int_equal(
      sn_client_call(b.client, "robot_model.isConfigured", NULL, NULL, NULL, NULL, &b.d.err),
      SN_EIO); /* for good */
  bench_close(&b);
}

SN_TEST(invalid_paths_are_refused) {
  sn_client *client = NULL;
  sn_error err = {.message = ""};
  const sn_client_config missing = {.socket = "/nowhere/s"};
  assert_int_equal(sn_client_open(&missing, &client, &err), SN_EIO);
  sn_assert_contains(err.message, "no system answers at /nowhere/s");
  const sn_client_config name = {.name = "../other"};
  assert_int_equal(sn_client_open(&name, &client, &err), SN_EINVAL);
  const sn_client_config time = {.socket = "/nowhere/s", .timeout_s = -1};
  assert_int_equal(sn_client_open(&time, &client, &err), SN_EINVAL);
  assert_null(client);
}

/* A server that is silent or sends nonsense neither blocks nor confuses the client. */
SN_TEST(answers_of_a_wrong_server_are_rejected) {
  static const char *const lines[] = {"nonsense\n", "{\"id\":1}\n[]\n{\"id\":7,\"ok\":true}\n", "",
                                      "{\"id\":1,\"ok\":false,\"status\":\"SN_EWHAT\"}\n"};
  static const sn_status expected[] = {SN_EIO, SN_EIO, SN_EIO, SN_EIO};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    sn_test_folder_create(folder);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/s", folder);
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 1), 0);
    const sn_client_config config = {.socket = address.sun_path, .timeout_s = 20};
    sn_client *client = NULL;
    sn_error err = {.message = ""};
    assert_int_equal(sn_client_open(&config, &client, &err), SN_OK);
    const int peer = accept(listener, NULL, NULL);
    assert_true(write(peer, lines[i], strlen(lines[i])) == (ssize_t)strlen(lines[i]));
    assert_int_equal(shutdown(peer, SHUT_WR), 0);
    assert_int_equal(sn_client_call(client, "a.b", NULL, NULL, NULL, NULL, &err), expected[i]);
    assert_true(err.message[0] != '\0');
    close(peer);
    close(listener);
    sn_client_close(client);
    sn_test_folder_remove(folder);
  }
}
