/* Obstacles for an emergency stop: a component whose step does not end, or whose configure waits
   for a file while it holds the management lock. */
#define _POSIX_C_SOURCE 200809L

#include <time.h>
#include <unistd.h>

#include "sinew/component.h"

typedef struct obstacle {
  sn_component component;
  bool loops;
  const char *wait_for;
} obstacle;

static const sn_property properties[] = {
    SN_PROPERTY(obstacle, "loops", loops, .initial = "false", .flags = SN_PROPERTY_LIVE,
                .doc = "Loop for ever in the next step."),
    SN_PROPERTY(obstacle, "wait_for", wait_for, .initial = "",
                .doc = "A file: configure waits until it is there."),
    {0}};

static sn_status configure(sn_component *component, sn_error *err) {
  const obstacle *self = (const obstacle *)component;
  (void)err;
  while (self->wait_for[0] != '\0' && access(self->wait_for, F_OK) != 0) {
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return SN_OK;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  const obstacle *self = (const obstacle *)component;
  (void)now_ns;
  volatile bool loops = self->loops;
  while (loops) {
  }
  return SN_OK;
}

static const sn_component_type obstacle_type = {.abi = SN_COMPONENT_ABI,
                                                .name = "Obstacle",
                                                .doc = "Loops, or waits.",
                                                .size = sizeof(obstacle),
                                                .properties = properties,
                                                .configure = configure,
                                                .step = step};

SN_API extern const sn_component_type *const sn_component_plugin[];
const sn_component_type *const sn_component_plugin[] = {&obstacle_type, NULL};
