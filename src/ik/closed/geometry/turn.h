/** @file
 *  Internal: angles as cosine and sine. The closed forms below never need the angle itself: a
 *  subproblem yields a point of the unit circle, the next one turns vectors by it, and only what
 *  is offered in the end passes through atan2(). */
#ifndef SN_IK_CLOSED_GEOMETRY_TURN_H
#define SN_IK_CLOSED_GEOMETRY_TURN_H

#include "math/pair.h"
#include "sinew/vec3.h"

typedef struct sn__turn {
  double c, s;
} sn__turn;

static inline sn__turn sn__turn_of(double angle_rad) {
  return (sn__turn){cos(angle_rad), sin(angle_rad)};
}

static inline sn__turn sn__turn_inverse(sn__turn t) {
  return (sn__turn){t.c, -t.s};
}

/** The sum of two angles. */
static inline sn__turn sn__turn_add(sn__turn a, sn__turn b) {
  return (sn__turn){a.c * b.c - a.s * b.s, a.s * b.c + a.c * b.s};
}

/** Project onto the unit circle; (x, y) must not be zero. */
static inline sn__turn sn__turn_normalize(double x, double y) {
  const double factor = 1.0 / sqrt(x * x + y * y);
  return (sn__turn){x * factor, y * factor};
}

/** Turn @p v about the unit vector @p k (Rodrigues). */
static inline sn_vec3 sn__turn_apply(sn__turn t, sn_vec3 k, sn_vec3 v) {
  const double along = (1.0 - t.c) * sn_vec3_dot(k, v);
  return sn_vec3_make(t.c * v.x + t.s * (k.y * v.z - k.z * v.y) + along * k.x,
                      t.c * v.y + t.s * (k.z * v.x - k.x * v.z) + along * k.y,
                      t.c * v.z + t.s * (k.x * v.y - k.y * v.x) + along * k.z);
}

/** The inverse rotation. */
static inline sn_vec3 sn__turn_unapply(sn__turn t, sn_vec3 k, sn_vec3 v) {
  return sn__turn_apply(sn__turn_inverse(t), k, v);
}

/** Two angles side by side. */
typedef struct sn__turn_pair {
  sn__pair c, s;
} sn__turn_pair;

static inline sn__turn_pair sn__turn_pair_make(sn__turn first, sn__turn second) {
  return (sn__turn_pair){{first.c, second.c}, {first.s, second.s}};
}

static inline sn__turn_pair sn__turn_pair_inverse(sn__turn_pair t) {
  return (sn__turn_pair){t.c, -t.s};
}

/** As sn__turn_normalize(). */
static inline sn__turn_pair sn__turn_pair_normalize(sn__pair x, sn__pair y) {
  const sn__pair factor = 1.0 / sn__pair_sqrt(x * x + y * y);
  return (sn__turn_pair){x * factor, y * factor};
}

/** As sn__turn_apply(), of two vectors about one axis. */
static inline sn__vec3_pair sn__turn_pair_apply(sn__turn_pair t, sn_vec3 k, sn__vec3_pair v) {
  const sn__pair along = (1.0 - t.c) * (k.x * v.x + k.y * v.y + k.z * v.z);
  return (sn__vec3_pair){t.c * v.x + t.s * (k.y * v.z - k.z * v.y) + along * k.x,
                         t.c * v.y + t.s * (k.z * v.x - k.x * v.z) + along * k.y,
                         t.c * v.z + t.s * (k.x * v.y - k.y * v.x) + along * k.z};
}

static inline sn__pair_bits sn__pair_to_bits(sn__pair p) {
  return (sn__pair_bits)p;
}

/** Angles in -pi .. pi of two points of the unit circle, within 3e-16; the same bits on every
 *  machine.
 *
 *  A quarter turn brings the point to within pi/4 of (1, 0); there the half-angle tangent
 *  s / (1 + c) is at most tan(pi/8), where atan is a minimax polynomial of our own (Remez exchange;
 *  relative error 3.5e-17). */
static inline sn__pair sn__turn_angles(sn__turn first, sn__turn second) {
  const sn__pair_bits sign_bit = {UINT64_C(1) << 63, UINT64_C(1) << 63};
  const sn__pair_bits c = sn__pair_to_bits(sn__pair_make(first.c, second.c));
  const sn__pair_bits s = sn__pair_to_bits(sn__pair_make(first.s, second.s));
  const sn__pair_bits c_size = c & ~sign_bit, s_size = s & ~sign_bit;
  const sn__pair_bits c_sign = c & sign_bit, s_sign = s & sign_bit;
  const sn__pair_bits steep = (sn__pair_bits)((sn__pair)s_size > (sn__pair)c_size);
  const sn__pair_bits left = (sn__pair_bits)((sn__pair)c < sn__pair_both(0.0));

  const sn__pair near_c = (sn__pair)((s_size & steep) | (c_size & ~steep));
  const sn__pair near_s = (sn__pair)(((c ^ s_sign ^ sign_bit) & steep) | ((s ^ c_sign) & ~steep));
  const sn__pair_bits quarter = sn__pair_to_bits(sn__pair_both(1.57079632679489661923));
  const sn__pair_bits half = sn__pair_to_bits(sn__pair_both(3.14159265358979323846));
  const sn__pair_bits base = ((quarter ^ s_sign) & steep) | ((half ^ s_sign) & left & ~steep);

  const sn__pair t = near_s / (near_c + sn__pair_both(1.0));
  const sn__pair u = t * t;
  const sn__pair u2 = u * u;
  const sn__pair u4 = u2 * u2;
  const sn__pair p0 =
      sn__pair_both(-0x1.5555555555324p-2) + u * sn__pair_both(0x1.999999994aca6p-3);
  const sn__pair p1 =
      sn__pair_both(-0x1.24924905e85f0p-3) + u * sn__pair_both(0x1.c71c65f09d677p-4);
  const sn__pair p2 =
      sn__pair_both(-0x1.745bc6102ee9dp-4) + u * sn__pair_both(0x1.3afc5c0f4a905p-4);
  const sn__pair p3 =
      sn__pair_both(-0x1.10066f92085adp-4) + u * sn__pair_both(0x1.d2617bef0420ep-5);
  const sn__pair p4 =
      sn__pair_both(-0x1.653ab03d4f939p-5) + u * sn__pair_both(0x1.5ca150ae9e02bp-6);
  const sn__pair low = p0 + u2 * p1;
  const sn__pair high = p2 + u2 * p3 + u4 * p4;
  const sn__pair atan_t = t + t * u * (low + u4 * high);
  return (sn__pair)base + (atan_t + atan_t);
}

#endif
