/* Meshes and materials by name. */
#include <stdlib.h>
#include <string.h>

#include "mjcf/mjcf_context.h"

static int compare(const void *a, const void *b) {
  const sn__mjcf_asset *x = a, *y = b;
  return x->kind != y->kind ? x->kind - y->kind : strcmp(x->name, y->name);
}

/* A mesh without a name has that of its file, without folder and ending. */
static const char *name_of(sn__mjcf *m, const sn__xml_node *node) {
  const char *name = sn__xml_attribute_value(node, "name");
  const char *file = sn__xml_attribute_value(node, "file");
  if (name != NULL || file == NULL) {
    return name;
  }
  const char *slash = strrchr(file, '/');
  const char *stem = slash == NULL ? file : slash + 1;
  const char *dot = strrchr(stem, '.');
  name = sn_arena_text(m->arena, stem, dot == NULL ? strlen(stem) : (size_t)(dot - stem));
  m->is_out_of_memory = m->is_out_of_memory || name == NULL;
  return name;
}

static size_t list_assets(sn__mjcf *m, sn__mjcf_asset *list) {
  size_t count = 0;
  for (const sn__xml_node *part = m->root->first_child; part != NULL; part = part->next) {
    const sn__xml_node *node = sn__xml_same(part->name, "asset") ? part->first_child : NULL;
    for (; node != NULL; node = node->next) {
      const bool is_mesh = sn__xml_same(node->name, "mesh");
      const char *name = is_mesh || sn__xml_same(node->name, "material") ? name_of(m, node) : NULL;
      if (name != NULL && list != NULL) {
        list[count] = (sn__mjcf_asset){is_mesh ? 'm' : 'c', name, node};
      }
      count += name != NULL ? 1 : 0;
    }
  }
  return count;
}

void sn__mjcf_read_assets(sn__mjcf *m) {
  m->asset_count = list_assets(m, NULL);
  m->assets = SN_NEW(m->arena, sn__mjcf_asset, m->asset_count);
  if (m->assets == NULL) {
    m->is_out_of_memory = true;
    m->asset_count = 0;
    return;
  }
  (void)list_assets(m, m->assets);
  if (m->asset_count > 1) {
    qsort(m->assets, m->asset_count, sizeof *m->assets, compare);
  }
}

const sn__xml_node *sn__mjcf_asset_find(const sn__mjcf *m, char kind, const char *name) {
  const sn__mjcf_asset key = {.kind = kind, .name = name};
  const sn__mjcf_asset *found =
      m->asset_count == 0 ? NULL
                          : bsearch(&key, m->assets, m->asset_count, sizeof *m->assets, compare);
  return found == NULL ? NULL : found->node;
}
