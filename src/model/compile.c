#include <string.h>

#include "base/report_internal.h"
#include "model/model_data.h"

int sn__link_parent(const sn_model *model, int link) {
  const int joint = model->links[link].parent_joint;
  return joint < 0 ? -1 : model->joints[joint].parent_link;
}

/* The link above a link while joints still have the order of the file. */
static int link_above(const sn__build *build, const int *tree_index, int link) {
  const int joint = build->urdf_joint[link];
  return joint < 0 ? -1 : tree_index[build->robot->joints[joint].parent];
}

/* Place of every link of the file in tree order. */
static int *index_links(sn__build *build) {
  int *tree_index = SN_NEW(build->scratch, int, build->robot->link_count);
  if (tree_index != NULL) {
    for (size_t i = 0; i < build->robot->link_count; i++) {
      tree_index[build->robot->link_order[i]] = (int)i;
    }
  }
  return tree_index;
}

/* Assign pose indices along one chain, base to tip. */
static void order_chain(const sn__build *build, const int *tree_index, const sn__chain_plan *plan,
                        int chain, int *way, int *new_index, size_t *pose_size, int *owner) {
  size_t length = 0;
  const int tip = plan->last_link_virtual >= 0 ? plan->last_link_virtual : plan->last_link;
  for (int link = tip; link != plan->first_link; link = link_above(build, tree_index, link)) {
    way[length++] = build->urdf_joint[link];
  }
  while (length-- > 0) {
    const int joint = way[length];
    if (build->robot->joints[joint].joint.type != SN_JOINT_FIXED && new_index[joint] < 0) {
      owner[joint] = chain;
      new_index[joint] = (int)(*pose_size)++;
    }
  }
}

/* Then the other joints that the chain owns: more fingers of a gripper, mimic joints. */
static void order_members(const sn__build *build, const sn__layout *layout, int chain,
                          int *new_index, size_t *pose_size, int *owner) {
  for (size_t link = 1; layout->owner != NULL && link < build->robot->link_count; link++) {
    const int joint = build->urdf_joint[link];
    if (layout->owner[joint] == chain && new_index[joint] < 0) {
      owner[joint] = chain;
      new_index[joint] = (int)(*pose_size)++;
    }
  }
}

/* Copy the joints of the file into their final order. */
static bool copy_joints(sn__build *build, const int *tree_index, const int *new_index,
                        const int *owner) {
  const sn__urdf_robot *robot = build->robot;
  const char **names = SN_NEW(build->scratch, const char *, robot->joint_count);
  if (names == NULL) {
    return false;
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    const sn__urdf_joint *source = &robot->joints[i];
    sn_joint *joint = &build->joints[new_index[i]];
    *joint = source->joint;
    joint->name = sn_arena_text(build->arena, source->joint.name, strlen(source->joint.name));
    joint->parent_link = tree_index[source->parent];
    joint->child_link = tree_index[source->child];
    joint->mimic = source->mimic < 0 ? -1 : new_index[source->mimic];
    joint->chain = owner[i];
    joint->body = -1;
    build->links[joint->child_link].parent_joint = new_index[i];
    names[new_index[i]] = joint->name;
    const bool moves_itself = joint->type == SN_JOINT_REVOLUTE ||
                              joint->type == SN_JOINT_CONTINUOUS ||
                              joint->type == SN_JOINT_PRISMATIC;
    build->model->dof += moves_itself && source->mimic < 0 ? 1 : 0;
    if (joint->name == NULL) {
      return false;
    }
  }
  return sn_names_create(build->arena, names, build->model->pose_size, &build->model->joint_names,
                         NULL) == SN_OK;
}

