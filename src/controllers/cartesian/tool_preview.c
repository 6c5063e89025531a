#include "controllers/cartesian/tool_preview.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "msg/table.h"

enum {
  POSES_MAX = 40,  /* smooth on a screen */
  QUERIES_MAX = 64 /* half a turn of a joint takes 7 steps of 0.5 rad */
};

static const sn_msg_field fields[] = {
    SN_MSG_FIELD(sn__tool_preview, "success", success, ""),
    SN_MSG_FIELD(sn__tool_preview, "message", message, ""),
    SN_MSG_FIELD(sn__tool_preview, "duration", duration, "s"),
    SN_MSG_FIELD(sn__tool_preview, "joints", joints, ""),
    SN_MSG_FIELD(sn__tool_preview, "positions", positions, "rad or m"),
    SN_MSG_FIELD(sn__tool_preview, "until_contact", until_contact, ""),
};
const sn_msg_type sn__tool_preview_type = {SN_MSG_TYPE_NAMES("sinew_msgs", "ToolPreview"),
                                           .brief = "A motion of a tool before it is executed.",
                                           .size = sizeof(sn__tool_preview), SN__FIELDS(fields)};

/* ---- motions ---- */

static sn_status sample(const sn_chain *chain, const sn__tool_motion *motion, double *rates,
                        sn__tool_preview *out, sn_error *err) {
  const size_t n = chain->joint_count;
  const size_t room = n == 0 ? 0 : out->positions.capacity / n;
  const size_t count = room < POSES_MAX ? room : POSES_MAX;
  if (count < 2) {
    return sn__fail(err, SN_ENOSPC, "no room for two poses of %zu joints", n);
  }
  for (size_t i = 0; i < count; i++) {
    const double t_s = out->duration * (double)i / (double)(count - 1);
    sn__tool_motion_at(motion, t_s, out->positions.data + i * n, rates, rates + n);
  }
  out->positions.count = count * n;
  return SN_OK;
}

sn_status sn__tool_preview_motion(const sn_model *model, const sn_chain *chain,
                                  const sn__tool_motion *motion, double end_s,
                                  sn__tool_preview *out, sn_error *err) {
  sn_status status = SN_OK;
  sn_msg_names_clear(&out->joints);
  for (size_t j = 0; status == SN_OK && j < chain->joint_count; j++) {
    const char *name = sn_model_joint(model, (size_t)chain->joints[j])->name;
    status = sn_msg_names_add(&out->joints, name, strlen(name));
  }
  sn_arena scratch;
  sn_arena_init_growing(&scratch, "rates", 0);
  double *rates = SN_NEW(&scratch, double, 2 * chain->joint_count);
  out->duration = end_s;
  if (status == SN_OK) {
    status = rates == NULL
                 ? sn__fail(err, SN_ENOMEM, "no memory for %zu joints", chain->joint_count)
                 : sample(chain, motion, rates, out, err);
  }
  sn_arena_release(&scratch);
  return status;
}

/* ---- out of reach ---- */

/* @return whether a joint moved */
static bool follow(const sn__limb_ik *limb, double *q) {
  double largest = 0.0;
  for (size_t i = 0; i < limb->count; i++) {
    largest = fmax(largest, fabs(limb->pose[i] - q[limb->joints[i]]));
    q[limb->joints[i]] = limb->pose[i];
  }
  return largest > 1e-6;
}

static void explain(const sn__limb_ik *limb, const sn_model *model, char *why, size_t size) {
  char cause[160] = "out of reach";
  if (limb->trouble == SN__LIMB_AT_LIMIT) {
    size_t j = 0;
    while (limb->joints[j] != limb->joint) {
      j++;
    }
    snprintf(cause, sizeof cause, "joint '%.80s' is at its limit of %.4g",
             sn_model_joint(model, (size_t)limb->joint)->name, limb->pose[j]);
  } else if (limb->trouble == SN__LIMB_TURNED) {
    snprintf(cause, sizeof cause, "the orientation is out of reach");
  }
  snprintf(why, size, "%s: %.3g m and %.3g rad from the target", cause, limb->short_m,
           limb->short_rad);
}

void sn__tool_preview_nearest(sn__limb_ik *limb, const sn_model *model, const sn_pose *target,
                              double *q, char *why, size_t size) {
  bool is_there = false;
  why[0] = '\0';
  for (int i = 0; i < QUERIES_MAX && !is_there; i++) {
    is_there = sn__limb_ik_solve(limb, q, target, NULL);
    if (!follow(limb, q)) {
      break;
    }
  }
  if (!is_there) {
    explain(limb, model, why, size);
  }
}
