#include "sinew/fault.h"

#include <stdio.h>
#include <stdlib.h>

static void print_fault(const sn_fault *fault, void *context) {
  (void)context;
  fprintf(stderr, "%s:%d: fault: %s does not hold\n", fault->file, fault->line, fault->condition);
}

static sn_fault_hook *fault_hook = print_fault;
static void *fault_context = NULL;

void sn_fault_set_hook(sn_fault_hook *hook, void *context) {
  fault_hook = hook == NULL ? print_fault : hook;
  fault_context = context;
}

void sn_fault_raise(const char *condition, const char *file, int line) {
  const sn_fault fault = {.condition = condition, .file = file, .line = line};
  fault_hook(&fault, fault_context);
  abort();
}
