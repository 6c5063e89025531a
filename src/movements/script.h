/** @file
 *  Internal: scripts, sequences of movements in a small YAML file:
 *
 *      script:
 *        - play: stand_up
 *        - wait: 0.5
 *        - together:
 *            - play: nod
 *            - [{wait: 0.2}, {play: wave}]
 *        - call: torque_off.setOperational
 *          with: {operational: true, resources: [head]}
 *
 *  Steps are done in order. `together` begins all of its branches at once and ends with the last; a
 *  branch is a step, or a list of steps in order. A step that fails ends the script. */
#ifndef SN_MOVEMENTS_SCRIPT_H
#define SN_MOVEMENTS_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/arena.h"
#include "sinew/report.h"
#include "sinew/status.h"
#include "sinew/value.h"

enum { SN__SCRIPT_STEPS_MAX = 1000 };

/** Longest `wait`, s. */
#define SN__SCRIPT_WAIT_MAX 3600.0

typedef enum sn__script_verb { SN__SCRIPT_PLAY, SN__SCRIPT_WAIT, SN__SCRIPT_CALL } sn__script_verb;

typedef struct sn__script_step {
  sn__script_verb verb;
  const char *name; /**< of a movement, or `component.operation` */
  double wait_s;
  const sn_value *with; /**< the request of a call; NULL: none */
  sn_place place;
} sn__script_step;

/** Steps in order. */
typedef struct sn__script_branch {
  size_t first, count; /**< of the steps */
  /* while it runs */
  size_t done; /**< steps */
  bool has_begun;
  int64_t start_ns; /**< of the present step */
  size_t handle;    /**< of what it plays */
} sn__script_branch;

/** Branches that run together. */
typedef struct sn__script_block {
  size_t first, count; /**< of the branches */
} sn__script_block;

typedef struct sn__script {
  sn__script_step *steps;
  sn__script_branch *branches;
  sn__script_block *blocks;
  size_t step_count, branch_count, block_count;
  size_t block; /**< while it runs: the present one */
} sn__script;

/** Read a script; everything is in @p arena.
 *  @param report  receives every problem with its place
 *  @return SN_OK, SN_EINVAL (see the report), SN_EIO, SN_ESYNTAX, SN_ELIMIT, SN_ENOMEM */
sn_status sn__script_load(const char *path, sn_arena *arena, sn_report *report, sn__script *out);

/** What runs the steps. */
typedef struct sn__script_host {
  void *context;
  /** Begin a movement. @param handle  out: for the others */
  sn_status (*play)(void *context, const char *name, size_t *handle, sn_error *err);
  /** @return SN_EBUSY: it is under way; SN_OK: it has ended; else it failed */
  sn_status (*look)(void *context, size_t handle, sn_error *err);
  void (*cancel)(void *context, size_t handle);
  sn_status (*call)(void *context, const char *operation, const sn_value *with, sn_error *err);
} sn__script_host;

/** Continue.
 *  @param err  the file and line of a step that failed, and why
 *  @return SN_EBUSY: it is under way; SN_OK: it has ended; else it failed, and what was under way
 *          is cancelled */
sn_status sn__script_run(sn__script *script, const sn__script_host *host, int64_t now_ns,
                         sn_error *err);

/** Cancel what is under way. */
void sn__script_stop(sn__script *script, const sn__script_host *host);

#endif
