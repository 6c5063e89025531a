#include "ik/closed/closed_6r.h"

#include <stdio.h>

static sn__relation relate(const sn__arm *arm, int i, int j, sn__tolerance tol) {
  if (sn__arm_is_parallel(arm, i, j, tol)) {
    return SN__PARALLEL;
  }
  return sn__arm_is_intersecting(arm, i, j, tol, NULL) ? SN__INTERSECTING : SN__GENERAL;
}

static bool are_three_parallel(const sn__arm *arm, int first, sn__tolerance tol) {
  return sn__arm_is_parallel(arm, first, first + 1, tol) &&
         sn__arm_is_parallel(arm, first + 1, first + 2, tol) &&
         sn__arm_is_parallel(arm, first, first + 2, tol);
}

/* Does the arm, in the given direction, have this form? */
static bool has_form(const sn__arm *arm, sn__tolerance tol, sn__closed_6r_form *form) {
  switch (form->kind) {
    case SN__6R_WRIST:
      form->pair[0] = relate(arm, 0, 1, tol);
      form->pair[1] = relate(arm, 1, 2, tol);
      form->quartic = form->pair[0] == SN__GENERAL && form->pair[1] == SN__GENERAL;
      return sn__arm_is_spherical(arm, 3, tol, NULL);
    case SN__6R_MIDDLE:
      form->pair[1] = relate(arm, 0, 1, tol);
      form->quartic = form->pair[1] == SN__GENERAL;
      return sn__arm_is_spherical(arm, 2, tol, NULL);
    case SN__6R_PARALLEL_234:
      form->pair[1] = relate(arm, 4, 5, tol);
      form->quartic = form->pair[1] != SN__INTERSECTING;
      return are_three_parallel(arm, 1, tol) && !sn__arm_is_parallel(arm, 0, 1, tol) &&
             !sn__arm_is_parallel(arm, 3, 4, tol) && form->pair[1] != SN__PARALLEL;
    case SN__6R_PARALLEL_123:
      form->pair[0] = relate(arm, 3, 4, tol);
      form->pair[1] = relate(arm, 4, 5, tol);
      form->quartic = false;
      return are_three_parallel(arm, 0, tol) && !sn__arm_is_parallel(arm, 2, 3, tol) &&
             (form->pair[0] == SN__INTERSECTING || form->pair[1] == SN__INTERSECTING);
    default:
      return false;
  }
}

sn__closed_6r_form sn__closed_6r_recognise(const sn__arm *arm, sn__tolerance tol) {
  static const sn__closed_6r_kind kinds[] = {SN__6R_WRIST, SN__6R_PARALLEL_234, SN__6R_PARALLEL_123,
                                             SN__6R_MIDDLE};
  sn__arm reversed;
  sn__arm_reverse(arm, &reversed);
  sn__closed_6r_form best = {.kind = SN__6R_NONE};
  for (int k = 0; k < 4; k++) {
    for (int side = 0; side < 2; side++) {
      sn__closed_6r_form form = {.kind = kinds[k], .reversed = side == 1};
      if (!has_form(form.reversed ? &reversed : arm, tol, &form)) {
        continue;
      }
      if (best.kind == SN__6R_NONE || (best.quartic && !form.quartic)) {
        best = form;
      }
    }
  }
  return best;
}

/* Axis numbers from the base for the joints first .. last of the form. */
static void name_axes(sn__closed_6r_form form, int first, int last, char text[12]) {
  int position = 0;
  for (int i = first; i <= last; i++) {
    const int axis = form.reversed ? 5 - (first + last - i) : i;
    position +=
        snprintf(text + position, (size_t)(12 - position), "%s%d", i == first ? "" : "-", axis + 1);
  }
}

static int describe_pair(sn__closed_6r_form form, sn__relation pair, int first, char *text,
                         size_t size) {
  char axes[12];
  name_axes(form, first, first + 1, axes);
  return snprintf(text, size, ", %s axes %s", pair == SN__PARALLEL ? "parallel" : "intersecting",
                  axes);
}

int sn__closed_6r_describe(sn__closed_6r_form form, char *text, size_t size) {
  char axes[12];
  switch (form.kind) {
    case SN__6R_WRIST: {
      int n = snprintf(text, size, "%s", form.reversed ? "spherical shoulder" : "spherical wrist");
      const int which = form.pair[1] != SN__GENERAL ? 1 : 0;
      if (!form.quartic && n >= 0 && (size_t)n < size) {
        n += describe_pair(form, form.pair[which], which, text + n, size - (size_t)n);
      }
      return n;
    }
    case SN__6R_MIDDLE:
      name_axes(form, 2, 4, axes);
      return snprintf(text, size, "axes %s meet in a point", axes);
    case SN__6R_PARALLEL_234:
      name_axes(form, 1, 3, axes);
      return snprintf(text, size, "three parallel axes %s", axes);
    case SN__6R_PARALLEL_123:
      name_axes(form, 0, 2, axes);
      return snprintf(text, size, "three parallel axes %s", axes);
    default:
      return snprintf(text, size, "no closed form");
  }
}

