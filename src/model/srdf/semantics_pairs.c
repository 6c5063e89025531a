/* Which pairs of links an SRDF switches off. */
#include "base/report_internal.h"
#include "model/srdf/semantics.h"

static const struct {
  const char *element, *first, *second;
  bool is_checked;
} kinds[] = {{"disable_default_collisions", "link", NULL, false},
             {"disable_collisions", "link1", "link2", false},
             {"enable_collisions", "link1", "link2", true}};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static int find_link(const sn__xml_node *node, const char *attribute, const sn_model *model,
                     sn_report *report) {
  const char *name = sn__xml_attribute_value(node, attribute);
  const int link = name == NULL ? -1 : sn_model_link_index(model, name);
  if (link < 0 && report != NULL) {
    sn__report_add(report, SN_SEVERITY_WARNING, node->place, NULL,
                   "<%s> %s is '%.80s', which is not a link of the robot", node->name, attribute,
                   name == NULL ? "" : name);
  }
  return link;
}

static size_t count_children(const sn__xml_node *srdf) {
  size_t count = 0;
  for (const sn__xml_node *node = srdf->first_child; node != NULL; node = node->next) {
    count++;
  }
  return count;
}

bool sn__semantics_pairs(sn_arena *arena, const sn__xml_node *srdf, const sn_model *model,
                         sn_report *report, const sn__semantic_pair **pairs, size_t *count) {
  sn__semantic_pair *list = SN_NEW(arena, sn__semantic_pair, count_children(srdf));
  if (list == NULL) {
    return false;
  }
  *count = 0;
  /* The general ones come first, wherever they stand: single pairs are exceptions from them. */
  for (size_t kind = 0; kind < KIND_COUNT; kind++) {
    for (const sn__xml_node *node = srdf->first_child; node != NULL; node = node->next) {
      if (!sn__xml_same(node->name, kinds[kind].element)) {
        continue;
      }
      const int a = find_link(node, kinds[kind].first, model, report);
      const bool is_all = kinds[kind].second == NULL;
      const int b = is_all ? -1 : find_link(node, kinds[kind].second, model, report);
      if (a >= 0 && (b >= 0 || is_all)) {
        list[(*count)++] = (sn__semantic_pair){a, b, kinds[kind].is_checked};
      }
    }
  }
  *pairs = list;
  return true;
}
