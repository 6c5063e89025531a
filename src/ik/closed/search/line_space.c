#include "ik/closed/search/line_space.h"

sn__line sn__line_make(sn_vec3 point, sn_vec3 direction) {
  sn__line line = {.p = point, .one = 1.0, .l = direction};
  line.pp = sn_vec3_dot(point, point);
  line.pl = sn_vec3_dot(point, direction);
  line.m = sn_vec3_cross(point, direction);
  line.inv = sn_vec3_sub(sn_vec3_scale(direction, line.pp), sn_vec3_scale(point, 2.0 * line.pl));
  return line;
}

/* Shifted by d: what the definitions give for p + d, in terms of the numbers before. */
static sn__line shifted(const sn__line *line, sn_vec3 d) {
  const double dd = sn_vec3_dot(d, d), dl = sn_vec3_dot(d, line->l);
  sn__line out = *line;
  out.p = sn_vec3_add_scaled(line->p, line->one, d);
  out.pp += 2.0 * sn_vec3_dot(d, line->p) + dd * line->one;
  out.pl += dl;
  out.m = sn_vec3_add(line->m, sn_vec3_cross(d, line->l));
  out.inv = sn_vec3_add_scaled(line->inv, -2.0, sn_vec3_cross(d, line->m));
  out.inv = sn_vec3_add_scaled(out.inv, dd, line->l);
  out.inv = sn_vec3_add_scaled(out.inv, -2.0 * (line->pl + dl), d);
  return out;
}

/* v = across + along, and across turns into cos t across + sin t (h x v). */
static void split(sn_vec3 v, sn_vec3 h, sn_vec3 *across, sn_vec3 *side, sn_vec3 *along) {
  *along = sn_vec3_scale(h, sn_vec3_dot(h, v));
  *across = sn_vec3_sub(v, *along);
  *side = sn_vec3_cross(h, v);
}

void sn__line_turn(const sn__line *line, sn_vec3 h, sn_vec3 r, sn__line part[3]) {
  const sn__line local = shifted(line, sn_vec3_neg(r));
  sn__line p[3] = {{.one = 0.0}, {.one = 0.0}, local};
  split(local.p, h, &p[0].p, &p[1].p, &p[2].p);
  split(local.l, h, &p[0].l, &p[1].l, &p[2].l);
  split(local.m, h, &p[0].m, &p[1].m, &p[2].m);
  split(local.inv, h, &p[0].inv, &p[1].inv, &p[2].inv);
  for (int i = 0; i < 3; i++) {
    part[i] = shifted(&p[i], r);
  }
}

sn__line sn__line_turned(const sn__line *line, sn_vec3 h, sn_vec3 r, sn__turn t) {
  const sn_vec3 from = sn_vec3_sub(line->p, r); /* a line that was made, not a part of one */
  return sn__line_make(sn_vec3_add(r, sn__turn_apply(t, h, from)), sn__turn_apply(t, h, line->l));
}

void sn__line_put(const sn__line *line, double out[SN__LINE_SIZE]) {
  const double all[SN__LINE_SIZE] = {line->p.x, line->p.y,   line->p.z,   line->pp,   line->l.x,
                                     line->l.y, line->l.z,   line->pl,    line->m.x,  line->m.y,
                                     line->m.z, line->inv.x, line->inv.y, line->inv.z};
  for (int i = 0; i < SN__LINE_SIZE; i++) {
    out[i] = all[i];
  }
}
