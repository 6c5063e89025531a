/** @file
 *  The part of the arbiter's protocol that every controller has in common: what it holds, what it
 *  asked for, and what it must be notified of. A pure state machine that reaches the arbiter
 * through functions of the caller: a direct call, an operation or a message.
 *
 *  Everything that arrives carries the number of the arbiter's event, and older ones are ignored.
 *  So a controller may request, release and lose resources from inside its own hooks, and a late
 *  answer does no harm. */
#ifndef SN_ARBITER_CONSUMER_H
#define SN_ARBITER_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

#include "arbiter/arbiter_core.h"
#include "arbiter/resource_set.h"
#include "sinew/api.h"
#include "sinew/names.h"

SN_BEGIN_DECLS

/** The link to the arbiter; functions that are NULL are not connected. They may call the consumer
 * before they return. */
typedef struct sn_consumer_link {
  void *context;
  /** Ask, and fill the answer as sn__arbiter_request() does. If the answer comes later by a
   * message, return SN_ARBITER_WAITING and leave @p answer untouched. */
  sn_arbiter_answer (*request)(void *context, const sn_arbiter_claim *claim,
                               sn_arbiter_action *answer);
  /** Release, and fill the state as sn__arbiter_read_state() does, or leave it untouched. */
  void (*disown)(void *context, const sn_resource_set *resources, sn_arbiter_action *state);
  void (*acknowledge)(void *context, const sn_resource_set *resources);
  /** Also want these (see sn__arbiter_want()), and fill the state as `disown` does. */
  void (*want)(void *context, const sn_resource_set *resources, int32_t priority,
               sn_arbiter_action *state);
} sn_consumer_link;

/** Notifications; any may be NULL. The consumer's state has changed already. */
typedef struct sn_consumer_hooks {
  void *context;
  /** It may command these from now on: granted, returned, or as a fallback. */
  void (*acquired)(void *context, const sn_resource_set *gained, const sn_resource_set *held);
  /** It may no longer command these; @p held is what is left. */
  void (*released)(void *context, const sn_resource_set *lost, const sn_resource_set *held);
  /** The answer to a request that waited. */
  void (*answered)(void *context, uint64_t request_id, sn_arbiter_answer answer);
} sn_consumer_hooks;

/** Zero-initialise, then set. The name and the table must outlive the consumer. */
typedef struct sn_consumer_config {
  const char *name;          /**< of the controller; for messages */
  const sn_names *resources; /**< all that exist */
  bool keep_subset; /**< on sn__consumer_release(): stay active with what is left; as the arbiter
                       has it */
  sn_consumer_link link;
  sn_consumer_hooks hooks;
} sn_consumer_config;

/** Fields are private. */
typedef struct sn_consumer {
  sn_consumer_config config;
  uint64_t event; /**< newest event of the arbiter */
  sn_resource_set held;
  sn_resource_set announced; /**< what the hooks know to be held */
  sn_resource_set wanted;    /**< held, or lost and wanted back */
  sn_resource_set waiting;   /**< of the request that waits */
  uint64_t waiting_id;       /**< 0: none waits */
  uint64_t last_request_id;  /**< 64 bits: never wraps */
  uint64_t answered_id;      /**< the last request that was answered late */
  sn_arbiter_answer answer;  /**< how */
  sn_resource_set blocked;   /**< of the last request: what a stronger controller holds */
} sn_consumer;

/** Holds nothing, wants nothing. @param config  copied; name and resources are required
 *  RT: yes.  Threads: one owner. */
void sn__consumer_init(sn_consumer *consumer, const sn_consumer_config *config) SN_RT;

/** What the controller may command now. What is held stays held while a request waits.
 *  RT: yes.  Threads: owner. */
sn_resource_set sn__consumer_held(const sn_consumer *consumer) SN_RT;

/** May it command the resource with this index? RT: yes.  Threads: owner. */
bool sn__consumer_has(const sn_consumer *consumer, int resource) SN_RT;

/** What it wants: held, lost and wanted back, or waited for. RT: yes. */
sn_resource_set sn__consumer_requested(const sn_consumer *consumer) SN_RT;

/** Is it active: has or wants something? RT: yes. */
bool sn__consumer_is_operational(const sn_consumer *consumer) SN_RT;

/** Request all of these, and release the rest (see arbiter.h).
 *  @param wait_ns  how long it would wait; 0: be refused at once
 *  @return SN_ARBITER_GRANTED only if all of them are held when it returns; _WAITING: the hook
 *          `answered` will be called; _INVALID also if it is not connected
 *  RT: as the link.  Threads: owner. */
sn_arbiter_answer sn__consumer_request(sn_consumer *consumer, const sn_resource_set *resources,
                                       int32_t priority, int64_t wait_ns);

/** Ask for these; what a stronger controller holds is left out, and comes when it is free. For
 *  controllers that keep subsets. It becomes active even if everything is held by stronger ones.
 *  @param missing  out: what it does not have yet
 *  @return SN_ARBITER_GRANTED, also if something is missing; otherwise as sn__consumer_request()
 *  RT: as the link.  Threads: owner. */
sn_arbiter_answer sn__consumer_request_available(sn_consumer *consumer,
                                                 const sn_resource_set *resources, int32_t priority,
                                                 sn_resource_set *missing);

/** What a stronger controller held of the last request that was refused or waits; otherwise empty.
 *  RT: yes.  Threads: owner. */
sn_resource_set sn__consumer_blocked(const sn_consumer *consumer) SN_RT;

/** Ask for these, with priority 0 and without waiting. @return whether all of them are held. */
bool sn__consumer_request_exclusive(sn_consumer *consumer, const sn_resource_set *resources);

/** Ask for these beside what is held. @return as sn__consumer_request() */
sn_arbiter_answer sn__consumer_request_more(sn_consumer *consumer, const sn_resource_set *resources,
                                            int32_t priority, int64_t wait_ns);

/** Release these and stay active with the rest. RT: as the link.  Threads: owner. */
void sn__consumer_disown(sn_consumer *consumer, const sn_resource_set *resources);

/** Handle an action of the arbiter. One that is older than the last is ignored.
 *  RT: as link and hooks.  Threads: owner. */
void sn__consumer_handle(sn_consumer *consumer, const sn_arbiter_action *action);

SN_END_DECLS

#endif
