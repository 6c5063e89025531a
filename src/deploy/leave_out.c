/* Components that are not wanted this time, such as a server in a run without one. */
#include <string.h>

#include "deploy/deployment.h"
#include "deploy/merge.h"

static bool is_unwanted(const sn__reading *reading, const sn_prop *component) {
  const sn_prop *type = sn_prop_find(component, "type");
  const sn_deployment_config *config = reading->config;
  for (size_t i = 0; type != NULL && type->kind == SN_PROP_TEXT && i < config->without_count; i++) {
    if (strcmp(type->text, config->without[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* Does the text name a port of an unwanted component: `cockpit.out`? Blanks may stand before it. */
static bool names_unwanted(const sn__reading *reading, const sn_prop *components,
                           const char *text) {
  text += strspn(text, " \t");
  for (size_t i = 0; i < components->item_count; i++) {
    const size_t length = strlen(components->items[i]->name);
    if (strncmp(text, components->items[i]->name, length) == 0 && text[length] == '.' &&
        is_unwanted(reading, components->items[i])) {
      return true;
    }
  }
  return false;
}

static bool connects_unwanted(const sn__reading *reading, const sn_prop *components,
                              const sn_prop *connection) {
  if (connection->kind == SN_PROP_TEXT) {
    const char *arrow = strstr(connection->text, "->");
    return names_unwanted(reading, components, connection->text) ||
           (arrow != NULL && names_unwanted(reading, components, arrow + 2));
  }
  const sn_prop *const ends[] = {sn_prop_find(connection, "from"), sn_prop_find(connection, "to")};
  for (size_t i = 0; i < 2; i++) {
    if (ends[i] != NULL && ends[i]->kind == SN_PROP_TEXT &&
        names_unwanted(reading, components, ends[i]->text)) {
      return true;
    }
  }
  return false;
}

/* The same list or bag without some of its items. */
static const sn_prop *filter(sn__reading *reading, const sn_prop *all, const sn_prop *components,
                             bool (*drops)(const sn__reading *, const sn_prop *, const sn_prop *)) {
  sn_prop *kept = SN_NEW(reading->arena, sn_prop, 1);
  const sn_prop **items = SN_NEW(reading->arena, const sn_prop *, all->item_count);
  if (kept == NULL || items == NULL) {
    return sn__reading_starve(reading);
  }
  *kept = *all;
  kept->items = items;
  kept->item_count = 0;
  for (size_t i = 0; i < all->item_count; i++) {
    if (!drops(reading, components, all->items[i])) {
      items[kept->item_count++] = all->items[i];
    }
  }
  return kept;
}

static bool drops_component(const sn__reading *reading, const sn_prop *components,
                            const sn_prop *component) {
  (void)components;
  return is_unwanted(reading, component);
}

void sn__leave_out(sn__reading *reading) {
  const sn_prop *components = sn_prop_find(reading->root, "components");
  const sn_prop *connections = sn_prop_find(reading->root, "connections");
  if (reading->config->without_count == 0 || components == NULL ||
      components->kind != SN_PROP_BAG) {
    return;
  }
  sn_prop *root = SN_NEW(reading->arena, sn_prop, 1);
  const sn_prop **items = SN_NEW(reading->arena, const sn_prop *, reading->root->item_count);
  if (root == NULL || items == NULL) {
    sn__reading_starve(reading);
    return;
  }
  *root = *reading->root;
  root->items = items;
  for (size_t i = 0; i < root->item_count; i++) {
    const sn_prop *item = reading->root->items[i];
    const bool is_connections = item == connections && item->kind == SN_PROP_LIST;
    items[i] = item == components ? filter(reading, item, components, drops_component)
               : is_connections   ? filter(reading, item, components, connects_unwanted)
                                  : item;
  }
  if (reading->status == SN_OK) {
    reading->root = root;
  }
}
