/* Asks a running robot model for everything, and compares with the model loaded here.
   usage: client FOLDER SOCKET     SOCKET of 'sinew run FOLDER/arm6.urdf'; -: built without JSON */
#include <string.h>

#include "check.h"

typedef struct pair {
  sn_robot_client *robot; /* the running one */
  const sn_model *model;  /* the same robot in this process */
} pair;

/* The list has the names of the table, in its order. */
static bool is_same(const sn_name_list *list, const sn_names *names) {
  const char *text = list->text;
  bool same = list->count == sn_names_count(names);
  for (size_t i = 0; same && i < list->count; i++) {
    same = strcmp(text, sn_names_at(names, i)) == 0;
    text += strlen(text) + 1;
  }
  return same;
}

static void check_lists(const pair *p) {
  char text[1024];
  sn_name_list list = {text, sizeof text, 0};
  CHECK(sn_robot_client_list_chains(p->robot, &list) == SN_OK);
  CHECK(is_same(&list, sn_model_chain_names(p->model)));
  CHECK(sn_robot_client_list_joints(p->robot, &list) == SN_OK);
  CHECK(is_same(&list, sn_model_joint_names(p->model)));
  CHECK(sn_robot_client_list_contacts(p->robot, &list) == SN_OK);
  CHECK(is_same(&list, sn_model_contact_names(p->model)));
  CHECK(sn_robot_client_chain_joints(p->robot, "arm", &list) == SN_OK);
  CHECK(is_same(&list, sn_model_joint_names(p->model))); /* the arm has them all */

  const char *const joints[] = {sn_model_joint(p->model, 0)->name,
                                sn_model_joint(p->model, 1)->name};
  CHECK(sn_robot_client_joints_chains(p->robot, joints, 2, &list) == SN_OK);
  CHECK(list.count == 1 && strcmp(text, "arm") == 0);
  sn_name_list small = {text, 2, 0};
  CHECK(sn_robot_client_list_joints(p->robot, &small) == SN_ENOSPC);
}

static void check_indices(const pair *p) {
  for (size_t i = 0; i < sn_model_pose_size(p->model); i++) {
    int index = -2;
    CHECK(sn_robot_client_joint_index(p->robot, sn_model_joint(p->model, i)->name, &index) ==
          SN_OK);
    CHECK(index == (int)i);
  }
  int chain = -2;
  CHECK(sn_robot_client_chain_index(p->robot, "arm", &chain) == SN_OK);
  CHECK(chain == sn_model_chain_index(p->model, "arm"));
}

static void check_texts(const pair *p) {
  static char text[1 << 16];
  size_t size = 0;
  const char *description = sn_model_description(p->model, &size);
  CHECK(sn_robot_client_description(p->robot, text, sizeof text) == SN_OK);
  CHECK(strcmp(text, description) == 0);
  CHECK(sn_robot_client_joint_chain(p->robot, sn_model_joint(p->model, 0)->name, text,
                                    sizeof text) == SN_OK);
  CHECK(strcmp(text, "arm") == 0);
  CHECK(sn_robot_client_chain_default_contact(p->robot, "arm", text, sizeof text) == SN_OK);
  CHECK(strcmp(text, "flange") == 0);
  CHECK(sn_robot_client_chain_property(p->robot, "arm", "last_link", text, sizeof text) == SN_OK);
  CHECK(strcmp(text, sn_model_chain_property(p->model, 0, "last_link")) == 0);
  CHECK(sn_robot_client_error(p->robot)[0] == '\0');
  CHECK(sn_robot_client_chain_property(p->robot, "wing", "last_link", text, 64) == SN_ENOENT);
  CHECK(strlen(sn_robot_client_error(p->robot)) > 0);
}

