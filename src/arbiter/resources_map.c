/* Which resources exist, and which joints belong to each.

   A resource is a chain, a group, or something without joints that the deployment declares. A chain
   and a group may have the same name and different joints (a chain `head`, and a group `head` that
   also holds the chain `nose`). Each joint is assigned on its own: to its chain if that is listed,
   otherwise to its group. So `head` means the whole group unless `nose` is listed as well. */
#include <string.h>

#include "arbiter/resources_control.h"
#include "base/fail.h"
#include "model/groups.h"

static bool group_has_joint(const sn_group *group, size_t joint) {
  for (size_t k = 0; k < group->joint_count; k++) {
    if (group->joints[k] == (int)joint) {
      return true;
    }
  }
  return false;
}

/* Groups do not overlap. @return -1: the joint is in no group */
static int group_of_joint(const sn_model *model, size_t joint) {
  for (size_t g = 0; g < sn_names_count(sn__model_group_names(model)); g++) {
    if (group_has_joint(sn__model_group(model, g), joint)) {
      return (int)g;
    }
  }
  return -1;
}

/* ---- names ---- */

static bool chain_owns_joint(const sn_model *model, size_t chain) {
  for (size_t j = 0; j < sn_model_pose_size(model); j++) {
    if (sn_model_joint(model, j)->chain == (int)chain) {
      return true;
    }
  }
  return false;
}

/* A group whose joints are all in no chain is the only way to own them. */
static bool is_apart(const sn_model *model, const sn_group *group) {
  for (size_t k = 0; k < group->joint_count; k++) {
    if (sn_model_joint(model, (size_t)group->joints[k])->chain >= 0) {
      return false;
    }
  }
  return group->joint_count > 0 && sn_model_chain_index(model, group->name) < 0;
}

/* All chains that own a joint (one that shares all of its joints with earlier chains moves
   nothing), and the groups of joints that no chain has. */
static size_t name_all(const sn_model *model, const char **names) {
  size_t count = 0;
  const sn_names *chains = sn_model_chain_names(model);
  for (size_t c = 0; c < sn_names_count(chains); c++) {
    if (chain_owns_joint(model, c)) {
      names[count++] = sn_names_at(chains, c);
    }
  }
  for (size_t g = 0; g < sn_names_count(sn__model_group_names(model)); g++) {
    if (is_apart(model, sn__model_group(model, g))) {
      names[count++] = sn__model_group(model, g)->name;
    }
  }
  return count;
}

static bool is_of_robot(const sn_model *model, const char *name) {
  return sn_model_chain_index(model, name) >= 0 ||
         sn_names_index(sn__model_group_names(model), name) >= 0;
}

static sn_status check_names(const sn__resources_control *self, sn_error *err) {
  for (size_t i = 0; i < self->resources.count; i++) {
    const char *name = self->resources.data[i];
    if (!is_of_robot(self->model, name)) {
      return sn__fail(err, SN_ENOENT,
                      "resources: the robot has no chain or group '%s'; list resources without "
                      "joints in other_resources",
                      name);
    }
  }
  for (size_t i = 0; i < self->other_resources.count; i++) {
    const char *name = self->other_resources.data[i];
    if (is_of_robot(self->model, name) || sn_model_joint_index(self->model, name) >= 0) {
      return sn__fail(err, SN_EINVAL,
                      "other_resources: '%s' is a chain, group or joint of the robot; list chains "
                      "and groups in resources",
                      name);
    }
  }
  return SN_OK;
}

