/* Newton's method on four nodes at a time: derivatives of the rows, and the change of their
   multipliers. */
#include "path/rate_lanes.h"

/* A multiplier falls to no less than this share of itself in a step. */
static const double SHARE_MIN = 0.1;
/* Distances below this are rounding: limits and rows are about one, in single precision. */
static const double DISTANCE_MIN = 1e-5;

static inline sn__quad both(double value) {
  return sn__quad_all(value);
}

/* ---- derivatives ---- */

/* Distances from both limits, of a row within -limit .. limit. */
static inline void measure(sn__rate_dual *dual, sn__quad limit, sn__quad row) {
  const sn__quad least = both(DISTANCE_MIN);
  const sn__quad above = sn__quad_max(limit - row, least);
  const sn__quad below = sn__quad_max(limit + row, least);
  const sn__quad inverse = both(1.0) / (above * below);
  dual->over = below * inverse;
  dual->under = above * inverse;
}

/* One over the distance of x from its limit. */
static inline sn__quad x_over_of(const sn__rate_block *block, sn__quad wider) {
  const sn__quad distance = block->x_max + wider * block->x_max - block->at.x;
  return both(1.0) / sn__quad_max(distance, both(DISTANCE_MIN) * block->x_max);
}

static void set_second(sn__rate_block *block, size_t count, const sn__rate_aim *aim) {
  const sn__quad mu = both(aim->mu);
  const sn__quad wider = both(aim->relaxed) * block->relaxed;
  const sn__quad limit = both(1.0) + wider;
  const sn__rate_state at = block->at;
  const sn__quad zero = both(0.0);
  sn__quad x = zero;
  sn__quad y = zero;
  sn__quad xx = zero;
  sn__quad xy = zero;
  sn__quad yy = zero;
  for (size_t i = 0; i < count; i++) {
    sn__rate_second *row = &block->second[i];
    sn__rate_dual *dual = &row->dual;
    const sn__quad a = row->a;
    const sn__quad b = row->b;
    measure(dual, limit, a * at.x + b * at.y + row->off);
    const sn__quad up = dual->up * dual->over;
    const sn__quad down = dual->down * dual->under;
    const sn__quad first = mu * (dual->over - dual->under) + wider * (up - down);
    const sn__quad second = up + down;
    const sn__quad second_b = second * b;
    x += first * a;
    y += first * b;
    xx += second * a * a;
    xy += second_b * a;
    yy += second_b * b;
  }
  sn__rate_sums *out = &block->sums;
  out->x = x;
  out->y = y;
  out->xx = xx;
  out->xy = xy;
  out->yy = yy;
}

/* The distances depend on x by x^-1/2, too, whose derivative is `fall`: by a row's a - fall from
   above, by a + fall from below.
   @return the sum of multipliers, which counts for the curvature of x^-1/2 */
static sn__quad add_third(sn__rate_block *block, int side, size_t count, const sn__rate_aim *aim) {
  const sn__quad mu = both(aim->mu) * block->has_side[side];
  const sn__quad wider = both(aim->relaxed) * block->relaxed_side[side];
  const sn__quad limit = block->rho + wider;
  const sn__quad fall = block->fall;
  const sn__quad x = block->at.x;
  const sn__quad y = block->at.y;
  const sn__quad z = block->at.z[side];
  const sn__quad zero = both(0.0);
  sn__quad gx = zero;
  sn__quad gy = zero;
  sn__quad xx = zero;
  sn__quad xy = zero;
  sn__quad yy = zero;
  sn__quad gz = zero;
  sn__quad xz = zero;
  sn__quad yz = zero;
  sn__quad zz = zero;
  sn__quad multipliers = zero;
  for (size_t i = 0; i < count; i++) {
    sn__rate_third *row = &block->third[side][i];
    sn__rate_dual *dual = &row->dual;
    const sn__quad a = row->j3;
    const sn__quad b = row->j2;
    const sn__quad e = row->j1;
    measure(dual, limit, a * x + b * y + e * z);
    const sn__quad up = dual->up * dual->over;
    const sn__quad down = dual->down * dual->under;
    const sn__quad first_up = mu * dual->over + wider * up;
    const sn__quad first_down = mu * dual->under + wider * down;
    const sn__quad first = first_up - first_down;
    const sn__quad second = up + down;
    const sn__quad odd = down - up;
    const sn__quad by_x = second * a + fall * odd;
    multipliers += dual->up + dual->down;
    gx += first * a - fall * (first_up + first_down);
    gy += first * b;
    gz += first * e;
    xx += by_x * a + fall * (odd * a + fall * second);
    xy += by_x * b;
    xz += by_x * e;
    const sn__quad by_y = second * b;
    yy += by_y * b;
    yz += by_y * e;
    zz += second * e * e;
  }
  sn__rate_sums *out = &block->sums;
  out->x += gx;
  out->y += gy;
  out->xx += xx;
  out->xy += xy;
  out->yy += yy;
  out->z[side] = gz;
  out->xz[side] = xz;
  out->yz[side] = yz;
  out->zz[side] = zz;
  return multipliers;
}

void sn__rate_block_derive(sn__rate_block *block, const sn__rate_lanes *lanes,
                           const sn__rate_aim *aim) {
  const sn__quad x = block->at.x;
  const sn__quad inverse = both(1.0) / x;
  block->rho = sn__quad_sqrt(inverse);
  block->fall = both(-0.5) * block->rho * inverse;
  set_second(block, lanes->second_count, aim);
  const sn__quad multipliers =
      add_third(block, 0, lanes->third_count, aim) + add_third(block, 1, lanes->third_count, aim);
  const sn__quad wider = both(aim->relaxed) * block->relaxed;
  const sn__quad over = x_over_of(block, wider);
  const sn__quad curvature = sn__quad_max(block->weight - multipliers, both(0.0));
  block->sums.x +=
      (both(aim->mu) + block->x_up * wider * block->x_max) * over + block->weight * block->fall;
  block->sums.xx +=
      block->x_up * over + both(-1.5) * block->fall * inverse * curvature; /* d2 of x^-1/2 */
}