static void check_points(const pair *p) {
  sn_vec3 points[8] = {{1, 2, 3}};
  sn_point_buffer buffer = {points, 1, 8};
  int appended = 0;
  CHECK(sn_robot_client_add_contact_points(p->robot, "flange", &buffer, &appended) == SN_OK);
  const sn_contact *flange = sn_model_contact(p->model, 0);
  CHECK(buffer.count == 1 + flange->point_count && appended == (int)flange->point_count);
  for (size_t i = 0; i < flange->point_count; i++) {
    CHECK_NEAR(sn_vec3_norm(sn_vec3_sub(points[1 + i], flange->points[i])), 0, 0);
  }
}

static void check_trees(const pair *p) {
  const sn_call_tree *tree = NULL;
  if (CHECK(sn_robot_client_tree(p->robot, &tree) == SN_OK)) {
    CHECK(tree->links.count == sn_model_link_count(p->model));
    CHECK(strcmp(sn_msg_names_at(&tree->links, 0), sn_model_link(p->model, 0)->name) == 0);
    CHECK(tree->parents.count == tree->links.count && tree->parents.data[0] == -1);
  }
  if (CHECK(sn_robot_client_chain(p->robot, "arm", false, &tree) == SN_OK)) {
    CHECK(strcmp(sn_msg_names_at(&tree->links, tree->links.count - 1), "tool0") == 0);
  }
}

/* The model of the running system, by a call without the robot client, and by that. */
static void check_calls(sn_client *client, pair *p) {
  sn_call_flag flag = {false};
  bool is_configured = false;
  CHECK(sn_client_call(client, "robot_model.isConfigured", NULL, NULL, &sn_call_flag_type, &flag,
                       NULL) == SN_OK);
  CHECK(flag.value);
  CHECK(sn_client_call(client, "robot_model.fly", NULL, NULL, NULL, NULL, NULL) == SN_ENOENT);
  p->robot = sn_robot_client_create(client, NULL);
  CHECK(sn_robot_client_is_configured(p->robot, &is_configured) == SN_OK && is_configured);
  check_lists(p);
  check_indices(p);
  check_texts(p);
  check_points(p);
  check_trees(p);
  sn_robot_client_destroy(p->robot);
}

static const sn_model *load(sn_arena *arena, sn_report *report, const char *folder) {
  char path[1024];
  sn_model_config config = {0};
  const sn_model *model = NULL;
  check_path(path, sizeof path, folder, "arm6.yaml");
  CHECK(sn_value_load(arena, path, report, &config.properties) == SN_OK);
  check_path(path, sizeof path, folder, "arm6.urdf");
  CHECK(sn_model_load(arena, path, &config, report, &model, NULL) == SN_OK);
  return model;
}

/* Where nothing runs, the client reports that; without JSON in the build, it can never connect. */
static void check_absent(sn_status expected) {
  const sn_client_config config = {.socket = "/nowhere/socket"};
  sn_client *client = NULL;
  CHECK(sn_client_open(&config, &client, NULL) == expected);
  CHECK(client == NULL);
  sn_client_close(client);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    return 2;
  }
  const bool is_minimal = strcmp(argv[2], "-") == 0;
  check_absent(is_minimal ? SN_EUNSUPPORTED : SN_EIO);
  if (is_minimal) {
    return check_result();
  }
  sn_arena arena;
  sn_arena problems;
  sn_arena_init_growing(&arena, "client", 0);
  sn_arena_init_growing(&problems, "problems", 0);
  sn_report *report = NULL;
  sn_error err = {SN_OK, ""};
  sn_client *client = NULL;
  const sn_client_config config = {.socket = argv[2], .timeout_s = 30};
  CHECK(sn_report_create(&problems, &report, NULL) == SN_OK);
  pair p = {.model = load(&arena, report, argv[1])};
  if (CHECK(p.model != NULL) && CHECK(sn_client_open(&config, &client, &err) == SN_OK)) {
    check_calls(client, &p);
  }
  sn_client_close(client);
  sn_arena_release(&problems);
  sn_arena_release(&arena);
  return check_result();
}
