#include "mesh/polytope.h"

#include <string.h>

/* ---- facets ---- */

static bool make_facet(const sn__polytope *polytope, uint8_t a, uint8_t b, uint8_t c,
                       sn__facet *out) {
  const sn_vec3 p = polytope->vertices[a];
  const sn_vec3 ab = sn_vec3_sub(polytope->vertices[b], p);
  const sn_vec3 ac = sn_vec3_sub(polytope->vertices[c], p);
  const sn_vec3 cross = sn_vec3_cross(ab, ac);
  const double norm = sn_vec3_norm(cross);
  /* A sliver has no reliable normal. */
  if (!(norm > 1e-12 * (sn_vec3_dot(ab, ab) + sn_vec3_dot(ac, ac)))) {
    return false;
  }
  *out = (sn__facet){.normal = sn_vec3_scale(cross, 1.0 / norm), .corners = {a, b, c}};
  out->offset = sn_vec3_dot(out->normal, p);
  return true;
}

static bool put_facet(sn__polytope *polytope, const sn__facet *facet) {
  size_t slot = 0;
  while (slot < polytope->facet_count && polytope->facets[slot].stamp != 0) {
    slot++;
  }
  if (slot == SN__POLYTOPE_FACETS_MAX) {
    return false;
  }
  polytope->facets[slot] = *facet;
  polytope->facets[slot].stamp = polytope->stamp;
  polytope->facet_count += slot == polytope->facet_count;
  return true;
}

/* ---- the first tetrahedron ---- */

/* The point with the largest key(context, point). */
typedef double point_key(const sn_vec3 *context, sn_vec3 point);

static size_t farthest(const sn_vec3 *points, size_t count, point_key *key, const sn_vec3 *context,
                       double *best) {
  size_t index = 0;
  *best = -1.0;
  for (size_t i = 0; i < count; i++) {
    const double value = key(context, points[i]);
    if (value > *best) {
      *best = value;
      index = i;
    }
  }
  return index;
}

static double from_point(const sn_vec3 *origin, sn_vec3 point) {
  return sn_vec3_norm(sn_vec3_sub(point, *origin));
}

/* context: origin, unit direction */
static double from_line(const sn_vec3 *context, sn_vec3 point) {
  return sn_vec3_norm(sn_vec3_cross(sn_vec3_sub(point, context[0]), context[1]));
}

/* context: origin, unit normal */
static double from_plane(const sn_vec3 *context, sn_vec3 point) {
  return fabs(sn_vec3_dot(sn_vec3_sub(point, context[0]), context[1]));
}

