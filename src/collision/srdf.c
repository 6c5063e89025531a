/* SRDF, as far as it matters here: `<disable_collisions link1="" link2=""/>`. */
#include "base/fail.h"
#include "base/report_internal.h"
#include "collision/collision_internal.h"
#include "files/file.h"
#include "files/xml.h"

static sn__xml_verdict judge(void *context, sn_report *report, const sn__xml_node *parent,
                             const char *name, sn_place place) {
  (void)context, (void)report, (void)place;
  return parent == NULL || sn__xml_same(name, "disable_collisions") ? SN__XML_KEEP : SN__XML_SKIP;
}

static int link_of(sn__collision_build *build, const sn__xml_node *node, const char *attribute) {
  const char *name = sn__xml_attribute_value(node, attribute);
  const int link = name == NULL ? -1 : sn_model_link_index(build->model, name);
  if (link < 0 && build->report != NULL) {
    sn__report_add(build->report, SN_SEVERITY_WARNING, node->place, NULL,
                   "<disable_collisions> %s is '%.80s', which is not a link of the robot",
                   attribute, name == NULL ? "" : name);
  }
  return link;
}

static void switch_off(sn__collision_build *build, const sn__xml_node *root, bool *is_off) {
  const size_t n = sn_model_link_count(build->model);
  for (const sn__xml_node *node = root->first_child; node != NULL; node = node->next) {
    const int a = link_of(build, node, "link1"), b = link_of(build, node, "link2");
    if (a >= 0 && b >= 0) {
      is_off[(size_t)a * n + (size_t)b] = is_off[(size_t)b * n + (size_t)a] = true;
    }
  }
}

static sn_status read_text(sn__collision_build *build, const char *text, size_t size,
                           bool *is_off) {
  const char *file = build->config->srdf_file == NULL ? "srdf" : build->config->srdf_file;
  const sn__xml_config config = {.file = file,
                                 .size_max = SN_URDF_SIZE_MAX,
                                 .depth_max = SN_URDF_DEPTH_MAX,
                                 .attribute_max = SN_URDF_ATTRIBUTE_MAX,
                                 .attributes_max = SN_URDF_ATTRIBUTES_MAX,
                                 .judge = judge};
  sn_report *report = NULL;
  sn__xml_node *root = NULL;
  if (sn_report_create(build->scratch, &report, build->err) != SN_OK) {
    return SN_ENOMEM;
  }
  const sn_status status = sn__xml_parse(build->scratch, text, size, &config, report, &root);
  if (status != SN_OK) {
    const sn_problem *problem = sn_report_count(report) == 0 ? NULL : sn_report_at(report, 0);
    return problem == NULL ? sn__fail(build->err, status, "%s: cannot be read", file)
                           : sn__fail(build->err, SN_EINVAL, "%s:%u:%u: %s", file,
                                      problem->place.line, problem->place.column, problem->message);
  }
  switch_off(build, root, is_off);
  return SN_OK;
}

static sn_status read_file(sn__collision_build *build, bool *is_off) {
  sn__file file;
  sn_status status =
      sn__file_read(build->config->srdf_file, SN_URDF_SIZE_MAX, NULL, &file, build->err);
  if (status == SN_OK) {
    status = read_text(build, file.text, file.size, is_off);
    sn__file_free(&file);
  }
  return status;
}

/* A name that is not a link may be that of an object. One of the two must be a link. */
static sn_status read_off(sn__collision_build *build, bool *is_off) {
  const size_t n = sn_model_link_count(build->model);
  for (size_t i = 0; i < build->config->off_count; i++) {
    const sn__collision_off *off = &build->config->off[i];
    const int a = sn_model_link_index(build->model, off->link_a);
    const int b = sn_model_link_index(build->model, off->link_b);
    if (a < 0 && b < 0) {
      return sn__fail(build->err, SN_ENOENT, "neither '%.60s' nor '%.60s' is a link of the robot",
                      off->link_a, off->link_b);
    }
    if (a >= 0 && b >= 0) {
      is_off[(size_t)a * n + (size_t)b] = is_off[(size_t)b * n + (size_t)a] = true;
    }
  }
  return SN_OK;
}

sn_status sn__srdf_read(sn__collision_build *build, bool *is_off) {
  const sn__collision_config *config = build->config;
  sn_status status = SN_OK;
  if (config->srdf != NULL) {
    status = read_text(build, config->srdf, config->srdf_size, is_off);
  } else if (config->srdf_file != NULL) {
    status = read_file(build, is_off);
  }
  return status == SN_OK ? read_off(build, is_off) : status;
}
