/* Loads a robot from a file: the only part of the model that touches the file system. */
#include "base/fail.h"
#include "base/report_internal.h"
#include "files/file.h"
#include "model/model_data.h"
#include "model/srdf/srdf.h"
#include "model/urdf/package_file.h"
#include "model/urdf/packages.h"
#include "model/urdf/xacro_load.h"
#include "sinew/model.h"

/* What is being loaded. */
typedef struct loading {
  sn_arena *arena;  /* of the model */
  sn_arena scratch; /* of packages and of an expansion: not in the model's arena */
  const char *path;
  sn_model_config settings;
  sn_packages *packages;
  sn_report *report;
  const char *const *arguments; /* of a robot in xacro; NULL: none */
} loading;

static bool find_mesh(void *context, const char *uri) {
  sn_packages_file file;
  return sn__packages_find(context, uri, &file);
}

static void explain_mesh(void *context, const char *uri, char *text, size_t size) {
  sn__packages_explain(context, uri, text, size);
}

/* Meshes are searched on this machine. @return false: no memory */
static bool prepare(loading *l) {
  const sn_packages_config config = {.robot_file = l->path, .path = l->settings.package_path};
  if ((l->report == NULL && sn_report_create(&l->scratch, &l->report, NULL) != SN_OK) ||
      sn__packages_create(&l->scratch, &config, &l->packages, NULL) != SN_OK) {
    return false;
  }
  if (l->settings.mesh_exists == NULL) {
    l->settings.mesh_exists = find_mesh;
    l->settings.mesh_explain = explain_mesh;
    l->settings.mesh_context = l->packages;
  }
  return true;
}

/* An SRDF in xacro has the arguments of its robot. @return false: no memory */
static bool read_arguments(loading *l) {
  if (sn__xacro_is_meant(l->path)) {
    l->arguments = sn__xacro_arguments(&l->scratch, l->settings.properties,
                                       l->settings.xacro_arguments, l->report);
  }
  return l->arguments != NULL || !sn__xacro_is_meant(l->path);
}

/* The SRDF that is named, or that lies beside the robot. */
static sn_status load_srdf(loading *l, sn_error *err) {
  const char *path = l->settings.srdf_file;
  if (l->settings.srdf != NULL) {
    return SN_OK;
  }
  path = path == NULL ? sn__srdf_beside(&l->scratch, l->path) : path;
  if (path == NULL || *path == '\0') {
    l->settings.srdf_file = NULL;
    return SN_OK;
  }
  sn__srdf_text srdf = {0};
  const sn_status status =
      sn__srdf_read_text(&l->scratch, path, l->packages, l->arguments, l->report, &srdf, err);
  if (status == SN_OK) {
    l->settings.srdf = srdf.text;
    l->settings.srdf_size = srdf.size;
    l->settings.srdf_file = srdf.file;
  }
  return status;
}

static sn_status load_xacro(loading *l, const sn_model **out, sn_error *err) {
  sn_xacro_result result = {0};
  const sn_status status =
      sn__xacro_load(&l->scratch, l->path, l->packages, l->arguments, l->report, &result);
  if (status == SN_ENOMEM) {
    return sn__fail(err, SN_ENOMEM, "%s: %s", l->path, sn_status_text(SN_ENOMEM));
  }
  if (status != SN_OK) {
    return sn__report_fail(l->report, status, err);
  }
  const sn__model_text source = {.text = result.text, .size = result.size, .tree = result.root};
  return sn__model_parse(l->arena, &source, &l->settings, l->report, out, err);
}

/* Arguments of a file that has none. */
static void refuse_arguments(const loading *l) {
  const sn_value *given = l->settings.properties == NULL
                              ? NULL
                              : sn_value_find(l->settings.properties, SN__XACRO_ARGUMENTS_KEY);
  if (given != NULL) {
    sn__report_add(l->report, SN_SEVERITY_ERROR, given->name_place, NULL,
                   "'%s' is not a robot in xacro, so it has no arguments", l->path);
  }
}

/* A URDF or an MJCF file, distinguished by its text. */
static sn_status load_plain(loading *l, const sn_model **out, sn_error *err) {
  sn__file file;
  refuse_arguments(l);
  const sn_status status = sn__file_read(l->path, SN_URDF_SIZE_MAX, l->report, &file, err);
  if (status != SN_OK) {
    return status;
  }
  const sn__model_text source = {.text = file.text,
                                 .size = file.size,
                                 .read = sn__package_file_read,
                                 .read_context = l->packages};
  const sn_status parsed = sn__model_parse(l->arena, &source, &l->settings, l->report, out, err);
  sn__file_free(&file);
  return parsed;
}

sn_status sn_model_load(sn_arena *arena, const char *path, const sn_model_config *config,
                        sn_report *report, const sn_model **out, sn_error *err) {
  loading l = {.arena = arena, .path = path, .report = report};
  l.settings = config == NULL ? (sn_model_config){0} : *config;
  l.settings.file = path;
  sn_arena_init_growing(&l.scratch, "packages", 4096);
  sn_status status = SN_OK;
  if (!prepare(&l) || !read_arguments(&l)) {
    status = sn__fail(err, SN_ENOMEM, "%s: %s", path, sn_status_text(SN_ENOMEM));
  } else {
    status = load_srdf(&l, err);
  }
  if (status == SN_OK) {
    status = sn__xacro_is_meant(path) ? load_xacro(&l, out, err) : load_plain(&l, out, err);
  }
  sn_arena_release(&l.scratch);
  return status;
}