bool sn__order_joints(sn__build *build, const sn__layout *layout) {
  const sn__urdf_robot *robot = build->robot;
  sn_model *model = build->model;
  int *tree_index = index_links(build);
  int *way = SN_NEW(build->scratch, int, robot->link_count);
  int *new_index = SN_NEW(build->scratch, int, robot->joint_count);
  int *owner = SN_NEW(build->scratch, int, robot->joint_count);
  build->joints = SN_NEW(build->arena, sn_joint, robot->joint_count);
  if (tree_index == NULL || way == NULL || new_index == NULL || owner == NULL ||
      build->joints == NULL) {
    return false;
  }
  for (size_t i = 0; i < robot->joint_count; i++) {
    new_index[i] = owner[i] = -1;
  }
  for (size_t c = 0; c < layout->chain_count; c++) {
    order_chain(build, tree_index, &layout->chains[c], (int)c, way, new_index, &model->pose_size,
                owner);
    order_members(build, layout, (int)c, new_index, &model->pose_size, owner);
  }
  /* First the movable joints of no chain, then the fixed ones, both in tree order. */
  size_t next = model->pose_size;
  for (int fixed = 0; fixed < 2; fixed++) {
    for (size_t link = 1; link < robot->link_count; link++) {
      const int joint = build->urdf_joint[link];
      const bool is_fixed = robot->joints[joint].joint.type == SN_JOINT_FIXED;
      if (new_index[joint] < 0 && is_fixed == (fixed != 0)) {
        new_index[joint] = (int)next++;
      }
    }
    model->pose_size = fixed == 0 ? next : model->pose_size;
  }
  model->joint_count = robot->joint_count;
  model->joints = build->joints;
  return copy_joints(build, tree_index, new_index, owner);
}

/* Links beyond a chain's last physical link exist for inverse kinematics only: they need no mass.
 */
static bool mark_virtual_links(sn__build *build, const sn__layout *layout) {
  bool *is_virtual = SN_NEW(build->arena, bool, build->model->link_count);
  for (size_t c = 0; is_virtual != NULL && c < layout->chain_count; c++) {
    const sn__chain_plan *plan = &layout->chains[c];
    for (int link = plan->last_link_virtual; link >= 0 && link != plan->last_link;
         link = sn__link_parent(build->model, link)) {
      is_virtual[link] = true;
    }
  }
  build->model->is_virtual = is_virtual;
  return is_virtual != NULL;
}

/* Warn about every moving link without a mass. If nothing below it has a mass either, its motion is
 * undetermined and dynamics will reject the robot. */
static void warn_massless(sn__build *build, bool *has_mass) {
  const sn_model *model = build->model;
  for (size_t i = model->link_count; i-- > 1;) {
    const int parent = sn__link_parent(model, (int)i);
    has_mass[i] = has_mass[i] || model->links[i].has_inertial;
    has_mass[parent] = has_mass[parent] || has_mass[i];
  }
  for (size_t i = 1; i < model->link_count; i++) {
    const bool moves = model->joints[model->links[i].parent_joint].body >= 0;
    if (moves && !model->links[i].has_inertial && !model->is_virtual[i]) {
      sn__report_add(build->report, SN_SEVERITY_WARNING, build->link_place[i],
                     has_mass[i] ? "its mass is taken as 0"
                                 : "dynamics will reject the robot until it has one",
                     "link '%.80s' moves but has no inertial", model->links[i].name);
    }
  }
}

bool sn__compile_bodies(sn__build *build, const sn__layout *layout) {
  sn_model *model = build->model;
  int *links = SN_NEW(build->scratch, int, model->link_count);
  int *parent = SN_NEW(build->scratch, int, model->link_count);
  bool *has_mass = SN_NEW(build->scratch, bool, model->link_count);
  sn__placed_link *placed = SN_NEW(build->scratch, sn__placed_link, model->link_count);
  if (links == NULL || parent == NULL || has_mass == NULL || placed == NULL ||
      !mark_virtual_links(build, layout)) {
    return false;
  }
  for (size_t i = 0; i < model->link_count; i++) {
    links[i] = (int)i;
    parent[i] = sn__link_parent(model, (int)i);
  }
  const sn__tree_plan plan = {.link_count = model->link_count,
                              .links = links,
                              .parent = parent,
                              .coord_count = model->pose_size};
  if (!sn__tree_compile(build->arena, model, &plan, placed, &model->tree)) {
    return false;
  }
  for (size_t i = 0; i < model->link_count; i++) {
    build->links[i].body = placed[i].body;
    build->links[i].pose_body_link = placed[i].pose_body_link;
    if (i > 0 && placed[i].body != placed[parent[i]].body) {
      build->joints[build->links[i].parent_joint].body = placed[i].body;
    }
  }
  warn_massless(build, has_mass);
  return true;
}