static sn_status create_names(sn__resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const size_t count_max = sn_names_count(sn_model_chain_names(self->model)) +
                           sn_names_count(sn__model_group_names(self->model)) +
                           self->resources.count + self->other_resources.count;
  const char **names = SN_NEW(arena, const char *, count_max);
  if (names == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  size_t count = self->resources.count;
  if (count == 0) {
    count = name_all(self->model, names);
  } else {
    memcpy(names, self->resources.data, count * sizeof *names);
  }
  for (size_t i = 0; i < self->other_resources.count; i++) {
    names[count++] = self->other_resources.data[i];
  }
  if (count == 0 || count > SN_RESOURCES_MAX) {
    return sn__fail(err, SN_ELIMIT, "%zu resources, expected 1 .. %d", count, SN_RESOURCES_MAX);
  }
  return sn_names_create(arena, names, count, &self->map.resources, err);
}

/* ---- joints ---- */

/* @return the resource that the joint belongs to; -1: none */
static int resource_of_joint(const sn__resources_control *self, size_t joint) {
  const sn_model *model = self->model;
  const int chain = sn_model_joint(model, joint)->chain;
  const int group = group_of_joint(model, joint);
  const int by_chain =
      chain < 0 ? -1
                : sn_names_index(self->map.resources,
                                 sn_names_at(sn_model_chain_names(model), (size_t)chain));
  if (by_chain >= 0 || group < 0) {
    return by_chain;
  }
  return sn_names_index(self->map.resources, sn__model_group(model, (size_t)group)->name);
}

/* A name that only a group has means all of the group: no listed chain may have a part of it. */
static sn_status check_group(const sn__resources_control *self, const int *of_joint, size_t joint,
                             sn_error *err) {
  const int group = group_of_joint(self->model, joint);
  const char *name = group < 0 ? NULL : sn__model_group(self->model, (size_t)group)->name;
  const int resource = name == NULL ? -1 : sn_names_index(self->map.resources, name);
  if (resource < 0 || sn_model_chain_index(self->model, name) >= 0 || of_joint[joint] == resource) {
    return SN_OK;
  }
  return sn__fail(err, SN_EINVAL, "resources: joint '%s' is in both '%s' and '%s'; list only one",
                  sn_model_joint(self->model, joint)->name, name,
                  sn_names_at(self->map.resources, (size_t)of_joint[joint]));
}

static sn_status map_joints(sn__resources_control *self, int *of_joint, sn_error *err) {
  sn_status status = SN_OK;
  for (size_t j = 0; status == SN_OK && j < self->map.joint_count; j++) {
    of_joint[j] = resource_of_joint(self, j);
    status = check_group(self, of_joint, j, err);
  }
  self->map.resource_of_joint = of_joint;
  return status;
}

/* ---- chains and groups that are not resources themselves ---- */

static void add_joint(const int *of_joint, size_t joint, sn_resource_set *set) {
  if (of_joint[joint] >= 0) {
    sn_resource_set_add(set, (size_t)of_joint[joint]);
  }
}

static sn_resource_set find_parts(const sn_model *model, const int *of_joint, const char *name) {
  sn_resource_set set = sn_resource_set_none();
  const int chain = sn_model_chain_index(model, name);
  if (chain >= 0) {
    const sn_chain *joints = sn_model_chain(model, (size_t)chain, true);
    for (size_t i = 0; i < joints->joint_count; i++) {
      add_joint(of_joint, (size_t)joints->joints[i], &set);
    }
    return set;
  }
  const int index = sn_names_index(sn__model_group_names(model), name);
  const sn_group *group = sn__model_group(model, (size_t)index);
  for (size_t i = 0; i < group->joint_count; i++) {
    add_joint(of_joint, (size_t)group->joints[i], &set);
  }
  return set;
}

/* Names that mean the resources of their joints: a chain inside a group, a group of chains. */
static sn_status create_aliases(sn__resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  const sn_names *tables[] = {sn_model_chain_names(self->model),
                              sn__model_group_names(self->model)};
  const size_t count_max = sn_names_count(tables[0]) + sn_names_count(tables[1]);
  const char **names = SN_NEW(arena, const char *, count_max);
  sn_resource_set *sets = SN_NEW(arena, sn_resource_set, count_max);
  if (names == NULL || sets == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  size_t count = 0;
  for (size_t t = 0; t < 2; t++) {
    for (size_t i = 0; i < sn_names_count(tables[t]); i++) {
      const char *name = sn_names_at(tables[t], i);
      const bool is_known = sn_names_index(self->map.resources, name) >= 0 ||
                            (t == 1 && sn_names_index(tables[0], name) >= 0);
      if (!is_known) {
        sets[count] = find_parts(self->model, self->map.resource_of_joint, name);
        names[count++] = name;
      }
    }
  }
  self->map.alias_sets = sets;
  return sn_names_create(arena, names, count, &self->map.aliases, err);
}

sn_status sn__resources_map(sn__resources_control *self, sn_error *err) {
  sn_arena *arena = sn_component_arena(&self->component);
  self->map.joint_count = sn_model_pose_size(self->model);
  sn_status status = check_names(self, err);
  if (status == SN_OK) {
    status = create_names(self, err);
  }
  int *of_joint = SN_NEW(arena, int, self->map.joint_count);
  self->owners = sn__owners_create(arena, self->map.joint_count);
  if (status == SN_OK && (of_joint == NULL || self->owners == NULL)) {
    status = sn__fail(err, SN_ENOMEM, "no memory for resources");
  }
  if (status == SN_OK) {
    status = map_joints(self, of_joint, err);
  }
  return status == SN_OK ? create_aliases(self, err) : status;
}
