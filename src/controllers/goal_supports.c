#include "controllers/goal_supports.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

static const char prefix[] = "support/";

const char *sn__support_chain(const char *name) {
  const size_t length = sizeof prefix - 1;
  return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static size_t count_columns(const sn_msg_names *names) {
  size_t count = 0;
  for (size_t i = 0; i < names->count; i++) {
    count += sn__support_chain(sn_msg_names_at(names, i)) != NULL;
  }
  return count;
}

static sn_status read_chains(const sn_model *model, const sn_msg_names *names,
                             sn__goal_supports *out, sn_error *err) {
  size_t used = 0;
  for (size_t i = 0; i < names->count; i++) {
    const char *name = sn_msg_names_at(names, i);
    const char *chain = sn__support_chain(name);
    if (chain == NULL) {
      continue;
    }
    const int index = sn_model_chain_index(model, chain);
    if (index < 0) {
      return sn__fail(err, SN_ENOENT, "'%s': the robot has no chain '%s'", name, chain);
    }
    for (size_t k = 0; k < used; k++) {
      if (out->chains[k] == index) {
        return sn__fail(err, SN_EINVAL, "'%s' appears twice", name);
      }
    }
    out->chains[used] = index;
    out->columns[used++] = i;
  }
  return SN_OK;
}

static sn_status read_values(const sn_joint_trajectory *msg, sn__goal_supports *out,
                             sn_error *err) {
  for (size_t k = 0; k < out->point_count; k++) {
    const sn_joint_trajectory_point *point = &msg->points.data[k];
    out->time_s[k] = 1e-9 * (double)point->time_from_start_ns;
    for (size_t i = 0; i < out->count; i++) {
      const double value = point->positions.data[out->columns[i]];
      if (!isfinite(value)) {
        return sn__fail(err, SN_EINVAL, "point %zu: '%s' is %g", k,
                        sn_msg_names_at(&msg->joint_names, out->columns[i]), value);
      }
      out->values[k * out->count + i] = value;
    }
  }
  return SN_OK;
}

sn_status sn__goal_supports_find(sn_arena *arena, const sn_model *model, const sn_msg_names *names,
                                 sn__goal_supports *out, sn_error *err) {
  const size_t count = count_columns(names);
  *out = (sn__goal_supports){
      .count = count, .chains = SN_NEW(arena, int, count), .columns = SN_NEW(arena, size_t, count)};
  if (out->chains == NULL || out->columns == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the supports of %zu chains", count);
  }
  return read_chains(model, names, out, err);
}

sn_status sn__goal_supports_read(sn_arena *arena, const sn_joint_trajectory *msg,
                                 sn__goal_supports *supports, sn_error *err) {
  supports->point_count = msg->points.count;
  supports->time_s = SN_NEW(arena, double, supports->point_count);
  supports->values = SN_NEW(arena, double, supports->point_count * supports->count);
  if (supports->time_s == NULL || supports->values == NULL) {
    return sn__fail(err, SN_ENOMEM, "no memory for the supports of %zu points",
                    supports->point_count);
  }
  return read_values(msg, supports, err);
}

/* The last point that is not later; the first one before it. */
static size_t find_point(const sn__goal_supports *supports, double t_s) {
  size_t low = 0;
  size_t high = supports->point_count;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (supports->time_s[middle] <= t_s) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

bool sn__goal_supports_at(const sn__goal_supports *supports, size_t index, double t_s) {
  const size_t k = find_point(supports, t_s);
  const double *values = supports->values + k * supports->count + index;
  double value = *values;
  if (k + 1 < supports->point_count && t_s > supports->time_s[k]) {
    const double share =
        (t_s - supports->time_s[k]) / (supports->time_s[k + 1] - supports->time_s[k]);
    value += share * (values[supports->count] - value);
  }
  return value > 0.5;
}
