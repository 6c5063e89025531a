#include "ik/multi/multi_tip.h"

#include <math.h>
#include <string.h>

#include "ik/coords.h"
#include "ik/pose_error.h"

static bool create_tip(sn_arena *arena, const sn_ik_tip *from, double length_m,
                       sn__multi_tip_tip *tip) {
  tip->joints = from->joints;
  if (!sn__serial_create(arena, from->chain, length_m, &tip->serial) ||
      !sn__serial_data_create(arena, &tip->serial, &tip->data)) {
    return false;
  }
  tip->coord = SN_NEW(arena, int, tip->serial.coord_count);
  tip->y = SN_NEW(arena, double, tip->serial.coord_count);
  tip->factor = SN_NEW(arena, double, tip->serial.coord_count);
  tip->shift = SN_NEW(arena, double, tip->serial.coord_count);
  return tip->coord != NULL && tip->y != NULL && tip->factor != NULL && tip->shift != NULL;
}

/* Independent joints of the group that move some tip, as far as their chains know. */
static void mark_movers(const sn__multi_tip *multi, bool *moves) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      moves[tip->joints[tip->serial.entry[k]]] = true;
    }
  }
}

static int find_mover(const sn_ik_setup *setup, const bool *moves, int pose_index) {
  for (size_t j = 0; j < setup->joint_count; j++) {
    if (moves[j] && setup->joints[j] == pose_index) {
      return (int)j;
    }
  }
  return -1;
}

/* The joint of the group that moves joint @p joint: itself, or a mover that it mimics, directly or
   through others; q = scale * q_master + offset. */
static int find_master(const sn_ik_setup *setup, const bool *moves, int joint, double *scale,
                       double *offset) {
  *scale = 1.0;
  *offset = 0.0;
  int master = joint;
  double all_scale = 1.0, all_offset = 0.0;
  int pose_index = setup->joints[joint];
  while (setup->model != NULL && sn_model_joint(setup->model, (size_t)pose_index)->mimic >= 0) {
    const sn_joint *mimic = sn_model_joint(setup->model, (size_t)pose_index);
    all_offset += all_scale * mimic->mimic_offset;
    all_scale *= mimic->mimic_multiplier;
    pose_index = mimic->mimic;
    const int mover = find_mover(setup, moves, pose_index);
    if (mover >= 0) {
      master = mover;
      *scale = all_scale;
      *offset = all_offset;
    }
  }
  return master;
}

static double unit_of(const sn__multi_tip *multi, int joint) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      if (tip->joints[tip->serial.entry[k]] == joint) {
        return tip->serial.unit[k];
      }
    }
  }
  return 1.0;
}

/* Number the coordinates in the order met. */
static void connect(const sn_ik_setup *setup, const bool *moves, int *coord_of,
                    sn__multi_tip *multi) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    sn__multi_tip_tip *tip = &multi->tips[t];
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      const int joint = tip->joints[tip->serial.entry[k]];
      double scale = 1.0, offset = 0.0;
      const int master = find_master(setup, moves, joint, &scale, &offset);
      if (coord_of[master] < 0) {
        coord_of[master] = (int)multi->coord_count++;
      }
      tip->coord[k] = coord_of[master];
      tip->factor[k] = scale * unit_of(multi, master) / tip->serial.unit[k];
      tip->shift[k] = offset / tip->serial.unit[k];
    }
  }
}

static bool create_vectors(sn_arena *arena, sn__multi_tip *multi) {
  const size_t n = multi->coord_count;
  enum { VECTORS = 12 };
  double *values = SN_NEW(arena, double, VECTORS *n);
  multi->normal = SN_NEW(arena, double, n *n);
  multi->locked = SN_NEW(arena, bool, 2 * n);
  multi->fixed = SN_NEW(arena, bool, n);
  multi->free_index = SN_NEW(arena, int, n);
  if (values == NULL || multi->normal == NULL || multi->locked == NULL || multi->fixed == NULL ||
      multi->free_index == NULL) {
    return false;
  }
  double **vectors[] = {&multi->lower,        &multi->upper,     &multi->sample_lower,
                        &multi->sample_upper, &multi->right,     &multi->step,
                        &multi->kept,         &multi->best_room, &multi->scratch};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = values + i * n;
  }
  return true;
}

