/* A component that moves servos and, on command, misbehaves. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sinew/component.h"
#include "sinew/fault.h"
#include "sinew/msg_types.h"

typedef struct villain {
  sn_component component;
  sn_output goals;
  const char *order; /* a file: names the misbehaviour as soon as it has content */
  bool hangs_in_configure;
  uint64_t steps;
  int64_t sent_ns; /* time of the last goals */
} villain;

static const sn_property properties[] = {
    SN_PROPERTY(villain, "order", order, .initial = "", .doc = "File with what to do."),
    SN_PROPERTY(villain, "hangs_in_configure", hangs_in_configure, .initial = "false",
                .doc = "Never come back from configure."),
    {0}};
static const sn_port ports[] = {
    SN_OUTPUT(villain, "goals", goals, &sn_servo_goal_type, .doc = "A slow sway."), {0}};

static volatile int *volatile nowhere; /* NULL */

__attribute__((noinline)) static int dig(volatile int depth) {
  volatile char hole[4096];
  memset((char *)hole, depth, sizeof hole);
  return depth < 0 ? 0 : dig(depth + 1) + hole[depth & 4095];
}

/* Overwrites all memory after its own until a page fault. A sanitizer would report the first byte
   and take a second to end the process. */
__attribute__((no_sanitize("address", "undefined"))) static void scribble(villain *self) {
  volatile unsigned char *at = (volatile unsigned char *)self;
  for (;;) {
    *at++ ^= 0xA5;
  }
}

static void misbehave(villain *self, const char *order) {
  if (strcmp(order, "assert") == 0) {
    SN_ASSERT(self->steps == 0);
  } else if (strcmp(order, "segv") == 0) {
    *nowhere = 1;
  } else if (strcmp(order, "stack") == 0) {
    self->steps += (uint64_t)dig(0);
  } else if (strcmp(order, "exit") == 0) {
    exit(0);
  } else if (strcmp(order, "wild") == 0) {
    scribble(self);
  } else if (strcmp(order, "loop") == 0) {
    for (volatile bool forever = true; forever;) {
    }
  }
}

/* Executes the order; first reports the time when it was seen and that of the last goals. */
static void check_order(villain *self) {
  char order[16] = "";
  const int file = open(self->order, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    return;
  }
  const ssize_t got = read(file, order, sizeof order - 1);
  if (got > 0) {
    struct timespec now;
    char text[64];
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int size =
        snprintf(text, sizeof text, " %lld %lld\n",
                 (long long)now.tv_sec * 1000000000 + now.tv_nsec, (long long)self->sent_ns);
    const ssize_t written = write(file, text, (size_t)size);
    (void)written;
    close(file);
    misbehave(self, order);
    return;
  }
  close(file);
}

static sn_status configure(sn_component *component, sn_error *err) {
  (void)err;
  while (((villain *)component)->hangs_in_configure) {
    (void)pause();
  }
  return SN_OK;
}

static sn_status step(sn_component *component, int64_t now_ns) {
  villain *self = (villain *)component;
  sn_servo_goal *msg = self->goals.msg;
  sn_msg_names_clear(&msg->name);
  msg->goal.count = 0;
  for (int i = 1; i <= 6; i++) {
    char name[16];
    const int length = snprintf(name, sizeof name, "joint%d", i);
    (void)sn_msg_names_add(&msg->name, name, (size_t)length);
    msg->goal.data[msg->goal.count++] = 0.6 * sin(1e-9 * (double)now_ns * 2.5);
  }
  if (self->steps++ % 4 == 0 && self->order[0] != '\0') {
    check_order(self);
  }
  self->sent_ns = now_ns;
  return sn_output_write(&self->goals);
}

static const sn_component_type villain_type = {.abi = SN_COMPONENT_ABI,
                                               .name = "Villain",
                                               .doc = "Does what a component must not.",
                                               .size = sizeof(villain),
                                               .properties = properties,
                                               .ports = ports,
                                               .configure = configure,
                                               .step = step};

SN_API extern const sn_component_type *const sn_component_plugin[];
const sn_component_type *const sn_component_plugin[] = {&villain_type, NULL};