static bool put_tetrahedron(sn__polytope *polytope) {
  static const uint8_t corners[2][4][3] = {{{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}},
                                           {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  sn__facet facet;
  if (!make_facet(polytope, 0, 1, 2, &facet)) {
    return false;
  }
  /* The fourth corner has to be below the first facet. */
  const size_t turned = sn__facet_height(&facet, polytope->vertices[3]) > 0.0;
  for (size_t i = 0; i < 4; i++) {
    const uint8_t *c = corners[turned][i];
    if (!make_facet(polytope, c[0], c[1], c[2], &facet) || !put_facet(polytope, &facet)) {
      return false;
    }
  }
  return true;
}

sn__span sn__polytope_start(sn__polytope *polytope, const sn_vec3 *points, size_t count,
                            double epsilon) {
  double size = 0.0;
  sn_vec3 line[2] = {points[0]}, plane[2];
  polytope->vertices[0] = points[farthest(points, count, from_point, line, &size)];
  line[0] = plane[0] = polytope->vertices[0];
  polytope->vertices[1] = points[farthest(points, count, from_point, line, &size)];
  if (!(size > epsilon)) {
    return (sn__span){.dimension = 0};
  }
  line[1] = sn_vec3_scale(sn_vec3_sub(polytope->vertices[1], line[0]), 1.0 / size);
  polytope->vertices[2] = points[farthest(points, count, from_line, line, &size)];
  if (!(size > epsilon)) {
    return (sn__span){.dimension = 1, .axis = line[1]};
  }
  const sn_vec3 cross = sn_vec3_cross(line[1], sn_vec3_sub(polytope->vertices[2], line[0]));
  plane[1] = sn_vec3_scale(cross, 1.0 / sn_vec3_norm(cross));
  polytope->vertices[3] = points[farthest(points, count, from_plane, plane, &size)];
  polytope->vertex_count = 4;
  polytope->facet_count = 0;
  polytope->stamp = 1;
  if (!(size > epsilon) || !put_tetrahedron(polytope)) {
    return (sn__span){.dimension = 2, .axis = plane[1]};
  }
  return (sn__span){.dimension = 3};
}

/* ---- growth ---- */

/* The edge of what a point sees, as a loop: each vertex and the next one. */
typedef struct horizon {
  size_t count;
  uint8_t from[SN__POLYTOPE_VERTICES_MAX];
  uint8_t to[SN__POLYTOPE_VERTICES_MAX];
} horizon;

typedef struct sight {
  size_t count;
  uint16_t slots[SN__POLYTOPE_FACETS_MAX];
  uint64_t edges[SN__POLYTOPE_VERTICES_MAX][2]; /* a bit for each directed edge */
} sight;

static void see(const sn__polytope *polytope, sn_vec3 point, double epsilon, sight *out) {
  out->count = 0;
  memset(out->edges, 0, polytope->vertex_count * sizeof *out->edges);
  for (size_t i = 0; i < polytope->facet_count; i++) {
    const sn__facet *facet = &polytope->facets[i];
    if (facet->stamp == 0 || !(sn__facet_height(facet, point) > epsilon)) {
      continue;
    }
    out->slots[out->count++] = (uint16_t)i;
    for (size_t k = 0; k < 3; k++) {
      const uint8_t to = facet->corners[(k + 1) % 3];
      out->edges[facet->corners[k]][to >> 6] |= UINT64_C(1) << (to & 63);
    }
  }
}

static bool has_edge(const sight *seen, uint8_t from, uint8_t to) {
  return (seen->edges[from][to >> 6] >> (to & 63) & 1) != 0;
}

/* Is it one closed loop? */
static bool is_loop(const horizon *edge) {
  uint8_t next[SN__POLYTOPE_VERTICES_MAX];
  uint64_t known[2] = {0};
  for (size_t i = 0; i < edge->count; i++) {
    const uint8_t from = edge->from[i];
    if ((known[from >> 6] >> (from & 63) & 1) != 0) {
      return false; /* it touches itself */
    }
    known[from >> 6] |= UINT64_C(1) << (from & 63);
    next[from] = edge->to[i];
  }
  uint8_t at = edge->from[0];
  for (size_t i = 0; i < edge->count; i++) {
    if ((known[at >> 6] >> (at & 63) & 1) == 0) {
      return false; /* it is open */
    }
    at = next[at];
    if (at == edge->from[0]) {
      return i + 1 == edge->count; /* else there is another loop */
    }
  }
  return false;
}

static bool find_horizon(const sn__polytope *polytope, const sight *seen, horizon *out) {
  out->count = 0;
  for (size_t i = 0; i < seen->count; i++) {
    const uint8_t *corners = polytope->facets[seen->slots[i]].corners;
    for (size_t k = 0; k < 3; k++) {
      const uint8_t from = corners[k], to = corners[(k + 1) % 3];
      if (has_edge(seen, to, from)) {
        continue;
      }
      if (out->count == SN__POLYTOPE_VERTICES_MAX) {
        return false;
      }
      out->from[out->count] = from;
      out->to[out->count++] = to;
    }
  }
  return out->count >= 3 && is_loop(out);
}

bool sn__polytope_add(sn__polytope *polytope, sn_vec3 point, double epsilon) {
  sight seen;
  horizon edge;
  sn__facet facets[SN__POLYTOPE_VERTICES_MAX];
  const size_t vertex = polytope->vertex_count;
  if (vertex == SN__POLYTOPE_VERTICES_MAX || polytope->stamp == UINT16_MAX) {
    return false;
  }
  see(polytope, point, epsilon, &seen);
  if (!find_horizon(polytope, &seen, &edge) ||
      polytope->facet_count + edge.count > SN__POLYTOPE_FACETS_MAX) {
    return false;
  }
  polytope->vertices[vertex] = point;
  for (size_t i = 0; i < edge.count; i++) {
    if (!make_facet(polytope, edge.from[i], edge.to[i], (uint8_t)vertex, &facets[i])) {
      return false;
    }
  }
  polytope->vertex_count++;
  polytope->stamp++;
  for (size_t i = 0; i < seen.count; i++) {
    polytope->facets[seen.slots[i]].stamp = 0;
  }
  for (size_t i = 0; i < edge.count; i++) {
    (void)put_facet(polytope, &facets[i]);
  }
  return true;
}
