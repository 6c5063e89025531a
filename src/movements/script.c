/* Reads scripts. */
#include "movements/script.h"

#include <math.h>
#include <string.h>

#include "base/report_internal.h"
#include "files/value_read.h"

typedef struct reading {
  sn_report *report;
  sn__script *script;
} reading;

static bool has_room(const reading *r, const sn_value *at) {
  if (r->script->step_count < SN__SCRIPT_STEPS_MAX) {
    return true;
  }
  sn__report_add(r->report, SN_SEVERITY_ERROR, at->place, NULL, "a script has at most %d steps",
                 SN__SCRIPT_STEPS_MAX);
  return false;
}

/* ---- steps ---- */

static const sn_value *find_verb(const sn_value *step, sn__script_verb *verb) {
  static const char *const verbs[] = {"play", "wait", "call"};
  const sn_value *found = NULL;
  for (size_t i = 0; i < 3; i++) {
    const sn_value *item = sn_value_find(step, verbs[i]);
    if (item != NULL && found == NULL) {
      found = item;
      *verb = (sn__script_verb)i;
    }
  }
  return found;
}

static void check_keys(const reading *r, const sn_value *step, const sn_value *verb) {
  for (size_t i = 0; i < step->item_count; i++) {
    const sn_value *item = step->items[i];
    if (item != verb && !(strcmp(item->name, "with") == 0 && strcmp(verb->name, "call") == 0)) {
      sn__report_add(r->report, SN_SEVERITY_ERROR, item->name_place, "one step does one thing",
                     "unexpected '%.60s' in a step", item->name);
    }
  }
}

static void read_wait(const reading *r, const sn_value *verb, sn__script_step *out) {
  if (!sn_value_number(verb, &out->wait_s) ||
      !(out->wait_s >= 0.0 && out->wait_s <= SN__SCRIPT_WAIT_MAX)) {
    sn__report_add(r->report, SN_SEVERITY_ERROR, verb->place, "wait: 0.5",
                   "'%.60s' is not a time of 0 to 3600 s",
                   verb->kind == SN_VALUE_TEXT ? verb->text : "a list or bag");
  }
}

static void read_step(const reading *r, const sn_value *step) {
  sn__script_verb verb = SN__SCRIPT_WAIT;
  const sn_value *found = step->kind == SN_VALUE_BAG ? find_verb(step, &verb) : NULL;
  if (found == NULL) {
    sn__report_add(r->report, SN_SEVERITY_ERROR, step->place, "- play: NAME",
                   "a step must have one of play, wait, call%s",
                   step->kind == SN_VALUE_BAG && sn_value_find(step, "together") != NULL
                       ? "; together cannot be inside together"
                       : " and together");
    return;
  }
  if (!has_room(r, step)) {
    return;
  }
  sn__script_step *out = &r->script->steps[r->script->step_count++];
  *out =
      (sn__script_step){.verb = verb, .place = found->place, .with = sn_value_find(step, "with")};
  check_keys(r, step, found);
  if (verb == SN__SCRIPT_WAIT) {
    read_wait(r, found, out);
  } else {
    out->name = sn__value_expect_text(r->report, found);
  }
  if (out->with != NULL && out->with->kind != SN_VALUE_BAG) {
    sn__report_add(r->report, SN_SEVERITY_ERROR, out->with->place, "with: {operational: true}",
                   "'with' is not a bag of fields");
  }
}

/* A step, or a list of them. */
static void read_branch(const reading *r, const sn_value *branch) {
  sn__script *s = r->script;
  sn__script_branch *out = &s->branches[s->branch_count++];
  *out = (sn__script_branch){.first = s->step_count};
  if (branch->kind == SN_VALUE_LIST) {
    for (size_t i = 0; i < branch->item_count; i++) {
      read_step(r, branch->items[i]);
    }
  } else {
    read_step(r, branch);
  }
  out->count = s->step_count - out->first;
}

static void read_block(const reading *r, const sn_value *item) {
  sn__script *s = r->script;
  const sn_value *together = item->kind == SN_VALUE_BAG ? sn_value_find(item, "together") : NULL;
  sn__script_block *block = &s->blocks[s->block_count++];
  *block = (sn__script_block){.first = s->branch_count};
  if (together == NULL) {
    read_branch(r, item);
  } else if (sn__value_expect(r->report, together, SN_VALUE_LIST)) {
    for (size_t i = 0; i < together->item_count && has_room(r, together); i++) {
      read_branch(r, together->items[i]);
    }
  }
  block->count = s->branch_count - block->first;
}

/* ---- all of it ---- */

static sn_status read_root(sn_arena *arena, const sn_value *root, sn_report *report,
                           sn__script *out) {
  const sn_value *list = sn_value_find(root, "script");
  const size_t before = sn_report_error_count(report);
  *out = (sn__script){.steps = SN_NEW(arena, sn__script_step, SN__SCRIPT_STEPS_MAX),
                      .branches = SN_NEW(arena, sn__script_branch, SN__SCRIPT_STEPS_MAX),
                      .blocks = SN_NEW(arena, sn__script_block, SN__SCRIPT_STEPS_MAX)};
  if (out->steps == NULL || out->branches == NULL || out->blocks == NULL) {
    return SN_ENOMEM;
  }
  const reading r = {report, out};
  if (list == NULL || list->kind != SN_VALUE_LIST || root->item_count != 1) {
    sn__report_add(report, SN_SEVERITY_ERROR, root->place, "script: [{play: NAME}]",
                   "a script has one key, 'script', with a list of steps");
    return SN_EINVAL;
  }
  for (size_t i = 0;
       i < list->item_count && has_room(&r, list) && out->branch_count < SN__SCRIPT_STEPS_MAX;
       i++) {
    read_block(&r, list->items[i]);
  }
  return sn_report_error_count(report) == before ? SN_OK : SN_EINVAL;
}

sn_status sn__script_load(const char *path, sn_arena *arena, sn_report *report, sn__script *out) {
  const sn_value *root = NULL;
  const sn_status status = sn_value_load(arena, path, report, &root);
  return status == SN_OK ? read_root(arena, root, report, out) : status;
}
