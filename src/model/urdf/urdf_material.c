/* Materials. They affect only the display, so problems are warnings. */
#include <stdlib.h>
#include <string.h>

#include "model/urdf/urdf.h"
#include "model/urdf/urdf_values.h"

/* The names that some <material> in the file gives a colour or texture, sorted. */
typedef struct palette {
  const char **names;
  size_t count;
} palette;

/* Call back for every <material>: at the top, and in every <visual>. */
typedef void material_visitor(sn__urdf_context *context, const sn__xml_node *material, void *data);

static void visit_materials(sn__urdf_context *context, material_visitor *visit, void *data) {
  for (const sn__xml_node *node = context->robot->first_child; node != NULL; node = node->next) {
    if (strcmp(node->name, "material") == 0) {
      visit(context, node, data);
    }
    for (const sn__xml_node *part = node->first_child; part != NULL; part = part->next) {
      const sn__xml_node *material =
          strcmp(part->name, "visual") == 0 ? sn__xml_child(part, "material") : NULL;
      if (material != NULL) {
        visit(context, material, data);
      }
    }
  }
}

static void count_material(sn__urdf_context *context, const sn__xml_node *material, void *data) {
  (void)context, (void)material;
  ++*(size_t *)data;
}

static void note_material(sn__urdf_context *context, const sn__xml_node *material, void *data) {
  (void)context;
  palette *known = data;
  const char *name = sn__xml_attribute_value(material, "name");
  if (name != NULL && material->first_child != NULL) {
    known->names[known->count++] = name;
  }
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_paint(sn__urdf_context *context, sn__urdf_owner owner,
                        const sn__xml_node *paint) {
  const char *attribute = strcmp(paint->name, "color") == 0 ? "rgba" : "filename";
  double rgba[4];
  if (sn__xml_attribute_value(paint, attribute) == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, paint, NULL, NULL,
                     "material '%.80s' is incomplete: <%s> has no %s", owner.name, paint->name,
                     attribute);
  } else if (strcmp(attribute, "rgba") == 0) {
    sn__urdf_numbers(context, owner, paint, attribute, 4, rgba);
  }
}

static void check_material(sn__urdf_context *context, const sn__xml_node *material, void *data) {
  const palette *known = data;
  const char *name = sn__xml_attribute_value(material, "name");
  const sn__urdf_owner owner = {"material", name == NULL ? "" : name, SN_SEVERITY_WARNING};
  for (const sn__xml_node *paint = material->first_child; paint != NULL; paint = paint->next) {
    check_paint(context, owner, paint);
  }
  if (name == NULL || (*name == '\0' && material->first_child == NULL)) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, material, NULL, NULL,
                     "a material is incomplete: no name");
  } else if (bsearch(&name, known->names, known->count, sizeof name, compare_names) == NULL) {
    sn__urdf_problem(context, SN_SEVERITY_WARNING, material, NULL, NULL,
                     "material '%.80s' is incomplete: no color or texture anywhere", name);
  }
}

bool sn__urdf_check_materials(sn__urdf_context *context) {
  size_t count = 0;
  visit_materials(context, count_material, &count);
  palette known = {.names = SN_NEW(context->arena, const char *, count)};
  if (known.names == NULL) {
    return false;
  }
  visit_materials(context, note_material, &known);
  qsort(known.names, known.count, sizeof *known.names, compare_names);
  visit_materials(context, check_material, &known);
  return true;
}
