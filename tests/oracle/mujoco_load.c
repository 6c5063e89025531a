#include "mujoco_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return NULL;
  }
  fseek(file, 0, SEEK_END);
  const long length = ftell(file);
  rewind(file);
  char *text = malloc((size_t)length + 1);
  *size = text == NULL ? 0 : fread(text, 1, (size_t)length, file);
  fclose(file);
  if (text != NULL) {
    text[*size] = '\0';
  }
  return text;
}

/* Cut out every element of this name, in place. */
static void cut_elements(char *text, const char *name) {
  char open[32], close[32];
  snprintf(open, sizeof open, "<%s", name);
  snprintf(close, sizeof close, "</%s>", name);
  const size_t length = strlen(open);
  for (char *at = strstr(text, open); at != NULL; at = strstr(at, open)) {
    const char after = at[length];
    char *tag_end = strchr(at, '>');
    if (tag_end == NULL) {
      return;
    }
    if (after != ' ' && after != '>' && after != '/' && after != '\n' && after != '\t') {
      at += length; /* a longer name */
      continue;
    }
    char *end = tag_end + 1;
    if (tag_end[-1] != '/') {
      end = strstr(at, close);
      if (end == NULL) {
        return;
      }
      end += strlen(close);
    }
    memmove(at, end, strlen(end) + 1);
  }
}

/* Of an MJCF file nothing is cut. The inertia of rotors, which is a property of servos for us, is
   taken away. */
static mjModel *load_mjcf(const char *path) {
  char message[500] = "";
  mjModel *model = mj_loadXML(path, NULL, message, sizeof message);
  if (model == NULL) {
    fprintf(stderr, "MuJoCo refuses %s: %s\n", path, message);
    return NULL;
  }
  for (int i = 0; i < model->nv; i++) {
    model->dof_armature[i] = 0.0;
  }
  return model;
}

mjModel *mujoco_load(const char *path, int fuse) {
  const size_t length = strlen(path);
  if (length > 4 && strcmp(path + length - 4, ".xml") == 0) {
    return load_mjcf(path);
  }
  size_t size = 0;
  char *text = read_file(path, &size);
  if (text == NULL) {
    fprintf(stderr, "cannot read %s\n", path);
    return NULL;
  }
  static const char *const unwanted[] = {"visual",       "collision", "dynamics",         "limit",
                                         "transmission", "gazebo",    "safety_controller"};
  for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
    cut_elements(text, unwanted[i]);
  }
  char *robot_end = strstr(text, "</robot>");
  char *xml = malloc(size + 512);
  char message[500] = "not a URDF";
  mjModel *model = NULL;
  mjVFS *vfs = malloc(sizeof *vfs);
  if (robot_end != NULL && xml != NULL && vfs != NULL) {
    *robot_end = '\0';
    snprintf(
        xml, size + 512,
        "%s<mujoco><compiler fusestatic=\"%s\" discardvisual=\"false\" boundmass=\"1e-12\" "
        "boundinertia=\"1e-12\" balanceinertia=\"false\"/><option gravity=\"0 0 -9.81\"/></mujoco>"
        "</robot>",
        text, fuse ? "true" : "false");
    mj_defaultVFS(vfs);
    mj_makeEmptyFileVFS(vfs, "robot.urdf", (int)strlen(xml));
    memcpy(vfs->filedata[0], xml, strlen(xml));
    model = mj_loadXML("robot.urdf", vfs, message, sizeof message);
    mj_deleteFileVFS(vfs, "robot.urdf");
  }
  if (model == NULL) {
    fprintf(stderr, "MuJoCo refuses %s: %s\n", path, message);
  }
  free(vfs);
  free(xml);
  free(text);
  return model;
}
