/* Removes components that the configuration leaves out, such as the server of a headless run. */
#include <string.h>

#include "deploy/deployment.h"
#include "deploy/merge.h"

static bool is_unwanted(const sn__reading *reading, const sn_value *component) {
  const sn_value *type = sn_value_find(component, "type");
  const sn_deployment_config *config = reading->config;
  for (size_t i = 0; type != NULL && type->kind == SN_VALUE_TEXT && i < config->without_count;
       i++) {
    if (strcmp(type->text, config->without[i]) == 0) {
      return true;
    }
  }
  return false;
}

/* Does the text, after blanks, name a port of a component that is left out: `cockpit.out`? */
static bool names_unwanted(const sn__reading *reading, const sn_value *components,
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

static bool connects_unwanted(const sn__reading *reading, const sn_value *components,
                              const sn_value *connection) {
  if (connection->kind == SN_VALUE_TEXT) {
    const char *arrow = strstr(connection->text, "->");
    return names_unwanted(reading, components, connection->text) ||
           (arrow != NULL && names_unwanted(reading, components, arrow + 2));
  }
  const sn_value *const ends[] = {sn_value_find(connection, "from"),
                                  sn_value_find(connection, "to")};
  for (size_t i = 0; i < 2; i++) {
    if (ends[i] != NULL && ends[i]->kind == SN_VALUE_TEXT &&
        names_unwanted(reading, components, ends[i]->text)) {
      return true;
    }
  }
  return false;
}

/* The same list or bag without some of its items. */
static const sn_value *filter(sn__reading *reading, const sn_value *all, const sn_value *components,
                              bool (*drops)(const sn__reading *, const sn_value *,
                                            const sn_value *)) {
  sn_value *kept = SN_NEW(reading->arena, sn_value, 1);
  const sn_value **items = SN_NEW(reading->arena, const sn_value *, all->item_count);
  if (kept == NULL || items == NULL) {
    return sn__reading_out_of_memory(reading);
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

static bool drops_component(const sn__reading *reading, const sn_value *components,
                            const sn_value *component) {
  (void)components;
  return is_unwanted(reading, component);
}

void sn__leave_out(sn__reading *reading) {
  const sn_value *components = sn_value_find(reading->root, "components");
  const sn_value *connections = sn_value_find(reading->root, "connections");
  if (reading->config->without_count == 0 || components == NULL ||
      components->kind != SN_VALUE_BAG) {
    return;
  }
  sn_value *root = SN_NEW(reading->arena, sn_value, 1);
  const sn_value **items = SN_NEW(reading->arena, const sn_value *, reading->root->item_count);
  if (root == NULL || items == NULL) {
    sn__reading_out_of_memory(reading);
    return;
  }
  *root = *reading->root;
  root->items = items;
  for (size_t i = 0; i < root->item_count; i++) {
    const sn_value *item = reading->root->items[i];
    const bool is_connections = item == connections && item->kind == SN_VALUE_LIST;
    items[i] = item == components ? filter(reading, item, components, drops_component)
               : is_connections   ? filter(reading, item, components, connects_unwanted)
                                  : item;
  }
  if (reading->status == SN_OK) {
    reading->root = root;
  }
}
