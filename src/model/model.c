#include "sinew/model.h"

#include <string.h>

#include "base/fail.h"
#include "base/report_internal.h"
#include "mjcf/mjcf.h"
#include "model/groups.h"
#include "model/model_data.h"
#include "model/srdf/srdf.h"
#include "sinew/fault.h"

/* Shapes of a link, from scratch memory. */
static bool copy_shapes(sn__build *build, size_t count, const sn_shape **list) {
  if (count == 0) {
    *list = NULL;
    return true;
  }
  sn_shape *shapes = SN_NEW(build->arena, sn_shape, count);
  for (size_t i = 0; shapes != NULL && i < count; i++) {
    shapes[i] = (*list)[i];
    if (shapes[i].mesh != NULL) {
      shapes[i].mesh = sn_arena_text(build->arena, shapes[i].mesh, strlen(shapes[i].mesh));
      shapes = shapes[i].mesh == NULL ? NULL : shapes;
    }
  }
  *list = shapes;
  return shapes != NULL;
}

/* The links of the file in tree order, with their properties. */
static bool copy_links(sn__build *build) {
  const sn__urdf_robot *robot = build->robot;
  sn_model *model = build->model;
  const size_t n = robot->link_count;
  const char **names = SN_NEW(build->scratch, const char *, n);
  int *urdf_joint = SN_NEW(build->scratch, int, n);
  sn_place *place = SN_NEW(build->scratch, sn_place, n);
  build->links = SN_NEW(build->arena, sn_link, n);
  if (names == NULL || urdf_joint == NULL || place == NULL || build->links == NULL) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    const sn__urdf_link *source = &robot->links[robot->link_order[i]];
    build->links[i] = source->link;
    build->links[i].parent_joint = -1;
    sn_link *link = &build->links[i];
    if (!copy_shapes(build, link->shape_count, &link->shapes) ||
        !copy_shapes(build, link->visual_count, &link->visuals)) {
      return false;
    }
    urdf_joint[i] = source->parent_joint;
    place[i] = source->place;
    names[i] = source->link.name;
  }
  if (sn_names_create(build->arena, names, n, &model->link_names, NULL) != SN_OK) {
    return false;
  }
  for (size_t i = 0; i < n; i++) {
    build->links[i].name = sn_names_at(model->link_names, i);
  }
  model->link_count = n;
  model->links = build->links;
  build->urdf_joint = urdf_joint;
  build->link_place = place;
  return true;
}

static bool build_model(sn__build *build, const sn_value *properties) {
  sn__layout layout;
  if (!copy_links(build) || !sn__layout_read(build, properties, &layout) ||
      !sn__order_joints(build, &layout)) {
    return false;
  }
  sn__joint_limits_read(build, &layout); /* chains copy the limits of their joints */
  return sn__compile_bodies(build, &layout) && sn__contacts_read(build, &layout) &&
         sn__compile_chains(build, &layout) && sn__groups_read(build, &layout) &&
         sn__semantics_read(build);
}

/* The SRDF of the configuration, if there is one. */
static sn_status parse_srdf(sn_arena *scratch, const sn_model_config *config, sn_report *report,
                            const sn__xml_node **root) {
  if (config->srdf == NULL) {
    return SN_OK;
  }
  const char *file = config->srdf_file == NULL ? "srdf" : config->srdf_file;
  const sn_status status =
      sn__srdf_parse(scratch, file, config->srdf, config->srdf_size, report, root, NULL);
  return status == SN_EINVAL ? SN_EMODEL : status;
}

/* @return false: no memory */
static bool keep_srdf(sn_arena *arena, const sn_model_config *config, sn__semantics *out) {
  if (config->srdf != NULL) {
    const char *file = config->srdf_file == NULL ? "srdf" : config->srdf_file;
    out->text = sn_arena_text(arena, config->srdf, config->srdf_size);
    out->text_size = config->srdf_size;
    out->text_file = sn_arena_text(arena, file, strlen(file));
  }
  return config->srdf == NULL || (out->text != NULL && out->text_file != NULL);
}

