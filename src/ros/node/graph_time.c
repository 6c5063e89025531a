/* The time of the graph: the wall clock; or that of the robot if its clock is simulated or
   accelerated, which the node publishes on /clock; or, with use_sim_time, that of /clock. */
#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "msg/node/status_msgs.h"
#include "ros/bridge.h"
#include "sinew/system.h"

#define CLOCK_JITTER_NS 1000000 /* between readings of the two clocks */
#define CLOCK_TRIES 10
#define CLOCK_NS INT64_C(10000000) /* interval of /clock */
#define NOW_MIN_NS 1               /* a time of zero means none */

static int64_t system_now_ns(const sn__bridge *bridge) {
  return sn_clock_now_ns(sn_system_clock(bridge->component.system));
}

/* With /clock the time stands still between two messages, as in every node of ROS. */
int64_t sn__bridge_graph_time(const sn__bridge *bridge, int64_t system_ns) {
  const int64_t time_ns = system_ns + bridge->graph_offset_ns;
  const int64_t latest_ns =
      bridge->time_source == SN__TIME_FOLLOWED ? atomic_load(&bridge->followed_ns) : INT64_MAX;
  const int64_t cut_ns = time_ns < latest_ns ? time_ns : latest_ns;
  return cut_ns > NOW_MIN_NS ? cut_ns : NOW_MIN_NS;
}

int64_t sn__bridge_graph_now(const sn__bridge *bridge) {
  return sn__bridge_graph_time(bridge, system_now_ns(bridge));
}

/* The wall clock may be set at any time. Readings that are too far apart, because the thread was
   preempted, are repeated. */
static void update_wall_offset(sn__bridge *bridge) {
  int64_t before_ns = 0, wall_ns = 0, after_ns = 0;
  int tries = 0;
  do {
    before_ns = system_now_ns(bridge);
    wall_ns = sn__wall_now_ns();
    after_ns = system_now_ns(bridge);
  } while (after_ns - before_ns > CLOCK_JITTER_NS && ++tries < CLOCK_TRIES);
  const int64_t offset_ns = wall_ns - after_ns;
  const int64_t change_ns = offset_ns - bridge->graph_offset_ns;
  if (change_ns > CLOCK_JITTER_NS || change_ns < -CLOCK_JITTER_NS) {
    bridge->graph_offset_ns = offset_ns;
  }
}

static void publish_clock(sn__bridge *bridge, int64_t now_ns) {
  const sn__ros_clock msg = {.clock_ns = system_now_ns(bridge)};
  if (msg.clock_ns != bridge->clock_sent && now_ns - bridge->clock_sent_ns >= CLOCK_NS) {
    bridge->clock_sent = msg.clock_ns;
    bridge->clock_sent_ns = now_ns;
    sn__bridge_publish(bridge, bridge->clock_topic, &sn__ros_clock_type, &msg);
  }
}

int64_t sn__bridge_step_time(sn__bridge *bridge, int64_t now_ns) {
  switch (bridge->time_source) {
    case SN__TIME_WALL:
      update_wall_offset(bridge);
      break;
    case SN__TIME_ROBOT:
      publish_clock(bridge, now_ns);
      break;
    case SN__TIME_FOLLOWED:
      break;
  }
  return CLOCK_NS;
}

/* ---- following /clock ---- */

static void report_jump(sn__bridge *bridge, int64_t from_ns, int64_t to_ns) {
  char from[32], to[32];
  uint64_t suppressed = 0;
  atomic_fetch_add_explicit(&bridge->clock_jumps, 1, memory_order_relaxed);
  if (sn_log_limit_pass(&bridge->clock_warnings, bridge->transport->now_ns(bridge->node),
                        &suppressed)) {
    snprintf(from, sizeof from, "%.3f", 1e-9 * (double)from_ns);
    snprintf(to, sizeof to, "%.3f", 1e-9 * (double)to_ns);
    sn__bridge_log(bridge, SN_LOG_WARNING,
                   "/clock jumped back from {} s to {} s: the stamps of messages do, too", from,
                   to);
  }
}

static void on_clock(void *context, const char *caller, const void *bytes, size_t size) {
  sn__bridge *bridge = context;
  sn__ros_clock msg = {0};
  sn_error err = {SN_OK, ""};
  (void)caller;
  if (bridge->transport->read(&sn__ros_clock_type, bytes, size, &msg, &err) != SN_OK ||
      msg.clock_ns < 0) {
    atomic_fetch_add_explicit(&bridge->refused_inputs, 1, memory_order_relaxed);
    return;
  }
  const int64_t before_ns = atomic_load(&bridge->followed_ns);
  if (msg.clock_ns < before_ns) {
    report_jump(bridge, before_ns, msg.clock_ns);
  }
  bridge->graph_offset_ns = msg.clock_ns - system_now_ns(bridge);
  atomic_store(&bridge->followed_ns, msg.clock_ns);
}

sn_status sn__bridge_add_time(sn__bridge *bridge, sn_error *err) {
  bridge->graph_offset_ns = 0;
  bridge->followed_ns = 0;
  bridge->clock_jumps = 0;
  bridge->clock_sent = bridge->clock_sent_ns = 0;
  const sn__ros_transport *transport = bridge->transport;
  bool is_added = true;
  switch (bridge->time_source) {
    case SN__TIME_WALL:
      update_wall_offset(bridge);
      break;
    case SN__TIME_ROBOT:
      bridge->clock_topic = transport->advertise(bridge->node, "/clock", &sn__ros_clock_type, 0);
      is_added = bridge->clock_topic != NULL;
      break;
    case SN__TIME_FOLLOWED: /* publishers of /clock are best-effort, or reliable */
      bridge->graph_offset_ns = -system_now_ns(bridge);
      is_added = transport->subscribe(bridge->node, "/clock", &sn__ros_clock_type, true, on_clock,
                                      bridge) != NULL;
      break;
  }
  return is_added ? SN_OK : sn__fail(err, SN_ENOMEM, "out of memory for /clock");
}
