/* Loads a robot from a file: the only part of the model that touches the file system. */
#include "base/fail.h"
#include "files/file.h"
#include "model/urdf/packages.h"
#include "sinew/model.h"

static bool find_mesh(void *context, const char *uri) {
  sn_packages_file file;
  return sn__packages_find(context, uri, &file);
}

static void explain_mesh(void *context, const char *uri, char *text, size_t size) {
  sn__packages_explain(context, uri, text, size);
}

/* Meshes are searched on this machine. @return false: no memory */
static bool look_for_meshes(sn_arena *arena, const char *path, sn_model_config *settings) {
  const sn_packages_config config = {.robot_file = path, .path = settings->package_path};
  sn_packages *packages = NULL;
  if (sn__packages_create(arena, &config, &packages, NULL) != SN_OK) {
    return false;
  }
  settings->mesh_exists = find_mesh;
  settings->mesh_explain = explain_mesh;
  settings->mesh_context = packages;
  return true;
}

sn_status sn_model_load(sn_arena *arena, const char *path, const sn_model_config *config,
                        sn_report *report, const sn_model **out, sn_error *err) {
  sn__file file;
  const sn_status status = sn__file_read(path, SN_URDF_SIZE_MAX, report, &file, err);
  if (status != SN_OK) {
    return status;
  }
  sn_model_config settings = config == NULL ? (sn_model_config){0} : *config;
  settings.file = path;
  sn_arena scratch; /* of packages: not in the model's arena */
  sn_arena_init_growing(&scratch, "packages", 4096);
  const bool is_ready = settings.mesh_exists != NULL || look_for_meshes(&scratch, path, &settings);
  const sn_status parsed =
      is_ready ? sn_model_parse(arena, file.text, file.size, &settings, report, out, err)
               : sn__fail(err, SN_ENOMEM, "%s: %s", path, sn_status_text(SN_ENOMEM));
  sn_arena_release(&scratch);
  sn__file_free(&file);
  return parsed;
}