static void snap_pair(sn__arm *arm, int i, sn__relation pair) {
  if (pair == SN__PARALLEL) {
    sn__arm_snap_parallel(arm, i, i + 1);
  } else if (pair == SN__INTERSECTING) {
    sn__arm_snap_intersecting(arm, i, i + 1);
  }
}

static void init_spherical(sn__closed_6r *closed, int first) {
  sn__arm *arm = &closed->arm;
  const sn__tolerance whatever = {.angle_rad = INFINITY, .length_m = INFINITY};
  sn__arm_is_spherical(arm, first, whatever, &closed->centre);
  for (int i = first; i < first + 3; i++) {
    arm->r[i] = closed->centre;
  }
  sn__spherical_joint_init(&closed->spherical, arm->h + first);
}

static void snap_three_parallel(sn__arm *arm, int first) {
  sn__arm_snap_parallel(arm, first, first + 2);
  const double sense = sn_vec3_dot(arm->h[first], arm->h[first + 1]) < 0.0 ? -1.0 : 1.0;
  arm->h[first + 1] = sn_vec3_scale(arm->h[first], sense);
}

void sn__closed_6r_init(sn__closed_6r *closed, const sn__arm *arm, sn__closed_6r_form form) {
  closed->form = form;
  if (form.reversed) {
    sn__arm_reverse(arm, &closed->arm);
  } else {
    closed->arm = *arm;
  }
  sn__arm *own = &closed->arm;
  switch (form.kind) {
    case SN__6R_WRIST:
      /* Where both pairs meet, axis 2 has two points: the last wins, and the other offset lies
         along the axis, where it does no harm. */
      snap_pair(own, 0, form.pair[0]);
      snap_pair(own, 1, form.pair[1]);
      init_spherical(closed, 3);
      break;
    case SN__6R_MIDDLE:
      snap_pair(own, 0, form.pair[1]);
      init_spherical(closed, 2);
      break;
    case SN__6R_PARALLEL_234:
      snap_three_parallel(own, 1);
      snap_pair(own, 4, form.pair[1]);
      sn__closed_6r_init_parallel(closed, 1);
      sn__cone_init(&closed->cone, closed->plane.z, own->h[4], own->h[5]);
      break;
    default:
      snap_three_parallel(own, 0);
      snap_pair(own, 3, form.pair[0]);
      snap_pair(own, 4, form.pair[1]);
      sn__closed_6r_init_parallel(closed, 0);
      break;
  }
  closed->tip_inverse = sn_pose_inverse(own->tip);
  closed->length = sn__arm_length(own);
}

static void reverse_branches(sn__branches *branches) {
  unsigned any = 0;
  for (unsigned i = 0; i < 6; i++) {
    any |= (branches->any >> i & 1u) << (5u - i);
  }
  branches->any = any;
  for (int i = 0; i < branches->count; i++) {
    for (int j = 0; j < 3; j++) {
      const sn__turn swap = branches->turn[i][j];
      branches->turn[i][j] = branches->turn[i][5 - j];
      branches->turn[i][5 - j] = swap;
    }
  }
}

void sn__closed_6r_solve(const sn__closed_6r *closed, sn_pose target, double slack,
                         const sn__turn any_turn[6], sn__branches *out) {
  sn__turn prefer[6];
  sn__window window[6];
  const sn__window *given = out->window;
  for (int i = 0; i < 6; i++) {
    const int from = closed->form.reversed ? 5 - i : i;
    prefer[i] = any_turn[from];
    if (given != NULL) {
      window[i] = given[from];
    }
  }
  sn__branches_start(out, given == NULL ? NULL : window);
  const sn_pose seen = closed->form.reversed ? sn_pose_inverse(target) : target;
  const sn_pose move = sn_pose_mul(seen, closed->tip_inverse);
  switch (closed->form.kind) {
    case SN__6R_WRIST:
      sn__closed_6r_solve_wrist(closed, move, slack, prefer, out);
      break;
    case SN__6R_MIDDLE:
      sn__closed_6r_solve_middle(closed, move, slack, prefer, out);
      break;
    case SN__6R_PARALLEL_234:
      sn__closed_6r_solve_parallel_234(closed, move, slack, prefer, out);
      break;
    case SN__6R_PARALLEL_123:
      sn__closed_6r_solve_parallel_123(closed, move, slack, prefer, out);
      break;
    default:
      break;
  }
  out->window = given;
  if (closed->form.reversed) {
    reverse_branches(out);
  }
}
