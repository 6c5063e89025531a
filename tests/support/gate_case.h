/** @file
 *  What the tests of gate share. */
#ifndef SN_GATE_CASE_H
#define SN_GATE_CASE_H

#include "gate_rig.h"
#include "sn_test.h"

enum { MS = 1000000 };

extern const sn_gate_config gate_case_one_source;
extern const sn_gate_config gate_case_three_sources;

void gate_case_assert_judged(gate_judge *judge, const sn_gate_command *command, int64_t now_ns);

const sn_gate_command *gate_case_step_judged(gate_rig *rig, gate_judge *judge, int64_t dt_ns);

/** Step and judge for a while; the same reference comes from source 0 in every cycle. */
const sn_gate_command *gate_case_go_to(gate_rig *rig, gate_judge *judge, int joint, double position,
                                       int cycles);

#endif
