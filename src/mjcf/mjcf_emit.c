/* Elements of the URDF and the SRDF. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "mjcf/mjcf_context.h"

enum { ATTRIBUTES_MAX = 8 };

/* An element that knows its end, so that adding to it takes no time. */
typedef struct growing {
  sn__xml_node node;
  sn__xml_node *last;
  sn__xml_attribute attributes[ATTRIBUTES_MAX];
} growing;

sn__xml_node *sn__mjcf_add(sn__mjcf *m, sn__xml_node *parent, const char *name,
                           const sn__xml_node *source) {
  growing *added = SN_NEW(m->arena, growing, 1);
  if (added == NULL) {
    m->is_out_of_memory = true;
    return NULL;
  }
  added->node = (sn__xml_node){.name = name, .place = source->place};
  added->node.attributes = added->attributes;
  growing *above = (growing *)parent;
  if (above != NULL) {
    *(above->last == NULL ? &above->node.first_child : &above->last->next) = &added->node;
    above->last = &added->node;
  }
  return &added->node;
}

void sn__mjcf_set(sn__mjcf *m, sn__xml_node *element, const char *name, const char *value) {
  growing *e = (growing *)element;
  if (e == NULL || value == NULL || e->node.attribute_count == ATTRIBUTES_MAX) {
    m->is_out_of_memory = true;
    return;
  }
  e->attributes[e->node.attribute_count++] = (sn__xml_attribute){name, value};
}

void sn__mjcf_set_numbers(sn__mjcf *m, sn__xml_node *element, const char *name,
                          const double *numbers, size_t count) {
  char text[4 * SN__NUMBER_SIZE];
  size_t used = 0;
  for (size_t i = 0; i < count && i < 4; i++) {
    if (i > 0) {
      text[used++] = ' ';
    }
    used += sn__number_format(numbers[i] == 0.0 ? 0.0 : numbers[i], text + used); /* no -0 */
  }
  sn__mjcf_set(m, element, name, sn_arena_text(m->arena, text, used));
}

void sn__mjcf_set_number(sn__mjcf *m, sn__xml_node *element, const char *name, double number) {
  sn__mjcf_set_numbers(m, element, name, &number, 1);
}

/* Roll, pitch and yaw of a rotation. The roll is measured after the yaw was undone, so the three
   agree even where pitch is a right angle and only their sum is determined. */
static void rpy_of(sn_mat3 r, double rpy[3]) {
  const double yaw = atan2(r.x.y, r.x.x);
  rpy[2] = yaw;
  rpy[1] = atan2(-r.x.z, hypot(r.x.x, r.x.y));
  rpy[0] = atan2(sin(yaw) * r.z.x - cos(yaw) * r.z.y, cos(yaw) * r.y.y - sin(yaw) * r.y.x);
}

void sn__mjcf_add_origin(sn__mjcf *m, sn__xml_node *parent, const sn__xml_node *source,
                         sn_pose pose) {
  const double xyz[3] = {pose.pos.x, pose.pos.y, pose.pos.z};
  double rpy[3];
  rpy_of(pose.rot, rpy);
  const bool is_moved = xyz[0] != 0.0 || xyz[1] != 0.0 || xyz[2] != 0.0;
  const bool is_turned = rpy[0] != 0.0 || rpy[1] != 0.0 || rpy[2] != 0.0;
  if (!is_moved && !is_turned) {
    return;
  }
  sn__xml_node *origin = sn__mjcf_add(m, parent, "origin", source);
  sn__mjcf_set_numbers(m, origin, "xyz", xyz, 3);
  if (is_turned) {
    sn__mjcf_set_numbers(m, origin, "rpy", rpy, 3);
  }
}

sn__xml_node *sn__mjcf_add_link(sn__mjcf *m, const sn__xml_node *source, const char *name) {
  if (m->link_count++ >= SN__MJCF_LINKS_MAX) {
    m->is_too_large = true;
    return NULL;
  }
  sn__xml_node *link = sn__mjcf_add(m, m->urdf, "link", source);
  sn__mjcf_set(m, link, "name", name);
  return link;
}

sn__xml_node *sn__mjcf_add_joint(sn__mjcf *m, const sn__xml_node *source, const char *name,
                                 const char *type, const char *parent, const char *child,
                                 sn_pose pose) {
  sn__xml_node *joint = sn__mjcf_add(m, m->urdf, "joint", source);
  sn__mjcf_set(m, joint, "name", name);
  sn__mjcf_set(m, joint, "type", type);
  sn__mjcf_add_origin(m, joint, source, pose);
  sn__mjcf_set(m, sn__mjcf_add(m, joint, "parent", source), "link", parent);
  sn__mjcf_set(m, sn__mjcf_add(m, joint, "child", source), "link", child);
  return joint;
}

/* ---- names ---- */

/* The entry of a name in the table: its own, or the free one where it belongs. */
static const char **entry_of(const sn__mjcf *m, const char *key) {
  size_t at = sn__text_hash(key, (size_t)-1) % m->name_capacity;
  while (m->names[at] != NULL && strcmp(m->names[at], key) != 0) {
    at = (at + 1) % m->name_capacity;
  }
  return &m->names[at];
}

bool sn__mjcf_reserve(sn__mjcf *m, char space, const char *name) {
  const char first[2] = {space, '\0'};
  const char *key = sn__mjcf_join(m, first, name, "");
  if (key == NULL || *entry_of(m, key) != NULL) {
    return key == NULL;
  }
  *entry_of(m, key) = key;
  return true;
}

bool sn__mjcf_is_taken(const sn__mjcf *m, char space, const char *name) {
  char key[256];
  const int length = snprintf(key, sizeof key, "%c%s", space, name);
  return length > 0 && (size_t)length < sizeof key && *entry_of(m, key) != NULL;
}

const char *sn__mjcf_unique(sn__mjcf *m, char space, const char *wanted) {
  if (wanted == NULL) {
    m->is_out_of_memory = true;
    return NULL;
  }
  const char first[2] = {space, '\0'};
  const char *key = sn__mjcf_join(m, first, wanted, "");
  for (int i = 2; key != NULL && *entry_of(m, key) != NULL; i++) {
    char number[16];
    snprintf(number, sizeof number, "_%d", i);
    key = sn__mjcf_join(m, first, wanted, number);
  }
  if (key == NULL) {
    return NULL;
  }
  *entry_of(m, key) = key;
  return key + 1;
}

const char *sn__mjcf_join(sn__mjcf *m, const char *a, const char *b, const char *c) {
  const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
  char *text = sn_arena_alloc(m->arena, size, 1);
  if (text == NULL) {
    m->is_out_of_memory = true;
    return NULL;
  }
  snprintf(text, size, "%s%s%s", a, b, c);
  return text;
}
