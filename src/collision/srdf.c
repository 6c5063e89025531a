/* Pairs that are switched off: `<disable_collisions link1="" link2=""/>` of an SRDF, and those of
   the configuration. */
#include "model/urdf/srdf.h"

#include "base/fail.h"
#include "base/report_internal.h"
#include "collision/collision_internal.h"

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
    if (!sn__xml_same(node->name, "disable_collisions")) {
      continue;
    }
    const int a = link_of(build, node, "link1"), b = link_of(build, node, "link2");
    if (a >= 0 && b >= 0) {
      is_off[(size_t)a * n + (size_t)b] = is_off[(size_t)b * n + (size_t)a] = true;
    }
  }
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
  const char *file = config->srdf_file == NULL ? "srdf" : config->srdf_file;
  const sn__xml_node *root = NULL;
  sn_status status = SN_OK;
  if (config->srdf != NULL) {
    status =
        sn__srdf_parse(build->scratch, file, config->srdf, config->srdf_size, &root, build->err);
  } else if (config->srdf_file != NULL) {
    status = sn__srdf_load(build->scratch, file, &root, build->err);
  }
  if (status == SN_OK && root != NULL) {
    switch_off(build, root, is_off);
  }
  return status == SN_OK ? read_off(build, is_off) : status;
}
