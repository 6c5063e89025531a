/** @file
 *  Small components for tests: a source of joint states, an amplifier, a sink, one that fails on
 *  request, one that answers calls. */
#ifndef SN_TEST_PARTS_H
#define SN_TEST_PARTS_H

#include "sinew/component.h"
#include "sinew/msg_types.h"

/** Writes `width` positions in every step: the number of the step times `scale`. */
typedef struct part_source {
  sn_component component;
  int64_t width;
  double scale;
  sn_output out;
  uint64_t steps;
} part_source;
extern const sn_component_type part_source_type;

/** Multiplies positions by `gain`. Its input is an event port. */
typedef struct part_gain {
  sn_component component;
  double gain;
  sn_input in;
  sn_output out;
  uint64_t steps;
} part_gain;
extern const sn_component_type part_gain_type;

/** Reads all messages and sums their values. */
typedef struct part_sink {
  sn_component component;
  sn_input in;
  sn_inputs many;
  uint64_t steps, new_count, old_count, none_count;
  double last, sum;
} part_sink;
extern const sn_component_type part_sink_type;

typedef enum part_fault {
  PART_GOOD,
  PART_FAIL,    /**< return an error */
  PART_NAN,     /**< write NaN */
  PART_OVERRUN, /**< advance the simulated clock by `overrun` */
  PART_REFUSE,  /**< refuse to configure, start or recover */
  PART_ALLOCATE /**< ask the component's arena for memory */
} part_fault;

/** Fails in a given step. */
typedef struct part_faulty {
  sn_component component;
  void *got;       /**< by PART_ALLOCATE */
  int64_t fail_at; /**< number of the step, from 0; -1: never */
  int64_t kind;    /**< part_fault */
  double overrun_s;
  const char *refuse; /**< name of the hook that refuses */
  sn_output out;
  uint64_t steps, configured, started, stopped, cleaned, recovered;
} part_faulty;
extern const sn_component_type part_faulty_type;

typedef struct part_bag {
  double inner;
  const char *label;
} part_bag;

/** Answers: `twice` in its own thread, `here` in the caller's, `relay` by asking `peer`. Serves the
 *  interface `part_number`, which is a pointer to its property `number`; may use another's. */
typedef struct part_answer {
  sn_component component;
  double number;
  sn_texts words;
  part_bag bag;
  sn_requester other;
  sn_caller peer;
  uint64_t twice_count, changed_count, steps;
} part_answer;
extern const sn_component_type part_answer_type;

/** The message of its operations. */
typedef struct part_number {
  double value;
} part_number;
extern const sn_msg_type part_number_type;

#endif
