#include <string.h>

#include "base/fail.h"
#include "ik/ik.h"
#include "model/groups.h"

/* The request, with defaults filled in. */
typedef struct request {
  const char *group_name;
  const sn_group *group; /* whose joints alone may be used, or NULL */
  const char *base_frame;
  const char *const *tip_frames;
  size_t tip_count;
  const char *chain_tip; /* room for the tip of a chain of the model */
} request;

sn_status sn__ik_no_room(const sn_arena *arena, sn_error *err) {
  return sn__fail(err, SN_ENOMEM, "ik: no room in arena '%s'", sn_arena_name(arena));
}

static const char *link_name(const sn_model *model, int link) {
  return sn_model_link(model, (size_t)link)->name;
}

/* The group's name denotes a chain or a group; anything else is rejected. */
static sn_status resolve_group(const sn_model *model, const char *name, request *r, sn_error *err) {
  const int chain_index = sn_model_chain_index(model, name);
  if (chain_index >= 0) {
    const sn_chain *chain = sn_model_chain(model, (size_t)chain_index, true);
    if (r->base_frame == NULL) {
      r->base_frame = link_name(model, chain->first_link);
    }
    if (r->tip_count == 0) {
      r->chain_tip = link_name(model, chain->last_link);
      r->tip_frames = &r->chain_tip;
      r->tip_count = 1;
    }
    return SN_OK;
  }
  const int group_index = sn_names_index(sn__model_group_names(model), name);
  if (group_index < 0) {
    return sn__fail(err, SN_ENOENT, "ik: robot '%s' has no chain or group '%s'",
                    sn_model_name(model), name);
  }
  r->group = sn__model_group(model, (size_t)group_index);
  return SN_OK;
}

static sn_status resolve(const sn_model *model, const sn_ik_config *config, request *r,
                         sn_error *err) {
  *r = (request){.group_name = config->group == NULL ? "" : config->group,
                 .base_frame = config->base_frame,
                 .tip_frames = config->tip_frames,
                 .tip_count = config->tip_count};
  if (config->group != NULL) {
    const sn_status status = resolve_group(model, config->group, r, err);
    if (status != SN_OK) {
      return status;
    }
  }
  if (r->base_frame == NULL) {
    return sn__fail(err, SN_EINVAL, "ik: no base_frame given, and the group '%s' is not a chain",
                    r->group_name);
  }
  if (r->tip_count == 0 || r->tip_frames == NULL) {
    return sn__fail(err, SN_EINVAL, "ik: no tip_frames given, and the group '%s' is not a chain",
                    r->group_name);
  }
  return SN_OK;
}

static sn_status copy_frames(sn_arena *arena, sn_ik *ik, const request *r, sn_error *err) {
  ik->setup.tip_count = r->tip_count;
  ik->group_name = sn_arena_text(arena, r->group_name, strlen(r->group_name));
  ik->tip_frames = SN_NEW(arena, const char *, r->tip_count);
  if (ik->group_name == NULL || ik->tip_frames == NULL) {
    return sn__ik_no_room(arena, err);
  }
  ik->base_link = sn_model_link_index(ik->model, r->base_frame);
  if (ik->base_link < 0) {
    return sn__fail(err, SN_ENOENT, "ik: robot '%s' has no link '%s'", sn_model_name(ik->model),
                    r->base_frame);
  }
  ik->base_frame = link_name(ik->model, ik->base_link);
  for (size_t t = 0; t < r->tip_count; t++) {
    const int tip =
        r->tip_frames[t] == NULL ? -1 : sn_model_link_index(ik->model, r->tip_frames[t]);
    if (tip < 0) {
      return sn__fail(err, SN_ENOENT, "ik: robot '%s' has no link '%s'", sn_model_name(ik->model),
                      r->tip_frames[t] == NULL ? "(null)" : r->tip_frames[t]);
    }
    ik->tip_frames[t] = link_name(ik->model, tip);
    for (size_t other = 0; other < t; other++) {
      if (ik->tip_frames[other] == ik->tip_frames[t]) {
        return sn__fail(err, SN_EINVAL, "ik: tip '%s' appears twice", r->tip_frames[t]);
      }
    }
  }
  return SN_OK;
}

static bool group_has(const sn_group *group, int pose_index) {
  for (size_t i = 0; i < group->joint_count; i++) {
    if (group->joints[i] == pose_index) {
      return true;
    }
  }
  return false;
}

