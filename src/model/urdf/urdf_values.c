#include "model/urdf/urdf_values.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/report_internal.h"
#include "base/text.h"

void sn__urdf_problem(sn__urdf_context *context, sn_severity severity, const sn__xml_node *node,
                      const char *attribute, const char *hint, const char *format, ...) {
  char message[400];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof message, format, args);
  va_end(args);
  /* An element of an expanded file is at its place in another file than the text. */
  const sn_place place =
      attribute == NULL || context->tree != NULL
          ? node->place
          : sn__xml_attribute_place(context->text, context->size, node, attribute);
  sn__report_add(context->report, severity, place, hint, "%s", message);
}

static const char *skip_blanks(const char *text) {
  while (sn__text_is_blank(*text)) {
    text++;
  }
  return text;
}

/* Length of the text before the next blank or the end. */
static size_t word_length(const char *text) {
  size_t length = 0;
  while (text[length] != '\0' && !sn__text_is_blank(text[length])) {
    length++;
  }
  return length;
}

/* Advice about a text that is not a number. */
static const char *number_hint(const char *piece, size_t length) {
  if (memchr(piece, ',', length) != NULL) {
    return "the decimal separator is a point, numbers are separated by blanks";
  }
  return "a finite decimal number such as 1.57 or -2e-3, without a unit";
}

bool sn__urdf_has_xacro(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                        const char *attribute, const char *value) {
  if (strstr(value, "${") == NULL) {
    return false;
  }
  sn__urdf_problem(context, owner.severity, node, attribute, "run xacro first",
                   "%s '%.80s': <%s> %s is '%.60s', an unexpanded xacro expression", owner.kind,
                   owner.name, node->name, attribute, value);
  return true;
}

bool sn__urdf_numbers(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                      const char *attribute, size_t count, double *out) {
  const char *value = sn__xml_attribute_value(node, attribute);
  double numbers[4];
  size_t found = 0;
  for (const char *piece = skip_blanks(value); *piece != '\0'; found++) {
    const size_t length = word_length(piece);
    double number = 0.0;
    const sn__number_result result = sn__number_parse(piece, length, &number);
    if (result != SN__NUMBER_OK) {
      if (sn__urdf_has_xacro(context, owner, node, attribute, value)) {
        return false;
      }
      sn__urdf_problem(
          context, owner.severity, node, attribute, number_hint(piece, length),
          "%s '%.80s': <%s> %s: '%.*s' %s", owner.kind, owner.name, node->name, attribute,
          (int)(length < 60 ? length : 60), piece,
          result == SN__NUMBER_OUT_OF_RANGE ? "is out of range" : "is not a finite decimal number");
      return false;
    }
    if (found < count) {
      numbers[found] = number;
    }
    piece = skip_blanks(piece + length);
  }
  if (found != count) {
    sn__urdf_problem(context, owner.severity, node, attribute, NULL,
                     "%s '%.80s': <%s> %s is '%.60s': %zu number%s, expected %zu", owner.kind,
                     owner.name, node->name, attribute, value, found, found == 1 ? "" : "s", count);
    return false;
  }
  memcpy(out, numbers, count * sizeof *out);
  return true;
}

bool sn__urdf_within(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                     const char *attribute, size_t count, const double *numbers, double max,
                     const char *unit) {
  for (size_t i = 0; i < count; i++) {
    if (fabs(numbers[i]) > max) {
      sn__urdf_problem(context, owner.severity, node, attribute, NULL,
                       "%s '%.80s': <%s> %s: %g%s%s is out of range, expected at most %g",
                       owner.kind, owner.name, node->name, attribute, numbers[i],
                       *unit == '\0' ? "" : " ", unit, max);
      return false;
    }
  }
  return true;
}

bool sn__urdf_number(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node,
                     const char *attribute, double *out) {
  return sn__xml_attribute_value(node, attribute) != NULL &&
         sn__urdf_numbers(context, owner, node, attribute, 1, out);
}

/* URDF 1.1: rotation as a quaternion, normalised here. */
static sn_mat3 read_quaternion(sn__urdf_context *context, sn__urdf_owner owner,
                               const sn__xml_node *origin) {
  double q[4] = {0, 0, 0, 1};
  if (!sn__urdf_numbers(context, owner, origin, "quat_xyzw", 4, q)) {
    return sn_mat3_identity();
  }
  const sn_quat quat = {q[0], q[1], q[2], q[3]};
  const double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(fabs(norm - 1.0) <= 1e-3)) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, origin, "quat_xyzw", NULL,
                     "%s '%.80s': <origin> quat_xyzw has length %g, must be 1", owner.kind,
                     owner.name, norm);
    return sn_mat3_identity();
  }
  const char *version = sn__xml_attribute_value(context->robot, "version");
  if (version == NULL || strcmp(version, "1.0") == 0) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, origin, "quat_xyzw",
                     "say <robot version=\"1.1\">",
                     "%s '%.80s': quat_xyzw is of URDF 1.1, other tools will ignore it here",
                     owner.kind, owner.name);
  }
  return sn_mat3_from_quat(sn_quat_normalize(quat));
}

sn_pose sn__urdf_origin(sn__urdf_context *context, sn__urdf_owner owner, const sn__xml_node *node) {
  sn_pose pose = sn_pose_identity();
  const sn__xml_node *origin = sn__xml_child(node, "origin");
  if (origin == NULL) {
    return pose;
  }
  double v[3];
  if (sn__xml_attribute_value(origin, "xyz") != NULL &&
      sn__urdf_numbers(context, owner, origin, "xyz", 3, v) &&
      sn__urdf_within(context, owner, origin, "xyz", 3, v, SN__LENGTH_MAX_M, "m")) {
    pose.pos = sn_vec3_make(v[0], v[1], v[2]);
  }
  const bool has_rpy = sn__xml_attribute_value(origin, "rpy") != NULL;
  const bool has_quat = sn__xml_attribute_value(origin, "quat_xyzw") != NULL;
  if (has_rpy && has_quat) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, origin, "quat_xyzw", "keep one of them",
                     "%s '%.80s': <origin> has both rpy and quat_xyzw", owner.kind, owner.name);
  } else if (has_rpy && sn__urdf_numbers(context, owner, origin, "rpy", 3, v)) {
    pose.rot = sn_mat3_from_rpy(v[0], v[1], v[2]);
  } else if (has_quat) {
    pose.rot = read_quaternion(context, owner, origin);
  }
  return pose;
}

const char *sn__urdf_name(sn__urdf_context *context, const sn__xml_node *node) {
  const char *name = sn__xml_attribute_value(node, "name");
  if (name == NULL || *skip_blanks(name) == '\0') {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, name == NULL ? NULL : "name", NULL,
                     "<%s> has %s name", node->name, name == NULL ? "no" : "an empty");
    return NULL;
  }
  if (sn__text_has_control(name)) {
    sn__urdf_problem(context, SN_SEVERITY_ERROR, node, "name", NULL,
                     "%s '%.80s': a name must not hold a control character", node->name, name);
    return NULL;
  }
  const sn__urdf_owner owner = {node->name, name, SN_SEVERITY_ERROR};
  if (sn__urdf_has_xacro(context, owner, node, "name", name)) {
    return NULL;
  }
  if (strpbrk(name, " /") != NULL) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, node, "name", "use letters, digits and '_'",
                     "%s '%.80s': blanks and slashes in names break other tools", node->name, name);
  }
  return name;
}
