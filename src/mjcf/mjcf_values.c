#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/report_internal.h"
#include "base/text.h"
#include "mjcf/mjcf_context.h"
#include "sinew/quat.h"

void sn__mjcf_problem(sn__mjcf *m, sn_severity severity, const sn__xml_node *node, const char *hint,
                      const char *format, ...) {
  char message[400];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  sn__report_add(m->report, severity, node->place, hint, "%s", message);
}

void sn__mjcf_unknown(sn__mjcf *m, const sn__xml_node *node, const char *inside) {
  for (size_t i = 0; i < m->shown_count; i++) {
    if (strcmp(m->shown[i], node->name) == 0) {
      return;
    }
  }
  if (m->shown_count < SN__MJCF_SHOWN_MAX) {
    m->shown[m->shown_count++] = node->name;
    sn__mjcf_problem(m, SN_SEVERITY_WARNING, node, NULL,
                     "<%.60s> inside <%.60s> is left out: it has no meaning here", node->name,
                     inside);
  }
}

static const char *class_text(const sn__mjcf_class *c, const char *tag, const char *attribute) {
  const sn__xml_node *node = sn__xml_child(c->node, tag);
  return node == NULL ? NULL : sn__xml_attribute_value(node, attribute);
}

/* The value that a class gives to an attribute, or one that it is in. The outermost class may be
   written in several places. */
static const char *default_text(const sn__mjcf *m, int index, const char *tag,
                                const char *attribute) {
  const char *text = NULL;
  for (int at = index; text == NULL && at >= 0; at = m->classes[at].parent) {
    text = class_text(&m->classes[at], tag, attribute);
  }
  for (size_t i = m->class_count; text == NULL && index >= 0 && i-- > 0;) {
    text = m->classes[i].parent < 0 ? class_text(&m->classes[i], tag, attribute) : NULL;
  }
  return text;
}

const char *sn__mjcf_text(const sn__mjcf *m, const sn__mjcf_element *e, const char *attribute) {
  const char *text = sn__xml_attribute_value(e->node, attribute);
  return text == NULL && e->tag != NULL ? default_text(m, e->class_index, e->tag, attribute) : text;
}

static const char *skip_blanks(const char *text) {
  while (sn__text_is_blank(*text)) {
    text++;
  }
  return text;
}

size_t sn__mjcf_numbers(sn__mjcf *m, const sn__mjcf_element *e, const char *attribute, size_t least,
                        size_t most, double *out) {
  const char *text = sn__mjcf_text(m, e, attribute);
  size_t count = 0;
  for (const char *at = text == NULL ? "" : skip_blanks(text); *at != '\0'; count++) {
    size_t length = 0;
    while (at[length] != '\0' && !sn__text_is_blank(at[length])) {
      length++;
    }
    double number = 0.0;
    if (count == most || sn__number_parse(at, length, &number) != SN__NUMBER_OK ||
        fabs(number) > 1e15) {
      sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node, NULL,
                       "<%.60s> %s is '%.60s', expected at most %zu finite numbers", e->node->name,
                       attribute, text, most);
      return 0;
    }
    out[count] = number;
    at = skip_blanks(at + length);
  }
  if (text != NULL && count < least) {
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node, NULL,
                     "<%.60s> %s is '%.60s', expected %s%zu numbers", e->node->name, attribute,
                     text, least == most ? "" : "at least ", least);
    return 0;
  }
  return count;
}

double sn__mjcf_number(sn__mjcf *m, const sn__mjcf_element *e, const char *attribute,
                       double otherwise) {
  double number = otherwise;
  return sn__mjcf_numbers(m, e, attribute, 1, 1, &number) == 1 ? number : otherwise;
}

bool sn__mjcf_flag(const sn__mjcf *m, const sn__mjcf_element *e, const char *attribute,
                   bool otherwise) {
  const char *text = sn__mjcf_text(m, e, attribute);
  return text == NULL                   ? otherwise
         : strcmp(text, "true") == 0    ? true
         : strcmp(text, "enable") == 0  ? true
         : strcmp(text, "false") == 0   ? false
         : strcmp(text, "disable") == 0 ? false
                                        : otherwise;
}

