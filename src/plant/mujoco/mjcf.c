#include "plant/mujoco/mjcf.h"

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

/* A letter and a number. */
static void put_name(sn__sink *sink, const char *key, const char *letter, size_t number) {
  sn__sink_text(sink, " ");
  sn__sink_text(sink, key);
  sn__sink_text(sink, "=\"");
  sn__sink_text(sink, letter);
  sn__sink_unsigned(sink, number);
  sn__sink_text(sink, "\"");
}

static void put_pose(sn__sink *sink, const sn_pose *pose) {
  const sn_quat turn = sn_quat_from_mat3(pose->rot);
  put_numbers(sink, "pos", (double[]){pose->pos.x, pose->pos.y, pose->pos.z}, 3);
  put_numbers(sink, "quat", (double[]){turn.w, turn.x, turn.y, turn.z}, 4);
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
static void put_joint(sn__sink *sink, const sn__physics_setup *setup, size_t body) {
  const sn_tree *tree = sn_model_tree(setup->model);
  const sn_joint *joint = sn_model_joint(setup->model, (size_t)tree->coord[body]);
  const sn__axle *axle = &setup->axles[tree->coord[body]];
  sn__sink_text(sink,
                "<joint axis=\"0 0 1\" solreffriction=\"0.0005 1\" "
                "solimpfriction=\"0.999 0.999 0.001\" solreflimit=\"0.001 1\" "
                "solimplimit=\"0.99 0.999 0.001\"");
  put_name(sink, "name", "j", body);
  sn__sink_text(sink, tree->prismatic[body] ? " type=\"slide\"" : " type=\"hinge\"");
  if (joint->body == (int)body && isfinite(axle->lower) && isfinite(axle->upper) &&
      axle->lower < axle->upper) {
    const double range[2] = {axle->lower, axle->upper};
    sn__sink_text(sink, " limited=\"true\"");
    put_numbers(sink, "range", range, 2);
  }
  sn__sink_text(sink, "/>\n");
}

/* MuJoCo has no points. */
static const double RADIUS_MIN_M = 1e-6;

static void put_points(sn__sink *sink, const sn__contacts *contacts, int body) {
  for (size_t i = 0; contacts != NULL && i < contacts->body_count; i++) {
    const sn__contact_body *one = &contacts->bodies[i];
    for (size_t k = one->first; one->body == body && k < one->first + one->count; k++) {
      const sn_vec3 at = contacts->points[k].at;
      sn__sink_text(sink, "<geom type=\"sphere\"");
      put_name(sink, "name", "p", k);
      put_numbers(sink, "pos", (double[]){at.x, at.y, at.z}, 3);
      put_numbers(sink, "size", (double[]){fmax(contacts->points[k].radius, RADIUS_MIN_M)}, 1);
      sn__sink_text(sink, "/>\n");
    }
  }
}

static void open_body(sn__sink *sink, const sn__physics_setup *setup, size_t body) {
  const sn_tree *tree = sn_model_tree(setup->model);
  sn__sink_text(sink, "<body");
  put_name(sink, "name", "b", body);
  put_pose(sink, &tree->pose_parent_joint[body]);
  sn__sink_text(sink, ">");
  put_inertia(sink, &tree->inertia[body]);
  put_joint(sink, setup, body);
  put_points(sink, setup->contacts, (int)body);
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
static void put_bodies(sn__sink *sink, const sn__physics_setup *setup) {
  const sn_tree *tree = sn_model_tree(setup->model);
  int at = -1, behind = -1;
  for (;;) {
    const int child = next_child(tree, at, behind < at ? at : behind);
    if (child >= 0) {
      open_body(sink, setup, (size_t)child);
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
      put_name(sink, "joint1", "j", i);
      put_name(sink, "joint2", "j", (size_t)master);
      put_numbers(sink, "polycoef", coefficients, 5);
      sn__sink_text(sink, "/>\n");
    }
  }
}

/* Room for each point to touch, and for some to touch the plane and a box. */
static void put_sizes(sn__sink *sink, const sn__physics_setup *setup) {
  const size_t touching = setup->contacts == NULL ? 1 : setup->contacts->point_count + 20;
  sn__sink_text(sink, "<size nconmax=\"");
  sn__sink_unsigned(sink, touching);
  sn__sink_text(sink, "\" njmax=\""); /* friction, stops, mimics, contacts */
  sn__sink_unsigned(sink, 4 * sn_model_tree(setup->model)->body_count + 100 + 3 * touching);
  sn__sink_text(sink, "\"/>\n");
}

/* Round friction cones, and friction that does not creep. Harder contacts (impratio 1000, solimp
   0.999) hold as well as noslip iterations, in half the time at rest but thrice the time in motion.
   Contacts are about as stiff as those of Sinew's physics. */
static void put_contact_options(sn__sink *sink, const sn__ground *ground) {
  const double friction = ground->friction;
  sn__sink_text(sink,
                "<option collision=\"predefined\" cone=\"elliptic\" impratio=\"10\" "
                "noslip_iterations=\"20\" noslip_tolerance=\"1e-12\" tolerance=\"1e-10\"/>\n"
                "<default><pair condim=\"3\" solref=\"0.002 1\" solimp=\"0.99 0.99 0.001\"");
  put_numbers(sink, "friction", (double[]){friction, friction, 0.0, 0.0, 0.0}, 5);
  sn__sink_text(sink, "/></default>\n");
}

static void put_ground(sn__sink *sink, const sn__ground *ground) {
  const sn_vec3 n = ground->normal, at = sn_vec3_scale(n, ground->height);
  sn__sink_text(sink, "<geom name=\"g0\" type=\"plane\" size=\"1 1 1\"");
  put_numbers(sink, "pos", (double[]){at.x, at.y, at.z}, 3);
  put_numbers(sink, "zaxis", (double[]){n.x, n.y, n.z}, 3);
  sn__sink_text(sink, "/>\n");
  for (size_t i = 0; i < ground->box_count; i++) {
    const sn__ground_box *box = &ground->boxes[i];
    sn__sink_text(sink, "<geom type=\"box\"");
    put_name(sink, "name", "g", i + 1);
    put_numbers(sink, "size", (double[]){box->half.x, box->half.y, box->half.z}, 3);
    put_pose(sink, &box->pose_world_box);
    sn__sink_text(sink, "/>\n");
  }
}

/* What may touch. Listing the pairs avoids tests of the robot's points with each other. */
static void put_pairs(sn__sink *sink, const sn__contacts *contacts) {
  sn__sink_text(sink, "<contact>\n");
  for (size_t i = 0; i < contacts->point_count; i++) {
    for (size_t k = 0; k <= contacts->ground.box_count; k++) {
      sn__sink_text(sink, "<pair");
      put_name(sink, "geom1", "p", i);
      put_name(sink, "geom2", "g", k);
      sn__sink_text(sink, "/>\n");
    }
  }
  sn__sink_text(sink, "</contact>\n");
}

static void put_world(sn__sink *sink, const sn__physics_setup *setup) {
  sn__sink_text(sink, "<worldbody>\n");
  if (setup->contacts != NULL) {
    put_ground(sink, &setup->contacts->ground);
  }
  if (setup->floats) {
    sn__sink_text(sink, "<body name=\"base\">");
    put_inertia(sink, &sn_model_tree(setup->model)->base_inertia);
    sn__sink_text(sink, "<freejoint name=\"base\"/>\n");
  }
  put_points(sink, setup->contacts, -1);
  put_bodies(sink, setup);
  sn__sink_text(sink, setup->floats ? "</body></worldbody>\n" : "</worldbody>\n");
}

size_t sn__mjcf_write(const sn__physics_setup *setup, char *out, size_t size) {
  sn__sink sink = {.out = out, .size = size};
  sn__sink_text(&sink,
                "<mujoco><compiler angle=\"radian\" balanceinertia=\"true\" "
                "boundmass=\"1e-9\" boundinertia=\"1e-9\"/>\n");
  put_sizes(&sink, setup);
  if (setup->contacts != NULL) {
    put_contact_options(&sink, &setup->contacts->ground);
  }
  put_world(&sink, setup);
  if (setup->contacts != NULL) {
    put_pairs(&sink, setup->contacts);
  }
  sn__sink_text(&sink, "<equality>\n");
  put_mimics(&sink, setup->model);
  sn__sink_text(&sink, "</equality></mujoco>\n");
  return sn__sink_end(&sink);
}
