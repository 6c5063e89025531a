#include "urdf_oracle.h"

#include <stdlib.h>

#include "sn_test.h"

static sn_oracle_frame identity(void) {
  return (sn_oracle_frame){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static sn_oracle_frame product(sn_oracle_frame a, sn_oracle_frame b) {
  sn_oracle_frame c = {{{0}}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 4; k++) {
        c.m[i][j] += a.m[i][k] * b.m[k][j];
      }
    }
  }
  return c;
}

/* Turned about coordinate axis `axis` by an angle. */
static sn_oracle_frame turned(int axis, double angle) {
  sn_oracle_frame f = identity();
  const int u = (axis + 1) % 3;
  const int v = (axis + 2) % 3;
  f.m[u][u] = f.m[v][v] = cos(angle);
  f.m[v][u] = sin(angle);
  f.m[u][v] = -sin(angle);
  return f;
}

/* A tag from its '<' through its '>', respecting quotes. */
static size_t tag_length(const char *tag) {
  char quote = '\0';
  for (size_t i = 1; tag[i] != '\0'; i++) {
    if (quote == '\0' && tag[i] == '>') {
      return i + 1;
    }
    if (tag[i] == '"' || tag[i] == '\'') {
      quote = quote == '\0' ? tag[i] : quote == tag[i] ? '\0' : quote;
    }
  }
  fail_msg("the oracle meets a tag without an end");
  return 0;
}

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The value of an attribute inside a tag of that length; "" if it is missing. */
static void attribute(const char *tag, size_t length, const char *name, char *out, size_t size) {
  const size_t name_length = strlen(name);
  out[0] = '\0';
  for (size_t i = 1; i + name_length < length; i++) {
    if (!is_blank(tag[i - 1]) || strncmp(tag + i, name, name_length) != 0) {
      continue;
    }
    size_t at = i + name_length;
    at += strspn(tag + at, " \t\r\n");
    if (tag[at] != '=') {
      continue;
    }
    at += 1 + strspn(tag + at + 1, " \t\r\n");
    const char *end = strchr(tag + at + 1, tag[at]);
    const size_t value_length = (size_t)(end - tag) - at - 1;
    assert_true(value_length < size);
    memcpy(out, tag + at + 1, value_length);
    out[value_length] = '\0';
    return;
  }
}

/* Up to `count` numbers; missing ones keep their value. */
static void numbers(const char *tag, size_t length, const char *name, int count, double *out) {
  char text[256];
  attribute(tag, length, name, text, sizeof text);
  char *at = text;
  for (int i = 0; i < count && *text != '\0'; i++) {
    out[i] = strtod(at, &at);
  }
}

static sn_oracle_frame read_origin(const char *tag, size_t length) {
  double xyz[3] = {0};
  double rpy[3] = {0};
  numbers(tag, length, "xyz", 3, xyz);
  numbers(tag, length, "rpy", 3, rpy);
  /* Fixed axes: first roll about x, then pitch about y, then yaw about z. */
  sn_oracle_frame f = product(turned(2, rpy[2]), product(turned(1, rpy[1]), turned(0, rpy[0])));
  for (int i = 0; i < 3; i++) {
    f.m[i][3] = xyz[i];
  }
  return f;
}

static void read_inertia(const char *tag, size_t length, double out[3][3]) {
  static const char *const names[3][3] = {
      {"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      numbers(tag, length, names[i][j], 1, &out[i][j]);
    }
  }
}

/* The open elements around a tag; relevant ones are at most five deep. */
typedef struct open_elements {
  char names[64][SN_ORACLE_NAME];
  int depth;
} open_elements;

static int is_at(const open_elements *open, const char *grandparent, const char *parent) {
  const int d = open->depth;
  return d >= 2 && strcmp(open->names[d - 1], parent) == 0 &&
         strcmp(open->names[d - 2], grandparent) == 0;
}

static void read_link_part(sn_oracle_link *link, const char *name, const char *tag, size_t length) {
  if (strcmp(name, "origin") == 0) {
    link->inertial = read_origin(tag, length);
  } else if (strcmp(name, "mass") == 0) {
    numbers(tag, length, "value", 1, &link->mass);
  } else if (strcmp(name, "inertia") == 0) {
    read_inertia(tag, length, link->inertia);
  }
}

static void read_joint_part(sn_oracle_joint *joint, const char *name, const char *tag,
                            size_t length) {
  if (strcmp(name, "origin") == 0) {
    joint->origin = read_origin(tag, length);
  } else if (strcmp(name, "parent") == 0) {
    attribute(tag, length, "link", joint->parent, sizeof joint->parent);
  } else if (strcmp(name, "child") == 0) {
    attribute(tag, length, "link", joint->child, sizeof joint->child);
  } else if (strcmp(name, "axis") == 0) {
    numbers(tag, length, "xyz", 3, joint->axis);
  } else if (strcmp(name, "mimic") == 0) {
    attribute(tag, length, "joint", joint->mimic, sizeof joint->mimic);
    numbers(tag, length, "multiplier", 1, &joint->multiplier);
    numbers(tag, length, "offset", 1, &joint->offset);
  }
}

