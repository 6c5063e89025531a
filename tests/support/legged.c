#include "legged.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sn_test.h"

const legged_robot legged_a1 = {.rows = 2,
                                .foot = LEGGED_SPHERE,
                                .upper = 0.2,
                                .lower = 0.2,
                                .size = 0.02,
                                .length = 0.36,
                                .width = 0.26,
                                .mass_kg = 6,
                                .com_x = 0.01,
                                .knee_min = -2.7,
                                .knee_max = -0.9,
                                .hip_max = 1.5};

const legged_robot legged_hexapod = {.rows = 3,
                                     .is_insect = true,
                                     .foot = LEGGED_SPHERE,
                                     .upper = 0.1,
                                     .lower = 0.15,
                                     .size = 0.01,
                                     .length = 0.3,
                                     .width = 0.12,
                                     .mass_kg = 2,
                                     .knee_min = -2.2,
                                     .knee_max = 2.2,
                                     .hip_max = 1.5};

const legged_robot legged_biped = {.rows = 1,
                                   .has_ankles = true,
                                   .foot = LEGGED_BOX,
                                   .upper = 0.4,
                                   .lower = 0.4,
                                   .size = 0.2,
                                   .width = 0.24,
                                   .mass_kg = 30,
                                   .knee_min = 0.0,
                                   .knee_max = 2.3,
                                   .hip_max = 1.2};

typedef struct writer {
  char *text;
  size_t used;
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = vsnprintf(w->text + w->used, LEGGED_TEXT_MAX - w->used, format, args);
  va_end(args);
  w->used += (size_t)length;
  assert_true(w->used < LEGGED_TEXT_MAX);
}

static void put_link(writer *w, const char *name, double mass_kg, double com_z, double com_x,
                     const char *shape) {
  const double i = 0.004 * mass_kg;
  put(w,
      "<link name='%s'><inertial><origin xyz='%g 0 %g'/><mass value='%g'/><inertia ixx='%g' "
      "iyy='%g' izz='%g' ixy='0' ixz='0' iyz='0'/></inertial>%s</link>\n",
      name, com_x, com_z, mass_kg, i, i, i, shape);
}

static void put_joint(writer *w, const char *name, const char *parent, const char *child,
                      const char *axis, double x, double y, double z, double yaw, double lower,
                      double upper) {
  put(w,
      "<joint name='%s' type='%s'><parent link='%s'/><child link='%s'/><origin xyz='%g %g %g' "
      "rpy='0 0 %g'/><axis xyz='%s'/><limit lower='%g' upper='%g' effort='200' velocity='10'/>"
      "</joint>\n",
      name, axis == NULL ? "fixed" : "revolute", parent, child, x, y, z, yaw,
      axis == NULL ? "1 0 0" : axis, lower, upper);
}

/* What the parts of a leg are called. */
static void name_part(const legged_robot *r, const char *side, size_t row, int part, bool is_joint,
                      char *name) {
  static const char *const words[] = {"hip", "thigh", "knee", "shank", "ankle", "foot"};
  const int tenths = (int)(10 * row) + (side[0] == 'l' ? 0 : 5);
  if (r->is_anonymous) {
    sprintf(name, "%s%d_%d", is_joint ? "j" : "b", tenths, part);
  } else {
    sprintf(name, "%s_leg%d_%s%d%s", side, (int)row, words[part % 6], part,
            is_joint ? "_joint" : "");
  }
}

typedef struct leg_writer {
  const legged_robot *r;
  writer *w;
  const char *side;
  size_t row;
  int part;
  char last[64]; /* link */
} leg_writer;

static void add_part(leg_writer *l, const char *axis, double x, double y, double z, double yaw,
                     double lower, double upper, double mass_kg, double com_x, double com_z,
                     const char *shape) {
  char link[64], joint[64];
  name_part(l->r, l->side, l->row, l->part, false, link);
  name_part(l->r, l->side, l->row, l->part, true, joint);
  put_link(l->w, link, mass_kg, com_z, com_x, shape);
  put_joint(l->w, joint, l->last, link, axis, x, y, z, yaw, lower, upper);
  strcpy(l->last, link);
  l->part++;
}