double sn__mjcf_angle(const sn__mjcf *m, double angle) {
  return m->settings.is_degree ? angle * (3.14159265358979323846 / 180.0) : angle;
}

/* ---- rotations ---- */

static sn_vec3 unit(sn_vec3 v) {
  const double length = sn_vec3_norm(v);
  return length > 1e-14 ? sn_vec3_scale(v, 1.0 / length) : sn_vec3_make(0, 0, 1);
}

sn_mat3 sn__mjcf_rotation_to(sn_vec3 z) {
  const sn_vec3 to = unit(z), from = sn_vec3_make(0, 0, 1);
  const sn_vec3 axis = sn_vec3_cross(from, to);
  const double sine = sn_vec3_norm(axis);
  const sn_vec3 about = sine < 1e-10 ? sn_vec3_make(1, 0, 0) : sn_vec3_scale(axis, 1.0 / sine);
  return sn_mat3_from_axis_angle(about, atan2(sine, to.z));
}

static sn_mat3 from_xyaxes(const double v[6]) {
  const sn_vec3 x = unit(sn_vec3_make(v[0], v[1], v[2]));
  const sn_vec3 given = sn_vec3_make(v[3], v[4], v[5]);
  const sn_vec3 y = unit(sn_vec3_add_scaled(given, -sn_vec3_dot(x, given), x));
  return (sn_mat3){x, y, unit(sn_vec3_cross(x, y))};
}

/* Lower-case letters turn about the axes of the body, upper-case ones about fixed axes. */
static sn_mat3 from_euler(const sn__mjcf *m, const double v[3]) {
  sn_mat3 rotation = sn_mat3_identity();
  for (size_t i = 0; i < 3; i++) {
    const char letter = m->settings.euler_order[i];
    const char axis = (char)(letter | 0x20);
    const sn_vec3 about = sn_vec3_make(axis == 'x', axis == 'y', axis == 'z');
    const sn_mat3 turn = sn_mat3_from_axis_angle(about, sn__mjcf_angle(m, v[i]));
    rotation = letter == axis ? sn_mat3_mul(rotation, turn) : sn_mat3_mul(turn, rotation);
  }
  return rotation;
}

static sn_mat3 read_rotation(sn__mjcf *m, const sn__mjcf_element *e) {
  double v[6];
  if (sn__mjcf_numbers(m, e, "quat", 4, 4, v) == 4) {
    const sn_quat q = {v[1], v[2], v[3], v[0]};
    const double norm = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    if (norm > 1e-14) {
      return sn_mat3_from_quat(sn_quat_normalize(q));
    }
    sn__mjcf_problem(m, SN_SEVERITY_ERROR, e->node, NULL, "<%.60s> quat is zero", e->node->name);
  } else if (sn__mjcf_numbers(m, e, "axisangle", 4, 4, v) == 4) {
    return sn_mat3_from_axis_angle(unit(sn_vec3_make(v[0], v[1], v[2])), sn__mjcf_angle(m, v[3]));
  } else if (sn__mjcf_numbers(m, e, "xyaxes", 6, 6, v) == 6) {
    return from_xyaxes(v);
  } else if (sn__mjcf_numbers(m, e, "zaxis", 3, 3, v) == 3) {
    return sn__mjcf_rotation_to(sn_vec3_make(v[0], v[1], v[2]));
  } else if (sn__mjcf_numbers(m, e, "euler", 3, 3, v) == 3) {
    return from_euler(m, v);
  }
  return sn_mat3_identity();
}

sn_pose sn__mjcf_pose(sn__mjcf *m, const sn__mjcf_element *e) {
  double v[3] = {0, 0, 0};
  (void)sn__mjcf_numbers(m, e, "pos", 3, 3, v);
  return (sn_pose){.rot = read_rotation(m, e), .pos = sn_vec3_make(v[0], v[1], v[2])};
}
