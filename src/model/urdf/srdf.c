#include "model/urdf/srdf.h"

#include "base/fail.h"
#include "files/file.h"
#include "sinew/model.h"

static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  (void)context, (void)report, (void)place;
  const bool is_used = parent == NULL || sn__xml_same(name, "disable_collisions") ||
                       sn__xml_same(name, "group_state") ||
                       sn__xml_same(parent->name, "group_state");
  return is_used ? SN__XML_KEEP : SN__XML_SKIP;
}

sn_status sn__srdf_parse(sn_arena *arena, const char *file, const char *text, size_t size,
                         const sn__xml_node **root, sn_error *err) {
  const sn__xml_config config = {.file = file,
                                 .size_max = SN_URDF_SIZE_MAX,
                                 .depth_max = SN_URDF_DEPTH_MAX,
                                 .attribute_max = SN_URDF_ATTRIBUTE_MAX,
                                 .attributes_max = SN_URDF_ATTRIBUTES_MAX,
                                 .judge = judge};
  sn_report *report = NULL;
  sn__xml_node *tree = NULL;
  if (sn_report_create(arena, &report, err) != SN_OK) {
    return SN_ENOMEM;
  }
  const sn_status status = sn__xml_parse(arena, text, size, &config, report, &tree);
  if (status != SN_OK) {
    const sn_problem *problem = sn_report_count(report) == 0 ? NULL : sn_report_at(report, 0);
    return problem == NULL ? sn__fail(err, status, "%s: cannot be read", file)
                           : sn__fail(err, SN_EINVAL, "%s:%u:%u: %s", file, problem->place.line,
                                      problem->place.column, problem->message);
  }
  *root = tree;
  return SN_OK;
}

sn_status sn__srdf_load(sn_arena *arena, const char *path, const sn__xml_node **root,
                        sn_error *err) {
  sn__file file;
  sn_status status = sn__file_read(path, SN_URDF_SIZE_MAX, NULL, &file, err);
  if (status == SN_OK) {
    status = sn__srdf_parse(arena, path, file.text, file.size, root, err);
    sn__file_free(&file);
  }
  return status;
}