/* If the text is MJCF, the URDF and SRDF that say the same instead. */
static sn_status convert(sn_arena *scratch, sn_report *report, sn__model_text *source,
                         sn_model_config *config) {
  if (source->tree != NULL || !sn__mjcf_is_meant(source->text, source->size)) {
    return SN_OK;
  }
  const char *file = config->file == NULL ? "robot_description" : config->file;
  const sn__mjcf_config settings = {
      .file = file, .context = source->read_context, .read = source->read};
  sn__mjcf_result result = {0};
  const sn_status status =
      sn__mjcf_convert(scratch, source->text, source->size, &settings, report, &result);
  if (status == SN_OK) {
    *source =
        (sn__model_text){.text = result.urdf_text, .size = result.urdf_size, .tree = result.urdf};
  }
  if (status == SN_OK && config->srdf == NULL) {
    config->srdf = result.srdf_text;
    config->srdf_size = result.srdf_size;
    config->srdf_file = file;
  }
  return status;
}

/* Everything except the clean-up. */
static sn_status parse(sn_arena *arena, sn_arena *scratch, const sn__model_text *source,
                       const sn_model_config *config, sn_report *report, const sn_model **out) {
  const char *text = source->text;
  const size_t size = source->size;
  const char *file = config->file == NULL ? "robot_description" : config->file;
  sn__urdf_context context = {.arena = scratch,
                              .report = report,
                              .text = text,
                              .size = size,
                              .tree = source->tree,
                              .file = file,
                              .config = config};
  sn__urdf_robot robot;
  const sn__xml_node *srdf = NULL;
  sn_status status = sn__urdf_read(&context, &robot);
  status = status == SN_OK ? parse_srdf(scratch, config, report, &srdf) : status;
  if (status != SN_OK) {
    return status;
  }
  sn_model *model = SN_NEW(arena, sn_model, 1);
  if (model == NULL) {
    return SN_ENOMEM;
  }
  model->name = sn_arena_text(arena, robot.name, strlen(robot.name));
  model->description = sn_arena_text(arena, text, size);
  model->description_size = size;
  sn__build build = {.scratch = scratch,
                     .arena = arena,
                     .report = report,
                     .robot = &robot,
                     .model = model,
                     .srdf = srdf};
  if (model->name == NULL || model->description == NULL ||
      !keep_srdf(arena, config, &model->semantics) || !build_model(&build, config->properties)) {
    return SN_ENOMEM;
  }
  if (sn_report_error_count(report) > 0) {
    return SN_EMODEL;
  }
  *out = model;
  return SN_OK;
}

sn_status sn__model_parse(sn_arena *arena, const sn__model_text *source,
                          const sn_model_config *config, sn_report *report, const sn_model **out,
                          sn_error *err) {
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "model scratch", 256 * 1024);
  const sn_arena_mark mark = sn_arena_save(arena);
  sn_report *problems = report;
  sn_status status = report == NULL ? sn_report_create(&scratch, &problems, NULL) : SN_OK;
  if (status == SN_OK) {
    sn_model_config settings = config == NULL ? (sn_model_config){0} : *config;
    sn__model_text urdf = *source;
    status = sn_report_error_count(problems) > 0 ? SN_EMODEL
                                                 : convert(&scratch, problems, &urdf, &settings);
    status = status == SN_OK ? parse(arena, &scratch, &urdf, &settings, problems, out) : status;
  }
  if (status != SN_OK) {
    sn_arena_restore(arena, mark);
    if (problems == NULL) {
      (void)sn__fail(err, status, "%s", sn_status_text(status));
    } else {
      (void)sn__report_fail(problems, status, err);
    }
  }
  sn_arena_release(&scratch);
  return status;
}

sn_status sn_model_parse(sn_arena *arena, const char *text, size_t size,
                         const sn_model_config *config, sn_report *report, const sn_model **out,
                         sn_error *err) {
  const sn__model_text source = {.text = text, .size = size};
  return sn__model_parse(arena, &source, config, report, out, err);
}

const char *sn_model_name(const sn_model *model) {
  return model->name;
}

const char *sn_model_description(const sn_model *model, size_t *size) {
  if (size != NULL) {
    *size = model->description_size;
  }
  return model->description;
}

size_t sn_model_link_count(const sn_model *model) {
  return model->link_count;
}

const sn_link *sn_model_link(const sn_model *model, size_t index) {
  SN_ASSERT(index < model->link_count);
  return &model->links[index];
}