/* ---- steps ---- */

/* The multipliers after a whole step in which the distances change by `above` and `below`.
   @return the greatest share of a distance that it takes, at least `most` */
static inline sn__quad advance(sn__rate_dual *dual, sn__quad mu, sn__quad above, sn__quad below,
                               sn__quad most) {
  const sn__quad share = both(SHARE_MIN);
  most = sn__quad_max(sn__quad_max(-above * dual->over, -below * dual->under), most);
  dual->up = sn__quad_max(dual->over * (mu - dual->up * above), share * dual->up);
  dual->down = sn__quad_max(dual->under * (mu - dual->down * below), share * dual->down);
  return most;
}

static sn__quad advance_third(sn__rate_block *block, int side, size_t count,
                              const sn__rate_aim *aim, sn__quad most) {
  const sn__quad mu = both(aim->mu) * block->has_side[side];
  const sn__rate_state step = block->step;
  const sn__quad limit = block->fall * step.x - both(aim->relaxed) * block->relaxed_side[side];
  for (size_t i = 0; i < count; i++) {
    sn__rate_third *row = &block->third[side][i];
    const sn__quad change = row->j3 * step.x + row->j2 * step.y + row->j1 * step.z[side];
    most = advance(&row->dual, mu, limit - change, limit + change, most);
  }
  return most;
}

double sn__rate_block_advance(sn__rate_block *block, const sn__rate_lanes *lanes,
                              const sn__rate_aim *aim) {
  const sn__quad mu = both(aim->mu);
  const sn__rate_state step = block->step;
  const sn__quad wider = both(aim->relaxed) * block->relaxed;
  sn__quad most = sn__quad_max(-step.x / block->at.x, both(0.0));
  for (size_t i = 0; i < lanes->second_count; i++) {
    sn__rate_second *row = &block->second[i];
    const sn__quad change = row->a * step.x + row->b * step.y;
    most = advance(&row->dual, mu, -wider - change, change - wider, most);
  }
  for (int side = 0; side < 2; side++) {
    most = advance_third(block, side, lanes->third_count, aim, most);
  }
  const sn__quad x_over = x_over_of(block, wider);
  const sn__quad x_change = -wider * block->x_max - step.x;
  most = sn__quad_max(-x_change * x_over, most);
  block->x_up = sn__quad_max(x_over * (mu - block->x_up * x_change), both(SHARE_MIN) * block->x_up);
  const float pair[2] = {most[0] > most[1] ? most[0] : most[1],
                         most[2] > most[3] ? most[2] : most[3]};
  return (double)(pair[0] > pair[1] ? pair[0] : pair[1]);
}

/* ---- start ---- */

/* Multipliers at distances from limits that are far enough for the greatest row. */
static void begin_dual(sn__rate_dual *dual, sn__quad mu, sn__quad limit, sn__quad row) {
  measure(dual, limit, row);
  dual->up = mu * dual->over;
  dual->down = mu * dual->under;
}

static void widen_third(sn__rate_block *block, int side, size_t count, double room) {
  const sn__rate_state at = block->at;
  sn__quad worst = both(0.0);
  for (size_t i = 0; i < count; i++) {
    const sn__rate_third *row = &block->third[side][i];
    worst =
        sn__quad_max(sn__quad_abs(row->j3 * at.x + row->j2 * at.y + row->j1 * at.z[side]), worst);
  }
  block->relaxed_side[side] =
      sn__quad_max(both(room) * worst - block->rho, block->relaxed_side[side]);
}

void sn__rate_block_widen(sn__rate_block *block, const sn__rate_lanes *lanes, double relaxed,
                          double room) {
  const sn__rate_state at = block->at;
  sn__quad worst = at.x / block->x_max;
  block->rho = both(1.0) / sn__quad_sqrt(at.x);
  for (size_t i = 0; i < lanes->second_count; i++) {
    const sn__rate_second *row = &block->second[i];
    worst = sn__quad_max(sn__quad_abs(row->a * at.x + row->b * at.y + row->off), worst);
  }
  block->relaxed = sn__quad_max(both(room) * worst - both(1.0), both(relaxed) * block->relaxed);
  for (int side = 0; side < 2; side++) {
    block->relaxed_side[side] *= both(relaxed);
    widen_third(block, side, lanes->third_count, room);
  }
}

void sn__rate_block_begin(sn__rate_block *block, const sn__rate_lanes *lanes, double mu) {
  const sn__rate_state at = block->at;
  const sn__quad weight = both(mu);
  const sn__quad limit = both(1.0) + block->relaxed;
  for (size_t i = 0; i < lanes->second_count; i++) {
    sn__rate_second *row = &block->second[i];
    begin_dual(&row->dual, weight, limit, row->a * at.x + row->b * at.y + row->off);
  }
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < lanes->third_count; i++) {
      sn__rate_third *row = &block->third[side][i];
      begin_dual(&row->dual, weight * block->has_side[side], block->rho + block->relaxed_side[side],
                 row->j3 * at.x + row->j2 * at.y + row->j1 * at.z[side]);
    }
  }
  block->x_up = weight * x_over_of(block, block->relaxed);
}
