#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"
#include "model/model_data.h"

/* Which group has which joint, while they are read. */
typedef struct membership {
  int *group; /* [pose_size] index of the group, -1 for none */
  int current;
  const sn_value *value; /* the group being read */
} membership;

static void take_joint(sn__build *build, const sn__layout *layout, membership *m, int joint) {
  if (m->group[joint] >= 0 && m->group[joint] != m->current) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, m->value->place, NULL,
                   "groups '%.80s' and '%.80s' share joint '%.80s'",
                   layout->groups->items[m->group[joint]]->name, m->value->name,
                   build->model->joints[joint].name);
    return;
  }
  m->group[joint] = m->current;
}

static void take_chain(sn__build *build, const sn__layout *layout, membership *m,
                       const sn_value *item, const char *name) {
  const int index = sn_names_index(build->model->chain_names, name);
  if (index < 0) {
    if (layout->declared == NULL || sn_value_find(layout->declared, name) == NULL) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, item->place, NULL,
                     "group '%.80s': '%.80s' is not a chain", m->value->name, name);
    } /* otherwise the chain is invalid and was reported */
    return;
  }
  const sn__chain_data *chain = &build->model->chains[index];
  for (size_t i = 0; i < chain->joint_count; i++) {
    take_joint(build, layout, m, chain->joints[i]);
  }
}

static void take_named_joint(sn__build *build, const sn__layout *layout, membership *m,
                             const sn_value *item, const char *name) {
  const int joint = sn_names_index(build->model->joint_names, name);
  if (joint < 0) {
    sn__report_add(build->report, SN_SEVERITY_ERROR, item->place, NULL,
                   "group '%.80s': '%.80s' is not a movable joint", m->value->name, name);
    return;
  }
  take_joint(build, layout, m, joint);
}

static void read_group(sn__build *build, const sn__layout *layout, membership *m) {
  if (!sn__value_expect(build->report, m->value, SN_VALUE_BAG)) {
    return;
  }
  for (size_t k = 0; k < m->value->item_count; k++) {
    const sn_value *list = m->value->items[k];
    const bool is_chains = strcmp(list->name, "chains") == 0;
    if (!is_chains && strcmp(list->name, "joints") != 0) {
      sn__report_add(build->report, SN_SEVERITY_ERROR, list->place, "known are chains and joints",
                     "group '%.80s': unknown property '%.80s'", m->value->name, list->name);
      continue;
    }
    if (!sn__value_expect(build->report, list, SN_VALUE_LIST)) {
      continue;
    }
    for (size_t i = 0; i < list->item_count; i++) {
      const char *name = sn__value_expect_text(build->report, list->items[i]);
      if (name != NULL) {
        (is_chains ? take_chain : take_named_joint)(build, layout, m, list->items[i], name);
      }
    }
  }
}

/* The joints of one group, ascending. */
static bool collect(sn__build *build, const membership *m, size_t group, sn_group *out) {
  size_t count = 0;
  for (size_t i = 0; i < build->model->pose_size; i++) {
    count += m->group[i] == (int)group ? 1 : 0;
  }
  int *joints = SN_NEW(build->arena, int, count);
  if (joints == NULL) {
    return false;
  }
  for (size_t i = 0; i < build->model->pose_size; i++) {
    if (m->group[i] == (int)group) {
      joints[out->joint_count++] = (int)i;
    }
  }
  out->joints = joints;
  out->name = sn_names_at(build->model->group_names, group);
  return true;
}

bool sn__groups_read(sn__build *build, const sn__layout *layout) {
  const sn_value *bag = layout->groups;
  const bool is_there = bag != NULL && sn__value_expect(build->report, bag, SN_VALUE_BAG);
  const size_t count = is_there ? bag->item_count : 0;
  sn_group *groups = SN_NEW(build->arena, sn_group, count);
  const char **names = SN_NEW(build->scratch, const char *, count);
  membership m = {.group = SN_NEW(build->scratch, int, build->model->pose_size)};
  if (groups == NULL || names == NULL || m.group == NULL) {
    return false;
  }
  for (size_t i = 0; i < build->model->pose_size; i++) {
    m.group[i] = -1;
  }
  for (size_t i = 0; i < count; i++) {
    names[i] = bag->items[i]->name;
    m.current = (int)i;
    m.value = bag->items[i];
    read_group(build, layout, &m);
  }
  if (sn_names_create(build->arena, names, count, &build->model->group_names, NULL) != SN_OK) {
    return false;
  }
  build->model->groups = groups;
  for (size_t i = 0; i < count; i++) {
    if (!collect(build, &m, i, &groups[i])) {
      return false;
    }
  }
  return true;
}
