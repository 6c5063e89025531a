#include "gate_case.h"

#include "sn_test.h"

const sn_gate_config gate_case_one_source = {.source_count = 1};
const sn_gate_config gate_case_three_sources = {.source_count = 3};

void gate_case_assert_judged(gate_judge *judge, const sn_gate_command *command, int64_t now_ns) {
  const char *trouble = gate_judge_look(judge, command, now_ns);
  if (trouble != NULL) {
    fail_msg("%s", trouble);
  }
}

const sn_gate_command *gate_case_step_judged(gate_rig *rig, gate_judge *judge, int64_t dt_ns) {
  const sn_gate_command *command = gate_rig_step(rig, dt_ns);
  gate_case_assert_judged(judge, command, rig->now_ns);
  return command;
}

const sn_gate_command *gate_case_go_to(gate_rig *rig, gate_judge *judge, int joint, double position,
                                       int cycles) {
  const sn_gate_command *command = NULL;
  for (int k = 0; k < cycles; k++) {
    rig->now_ns += MS;
    (void)gate_rig_take(rig, 0, joint, position);
    command = gate_case_step_judged(rig, judge, 0);
  }
  return command;
}
