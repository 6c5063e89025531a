/* The memory of lanes, and their rows. */
#include "path/rate_lanes.h"

bool sn__rate_lanes_create(sn_arena *arena, size_t node_max, size_t second_count,
                           size_t third_count, sn__rate_lanes *out) {
  const size_t blocks = (node_max + SN__LANES - 1) / SN__LANES;
  *out = (sn__rate_lanes){.block_max = blocks,
                          .second_count = second_count,
                          .third_count = third_count,
                          .blocks = SN_NEW(arena, sn__rate_block, blocks)};
  sn__rate_second *second = SN_NEW(arena, sn__rate_second, blocks * second_count);
  sn__rate_third *third = SN_NEW(arena, sn__rate_third, 2 * blocks * third_count);
  if (out->blocks == NULL || second == NULL || third == NULL) {
    return false;
  }
  for (size_t i = 0; i < blocks; i++) {
    out->blocks[i].second = second + i * second_count;
    out->blocks[i].third[0] = third + 2 * i * third_count;
    out->blocks[i].third[1] = out->blocks[i].third[0] + third_count;
  }
  return true;
}

/* Lanes beyond the last node stay as they are here: at x = 1, without a row. */
void sn__rate_lanes_clear(sn__rate_lanes *lanes, size_t node_count) {
  const sn__quad zero = sn__quad_all(0.0);
  lanes->block_count = (node_count + SN__LANES - 1) / SN__LANES;
  sn__rate_block *last = &lanes->blocks[lanes->block_count - 1];
  last->at = (sn__rate_state){.x = sn__quad_all(1.0)};
  last->step = (sn__rate_state){.x = zero};
  last->weight = last->has_side[0] = last->has_side[1] = zero;
  last->x_max = sn__quad_all(2.0);
  for (size_t i = 0; i < lanes->second_count; i++) {
    last->second[i] = (sn__rate_second){.a = zero};
  }
  for (size_t i = 0; i < lanes->third_count; i++) {
    last->third[0][i] = last->third[1][i] = (sn__rate_third){.j3 = zero};
  }
}

void sn__rate_lanes_set(sn__rate_lanes *lanes, size_t k, const sn__rate_lane *lane) {
  sn__rate_block *block = &lanes->blocks[k / SN__LANES];
  const size_t at = k % SN__LANES;
  const double unit = lane->unit;
  const double root = sqrt(unit);
  block->weight[at] = (float)(lane->weight / root);
  block->x_max[at] = (float)fmin(lane->x_max / unit, 1e30);
  for (size_t i = 0; i < lanes->second_count; i++) {
    sn__rate_second *row = &block->second[i];
    row->a[at] = (float)(lane->a[i] * unit);
    row->b[at] = (float)(lane->b[i] * unit);
    row->off[at] = (float)lane->off[i];
  }
  for (int side = 0; side < 2; side++) {
    const double *j3 = lane->j3[side];
    const double scale = j3 == NULL ? 0.0 : unit * root;
    block->has_side[side][at] = j3 == NULL ? 0.0F : 1.0F;
    for (size_t i = 0; i < lanes->third_count; i++) {
      sn__rate_third *row = &block->third[side][i];
      row->j3[at] = (float)(j3 == NULL ? 0.0 : j3[i] * scale);
      row->j2[at] = (float)(lane->j2[i] * scale);
      row->j1[at] = (float)(lane->j1[i] * scale);
    }
  }
}

void sn__rate_lanes_scale(sn__rate_lanes *lanes, size_t k, double second, double third) {
  sn__rate_block *block = &lanes->blocks[k / SN__LANES];
  const size_t at = k % SN__LANES;
  block->x_max[at] /= (float)second;
  for (size_t i = 0; second > 1.0 && i < lanes->second_count; i++) {
    block->second[i].a[at] *= (float)second;
    block->second[i].b[at] *= (float)second;
  }
  for (size_t i = 0; third > 1.0 && i < lanes->third_count; i++) {
    for (int side = 0; side < 2; side++) {
      sn__rate_third *row = &block->third[side][i];
      row->j3[at] *= (float)third;
      row->j2[at] *= (float)third;
      row->j1[at] *= (float)third;
    }
  }
}
