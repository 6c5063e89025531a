/* Runs scripts. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "movements/script.h"

static const sn__script_step *step_of(const sn__script *script, const sn__script_branch *branch) {
  return &script->steps[branch->first + branch->done];
}

static sn_status begin(const sn__script_step *step, sn__script_branch *branch,
                       const sn__script_host *host, int64_t now_ns, sn_error *err) {
  branch->has_begun = true;
  branch->start_ns = now_ns;
  switch (step->verb) {
    case SN__SCRIPT_PLAY:
      return host->play(host->context, step->name, &branch->handle, err);
    case SN__SCRIPT_CALL:
      return host->call(host->context, step->name, step->with, err);
    case SN__SCRIPT_WAIT:
      break;
  }
  return SN_OK;
}

/* @return SN_EBUSY: it is under way */
static sn_status look(const sn__script_step *step, const sn__script_branch *branch,
                      const sn__script_host *host, int64_t now_ns, sn_error *err) {
  if (step->verb == SN__SCRIPT_PLAY) {
    return host->look(host->context, branch->handle, err);
  }
  const int64_t wait_ns = step->verb == SN__SCRIPT_WAIT ? (int64_t)llround(1e9 * step->wait_s) : 0;
  return now_ns - branch->start_ns < wait_ns ? SN_EBUSY : SN_OK;
}

static sn_status fail(const sn__script_step *step, sn_status status, sn_error *err) {
  static const char *const verbs[] = {"play", "wait", "call"};
  const sn_error why = *err;
  return sn__fail(err, status, "%s:%u: %s %s: %s", step->place.file, step->place.line,
                  verbs[step->verb], step->name == NULL ? "" : step->name, why.message);
}

/* A branch does all that takes no time at once. */
static sn_status run_branch(sn__script *script, sn__script_branch *branch,
                            const sn__script_host *host, int64_t now_ns, sn_error *err) {
  while (branch->done < branch->count) {
    const sn__script_step *step = step_of(script, branch);
    sn_status status = SN_OK;
    if (!branch->has_begun) {
      status = begin(step, branch, host, now_ns, err);
      if (status != SN_OK) { /* nothing is under way */
        branch->done = branch->count;
        return fail(step, status == SN_EBUSY ? SN_EINVAL : status, err);
      }
    }
    status = look(step, branch, host, now_ns, err);
    if (status == SN_EBUSY) {
      return SN_EBUSY;
    }
    if (status != SN_OK) {
      branch->done = branch->count;
      return fail(step, status, err);
    }
    branch->done++;
    branch->has_begun = false;
  }
  return SN_OK;
}

sn_status sn__script_run(sn__script *script, const sn__script_host *host, int64_t now_ns,
                         sn_error *err) {
  while (script->block < script->block_count) {
    const sn__script_block *block = &script->blocks[script->block];
    bool is_busy = false;
    for (size_t i = 0; i < block->count; i++) {
      const sn_status status =
          run_branch(script, &script->branches[block->first + i], host, now_ns, err);
      if (status != SN_OK && status != SN_EBUSY) {
        sn__script_stop(script, host);
        return status;
      }
      is_busy = is_busy || status == SN_EBUSY;
    }
    if (is_busy) {
      return SN_EBUSY;
    }
    script->block++;
  }
  return SN_OK;
}

void sn__script_stop(sn__script *script, const sn__script_host *host) {
  if (script->block == script->block_count) {
    return;
  }
  const sn__script_block *block = &script->blocks[script->block];
  for (size_t i = 0; i < block->count; i++) {
    sn__script_branch *branch = &script->branches[block->first + i];
    if (branch->done < branch->count && branch->has_begun &&
        step_of(script, branch)->verb == SN__SCRIPT_PLAY) {
      host->cancel(host->context, branch->handle);
    }
    branch->done = branch->count;
  }
  script->block = script->block_count;
}
