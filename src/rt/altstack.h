/** @file
 *  Internal: an alternate signal stack, so that a stack overflow can be reported. It is at the
 *  start of the thread's own stack, far from its end. */
#ifndef SN_RT_ALTSTACK_H
#define SN_RT_ALTSTACK_H

#include <signal.h>

typedef struct sn__altstack {
  stack_t before;
  _Alignas(16) char bytes[1 << 15];
} sn__altstack;

/** @p stack is a variable of the thread's first function. */
static inline void sn__altstack_enter(sn__altstack *stack) {
  const stack_t ours = {.ss_sp = stack->bytes, .ss_size = sizeof stack->bytes};
  (void)sigaltstack(&ours, &stack->before);
}

static inline void sn__altstack_leave(const sn__altstack *stack) {
  (void)sigaltstack(&stack->before, NULL);
}

#endif
