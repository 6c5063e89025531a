/* What the deployment states about each chain: limits, free axes, nominal poses, weights. */
#include <string.h>

#include "base/fail.h"
#include "robot/kinematics_inv.h"
#include "sinew/system.h"

const sn_property sn__chain_free_properties[] = {
    SN_PROPERTY(sn__chain_free, "chain", chain, .doc = "A chain."),
    SN_PROPERTY(sn__chain_free, "axes", axes,
                .doc = "Axes of the target frame that are free: x, y, z, rx, ry, rz."),
    {0}};

const sn_property sn__chain_limits_properties[] = {
    SN_PROPERTY(sn__chain_limits, "chain", chain, .flags = SN_PROPERTY_REQUIRED, .doc = "A chain."),
    SN_PROPERTY(sn__chain_limits, "q_min", q_min, .unit = "rad or m",
                .doc = "Lower limits of its joints, from base to tip; empty: the robot's."),
    SN_PROPERTY(sn__chain_limits, "q_max", q_max, .unit = "rad or m",
                .doc = "Upper limits, likewise."),
    {0}};

const sn_property sn__chain_nominal_properties[] = {
    SN_PROPERTY(sn__chain_nominal, "chain", chain, .flags = SN_PROPERTY_REQUIRED,
                .doc = "A chain."),
    SN_PROPERTY(sn__chain_nominal, "q", q, .flags = SN_PROPERTY_REQUIRED, .unit = "rad or m",
                .doc = "Positions of its joints, from base to tip."),
    {0}};

const sn_property sn__chain_weights_properties[] = {
    SN_PROPERTY(sn__chain_weights, "chain", chain, .flags = SN_PROPERTY_REQUIRED,
                .doc = "A chain."),
    SN_PROPERTY(sn__chain_weights, "position", position, .initial = "1", .unit = "", .min = 0,
                .max = 1e6, .doc = "Of the squared distance, in lengths of the chain."),
    SN_PROPERTY(sn__chain_weights, "rotation", rotation, .initial = "1", .unit = "", .min = 0,
                .max = 1e6, .doc = "Of the squared angle, rad."),
    SN_PROPERTY(sn__chain_weights, "nominal", nominal, .initial = "0.01", .unit = "", .min = 0,
                .max = 1e6,
                .doc = "Of the squared distance of the joints from the nominal pose; up to 1 it is "
                       "also the share of the way there that a limb with a choice goes at once."),
    {0}};

static const char *name_of(const sn__kinematics_inv *self, size_t chain) {
  return sn_names_at(sn_model_chain_names(self->model), chain);
}

/* The item of a list that is about a chain; every item begins with its name. NULL: none */
static const void *find(const sn_bags *list, size_t size, const char *chain) {
  for (size_t i = 0; i < list->count; i++) {
    const void *item = (const char *)list->data + i * size;
    if (strcmp(*(const char *const *)item, chain) == 0) {
      return item;
    }
  }
  return NULL;
}

/* ---- checks ---- */

static sn_status check_list(const sn__kinematics_inv *self, const char *what, const sn_bags *list,
                            size_t size, sn_error *err) {
  for (size_t i = 0; i < list->count; i++) {
    const void *item = (const char *)list->data + i * size;
    const char *chain = *(const char *const *)item;
    if (sn_model_chain_index(self->model, chain) < 0) {
      return sn__fail(err, SN_ENOENT, "%s: the robot has no chain '%s'", what, chain);
    }
    if (find(list, size, chain) != item) {
      return sn__fail(err, SN_EINVAL, "%s: chain '%s' appears twice", what, chain);
    }
  }
  return SN_OK;
}

static sn_status parse_axes(const sn__chain_free *entry, unsigned *axes, sn_error *err) {
  static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};
  *axes = 0;
  for (size_t i = 0; i < entry->axes.count; i++) {
    unsigned axis = 0;
    while (axis < 6 && strcmp(names[axis], entry->axes.data[i]) != 0) {
      axis++;
    }
    if (axis == 6) {
      return sn__fail(err, SN_EINVAL,
                      "free: chain '%s': '%s' is not an axis: x, y, z, rx, ry or rz", entry->chain,
                      entry->axes.data[i]);
    }
    *axes |= 1u << axis; /* SN_IK_FREE_X and so on, in this order */
  }
  return SN_OK;
}