/* A joint that others mimic in one chain must not be periodic in another. */
static void agree_on_periods(sn__multi_tip *multi) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__serial *serial = &multi->tips[t].serial;
    for (size_t k = 0; k < serial->coord_count; k++) {
      const bool follows = multi->tips[t].factor[k] != 1.0 || multi->tips[t].shift[k] != 0.0;
      multi->fixed[multi->tips[t].coord[k]] |= !serial->periodic[k] || follows;
    }
  }
  for (size_t t = 0; t < multi->tip_count; t++) {
    sn__serial *serial = &multi->tips[t].serial;
    for (size_t k = 0; k < serial->coord_count; k++) {
      serial->periodic[k] = !multi->fixed[multi->tips[t].coord[k]];
    }
  }
}

bool sn__multi_tip_create(sn_arena *arena, const sn_ik_setup *setup, sn__multi_tip *out) {
  sn__multi_tip multi = {.joint_count = setup->joint_count, .tip_count = setup->tip_count};
  multi.tips = SN_NEW(arena, sn__multi_tip_tip, setup->tip_count);
  int *coord_of = SN_NEW(arena, int, setup->joint_count);
  bool *moves = SN_NEW(arena, bool, setup->joint_count);
  if (multi.tips == NULL || coord_of == NULL || moves == NULL) {
    return false;
  }
  for (size_t j = 0; j < setup->joint_count; j++) {
    coord_of[j] = -1;
  }
  for (size_t t = 0; t < setup->tip_count; t++) {
    multi.length_m = fmax(multi.length_m, sn__serial_length(setup->tips[t].chain));
  }
  for (size_t t = 0; t < setup->tip_count; t++) {
    if (!create_tip(arena, &setup->tips[t], multi.length_m, &multi.tips[t])) {
      return false;
    }
  }
  mark_movers(&multi, moves);
  connect(setup, moves, coord_of, &multi);
  if (!create_vectors(arena, &multi)) {
    return false;
  }
  agree_on_periods(&multi);
  *out = multi;
  return true;
}

/* Intersect the interval with that of y where factor * y + shift is in low .. high. */
static void cut(const sn__multi_tip_tip *tip, size_t k, double low, double high, double *lower,
                double *upper) {
  if (tip->factor[k] != 0.0) {
    const double a = (low - tip->shift[k]) / tip->factor[k];
    const double b = (high - tip->shift[k]) / tip->factor[k];
    *lower = fmax(*lower, fmin(a, b));
    *upper = fmin(*upper, fmax(a, b));
  }
}

/* The ranges of one tip's coordinates, intersected with those of the others. */
static bool cut_limits(sn__multi_tip *multi, const sn__multi_tip_tip *tip,
                       const sn_ik_query *query) {
  const size_t n = multi->coord_count;
  double *room = multi->scratch;
  const sn__coords_range range = {room, room + n, room + 2 * n, room + 3 * n, multi->locked + n};
  bool has_room = sn__coords_limits(&tip->serial, tip->joints, query->lower, query->upper,
                                    query->locked, &range);
  for (size_t k = 0; k < tip->serial.coord_count; k++) {
    const int c = tip->coord[k];
    cut(tip, k, range.lower[k], range.upper[k], &multi->lower[c], &multi->upper[c]);
    /* a mimic joint without limits does not restrict the samples of its master */
    const bool own = tip->factor[k] == 1.0 && tip->shift[k] == 0.0;
    cut(tip, k, own ? range.sample_lower[k] : range.lower[k],
        own ? range.sample_upper[k] : range.upper[k], &multi->sample_lower[c],
        &multi->sample_upper[c]);
    multi->locked[c] = multi->locked[c] || range.locked[k];
    has_room = has_room && multi->lower[c] <= multi->upper[c];
  }
  return has_room;
}