/* The shape of the foot about its frame. */
static const char *foot_shape(const legged_robot *r, char *text) {
  if (r->foot == LEGGED_SPHERE) {
    sprintf(text, "<collision><geometry><sphere radius='%g'/></geometry></collision>", r->size);
  } else if (r->foot == LEGGED_BOX) {
    sprintf(text,
            "<collision><origin xyz='%g 0 %g'/><geometry><box size='%g %g %g'/></geometry>"
            "</collision>",
            0.2 * r->size, -0.1 * r->size, r->size, 0.5 * r->size, 0.2 * r->size);
  } else if (r->foot == LEGGED_MESH) {
    sprintf(text, "<collision><geometry><mesh filename='no.stl'/></geometry></collision>");
  } else {
    text[0] = '\0';
  }
  return text;
}

static void add_foot(leg_writer *l, double x, double z) {
  char shape[256];
  if (l->r->foot != LEGGED_CYLINDER) {
    add_part(l, NULL, x, 0, z, 0, 0, 0, 0.05, 0, 0, foot_shape(l->r, shape));
  }
}

/* Straight down at zero. */
static void add_mammal_leg(leg_writer *l, double x, double y) {
  const legged_robot *r = l->r;
  char rod[256] = "";
  if (r->foot == LEGGED_CYLINDER) {
    sprintf(rod,
            "<collision><origin xyz='0 0 %g'/><geometry><cylinder radius='%g' length='%g'/>"
            "</geometry></collision>",
            -0.5 * r->lower, r->size, r->lower);
  }
  if (r->has_ankles) {
    add_part(l, "0 0 1", x, y, 0, 0, -0.8, 0.8, 0.3, 0, 0, "");
    x = y = 0.0;
  }
  add_part(l, "1 0 0", x, y, 0, 0, -0.8, 0.8, 0.5, 0, 0, "");
  add_part(l, "0 1 0", 0, 0, 0, 0, -r->hip_max, r->hip_max, 1, 0, -0.5 * r->upper, "");
  add_part(l, "0 1 0", 0, 0, -r->upper, 0, r->knee_min, r->knee_max, 0.5, 0, -0.5 * r->lower, rod);
  if (r->has_ankles) {
    char shape[256];
    add_part(l, "0 1 0", 0, 0, -r->lower, 0, -1, 1, 0.1, 0, 0, "");
    add_part(l, "1 0 0", 0, 0, 0, 0, -0.8, 0.8, 0.5, 0, 0, foot_shape(r, shape));
  } else {
    add_foot(l, 0, -r->lower);
  }
}

/* Spread sideways at zero. */
static void add_insect_leg(leg_writer *l, double x, double y) {
  const legged_robot *r = l->r;
  char rod[256] = "";
  if (r->foot == LEGGED_CYLINDER) {
    sprintf(rod,
            "<collision><origin xyz='%g 0 0' rpy='0 1.5707963267948966 0'/><geometry><cylinder "
            "radius='%g' length='%g'/></geometry></collision>",
            0.5 * r->lower, r->size, r->lower);
  }
  add_part(l, "0 0 1", x, y, 0, y > 0 ? 1.5707963267948966 : -1.5707963267948966, -0.8, 0.8, 0.05,
           0, 0, "");
  add_part(l, "0 1 0", 0.3 * r->upper, 0, 0, 0, -r->hip_max, r->hip_max, 0.1, 0.5 * r->upper, 0,
           "");
  add_part(l, "0 1 0", r->upper, 0, 0, 0, r->knee_min, r->knee_max, 0.05, 0.5 * r->lower, 0, rod);
  add_foot(l, r->lower, 0);
}

void legged_write(const legged_robot *r, char *text) {
  writer w = {.text = text};
  put(&w, "<robot name='legged'>\n");
  put_link(&w, "trunk", r->mass_kg, 0, r->com_x, "");
  for (size_t row = 0; row < r->rows; row++) {
    const double part = r->rows == 1 ? 0.0 : 0.5 - (double)row / (double)(r->rows - 1);
    for (int side = 0; side < 2; side++) {
      leg_writer l = {
          .r = r, .w = &w, .side = side == 0 ? "left" : "right", .row = row, .last = "trunk"};
      const double x = part * r->length, y = side == 0 ? 0.5 * r->width : -0.5 * r->width;
      if (r->is_insect) {
        add_insect_leg(&l, x, y);
      } else {
        add_mammal_leg(&l, x, y);
      }
    }
  }
  put(&w, "</robot>\n");
}
