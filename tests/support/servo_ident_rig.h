/** @file
 *  What the tests of servo_ident share. */
#ifndef SN_SERVO_IDENT_RIG_H
#define SN_SERVO_IDENT_RIG_H

#include "ident/online/servo_ident.h"
#include "servo_rig.h"
#include "sn_test.h"

enum { N = 3 };

/* Three independent servos and the inputs of their identifier. */
typedef struct bench {
  sn_servo_rig rigs[N];
  sn_servo_params models[N];
  unsigned char memory[1 << 20];
  sn_arena arena;
  sn_servo_ident *ident;
  sn_random random;
  size_t delay;
  size_t cycle;
  bool without_velocity;
  bool has_load;    /* servos with load friction, offset and a delay of one cycle; set before */
  bool holds_goals; /* else the law holds at the moment of each measurement */
} bench;

void servo_ident_create(bench *b, sn_servo_ident_config config, uint64_t seed);

/** One cycle: the goal for `delay` cycles later is sent, and the servos chosen are measured. */
void servo_ident_run_cycle(bench *b, const int *servos, size_t count);

extern const int servo_ident_all[N];

extern bench servo_ident_the_bench;

#endif
