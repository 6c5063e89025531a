/* Builds a system from a deployment that was read and checked. Problems that the system reports
   get their place in the file. */
#include <stdlib.h>

#include "base/report_internal.h"
#include "deploy/deployment.h"
#include "rt/system_internal.h"

typedef struct builder {
  const sn_deployment *deployment;
  sn_system *system;
  sn_report *report;
  sn_status status; /* SN_OK or SN_ENOMEM; other problems are in the report */
} builder;

static bool accept(builder *b, sn_status status, sn_place place, const sn_error *err) {
  if (status == SN_ENOMEM) {
    b->status = SN_ENOMEM;
  } else if (status != SN_OK) {
    sn__report_add(b->report, SN_SEVERITY_ERROR, place, NULL, "%s", err->message);
  }
  return status == SN_OK;
}

static void set_properties(builder *b, const sn__part *part, sn_component *component) {
  for (size_t i = 0; part->properties != NULL && i < part->properties->item_count; i++) {
    const sn_value *value = part->properties->items[i];
    sn_error err = {0};
    const size_t errors_before = sn_report_error_count(b->report);
    const sn_status status =
        sn_system_set(b->system, component, value->name, value, b->report, &err);
    if (sn_report_error_count(b->report) == errors_before) { /* else already reported */
      accept(b, status, value->place, &err);
    }
  }
}

static void add_part(builder *b, const sn__part *part) {
  sn_error err = {0};
  sn_component *component = NULL;
  if (!accept(b, sn_system_add(b->system, part->type, part->name, &component, &err), part->place,
              &err)) {
    return;
  }
  set_properties(b, part, component);
  if (part->task != NULL) {
    sn_activity *activity = sn_system_find_activity(b->system, part->task->config.name);
    if (activity != NULL) {
      accept(b, sn_system_assign(b->system, component, activity, part->deadline_ns, &err),
             part->place, &err);
    }
  }
}

static void add_everything(builder *b) {
  const sn_deployment *d = b->deployment;
  sn_error err = {0};
  for (size_t i = 0; i < d->task_count && b->status == SN_OK; i++) {
    sn_activity *activity = NULL;
    accept(b, sn_system_add_activity(b->system, &d->tasks[i].config, &activity, &err),
           d->tasks[i].place, &err);
  }
  for (size_t i = 0; i < d->part_count && b->status == SN_OK; i++) {
    add_part(b, &d->parts[i]);
  }
  for (size_t i = 0; i < d->link_count && b->status == SN_OK; i++) {
    const sn__link *link = &d->links[i];
    accept(b, sn_system_connect(b->system, link->from, link->to, &link->connection, &err),
           link->place, &err);
  }
  for (size_t i = 0; i < d->binding_count && b->status == SN_OK; i++) {
    const sn__binding *binding = &d->bindings[i];
    accept(b, sn__system_require(b->system, binding->need, binding->peer, &err), binding->place,
           &err);
  }
}

static sn_place place_of(void *context, const sn_component *component) {
  const builder *b = context;
  const sn__part *part = sn__find_part(b->deployment, component->name);
  return part == NULL ? (sn_place){0} : part->place;
}

/* The system keeps the text that it was built from. */
static sn_status describe(const sn_deployment *deployment, sn_system *system) {
  const size_t size = sn_deployment_print(deployment, true, NULL, 0) + 1;
  char *text = malloc(size);
  if (text == NULL) {
    return SN_ENOMEM;
  }
  sn_deployment_print(deployment, true, text, size);
  const sn_status status = sn__system_set_description(system, text);
  free(text);
  return status;
}

sn_status sn_deployment_build(const sn_deployment *deployment, sn_system *system,
                              sn_report *report) {
  const size_t errors_before = sn_report_error_count(report);
  builder b = {.deployment = deployment, .system = system, .report = report};
  add_everything(&b);
  if (b.status == SN_OK && sn_report_error_count(report) == errors_before) {
    sn__system_check(system, place_of, &b, report);
  }
  if (b.status == SN_OK) {
    b.status = describe(deployment, system);
  }
  if (b.status != SN_OK) {
    return b.status;
  }
  return sn_report_error_count(report) > errors_before ? SN_EINVAL : SN_OK;
}

sn_status sn_deployment_check(const sn_deployment *deployment, sn_system *system,
                              sn_report *report) {
  builder b = {.deployment = deployment, .system = system, .report = report};
  if (deployment->part_count == 0) {
    sn__report_add(report, SN_SEVERITY_ERROR, (sn_place){.file = ""},
                   "name some under 'components', or include standard.yaml",
                   "the deployment has no components, so there is nothing to run");
    return SN_EINVAL;
  }
  return sn__system_rehearse(system, place_of, &b, report);
}
