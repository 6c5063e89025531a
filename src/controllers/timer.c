/* The tick: triggers components that wait for events, once a cycle. */
#include "sinew/components.h"
#include "sinew/msg_types.h"

typedef struct timer {
  sn_component component;
  sn_output sync;
  uint64_t cycle;
} timer;

static const sn_port ports[] = {
    SN_OUTPUT(timer, "sync", sync, &sn_timer_event_type, .flags = SN_PORT_DERIVED,
              .doc = "The tick, once a cycle."),
    {0}};

static sn_status start(sn_component *component, int64_t now_ns, sn_error *err) {
  (void)now_ns;
  (void)err;
  ((timer *)component)->cycle = 0;
  return SN_OK;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  timer *t = (timer *)component;
  *(sn_timer_event *)t->sync.msg = (sn_timer_event){
      .stamp_ns = now_ns, .period_ns = sn_component_period_ns(component), .cycle = t->cycle++};
  return sn_output_write(&t->sync);
}

const sn_component_type sn_timer_component = {
    .abi = SN_COMPONENT_ABI,
    .name = "timer",
    .doc = "The tick of an activity: steps the components connected to it once a cycle.",
    .size = sizeof(timer),
    .ports = ports,
    .example =
        "activities:\n"
        "  slow: {period: 0.02}\n"
        "components:\n"
        "  slow_timer: {type: timer, activity: slow}\n",
    .start = start,
    .step = step,
};