bool sn__multi_tip_set_query(sn__multi_tip *multi, const sn_ik_query *query) {
  for (size_t c = 0; c < multi->coord_count; c++) {
    multi->lower[c] = multi->sample_lower[c] = -INFINITY;
    multi->upper[c] = multi->sample_upper[c] = INFINITY;
    multi->locked[c] = false;
  }
  bool has_room = true;
  for (size_t t = 0; t < multi->tip_count; t++) {
    sn__multi_tip_tip *tip = &multi->tips[t];
    sn_pose target = query->targets[t];
    target.pos = sn_vec3_scale(target.pos, 1.0 / multi->length_m);
    tip->pose_target_first = sn_pose_between(target, tip->serial.pose_base_first);
    has_room = cut_limits(multi, tip, query) && has_room;
  }
  multi->free_axes = query->free_axes;
  multi->position_tolerance = query->position_tolerance_m / multi->length_m;
  multi->rotation_tolerance = query->rotation_tolerance_rad;
  multi->clock = query->clock;
  multi->deadline_ns = query->deadline_ns;
  multi->best = query->approximate != NULL ? multi->best_room : NULL;
  multi->best_squared = INFINITY;
  return has_room;
}

void sn__multi_tip_from_q(const sn__multi_tip *multi, const double *q, double *y) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    sn__coords_from_q(&tip->serial, tip->joints, q, tip->y);
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      if (tip->factor[k] == 1.0 && tip->shift[k] == 0.0) {
        y[tip->coord[k]] = tip->y[k];
      }
    }
  }
}

static void gather(const sn__multi_tip_tip *tip, const double *y) {
  for (size_t k = 0; k < tip->serial.coord_count; k++) {
    tip->y[k] = tip->factor[k] * y[tip->coord[k]] + tip->shift[k];
  }
}

void sn__multi_tip_to_q(sn__multi_tip *multi, const double *y, const sn_ik_query *query,
                        double *q) {
  for (size_t t = 0; t < multi->tip_count; t++) {
    const sn__multi_tip_tip *tip = &multi->tips[t];
    gather(tip, y);
    sn__coords_to_q(&tip->serial, tip->joints, tip->y, query->seed, query->lower, query->upper, q);
  }
}

static void keep_best(sn__multi_tip *multi, const double *y, double position2, double rotation2) {
  const double squared = position2 * multi->length_m * multi->length_m + rotation2;
  if (multi->best != NULL && squared < multi->best_squared) {
    multi->best_squared = squared;
    memcpy(multi->best, y, multi->coord_count * sizeof *y);
  }
}

bool sn__multi_tip_evaluate(sn__multi_tip *multi, const double *y) {
  double position2 = 0.0, rotation2 = 0.0;
  bool reached = true;
  for (size_t t = 0; t < multi->tip_count; t++) {
    sn__multi_tip_tip *tip = &multi->tips[t];
    gather(tip, y);
    sn__serial_forward(&tip->serial, &tip->pose_target_first, tip->y, &tip->data);
    sn__serial_jacobian(&tip->serial, &tip->data);
    tip->error = sn__pose_error(&tip->data.tip, multi->free_axes);
    sn__pose_error_columns(&tip->data.tip, multi->free_axes, tip->serial.coord_count,
                           tip->data.column);
    for (size_t k = 0; k < tip->serial.coord_count; k++) {
      tip->data.column[k] = sn__vec3_pair_scale(tip->data.column[k], tip->factor[k]);
    }
    const sn__pair squares = sn__vec3_pair_products(tip->error, tip->error);
    const double r2 = squares[0], p2 = squares[1];
    tip->reached = p2 <= multi->position_tolerance * multi->position_tolerance &&
                   r2 <= multi->rotation_tolerance * multi->rotation_tolerance;
    reached = reached && tip->reached;
    position2 += p2;
    rotation2 += r2;
  }
  multi->error_squared = position2 + rotation2;
  keep_best(multi, y, position2, rotation2);
  return reached;
}

double sn__multi_tip_error(sn__multi_tip *multi, const double *y) {
  double sum = 0.0;
  for (size_t t = 0; t < multi->tip_count; t++) {
    sn__multi_tip_tip *tip = &multi->tips[t];
    gather(tip, y);
    sn__serial_forward(&tip->serial, &tip->pose_target_first, tip->y, &tip->data);
    sum += sn__pose_error_squared(&tip->data.tip, multi->length_m, multi->free_axes);
  }
  return sqrt(sum);
}
