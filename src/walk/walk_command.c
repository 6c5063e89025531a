#include "walk/walk_command.h"

#include "walk/walk_internal.h"

static bool is_silent(const sn__walk_commands *c, int64_t now_ns) {
  return now_ns - c->last_ns > (int64_t)(1e9 * c->timeout_s);
}

static bool is_zero(sn__walk_velocity v) {
  return v.x == 0.0 && v.y == 0.0 && v.turn == 0.0;
}

sn__walk_verdict sn__walk_commands_take(sn__walk_commands *c, int source, sn__walk_velocity wanted,
                                        int64_t now_ns) {
  if (!isfinite(wanted.x + wanted.y + wanted.turn)) {
    return SN__WALK_NOT_FINITE;
  }
  if (c->has_owner && c->owner != source && !is_silent(c, now_ns) && !is_zero(c->command)) {
    return SN__WALK_OTHER;
  }
  const sn__walk_velocity bounded = {sn__walk_clamp(wanted.x, c->limit.x),
                                     sn__walk_clamp(wanted.y, c->limit.y),
                                     sn__walk_clamp(wanted.turn, c->limit.turn)};
  c->has_owner = true;
  c->owner = source;
  c->last_ns = now_ns;
  c->command = bounded;
  const bool is_same =
      bounded.x == wanted.x && bounded.y == wanted.y && bounded.turn == wanted.turn;
  return is_same ? SN__WALK_TAKEN : SN__WALK_CLAMPED;
}

bool sn__walk_commands_now(sn__walk_commands *c, int64_t now_ns, sn__walk_velocity *out) {
  const bool ends = c->has_owner && !is_zero(c->command) && is_silent(c, now_ns);
  if (ends) {
    c->has_owner = false;
    c->command = (sn__walk_velocity){0, 0, 0};
  }
  *out = c->command;
  return ends;
}
