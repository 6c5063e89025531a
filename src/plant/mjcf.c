#include "plant/mjcf.h"

#include <math.h>

#include "base/sink.h"
#include "sinew/quat.h"

static void put_numbers(sn__sink *sink, const char *key, const double *x, size_t count) {
  sn__sink_text(sink, " ");
  sn__sink_text(sink, key);
  sn__sink_text(sink, "=\"");
  for (size_t i = 0; i < count; i++) {
    sn__sink_text(sink, i == 0 ? "" : " ");
    sn__sink_number(sink, x[i]);
  }
  sn__sink_text(sink, "\"");
}

static void put_name(sn__sink *sink, const char *key, size_t body) {
  sn__sink_text(sink, " ");
  sn__sink_text(sink, key);
  sn__sink_text(sink, "=\"j");
  sn__sink_unsigned(sink, body);
  sn__sink_text(sink, "\"");
}

/* MuJoCo requires mass on every moving body. Massless bodies get so little that only the rotor of
   the servo matters. */
static void put_inertia(sn__sink *sink, const sn_inertia *body) {
  const double least = 1e-9, m = fmax(body->mass_kg, least);
  const sn_vec3 c = sn_vec3_scale(body->h, 1.0 / m);
  const sn_sym3 t = body->tensor;
  const double square = sn_vec3_dot(c, c);
  const double pos[3] = {c.x, c.y, c.z};
  const double full[6] = {fmax(t.xx - m * (square - c.x * c.x), least),
                          fmax(t.yy - m * (square - c.y * c.y), least),
                          fmax(t.zz - m * (square - c.z * c.z), least),
                          t.xy + m * c.x * c.y,
                          t.xz + m * c.x * c.z,
                          t.yz + m * c.y * c.z};
  sn__sink_text(sink, "<inertial");
  put_numbers(sink, "pos", pos, 3);
  put_numbers(sink, "mass", &m, 1);
  put_numbers(sink, "fullinertia", full, 6);
  sn__sink_text(sink, "/>\n");
}

/* A mimic joint has no stops: its master has them. */
static void put_joint(sn__sink *sink, const sn_model *model, size_t body) {
  const sn_tree *tree = sn_model_tree(model);
  const sn_joint *joint = sn_model_joint(model, (size_t)tree->coord[body]);
  sn__sink_text(sink,
                "<joint axis=\"0 0 1\" solreffriction=\"0.0005 1\" "
                "solimpfriction=\"0.999 0.999 0.001\" solreflimit=\"0.001 1\" "
                "solimplimit=\"0.99 0.999 0.001\"");
  put_name(sink, "name", body);
  sn__sink_text(sink, tree->prismatic[body] ? " type=\"slide\"" : " type=\"hinge\"");
  if (joint->body == (int)body && isfinite(joint->lower_hard) && isfinite(joint->upper_hard) &&
      joint->lower_hard < joint->upper_hard) {
    const double range[2] = {joint->lower_hard, joint->upper_hard};
    sn__sink_text(sink, " limited=\"true\"");
    put_numbers(sink, "range", range, 2);
  }
  sn__sink_text(sink, "/>\n");
}

static void open_body(sn__sink *sink, const sn_model *model, size_t body) {
  const sn_tree *tree = sn_model_tree(model);
  const sn_pose *pose = &tree->pose_parent_joint[body];
  const sn_quat turn = sn_quat_from_mat3(pose->rot);
  const double pos[3] = {pose->pos.x, pose->pos.y, pose->pos.z};
  const double quat[4] = {turn.w, turn.x, turn.y, turn.z};
  sn__sink_text(sink, "<body");
  put_numbers(sink, "pos", pos, 3);
  put_numbers(sink, "quat", quat, 4);
  sn__sink_text(sink, ">");
  put_inertia(sink, &tree->inertia[body]);
  put_joint(sink, model, body);
}

/* The next child of a body after another one; -1: none. */
static int next_child(const sn_tree *tree, int parent, int behind) {
  for (int i = behind + 1; i < (int)tree->body_count; i++) {
    if (tree->parent[i] == parent) {
      return i;
    }
  }
  return -1;
}

/* Depth first, without recursion: ascend to the next sibling. */
static void put_bodies(sn__sink *sink, const sn_model *model) {
  const sn_tree *tree = sn_model_tree(model);
  int at = -1, behind = -1;
  for (;;) {
    const int child = next_child(tree, at, behind < at ? at : behind);
    if (child >= 0) {
      open_body(sink, model, (size_t)child);
      at = child;
      behind = -1;
    } else if (at >= 0) {
      sn__sink_text(sink, "</body>\n");
      behind = at;
      at = tree->parent[at];
    } else {
      return;
    }
  }
}

/* Mimic joints are held to their masters by constraints. */
static void put_mimics(sn__sink *sink, const sn_model *model) {
  const sn_tree *tree = sn_model_tree(model);
  for (size_t i = 0; i < tree->body_count; i++) {
    const int master = sn_model_joint(model, (size_t)tree->coord[i])->body;
    if (master >= 0 && master != (int)i) {
      const double coefficients[5] = {tree->q_offset[i], tree->q_scale[i], 0, 0, 0};
      sn__sink_text(sink, "<joint");
      put_name(sink, "joint1", i);
      put_name(sink, "joint2", (size_t)master);
      put_numbers(sink, "polycoef", coefficients, 5);
      sn__sink_text(sink, "/>\n");
    }
  }
}

size_t sn__mjcf_write(const sn_model *model, char *out, size_t size) {
  sn__sink sink = {.out = out, .size = size};
  const size_t rows = 4 * sn_model_tree(model)->body_count + 100; /* friction, stops, mimics */
  sn__sink_text(&sink,
                "<mujoco><compiler angle=\"radian\" balanceinertia=\"true\" "
                "boundmass=\"1e-9\" boundinertia=\"1e-9\"/>\n<size nconmax=\"1\" njmax=\"");
  sn__sink_unsigned(&sink, rows);
  sn__sink_text(&sink, "\"/>\n<worldbody>\n");
  put_bodies(&sink, model);
  sn__sink_text(&sink, "</worldbody>\n<equality>\n");
  put_mimics(&sink, model);
  sn__sink_text(&sink, "</equality></mujoco>\n");
  return sn__sink_end(&sink);
}
