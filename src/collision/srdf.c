/* Pairs that are switched off: those of the model, of another SRDF file and of the configuration.
 */
#include "model/srdf/srdf.h"

#include "base/fail.h"
#include "collision/collision_internal.h"
#include "model/srdf/semantics.h"

/* Links are few, and each pair is written once or twice: no list is needed for "all others". */
static void apply(const sn__semantic_pair *pairs, size_t count, size_t link_count, bool *is_off) {
  for (size_t i = 0; i < count; i++) {
    const size_t a = (size_t)pairs[i].a;
    const bool is_all = pairs[i].b < 0;
    const size_t first = is_all ? 0 : (size_t)pairs[i].b;
    const size_t last = is_all ? link_count - 1 : first;
    for (size_t b = first; b <= last; b++) {
      is_off[a * link_count + b] = is_off[b * link_count + a] = !pairs[i].is_checked;
    }
  }
}

/* @return false: no memory */
static bool switch_off(sn__collision_build *build, const sn__xml_node *root, bool *is_off) {
  const sn__semantic_pair *pairs = NULL;
  size_t count = 0;
  const bool has_room =
      sn__semantics_pairs(build->scratch, root, build->model, build->report, &pairs, &count);
  if (has_room) {
    apply(pairs, count, sn_model_link_count(build->model), is_off);
  }
  return has_room;
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
  const sn__semantics *own = sn__model_semantics(build->model);
  apply(own->pairs, own->pair_count, sn_model_link_count(build->model), is_off);
  if (config->srdf != NULL) {
    status = sn__srdf_parse(build->scratch, file, config->srdf, config->srdf_size, NULL, &root,
                            build->err);
  } else if (config->srdf_file != NULL) {
    status = sn__srdf_load(build->scratch, file, NULL, &root, build->err);
  }
  if (status == SN_OK && root != NULL && !switch_off(build, root, is_off)) {
    status = sn__fail(build->err, SN_ENOMEM, "%s: no memory", file);
  }
  return status == SN_OK ? read_off(build, is_off) : status;
}
