/** @file
 *  Internal: the state of the arbiter and the steps that events are made of.
 *
 *  arbiter.c      create, queries
 *  events.c       events
 *  decide.c       which holders block a request, and how it gets its resources
 *  ownership.c    the owner table, earlier owners, the log of changes
 *  actions.c      what goes out */
#ifndef SN_ARBITER_ARBITER_H
#define SN_ARBITER_ARBITER_H

#include "arbiter/arbiter_core.h"

enum { SN__NONE = SN_ARBITER_NONE };

/** Sets of controllers use the same bit sets: there are at most as many controllers as resources.
 */
typedef sn_resource_set sn__controller_set;
_Static_assert((int)SN_ARBITER_CONTROLLERS_MAX <= (int)SN_RESOURCES_MAX, "one type for both");

typedef enum sn__request_state {
  SN__REQUEST_NONE,
  SN__REQUEST_BLOCKED,     /**< a stronger holder blocks it */
  SN__REQUEST_HANDING_OVER /**< its resources are reserved; holders were asked to release them */
} sn__request_state;

/** A request that has no answer yet. */
typedef struct sn__request {
  sn__request_state state;
  sn_arbiter_claim claim;
  uint64_t ticket;     /**< when it was made, in requests and grants */
  int64_t deadline_ns; /**< when it expires */
  int witness;         /**< a resource that a stronger controller held at the last check */
  int next;            /**< in the order of the queue */
} sn__request;

/** What a controller has not received yet. */
typedef struct sn__notice {
  bool queued;
  bool failed; /**< it wants nothing any more by decision of the arbiter: to be delivered */
  int next;    /**< in the order of the queue */
  int cause;
  sn_arbiter_why gained_why, lost_why;
  sn_arbiter_answer answer; /**< to be delivered */
  uint64_t request_id;
  sn_resource_set owned;   /**< what it owns, as last delivered */
  sn_resource_set asked;   /**< what it must release, as last delivered */
  sn_resource_set request; /**< what was granted */
} sn__notice;

/** Every hand-over reads the first members: they share few cache lines. */
typedef struct sn__controller {
  sn_arbiter_controller policy;
  bool connected;
  int32_t priority; /**< of its claim */
  uint64_t ticket;  /**< when its claim was granted */
  sn_resource_set owned;
  sn_resource_set asked; /**< part of owned: it must release them */
  sn__notice notice;
  sn__request request;
  sn_resource_set wanted; /**< owned, or lost and wanted back */
} sn__controller;

typedef struct sn__resource {
  int owner;
  int reserved;                        /**< whose request is being handed over */
  int fallback;                        /**< takes it when an owner fails */
  int former;                          /**< the most recent earlier owner that wants it back */
  int64_t deadline_ns;                 /**< until when the owner must release it, if asked to */
  int before;                          /**< owner before the present event, if it was touched */
  sn_arbiter_why lost_why, gained_why; /**< in the present event */
} sn__resource;

/** The neighbours of a controller in the list of earlier owners of one resource. */
typedef struct sn__link {
  int16_t newer, older;
} sn__link;

struct sn_arbiter {
  const sn_names *controller_names;
  const sn_names *resource_names;
  int controller_count;
  int resource_count;
  sn_resource_set all; /**< resources that exist */
  bool some_need_time; /**< a controller has time to release: else nothing is ever reserved */
  sn__controller *controllers;
  sn__resource *resources;
  sn__link *links; /**< [resource][controller] */

  uint64_t ticket;  /**< the last one given out */
  int waiting;      /**< first of the queue of requests */
  int notice_first; /**< of the queue of controllers with a notice */
  int notice_last;
  sn_resource_set orphans; /**< free since an owner failed, and for their fallback */
  int64_t deadline_ns;     /**< no deadline is earlier */

  uint64_t event; /**< number of the present event */
  int64_t now_ns;
  int cause;                   /**< whose event it is */
  sn_resource_set touched;     /**< whose owner changed in it, perhaps back and forth */
  sn_resource_set loose;       /**< became free, or their reservation ended */
  sn__controller_set notified; /**< has a notice that is not about the owner table */

  sn_arbiter_counts counts;
  sn_arbiter_change *log; /**< [log_capacity] change n is at n modulo the capacity */
  size_t log_capacity;    /**< a power of two */
};

/** All resources of a set, one by one. */
#define SN__EACH(i, set)                  \
  int i = sn_resource_set_next((set), 0); \
  (i) >= 0;                               \
  (i) = sn_resource_set_next((set), (i) + 1)

/* ownership.c */

/** Reset what belongs to one event only. */
void sn__arbiter_begin(sn_arbiter *arbiter, int cause, int64_t now_ns) SN_RT;

/** The only function that changes an owner. @param to  may be SN__NONE */
void sn__arbiter_give(sn_arbiter *arbiter, int resource, int to, sn_arbiter_why why) SN_RT;

/** @p controller lost the resource last, and wants it back. */
void sn__former_push(sn_arbiter *arbiter, int resource, int controller) SN_RT;
/** @p controller wants it, behind all earlier owners. */
void sn__former_append(sn_arbiter *arbiter, int resource, int controller) SN_RT;
/** It does not want it back any more. It must be in the list. */
void sn__former_remove(sn_arbiter *arbiter, int resource, int controller) SN_RT;

/** The owner loses the resource and, if it keeps subsets, wants it back. One that keeps all or
 * nothing must be dropped afterwards. */
void sn__arbiter_lose(sn_arbiter *arbiter, int resource, int to, sn_arbiter_why why) SN_RT;

/** A controller no longer wants these, owned or not. */
void sn__arbiter_forget(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                        sn_arbiter_why why) SN_RT;

/** Log what the event changed, and queue the notices. */
void sn__arbiter_finish(sn_arbiter *arbiter) SN_RT;

/* decide.c */

/** What blocks a claim of this controller: resources that a stronger one holds or has reserved. */
sn_resource_set sn__arbiter_blocked(const sn_arbiter *arbiter, int controller,
                                    const sn_arbiter_claim *claim, uint64_t ticket,
                                    int *blocker) SN_RT;

/** Put a request in the queue. The controller has none. */
void sn__request_add(sn_arbiter *arbiter, int controller, const sn_arbiter_claim *claim) SN_RT;
/** Take the request of a controller out of the queue, if there is one. */
void sn__request_remove(sn_arbiter *arbiter, int controller) SN_RT;
/** Nothing blocks the request: ask holders to release, or take all at once. */
void sn__request_start(sn_arbiter *arbiter, int controller) SN_RT;

/** Grant what can be granted, return what is free. Every event ends with it. */
void sn__arbiter_settle(sn_arbiter *arbiter) SN_RT;

/* actions.c */

/** The answer to the waiting request of a controller. */
void sn__notice_answer(sn_arbiter *arbiter, int controller, sn_arbiter_answer answer) SN_RT;
/** Queue a notice for a controller. */
void sn__notice_queue(sn_arbiter *arbiter, int controller) SN_RT;
/** Drop the notice of a controller. */
void sn__notice_drop(sn_arbiter *arbiter, int controller) SN_RT;
/** As sn__arbiter_read_state(), with the answer. */
void sn__notice_fill(sn_arbiter *arbiter, int controller, sn_arbiter_action *action) SN_RT;

#endif
