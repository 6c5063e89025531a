/* A user's program: everything comes from the installed headers, library and robots.
   usage: consumer FOLDER     of the installed robots; prints what run.sh compares */
#include <stdio.h>

#include "sinew/sinew.h"

/* Loads FOLDER/quadruped.urdf with the chains of FOLDER/quadruped.EXTENSION and prints a line. */
static sn_status load(const char *folder, const char *extension) {
  char urdf[1024];
  char properties[1024];
  snprintf(urdf, sizeof urdf, "%s/quadruped.urdf", folder);
  snprintf(properties, sizeof properties, "%s/quadruped.%s", folder, extension);

  sn_arena arena;
  sn_arena_init_growing(&arena, "consumer", 0);
  sn_report *report = NULL;
  sn_report_create(&arena, &report, NULL);
  sn_model_config config = {0};
  const sn_model *model = NULL;
  sn_error err = {SN_OK, ""};
  sn_status status = sn_value_load(&arena, properties, report, &config.properties);
  if (status == SN_OK) {
    status = sn_model_load(&arena, urdf, &config, report, &model, &err);
  }
  if (status == SN_OK) {
    const sn_vec3 axis = sn_model_joint(model, 0)->axis;
    printf("%s: %s, %zu chains, first axis of length %.6f\n", extension, sn_model_name(model),
           sn_names_count(sn_model_chain_names(model)), sn_vec3_norm(axis));
  } else {
    printf("%s: %s\n", extension, sn_status_text(status));
  }
  sn_arena_release(&arena);
  return status;
}

/* Reads a message; the type itself comes out of the library too. */
static void read_message(void) {
  static const char text[] = "{\"position\": [1, 2]}";
  sn_arena arena;
  sn_arena_init_growing(&arena, "consumer", 0);
  const sn_msg_type *type = sn_msg_type_find("sensor_msgs/msg/JointState");
  void *msg = type != &sn_joint_state_type ? NULL : sn_msg_create(&arena, type, NULL);
  if (msg != NULL) {
    const sn_status status = sn_msg_from_json(type, text, sizeof text - 1, msg, NULL);
    printf("%s from JSON: %s\n", type->name, sn_status_text(status));
  }
  sn_arena_release(&arena);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    return 2;
  }
  read_message();
  load(argv[1], "yaml");
  return load(argv[1], "cpf") == SN_OK ? 0 : 1;
}
