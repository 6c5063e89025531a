#include "plant/goal_check.h"

#include <math.h>
#include <string.h>

int sn__goal_joint(const sn_msg_names *names, const sn_names *joints, size_t i) {
  return names->table == joints ? (int)i : sn_names_index(joints, sn_msg_names_at(names, i));
}

bool sn__goal_is_finite(const sn_seq_f64 *values) {
  bool is_good = true;
  for (size_t i = 0; i < values->count; i++) {
    is_good = is_good && isfinite(values->data[i]);
  }
  return is_good;
}

sn_plant_verdict sn__goal_check_names(const sn_msg_names *names, const sn_names *joints,
                                      bool *is_named) {
  sn_plant_verdict verdict = SN_PLANT_TAKEN;
  if (names->table == joints) {
    return verdict;
  }
  memset(is_named, 0, sn_names_count(joints) * sizeof *is_named);
  for (size_t i = 0; i < names->count; i++) {
    const int joint = sn__goal_joint(names, joints, i);
    if (joint < 0) {
      verdict = SN_PLANT_UNKNOWN;
    } else if (is_named[joint]) {
      return SN_PLANT_DUPLICATE;
    } else {
      is_named[joint] = true;
    }
  }
  return verdict;
}

sn_plant_verdict sn__goal_check(const sn_servo_goal *msg, const sn_names *joints, bool *is_named) {
  const size_t n = msg->name.count;
  const bool has_goals = msg->goal.count > 0, has_limp = msg->limp.count > 0;
  if (n == 0 || (has_goals && msg->goal.count != n) || (has_limp && msg->limp.count != n) ||
      (!has_goals && !has_limp)) {
    return SN_PLANT_LENGTHS;
  }
  return sn__goal_is_finite(&msg->goal) ? sn__goal_check_names(&msg->name, joints, is_named)
                                        : SN_PLANT_NOT_FINITE;
}
