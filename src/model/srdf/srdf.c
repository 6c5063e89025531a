#include "model/srdf/srdf.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "files/file.h"
#include "model/urdf/xacro_load.h"
#include "sinew/model.h"

/* The known elements, by parent. */
static const sn__xml_known known[] = {
    {"robot",
     {"group", "group_state", "end_effector", "virtual_joint", "passive_joint",
      "disable_collisions", "enable_collisions", "disable_default_collisions"}},
    {"group", {"joint", "link", "chain", "group"}},
    {"group_state", {"joint"}},
};
/* Known, too, but without a meaning here. */
static const char *const silent[] = {"link_sphere_approximation", "joint_property"};

static bool is_known(const char *parent, const char *name) {
  return sn__xml_is_known(known, sizeof known / sizeof *known, parent, name);
}

static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  (void)context;
  if (parent == NULL) {
    return SN__XML_KEEP;
  }
  if (is_known(parent->name, name)) {
    return SN__XML_KEEP;
  }
  for (size_t i = 0; i < sizeof silent / sizeof *silent; i++) {
    if (sn__xml_same(silent[i], name)) {
      return SN__XML_SKIP;
    }
  }
  sn__report_add(report, SN_SEVERITY_WARNING, place, NULL,
                 "<%.60s> inside <%.60s> is not known in SRDF, it is skipped", name, parent->name);
  return SN__XML_SKIP;
}

static sn_status check_root(const sn__xml_node *root, sn_report *report) {
  if (sn__xml_same(root->name, "robot")) {
    return SN_OK;
  }
  sn__report_add(report, SN_SEVERITY_ERROR, root->place, NULL,
                 "the root element is <%.60s>, expected <robot> of an SRDF", root->name);
  return SN_EINVAL;
}

sn_status sn__srdf_parse(sn_arena *arena, const char *file, const char *text, size_t size,
                         sn_report *report, const sn__xml_node **root, sn_error *err) {
  const sn__xml_config config = {.file = file,
                                 .size_max = SN_URDF_SIZE_MAX,
                                 .depth_max = SN_URDF_DEPTH_MAX,
                                 .attribute_max = SN_URDF_ATTRIBUTE_MAX,
                                 .attributes_max = SN_URDF_ATTRIBUTES_MAX,
                                 .judge = judge};
  sn__xml_node *tree = NULL;
  if (report == NULL && sn_report_create(arena, &report, err) != SN_OK) {
    return SN_ENOMEM;
  }
  sn_status status = sn__xml_parse(arena, text, size, &config, report, &tree);
  status = status == SN_OK ? check_root(tree, report) : status;
  if (status == SN_ENOMEM) {
    return sn__fail(err, status, "%s: no memory", file);
  }
  if (status != SN_OK) {
    return sn__report_fail(report, SN_EINVAL, err);
  }
  *root = tree;
  return SN_OK;
}

static sn_status expand(sn_arena *arena, const char *path, sn_packages *packages,
                        const char *const *arguments, sn_report *report, sn__srdf_text *out,
                        sn_error *err) {
  const sn_packages_config config = {.robot_file = path};
  sn_xacro_result result = {0};
  char name[600];
  snprintf(name, sizeof name, "%.560s, expanded", path); /* lines are those of `sinew xacro` */
  out->file = sn__report_text(report, name);
  if (out->file == NULL ||
      (packages == NULL && sn__packages_create(arena, &config, &packages, NULL) != SN_OK)) {
    return sn__fail(err, SN_ENOMEM, "%s: no memory", path);
  }
  const sn_status status = sn__xacro_load(arena, path, packages, arguments, report, &result);
  if (status != SN_OK) {
    return sn__report_fail(report, status == SN_EIO || status == SN_ENOMEM ? status : SN_EINVAL,
                           err);
  }
  out->text = result.text;
  out->size = result.size;
  return SN_OK;
}

sn_status sn__srdf_read_text(sn_arena *arena, const char *path, sn_packages *packages,
                             const char *const *arguments, sn_report *report, sn__srdf_text *out,
                             sn_error *err) {
  const char *kept = sn__report_text(report, path); /* problems refer to it */
  if (kept == NULL) {
    return sn__fail(err, SN_ENOMEM, "%s: no memory", path);
  }
  if (sn__xacro_is_meant(path)) {
    return expand(arena, kept, packages, arguments, report, out, err);
  }
  sn__file file;
  const sn_status status = sn__file_read(kept, SN_URDF_SIZE_MAX, report, &file, err);
  if (status != SN_OK) {
    return status;
  }
  *out = (sn__srdf_text){
      .file = kept, .text = sn_arena_text(arena, file.text, file.size), .size = file.size};
  sn__file_free(&file);
  return out->text == NULL ? sn__fail(err, SN_ENOMEM, "%s: no memory", path) : SN_OK;
}

sn_status sn__srdf_load(sn_arena *arena, const char *path, sn_report *report,
                        const sn__xml_node **root, sn_error *err) {
  sn__srdf_text source = {0};
  if (report == NULL && sn_report_create(arena, &report, err) != SN_OK) {
    return SN_ENOMEM;
  }
  const sn_status status = sn__srdf_read_text(arena, path, NULL, NULL, report, &source, err);
  return status == SN_OK
             ? sn__srdf_parse(arena, source.file, source.text, source.size, report, root, err)
             : status;
}
