#include "gait/gait.h"

#include <math.h>
#include <string.h>

static const char *const names[SN__GAIT_KINDS] = {"free", "stand", "walk", "walk_overlap",
                                                  "trot", "pace",  "pronk"};

const char *sn__gait_names(void) {
  return "free, stand, walk, walk_overlap, trot, pace, pronk; with _right at the end the right "
         "side begins";
}

bool sn__gait_read(const char *name, sn__gait_kind *kind, bool *is_right) {
  static const char right[] = "_right";
  for (size_t i = 0; i < SN__GAIT_KINDS; i++) {
    const size_t length = strlen(names[i]);
    const bool begins = strncmp(name, names[i], length) == 0;
    if (begins && (name[length] == '\0' || strcmp(name + length, right) == 0)) {
      *kind = (sn__gait_kind)i;
      *is_right = name[length] != '\0';
      return true;
    }
  }
  return false;
}

/* The place of a leg in the body. */
typedef struct place {
  bool is_second; /* on the side that begins second */
  size_t rank;    /* on its side, from the hind; 0 is the last */
} place;

static place place_of(const sn_vec3 *feet, size_t count, size_t leg, bool is_right) {
  double middle = 0.0;
  for (size_t i = 0; i < count; i++) {
    middle += feet[i].y / (double)count;
  }
  place p = {(feet[leg].y < middle) != is_right, 0};
  for (size_t i = 0; i < count; i++) {
    const bool is_behind = feet[i].x < feet[leg].x || (feet[i].x == feet[leg].x && i < leg);
    p.rank += ((feet[i].y < middle) == (feet[leg].y < middle)) && is_behind;
  }
  return p;
}

/* @param side_count  legs on a side */
static double swing_of(sn__gait_kind kind, size_t side_count) {
  const double share = 1.0 / (double)side_count;
  switch (kind) {
    case SN__GAIT_FREE:
    case SN__GAIT_WALK:
      return 0.4 * share;
    case SN__GAIT_WALK_OVERLAP: /* two legs walk without a phase of flight */
      return side_count == 1 ? 0.45 : 0.54 * share;
    case SN__GAIT_TROT:
    case SN__GAIT_PACE:
      return 0.35;
    case SN__GAIT_PRONK:
      return 0.2;
    default:
      return 0.0;
  }
}

static double lift_of(const sn__gait *gait, place p, size_t side_count) {
  const double side = p.is_second ? 0.5 : 0.0;
  switch (gait->kind) {
    case SN__GAIT_FREE:
    case SN__GAIT_WALK:
      return side + 0.5 * (double)p.rank / (double)side_count;
    case SN__GAIT_WALK_OVERLAP:
      return side + gait->swing * (double)p.rank;
    case SN__GAIT_TROT:
      return (p.rank + p.is_second) % 2 == 0 ? 0.0 : 0.5;
    case SN__GAIT_PACE:
      return side;
    default:
      return 0.0;
  }
}

void sn__gait_make(sn__gait_kind kind, bool is_right, const sn_vec3 *feet, size_t count,
                   sn__gait *out) {
  place places[SN__GAIT_LEGS_MAX];
  size_t side_count = 1;
  *out = (sn__gait){.kind = kind, .is_right = is_right, .leg_count = count};
  for (size_t i = 0; i < count; i++) {
    places[i] = place_of(feet, count, i, is_right);
    side_count = places[i].rank + 1 > side_count ? places[i].rank + 1 : side_count;
  }
  out->swing = swing_of(kind, side_count);
  for (size_t i = 0; i < count; i++) {
    out->lift[i] = lift_of(out, places[i], side_count);
  }
}

double sn__gait_swing_share(const sn__gait *gait, size_t leg, double phase) {
  const double since = phase - gait->lift[leg];
  const double share = (since - floor(since)) / gait->swing;
  return gait->swing > 0.0 && share < 1.0 ? share : -1.0;
}
