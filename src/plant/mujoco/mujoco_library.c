#include "plant/mujoco/mujoco_library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* MuJoCo's own handler writes a file into the working directory. */
static void keep_silent(const char *text) {
  (void)text;
}

static bool find_functions(sn__mujoco_library *l) {
  const struct {
    const char *name;
    void *to;
  } wanted[] = {{"mj_version", &l->version},
                {"mj_defaultVFS", &l->default_vfs},
                {"mj_makeEmptyFileVFS", &l->make_file},
                {"mj_deleteVFS", &l->delete_vfs},
                {"mj_loadXML", &l->load_xml},
                {"mj_makeData", &l->make_data},
                {"mj_resetData", &l->reset_data},
                {"mj_step1", &l->step1},
                {"mj_step2", &l->step2},
                {"mj_contactForce", &l->contact_force},
                {"mj_setConst", &l->set_const},
                {"mj_name2id", &l->name_to_id},
                {"mj_deleteData", &l->delete_data},
                {"mj_deleteModel", &l->delete_model}};
  bool is_good = true;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *symbol = dlsym(l->handle, wanted[i].name);
    memcpy(wanted[i].to, &symbol, sizeof symbol); /* POSIX guarantees the size */
    is_good = is_good && symbol != NULL;
  }
  void (**warning)(const char *) = dlsym(l->handle, "mju_user_warning");
  if (warning != NULL) {
    *warning = keep_silent;
  }
  return is_good;
}

bool sn__mujoco_open(sn__mujoco_library *library, sn_error *err) {
  library->handle = dlopen(SINEW_MUJOCO_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library->handle == NULL) {
    (void)sn__fail(err, SN_EIO, "MuJoCo: %.200s; install it, or use the type plant", dlerror());
    return false;
  }
  if (!find_functions(library) || library->version() != mjVERSION_HEADER) {
    (void)sn__fail(err, SN_EUNSUPPORTED,
                   "MuJoCo: %s is another version than %d, which Sinew was "
                   "built with",
                   SINEW_MUJOCO_LIBRARY, mjVERSION_HEADER);
    return false;
  }
  return true;
}

void sn__mujoco_close(sn__mujoco_library *library) {
  if (library->handle != NULL) {
    dlclose(library->handle);
  }
  library->handle = NULL;
}

/* Pass the text to MuJoCo as a virtual file. */
mjModel *sn__mujoco_load(const sn__mujoco_library *library, const char *text, size_t size,
                         char *why, size_t why_size) {
  mjModel *model = NULL;
  mjVFS *vfs = malloc(sizeof *vfs);
  if (vfs != NULL) {
    library->default_vfs(vfs);
    if (library->make_file(vfs, "robot.xml", (int)size) == 0) {
      memcpy(vfs->filedata[0], text, size);
      model = library->load_xml("robot.xml", vfs, why, (int)why_size);
    }
    library->delete_vfs(vfs);
  }
  free(vfs);
  return model;
}