static sn_status check_joint(const sn_ik *ik, const sn_group *group, int pose_index,
                             sn_error *err) {
  const sn_joint *joint = sn_model_joint(ik->model, (size_t)pose_index);
  if (joint->type == SN_JOINT_FLOATING || joint->type == SN_JOINT_PLANAR) {
    return sn__fail(err, SN_EINVAL, "ik: joint '%s' is %s and not driven: start below it",
                    joint->name, joint->type == SN_JOINT_FLOATING ? "floating" : "planar");
  }
  if (group != NULL && !group_has(group, pose_index)) {
    return sn__fail(err, SN_EINVAL,
                    "ik: joint '%s' lies between base and tip but is not in group '%s'",
                    joint->name, group->name);
  }
  return SN_OK;
}

/* Create one chain per tip and number their joints, each once. */
static sn_status cut_chains(sn_arena *arena, sn_ik *ik, const request *r, sn_error *err) {
  const size_t pose_size = sn_model_pose_size(ik->model);
  sn_ik_tip *tips = SN_NEW(arena, sn_ik_tip, r->tip_count);
  int *joints = SN_NEW(arena, int, pose_size);
  ik->group_index = SN_NEW(arena, int, pose_size);
  if (tips == NULL || joints == NULL || ik->group_index == NULL) {
    return sn__ik_no_room(arena, err);
  }
  for (size_t i = 0; i < pose_size; i++) {
    ik->group_index[i] = -1;
  }
  size_t n = 0;
  for (size_t t = 0; t < r->tip_count; t++) {
    const sn_status status =
        sn_chain_create(arena, ik->model, ik->base_frame, ik->tip_frames[t], &tips[t].chain, err);
    if (status != SN_OK) {
      return status;
    }
    const sn_chain *chain = tips[t].chain;
    if (chain->joint_count == 0) {
      return sn__fail(err, SN_EINVAL, "ik: no movable joint between '%s' and '%s'", ik->base_frame,
                      ik->tip_frames[t]);
    }
    int *places = SN_NEW(arena, int, chain->joint_count);
    if (places == NULL) {
      return sn__ik_no_room(arena, err);
    }
    for (size_t i = 0; i < chain->joint_count; i++) {
      const int pose_index = chain->joints[i];
      const sn_status fit = check_joint(ik, r->group, pose_index, err);
      if (fit != SN_OK) {
        return fit;
      }
      if (ik->group_index[pose_index] < 0) {
        ik->group_index[pose_index] = (int)n;
        joints[n++] = pose_index;
      }
      places[i] = ik->group_index[pose_index];
    }
    tips[t].joints = places;
  }
  ik->setup.joint_count = n;
  ik->setup.joints = joints;
  ik->setup.tips = tips;
  return SN_OK;
}

static sn_status name_joints(sn_arena *arena, sn_ik *ik, sn_error *err) {
  const size_t n = ik->setup.joint_count;
  const char **names = SN_NEW(arena, const char *, n);
  if (names == NULL) {
    return sn__ik_no_room(arena, err);
  }
  for (size_t i = 0; i < n; i++) {
    names[i] = sn_model_joint(ik->model, (size_t)ik->setup.joints[i])->name;
  }
  return sn_names_create(arena, names, n, &ik->joint_names, err);
}

static int parent_link(const sn_model *model, int link) {
  const int joint = sn_model_link(model, (size_t)link)->parent_joint;
  return joint < 0 ? -1 : sn_model_joint(model, (size_t)joint)->parent_link;
}

static sn_status name_links(sn_arena *arena, sn_ik *ik, sn_error *err) {
  const size_t link_count = sn_model_link_count(ik->model);
  bool *seen = SN_NEW(arena, bool, link_count);
  const char **names = SN_NEW(arena, const char *, link_count);
  if (seen == NULL || names == NULL) {
    return sn__ik_no_room(arena, err);
  }
  size_t count = 0;
  for (size_t t = 0; t < ik->setup.tip_count; t++) {
    size_t depth = 0;
    for (int link = ik->setup.tips[t].chain->last_link; link != ik->base_link && !seen[link];
         link = parent_link(ik->model, link)) {
      seen[link] = true;
      depth++;
    }
    /* The walk went up from the tip; names go from the base down. */
    int link = ik->setup.tips[t].chain->last_link;
    for (size_t i = depth; i-- > 0; link = parent_link(ik->model, link)) {
      names[count + i] = link_name(ik->model, link);
    }
    count += depth;
  }
  return sn_names_create(arena, names, count, &ik->link_names, err);
}

sn_status sn__ik_find_group(sn_arena *arena, sn_ik *ik, const sn_ik_config *config, sn_error *err) {
  request r;
  sn_status status = resolve(ik->model, config, &r, err);
  if (status == SN_OK) {
    status = copy_frames(arena, ik, &r, err);
  }
  if (status == SN_OK) {
    status = cut_chains(arena, ik, &r, err);
  }
  if (status == SN_OK) {
    status = name_joints(arena, ik, err);
  }
  if (status == SN_OK) {
    status = name_links(arena, ik, err);
  }
  return status;
}
