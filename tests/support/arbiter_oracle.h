/** @file
 *  A second arbiter, written from the text of arbiter.h and not from its code: slow, without lists,
 * queues or caches. Sets are masks, history is a table of times, and every decision scans
 * everything. A plain value: copy it to keep a state. */
#ifndef SN_ARBITER_ORACLE_H
#define SN_ARBITER_ORACLE_H

#include "arbiter/arbiter_core.h"

enum { SN_ARBITER_ORACLE_CONTROLLERS = 8, SN_ARBITER_ORACLE_RESOURCES = 16 };

typedef struct sn_arbiter_oracle {
  int controllers, resources;
  bool keep_subset[SN_ARBITER_ORACLE_CONTROLLERS];
  int64_t acknowledge_ns[SN_ARBITER_ORACLE_CONTROLLERS];
  int fallback[SN_ARBITER_ORACLE_RESOURCES];

  sn_arbiter_counts counts; /**< but for those of changes, which the log shows */
  uint64_t time;            /**< counts grants, losses and requests */
  bool dead[SN_ARBITER_ORACLE_CONTROLLERS];
  int owner[SN_ARBITER_ORACLE_RESOURCES];
  bool orphan[SN_ARBITER_ORACLE_RESOURCES];
  /** When a controller that wants it back lost it; 0: does not want it back. */
  uint64_t lost_at[SN_ARBITER_ORACLE_RESOURCES][SN_ARBITER_ORACLE_CONTROLLERS];
  int64_t let_go_by[SN_ARBITER_ORACLE_RESOURCES]; /**< 0: no request to release */
  int32_t priority[SN_ARBITER_ORACLE_CONTROLLERS];
  uint64_t granted_at[SN_ARBITER_ORACLE_CONTROLLERS];
  struct {
    uint32_t mask; /**< 0: no request */
    int32_t priority;
    uint64_t made_at;
    uint64_t id;
    int64_t expires;
    bool patient;
    bool reserved; /**< its resources are reserved for it */
  } request[SN_ARBITER_ORACLE_CONTROLLERS];
  sn_arbiter_answer answer[SN_ARBITER_ORACLE_CONTROLLERS]; /**< of the last request that ended */
  uint64_t answer_id[SN_ARBITER_ORACLE_CONTROLLERS];
  uint32_t answer_mask[SN_ARBITER_ORACLE_CONTROLLERS];
} sn_arbiter_oracle;

/** A new one with the same configuration; counts come from the tables. */
void sn_arbiter_oracle_init(sn_arbiter_oracle *o, const sn_arbiter_config *config);

/** The state of an arbiter. All its notifications must have been delivered. */
void sn_arbiter_oracle_load(sn_arbiter_oracle *o, const sn_arbiter *arbiter);

/** The events. */
sn_arbiter_answer sn_arbiter_oracle_request(sn_arbiter_oracle *o, int c, uint32_t mask,
                                            int32_t priority, int64_t wait_ns, uint64_t id,
                                            int64_t now_ns);
void sn_arbiter_oracle_disown(sn_arbiter_oracle *o, int c, uint32_t mask, int64_t now_ns);
void sn_arbiter_oracle_want(sn_arbiter_oracle *o, int c, uint32_t mask, int32_t priority,
                            int64_t now_ns);
void sn_arbiter_oracle_release_all(sn_arbiter_oracle *o, int c, int64_t now_ns);
void sn_arbiter_oracle_acknowledge(sn_arbiter_oracle *o, int c, uint32_t mask, int64_t now_ns);
void sn_arbiter_oracle_fail(sn_arbiter_oracle *o, int c, bool died, int64_t now_ns);
void sn_arbiter_oracle_connect(sn_arbiter_oracle *o, int c, int64_t now_ns);
sn_status sn_arbiter_oracle_set_policy(sn_arbiter_oracle *o, int c,
                                       const sn_arbiter_controller *policy);
void sn_arbiter_oracle_tick(sn_arbiter_oracle *o, int64_t now_ns);

/** What a controller owns, and what it owns or wants back. */
uint32_t sn_arbiter_oracle_owned(const sn_arbiter_oracle *o, int c);
uint32_t sn_arbiter_oracle_wanted(const sn_arbiter_oracle *o, int c);

/** The controller whose granted request waits for a resource; SN_ARBITER_NONE: none. */
int sn_arbiter_oracle_reserved_for(const sn_arbiter_oracle *o, int r);

/** NULL if the arbiter is in the same state, else what differs. */
const char *sn_arbiter_oracle_differs(const sn_arbiter_oracle *o, const sn_arbiter *arbiter);

#endif