/* @param may_be_empty  an empty list means those of the robot */
static sn_status check_count(const sn__kinematics_inv *self, const char *what, const char *chain,
                             const sn_reals *numbers, bool may_be_empty, sn_error *err) {
  const size_t index = (size_t)sn_model_chain_index(self->model, chain);
  const size_t count = sn_model_chain(self->model, index, self->with_virtual)->joint_count;
  return numbers->count == count || (may_be_empty && numbers->count == 0)
             ? SN_OK
             : sn__fail(err, SN_EINVAL, "chain '%s': %s has %zu numbers, expected %zu", chain, what,
                        numbers->count, count);
}

static sn_status check_values(const sn__kinematics_inv *self, sn_error *err) {
  sn_status status = SN_OK;
  const sn__chain_limits *limits = self->limits.data;
  for (size_t i = 0; status == SN_OK && i < self->limits.count; i++) {
    status = check_count(self, "q_min", limits[i].chain, &limits[i].q_min, true, err);
    status = status == SN_OK
                 ? check_count(self, "q_max", limits[i].chain, &limits[i].q_max, true, err)
                 : status;
  }
  const sn__chain_nominal *nominal = self->nominal.data;
  for (size_t i = 0; status == SN_OK && i < self->nominal.count; i++) {
    status = check_count(self, "nominal", nominal[i].chain, &nominal[i].q, false, err);
  }
  const sn__chain_free *free = self->free.data;
  for (size_t i = 0; status == SN_OK && i < self->free.count; i++) {
    unsigned axes;
    status = parse_axes(&free[i], &axes, err);
  }
  return status;
}

sn_status sn__kinematics_inv_check_chains(const sn__kinematics_inv *self, sn_error *err) {
  const struct {
    const char *name;
    const sn_bags *list;
    size_t size;
  } lists[] = {{"free", &self->free, sizeof(sn__chain_free)},
               {"limits", &self->limits, sizeof(sn__chain_limits)},
               {"nominal", &self->nominal, sizeof(sn__chain_nominal)},
               {"weights", &self->weights, sizeof(sn__chain_weights)}};
  sn_status status = SN_OK;
  for (size_t i = 0; status == SN_OK && i < sizeof lists / sizeof *lists; i++) {
    status = check_list(self, lists[i].name, lists[i].list, lists[i].size, err);
  }
  return status == SN_OK ? check_values(self, err) : status;
}

/* ---- a limb ---- */

static unsigned axes_of(const sn__kinematics_inv *self, size_t chain) {
  const sn__chain_free *entry = find(&self->free, sizeof *entry, name_of(self, chain));
  const size_t count = sn_model_chain(self->model, chain, self->with_virtual)->joint_count;
  unsigned axes = count < 6 ? SN_IK_FREE_ROTATION : 0u;
  if (entry != NULL) {
    (void)parse_axes(entry, &axes, NULL); /* was checked */
  }
  return axes;
}

static const double *data_of(const sn_reals *numbers) {
  return numbers->count == 0 ? NULL : numbers->data;
}

static void state_chain(const sn__kinematics_inv *self, sn__limb_ik_config *config) {
  const char *name = name_of(self, config->chain);
  const sn__chain_limits *limits = find(&self->limits, sizeof *limits, name);
  const sn__chain_nominal *nominal = find(&self->nominal, sizeof *nominal, name);
  const sn__chain_weights *stated = find(&self->weights, sizeof *stated, name);
  const sn__chain_weights defaults = {.position = 1.0, .rotation = 1.0, .nominal = 0.01};
  const sn__chain_weights *weights = stated == NULL ? &defaults : stated;
  if (limits != NULL) {
    config->lower = data_of(&limits->q_min);
    config->upper = data_of(&limits->q_max);
  }
  config->nominal = nominal == NULL ? NULL : nominal->q.data;
  config->weight_position = weights->position;
  config->weight_rotation = weights->rotation;
  config->weight_nominal = weights->nominal;
}

sn_status sn__kinematics_inv_create_limb(const sn__kinematics_inv *self, sn_arena *arena,
                                         size_t chain, const sn_clock *clock, sn__limb_ik *limb,
                                         sn_error *err) {
  sn__limb_ik_config config = {.model = self->model,
                               .chain = chain,
                               .with_virtual = self->with_virtual,
                               .solver = self->solver,
                               .free_axes = axes_of(self, chain),
                               .jump_max = self->jump_max,
                               .timeout_s = self->timeout_s,
                               .goes_near = strcmp(self->unreachable, "nearest") == 0,
                               .clock = clock};
  sn_error reason = {.message = ""};
  state_chain(self, &config);
  const sn_status status = sn__limb_ik_create(arena, &config, limb, &reason);
  return status == SN_OK
             ? SN_OK
             : sn__fail(err, status, "chain '%s': %s", name_of(self, chain), reason.message);
}