int sn_model_link_index(const sn_model *model, const char *name) {
  return sn_names_index(model->link_names, name);
}

size_t sn_model_joint_count(const sn_model *model) {
  return model->joint_count;
}

const sn_joint *sn_model_joint(const sn_model *model, size_t index) {
  SN_ASSERT(index < model->joint_count);
  return &model->joints[index];
}

size_t sn_model_pose_size(const sn_model *model) {
  return model->pose_size;
}

size_t sn_model_dof(const sn_model *model) {
  return model->dof;
}

const sn_names *sn_model_joint_names(const sn_model *model) {
  return model->joint_names;
}

int sn_model_joint_index(const sn_model *model, const char *name) {
  return sn_names_index(model->joint_names, name);
}

const sn_names *sn_model_chain_names(const sn_model *model) {
  return model->chain_names;
}

int sn_model_chain_index(const sn_model *model, const char *name) {
  return sn_names_index(model->chain_names, name);
}

const sn_chain *sn_model_chain(const sn_model *model, size_t index, bool with_virtual) {
  SN_ASSERT(index < sn_names_count(model->chain_names));
  const sn__chain_data *chain = &model->chains[index];
  return with_virtual ? &chain->full : &chain->physical;
}

const int *sn_model_chain_joints(const sn_model *model, size_t index, size_t *count) {
  SN_ASSERT(index < sn_names_count(model->chain_names));
  *count = model->chains[index].joint_count;
  return model->chains[index].joints;
}

int sn_model_chain_default_contact(const sn_model *model, size_t index) {
  SN_ASSERT(index < sn_names_count(model->chain_names));
  return model->chains[index].default_contact;
}

const char *sn_model_chain_property(const sn_model *model, size_t index, const char *key) {
  SN_ASSERT(index < sn_names_count(model->chain_names));
  const sn__chain_data *chain = &model->chains[index];
  for (size_t i = 0; i < chain->property_count; i++) {
    if (strcmp(chain->properties[i].key, key) == 0) {
      return chain->properties[i].value;
    }
  }
  return NULL;
}

sn_status sn__model_joints_chains(const sn_model *model, const char *const *joints,
                                  size_t joint_count, int *chains, size_t capacity, size_t *count) {
  bool is_met[SN_CHAINS_MAX] = {false};
  int met[SN_CHAINS_MAX];
  size_t met_count = 0;
  for (size_t i = 0; i < joint_count; i++) {
    const int joint = sn_model_joint_index(model, joints[i]);
    const int chain = joint < 0 ? -1 : model->joints[joint].chain;
    if (chain >= 0 && !is_met[chain]) {
      is_met[chain] = true;
      met[met_count++] = chain;
    }
  }
  if (met_count > capacity) {
    return SN_ENOSPC;
  }
  for (size_t i = 0; i < met_count; i++) { /* of none, chains may be NULL */
    chains[i] = met[i];
  }
  *count = met_count;
  return SN_OK;
}

const sn_names *sn_model_contact_names(const sn_model *model) {
  return model->contact_names;
}

int sn_model_contact_index(const sn_model *model, const char *name) {
  return sn_names_index(model->contact_names, name);
}

const sn_contact *sn_model_contact(const sn_model *model, size_t index) {
  SN_ASSERT(index < sn_names_count(model->contact_names));
  return &model->contacts[index];
}

sn_status sn_model_add_contact_points(const sn_model *model, const char *contact,
                                      sn_point_buffer *buffer) {
  const int index = sn_model_contact_index(model, contact);
  if (index < 0) {
    return SN_ENOENT;
  }
  const sn_contact *found = &model->contacts[index];
  if (found->point_count > buffer->capacity - buffer->count) {
    return SN_ENOSPC;
  }
  memcpy(buffer->points + buffer->count, found->points, found->point_count * sizeof *found->points);
  buffer->count += found->point_count;
  return SN_OK;
}

const sn_names *sn__model_group_names(const sn_model *model) {
  return model->group_names;
}

const sn_group *sn__model_group(const sn_model *model, size_t index) {
  SN_ASSERT(index < sn_names_count(model->group_names));
  return &model->groups[index];
}

const sn__semantics *sn__model_semantics(const sn_model *model) {
  return &model->semantics;
}

const sn_tree *sn_model_tree(const sn_model *model) {
  return &model->tree;
}