static void read_tag(sn_oracle *oracle, const open_elements *open, const char *name,
                     const char *tag, size_t length) {
  const int is_top = open->depth == 1 && strcmp(open->names[0], "robot") == 0;
  if (is_top && strcmp(name, "link") == 0) {
    assert_true(oracle->link_count < SN_ORACLE_MAX);
    sn_oracle_link *link = &oracle->links[oracle->link_count++];
    *link = (sn_oracle_link){.inertial = identity(), .parent_joint = -1};
    attribute(tag, length, "name", link->name, sizeof link->name);
  } else if (is_top && strcmp(name, "joint") == 0) {
    assert_true(oracle->joint_count < SN_ORACLE_MAX);
    sn_oracle_joint *joint = &oracle->joints[oracle->joint_count++];
    *joint = (sn_oracle_joint){.origin = identity(), .axis = {1, 0, 0}, .multiplier = 1};
    attribute(tag, length, "name", joint->name, sizeof joint->name);
    attribute(tag, length, "type", joint->type, sizeof joint->type);
  } else if (open->depth == 3 && is_at(open, "link", "inertial")) {
    read_link_part(&oracle->links[oracle->link_count - 1], name, tag, length);
  } else if (open->depth == 2 && is_at(open, "robot", "joint")) {
    read_joint_part(&oracle->joints[oracle->joint_count - 1], name, tag, length);
  }
}

void sn_oracle_read(sn_oracle *oracle, const char *text) {
  oracle->link_count = oracle->joint_count = 0;
  open_elements open = {.depth = 0};
  for (const char *tag = strchr(text, '<'); tag != NULL; tag = strchr(tag, '<')) {
    if (strncmp(tag, "<!--", 4) == 0) {
      tag = strstr(tag, "-->");
      assert_non_null(tag);
      continue;
    }
    const size_t length = tag_length(tag);
    if (tag[1] == '/') {
      open.depth--;
    } else if (tag[1] != '?') {
      char name[SN_ORACLE_NAME] = "";
      memcpy(name, tag + 1, strcspn(tag + 1, " \t\r\n/>"));
      read_tag(oracle, &open, name, tag, length);
      if (tag[length - 2] != '/') {
        assert_true(open.depth < 64);
        strcpy(open.names[open.depth++], name);
      }
    }
    tag += length;
  }
  for (int i = 0; i < oracle->joint_count; i++) {
    oracle->links[sn_oracle_find_link(oracle, oracle->joints[i].child)].parent_joint = i;
  }
}

int sn_oracle_find_link(const sn_oracle *oracle, const char *name) {
  for (int i = 0; i < oracle->link_count; i++) {
    if (strcmp(oracle->links[i].name, name) == 0) {
      return i;
    }
  }
  fail_msg("the oracle knows no link '%s'", name);
  return -1;
}

int sn_oracle_find_joint(const sn_oracle *oracle, const char *name) {
  for (int i = 0; i < oracle->joint_count; i++) {
    if (strcmp(oracle->joints[i].name, name) == 0) {
      return i;
    }
  }
  fail_msg("the oracle knows no joint '%s'", name);
  return -1;
}

static double joint_value(const sn_oracle *oracle, int joint, const double *q) {
  const sn_oracle_joint *j = &oracle->joints[joint];
  if (*j->mimic == '\0') {
    return q[joint];
  }
  return j->multiplier * joint_value(oracle, sn_oracle_find_joint(oracle, j->mimic), q) + j->offset;
}

/* The transform of a joint at a value: Rodrigues' formula, or a shift. */
static sn_oracle_frame motion(const sn_oracle_joint *joint, double value) {
  sn_oracle_frame f = identity();
  const double *a = joint->axis;
  const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
  const double u[3] = {a[0] / length, a[1] / length, a[2] / length};
  if (strcmp(joint->type, "prismatic") == 0) {
    for (int i = 0; i < 3; i++) {
      f.m[i][3] = u[i] * value;
    }
  } else if (strcmp(joint->type, "revolute") == 0 || strcmp(joint->type, "continuous") == 0) {
    const double cross[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        f.m[i][j] =
            (i == j) * cos(value) + sin(value) * cross[i][j] + (1.0 - cos(value)) * u[i] * u[j];
      }
    }
  }
  return f;
}

sn_oracle_frame sn_oracle_fk(const sn_oracle *oracle, int link, const double *q) {
  sn_oracle_frame f = identity();
  int joint = oracle->links[link].parent_joint;
  while (joint >= 0) {
    const sn_oracle_joint *j = &oracle->joints[joint];
    const int is_driven = strcmp(j->type, "fixed") != 0 && strcmp(j->type, "floating") != 0 &&
                          strcmp(j->type, "planar") != 0;
    const double value = is_driven ? joint_value(oracle, joint, q) : 0.0;
    f = product(product(j->origin, motion(j, value)), f);
    joint = oracle->links[sn_oracle_find_link(oracle, j->parent)].parent_joint;
  }
  return f;
}

sn_oracle_sum sn_oracle_inertia(const sn_oracle *oracle, const double *q) {
  sn_oracle_sum sum = {0};
  for (int n = 0; n < oracle->link_count; n++) {
    const sn_oracle_link *link = &oracle->links[n];
    const sn_oracle_frame f = product(sn_oracle_fk(oracle, n, q), link->inertial);
    const double c[3] = {f.m[0][3], f.m[1][3], f.m[2][3]};
    sum.mass += link->mass;
    for (int i = 0; i < 3; i++) {
      sum.first[i] += link->mass * c[i];
      for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 3; k++) {
          for (int l = 0; l < 3; l++) {
            sum.second[i][j] += f.m[i][k] * link->inertia[k][l] * f.m[j][l];
          }
        }
        const double square = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        sum.second[i][j] += link->mass * ((i == j) * square - c[i] * c[j]); /* Steiner */
      }
    }
  }
  return sum;
}

double sn_oracle_distance(sn_oracle_frame a, sn_oracle_frame b) {
  double worst = 0.0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 4; j++) {
      const double d = fabs(a.m[i][j] - b.m[i][j]);
      worst = d <= worst ? worst : d; /* NaN stays */
    }
  }
  return worst;
}
