#include "mjcf/mjcf.h"

#include <string.h>

#include "mjcf/mjcf_context.h"

/* ---- recognition ---- */

/* What follows a construct that ends with @p end. */
static const char *skip_to(const char *at, const char *limit, const char *end) {
  const size_t length = strlen(end);
  while ((size_t)(limit - at) >= length && memcmp(at, end, length) != 0) {
    at++;
  }
  return (size_t)(limit - at) < length ? limit : at + length;
}

bool sn__mjcf_is_meant(const char *text, size_t size) {
  static const char root[] = "<mujoco";
  const char *at = text, *limit = text + size;
  while (at < limit) {
    const size_t left = (size_t)(limit - at);
    if (*at != '<') {
      at++;
    } else if (left > 4 && memcmp(at, "<!--", 4) == 0) {
      at = skip_to(at + 4, limit, "-->");
    } else if (left > 2 && at[1] == '?') {
      at = skip_to(at + 2, limit, "?>");
    } else {
      const size_t length = sizeof root - 1;
      return left > length && memcmp(at, root, length) == 0 &&
             strchr(" \t\r\n/>", at[length]) != NULL;
    }
  }
  return false;
}

/* ---- conversion ---- */

/* Sections that say nothing about the robot itself. */
static const char *const sections[] = {"compiler", "default",   "asset",   "worldbody", "actuator",
                                       "equality", "keyframe",  "contact", "tendon",    "option",
                                       "visual",   "statistic", "size",    "custom",    "sensor"};

static void check_sections(sn__mjcf *m) {
  for (const sn__xml_node *node = m->root->first_child; node != NULL; node = node->next) {
    bool is_known = false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
      is_known = is_known || sn__xml_same(node->name, sections[i]);
    }
    if (!is_known) {
      sn__mjcf_unknown(m, node, "mujoco");
    }
  }
}

static void start(sn__mjcf *m) {
  const char *name = sn__xml_attribute_value(m->root, "model");
  m->urdf = sn__mjcf_add(m, NULL, "robot", m->root);
  m->srdf = sn__mjcf_add(m, NULL, "robot", m->root);
  sn__mjcf_set(m, m->urdf, "name", name == NULL ? "MuJoCo Model" : name);
  sn__mjcf_set(m, m->srdf, "name", name == NULL ? "MuJoCo Model" : name);
}

static sn_status write(sn__mjcf *m, bool has_semantics, sn__mjcf_result *out) {
  sn__mjcf_result result = {.urdf = m->urdf};
  result.urdf_text = sn__xml_write(m->arena, m->urdf, SN__MJCF_BYTES_MAX, &result.urdf_size);
  if (has_semantics) {
    result.srdf_text = sn__xml_write(m->arena, m->srdf, SN__MJCF_BYTES_MAX, &result.srdf_size);
  }
  if (result.urdf_text == NULL || (has_semantics && result.srdf_text == NULL)) {
    return SN_ENOMEM;
  }
  *out = result;
  return SN_OK;
}

static sn_status convert(sn__mjcf *m, sn__mjcf_result *out) {
  check_sections(m);
  start(m);
  sn__mjcf_read_settings(m);
  sn__mjcf_read_defaults(m);
  sn__mjcf_read_assets(m);
  if (!m->is_out_of_memory) {
    sn__mjcf_read_bodies(m);
  }
  if (m->is_too_large) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, m->root, NULL,
                     "the robot has too many bodies and joints");
    return SN_ELIMIT;
  }
  if (m->is_out_of_memory) {
    return SN_ENOMEM;
  }
  sn__mjcf_read_drives(m);
  sn__mjcf_read_equality(m);
  sn__mjcf_write_limits(m);
  const bool has_semantics = sn__mjcf_read_semantics(m);
  if (m->is_out_of_memory) {
    return SN_ENOMEM;
  }
  return sn_report_error_count(m->report) > 0 ? SN_EMODEL : write(m, has_semantics, out);
}

sn_status sn__mjcf_convert(sn_arena *arena, const char *text, size_t size,
                           const sn__mjcf_config *config, sn_report *report, sn__mjcf_result *out) {
  sn__mjcf m = {.arena = arena, .report = report, .config = config};
  const sn_status status = sn__mjcf_read(&m, text, size, &m.root);
  return status == SN_OK ? convert(&m, out) : status;
}
