#include "msg/types/msg_plant.h"
#include "plant/plant_component.h"

static sn_status get_report(sn_component *component, const void *request, void *response,
                            sn_error *err) {
  const sn__plant_component *self = (const sn__plant_component *)component;
  const sn_plant_counts *c = sn__plant_counts_now(self->plant);
  sn_plant_report *out = response;
  (void)request;
  (void)err;
  *out = (sn_plant_report){.goals_taken = c->goals[SN_PLANT_TAKEN] + c->goals[SN_PLANT_UNKNOWN],
                           .goals_unknown = c->goals[SN_PLANT_UNKNOWN],
                           .goals_lost = c->goals[SN_PLANT_LOST],
                           .measured = c->measured,
                           .measured_lost = c->measured_lost,
                           .dropouts = c->dropouts};
  for (int i = SN_PLANT_LENGTHS; i <= SN_PLANT_DUPLICATE; i++) {
    out->goals_refused += c->goals[i];
    out->pushes_refused += c->pushes[i];
  }
  return SN_OK;
}

static sn_status reset(sn_component *component, const void *request, void *response,
                       sn_error *err) {
  (void)request;
  (void)response;
  (void)err;
  sn__plant_reset(((sn__plant_component *)component)->plant);
  return SN_OK;
}

const sn_operation sn__plant_operations[] = {
    {"getReport", SN_OWN_THREAD | SN_READ_ONLY, NULL, &sn_plant_report_type, get_report,
     "Counters of accepted, rejected and lost messages."},
    {"reset", SN_OWN_THREAD, NULL, NULL, reset, "Return to the start pose, at rest."},
    {0}};
