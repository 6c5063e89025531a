/* A plugin with one component type, which counts its steps. runtime.c loads it. */
#include "sinew/component.h"

typedef struct count {
  sn_component component;
  int64_t steps;
} count;

static const sn_property properties[] = {SN_PROPERTY(count, "steps", steps, .doc = "Steps so far."),
                                         {0}};

static sn_status step(sn_component *component, int64_t now_ns) {
  (void)now_ns;
  ((count *)component)->steps++;
  return SN_OK;
}

static const sn_component_type count_type = {.abi = SN_COMPONENT_ABI,
                                             .name = "count",
                                             .doc = "Counts its steps.",
                                             .size = sizeof(count),
                                             .properties = properties,
                                             .step = step};

SN_API const sn_component_type *const sn_component_plugin[] = {&count_type, NULL};
