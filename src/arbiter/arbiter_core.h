/** @file
 *  The arbiter: which controller may command which resource (limb), and the hand-over.
 *
 *  A pure state machine. Events go in, each with the time; the state changes at once and as a
 *  whole; what controllers must know comes out as actions that the caller takes one by one. It
 *  never calls back, so every event is legal at any time, also while an action is being delivered.
 *
 *  **Claims.** A request names *all* that a controller wants from now on. It is granted as a whole
 *  or not at all; until then nothing of what the controller holds changes. What it held and did not
 *  name is released when the request is granted. An empty request releases everything.
 *
 *  **Priority.** A request takes from holders of lower priority, and from holders of equal priority
 *  whose claims were granted before it was made. A stronger holder blocks it: the request is
 *  refused and changes nothing, or waits. Waiting requests are checked after every event, the
 *  highest priority first, then the oldest. A controller that waits defends what it holds with the
 *  lower of its two priorities: so waits always climb in priority and cannot deadlock.
 *
 *  **Loss.** A controller that loses a resource to another loses, by its policy, all of them and is
 *  no longer active (*all or nothing*: it wants nothing back), or just that one and wants it back
 *  (*keep subset*).
 *
 *  **Return.** A resource that becomes free goes to the most recent earlier owner that still wants
 *  it, unless a waiting request is stronger. What an owner lost by failing, and no other controller
 *  wants, goes to the fallback of that resource.
 *
 *  **Acknowledgement.** A controller may be given time to release. It is asked first and stays the
 *  owner until it acknowledges. Meanwhile all that the request names is reserved for it: a request
 *  of the same or lower priority is blocked, and what has been released stays free. When all have
 *  been released, the request takes all at once. A release request is not withdrawn, but a
 *  controller that requests the resource again and gets it may keep it. A controller that does not
 *  answer in time has failed, and loses everything. */
#ifndef SN_ARBITER_ARBITER_CORE_H
#define SN_ARBITER_ARBITER_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arbiter/resource_set.h"
#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/names.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

enum {
  SN_ARBITER_CONTROLLERS_MAX = 256, /**< controllers of one arbiter */
  SN_ARBITER_NONE = -1              /**< in place of a controller */
};

/** Wait forever. */
#define SN_ARBITER_FOREVER INT64_MAX

/** Opaque. Lives in the arena it was created from. */
typedef struct sn_arbiter sn_arbiter;

/** What is fixed about one controller. All zero is the default. */
typedef struct sn_arbiter_controller {
  bool keep_subset;       /**< stays active with what is left when it loses something */
  int64_t acknowledge_ns; /**< time to release a resource; 0: it is taken at once */
} sn_arbiter_controller;

/** Zero-initialise, then set. Arrays are copied; the tables are not, and must outlive the arbiter.
 */
typedef struct sn_arbiter_config {
  const sn_names *controllers; /**< 1 .. SN_ARBITER_CONTROLLERS_MAX; the index is the identity */
  const sn_names *resources;   /**< 1 .. SN_RESOURCES_MAX */
  const sn_arbiter_controller *policies; /**< [controllers]; NULL means the default for all */
  /** [resources] The controller that takes over when an owner fails and no other one wants the
   * resource, or SN_ARBITER_NONE. It must keep subsets. NULL means none for all. */
  const int *fallbacks;
  size_t log_capacity; /**< changes that are remembered, at most 2^20; 0 means 256 */
} sn_arbiter_config;

/** What a controller asks for. */
typedef struct sn_arbiter_claim {
  sn_resource_set resources; /**< all that it wants; empty: release all */
  int32_t priority;          /**< higher wins */
  int64_t wait_ns;           /**< how long it would wait; 0: be refused at once */
  uint64_t request_id;       /**< comes back with the answer */
} sn_arbiter_claim;

/** The outcome of a request. */
typedef enum sn_arbiter_answer {
  SN_ARBITER_NO_ANSWER, /**< in an action: it answers no request */
  SN_ARBITER_GRANTED,   /**< all of it, and the controller has it now */
  SN_ARBITER_WAITING,   /**< an answer will come by an action */
  SN_ARBITER_REFUSED,   /**< a stronger holder blocks it; nothing has changed */
  SN_ARBITER_LOST,      /**< granted, but some of it has been taken away since */
  SN_ARBITER_EXPIRED,   /**< waited too long; nothing has changed */
  SN_ARBITER_CANCELLED, /**< the controller failed while it waited */
  SN_ARBITER_INVALID    /**< an unknown resource, or not connected; nothing has changed */
} sn_arbiter_answer;

/** Why a resource changed hands. */
typedef enum sn_arbiter_why {
  SN_ARBITER_UNCHANGED,
  SN_ARBITER_REQUEST,      /**< a request took it */
  SN_ARBITER_RELEASE,      /**< the owner's new request does not name it, or it released all */
  SN_ARBITER_DISOWN,       /**< the owner gave it back */
  SN_ARBITER_DROP,         /**< the owner lost another one and keeps all or nothing */
  SN_ARBITER_ACKNOWLEDGED, /**< the owner released it as asked */
  SN_ARBITER_DIED,         /**< the owner's connection ended */
  SN_ARBITER_HUNG,         /**< the owner missed a deadline */
  SN_ARBITER_MALFORMED,    /**< the owner's output was not valid */
  SN_ARBITER_RETURN,       /**< it went back to an earlier owner */
  SN_ARBITER_FALLBACK      /**< the fallback took it */
} sn_arbiter_why;

/** What one controller must know, true at the moment it was taken. `owned` less `release` is all
 *  that it may command; `gained` and `lost` are the changes. */
typedef struct sn_arbiter_action {
  int controller;
  uint64_t event;         /**< events so far: of two actions the one with more is newer */
  int64_t now_ns;         /**< time of the last event */
  sn_resource_set gained; /**< since the last action */
  sn_resource_set lost;   /**< likewise */
  sn_resource_set owned;
  sn_resource_set wanted;    /**< owned, or lost and wanted back */
  sn_resource_set release;   /**< part of owned: release, and acknowledge */
  int64_t release_ns;        /**< the earliest deadline of release; SN_ARBITER_FOREVER if empty */
  sn_resource_set waiting;   /**< what its request names that waits; empty: none does */
  uint64_t waiting_id;       /**< of that request; else 0 */
  sn_arbiter_why gained_why; /**< the latest cause; SN_ARBITER_UNCHANGED if nothing was gained */
  sn_arbiter_why lost_why;
  int cause;                /**< the controller whose event led to it, or SN_ARBITER_NONE */
  sn_arbiter_answer answer; /**< to request_id */
  uint64_t request_id;      /**< 0 without an answer */
  sn_resource_set blocked;  /**< refused, waiting: what a stronger controller holds or waits for */
  int blocker;              /**< the holder of the first of them; or SN_ARBITER_NONE */
} sn_arbiter_action;

/** One resource has changed hands. */
typedef struct sn_arbiter_change {
  uint64_t number; /**< 0 is the first since creation */
  int64_t now_ns;
  uint64_t request_id; /**< of the request that took it; else 0 */
  int resource;
  int from;                  /**< SN_ARBITER_NONE: it was free */
  int to;                    /**< SN_ARBITER_NONE: it is free */
  int cause;                 /**< the controller whose event led to it */
  sn_arbiter_why lost_why;   /**< how `from` lost it; SN_ARBITER_UNCHANGED if it was free */
  sn_arbiter_why gained_why; /**< how `to` got it; SN_ARBITER_UNCHANGED if it is free */
} sn_arbiter_change;

/** Counters of events. */
typedef struct sn_arbiter_counts {
  uint64_t requests, granted, refused, waited, expired, cancelled, invalid;
  uint64_t returned, failures, changes;
} sn_arbiter_counts;

/** Create an arbiter: every controller is connected, every resource is free.
 *  @param out  set on success, untouched on failure
 *  @param err  receives the reason on failure; may be NULL
 *  @return SN_OK, SN_EINVAL (no or too many controllers or resources, a negative time, a fallback
 *          that does not exist or keeps all or nothing, too long a log) or SN_ENOMEM
 *  RT: no, allocates.  Threads: one owner. */
SN_API sn_status sn__arbiter_create(sn_arena *arena, const sn_arbiter_config *config,
                                    sn_arbiter **out, sn_error *err);

/** A controller asks. One that is accepted (granted or waiting) closes the earlier request of the
 *  same controller: if that waits, or its answer was not taken yet, no answer comes any more.
 *  @param controller  whose connection it came from; a fault if it does not exist
 *  @param now_ns      of a clock that does not go back
 *  @param answer      out: the state of the requester; it counts as delivered
 *  @return SN_ARBITER_GRANTED, _WAITING, _REFUSED, _INVALID, or _LOST if what was released for the
 *          request let a stronger one of another controller come first
 *  RT: yes, O(controllers + resources) and what waiting requests gain.  Threads: owner. */
SN_API sn_arbiter_answer sn__arbiter_request(sn_arbiter *arbiter, int controller,
                                             const sn_arbiter_claim *claim, int64_t now_ns,
                                             sn_arbiter_action *answer) SN_RT;

/** A controller gives these back, wants them no longer, and stays active with the rest; they are
 *  taken out of its waiting request too. What it neither has nor wants does not matter.
 *  RT: yes.  Threads: owner. */
void sn__arbiter_disown(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                        int64_t now_ns) SN_RT;

/** A controller that keeps subsets also wants these, and gets each when it is free and no earlier
 *  owner wants it back: it counts as the least recent earlier owner. A new request of the same
 *  controller replaces this, as it replaces all that the controller wants. Ignored for a controller
 *  that keeps all or nothing, is not connected, or has a request that waits.
 *  @param priority  of its claim, if it wants nothing yet
 *  RT: yes.  Threads: owner. */
void sn__arbiter_want(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                      int32_t priority, int64_t now_ns) SN_RT;

/** Change the policy of a controller that wants nothing and has no request.
 *  @return SN_OK; SN_EBUSY: it wants something; SN_EINVAL: a negative time, or a fallback would
 *          keep all or nothing. On failure nothing has changed
 *  RT: yes.  Threads: owner. */
sn_status sn__arbiter_set_policy(sn_arbiter *arbiter, int controller,
                                 const sn_arbiter_controller *policy) SN_RT;

/** A controller deactivates: it has and wants nothing, and no longer waits. RT: yes.  Threads:
 *  owner. */
void sn__arbiter_release_all(sn_arbiter *arbiter, int controller, int64_t now_ns) SN_RT;

/** A controller has released what it was asked to, or a part of it. Anything else in the set is
 * ignored. One that keeps all or nothing has released everything. RT: yes.  Threads: owner. */
void sn__arbiter_acknowledge(sn_arbiter *arbiter, int controller, const sn_resource_set *resources,
                             int64_t now_ns) SN_RT;

/** A controller has failed: it loses everything and no longer waits. After SN_ARBITER_DIED its
 *  requests are invalid until it connects again; after the others it may ask anew.
 *  @param why  SN_ARBITER_DIED, SN_ARBITER_HUNG or SN_ARBITER_MALFORMED; a fault if another
 *  RT: yes.  Threads: owner. */
void sn__arbiter_fail(sn_arbiter *arbiter, int controller, sn_arbiter_why why,
                      int64_t now_ns) SN_RT;

/** A controller connects again. RT: yes.  Threads: owner. */
void sn__arbiter_connect(sn_arbiter *arbiter, int controller, int64_t now_ns) SN_RT;

/** Time has passed: controllers that did not release in time have failed, requests that waited too
 *  long expire. Call it every cycle: it is a comparison unless a deadline has passed.
 *  RT: yes.  Threads: owner. */
void sn__arbiter_tick(sn_arbiter *arbiter, int64_t now_ns) SN_RT;

/** The next action for some controller; those that lose come before those that gain. All pending
 *  changes of one controller are one action with the present state.
 *  @return false if there is none: @p action is untouched
 *  RT: yes, O(controllers).  Threads: owner. */
SN_API bool sn__arbiter_next_action(sn_arbiter *arbiter, sn_arbiter_action *action) SN_RT;

/** The present state of one controller, as an action without an answer. It counts as delivered; a
 * pending answer still comes by sn__arbiter_next_action(). RT: yes.  Threads: owner. */
void sn__arbiter_read_state(sn_arbiter *arbiter, int controller, sn_arbiter_action *action) SN_RT;

/** @return the earliest time at which a tick will do something, or a time before it;
 *  SN_ARBITER_FOREVER if there is none. RT: yes.  Threads: owner. */
int64_t sn__arbiter_deadline_ns(const sn_arbiter *arbiter) SN_RT;

/** @return the owner of a resource, or SN_ARBITER_NONE. RT: yes.  Threads: owner. */
int sn__arbiter_owner(const sn_arbiter *arbiter, int resource) SN_RT;

/** @return what a controller owns. RT: yes.  Threads: owner. */
sn_resource_set sn__arbiter_owned(const sn_arbiter *arbiter, int controller) SN_RT;

/** @return what a controller owns, or lost and wants back. RT: yes.  Threads: owner. */
sn_resource_set sn__arbiter_wanted(const sn_arbiter *arbiter, int controller) SN_RT;

/** The request of a controller that waits.
 *  @param claim  out, wait_ns as it was asked; may be NULL
 *  @return false if none does. RT: yes.  Threads: owner. */
bool sn__arbiter_waiting(const sn_arbiter *arbiter, int controller, sn_arbiter_claim *claim) SN_RT;

/** Is the controller connected? RT: yes.  Threads: owner. */
bool sn__arbiter_is_connected(const sn_arbiter *arbiter, int controller) SN_RT;

/** The controllers that would get a resource back, the next one first.
 *  @param controllers  out: [@p capacity]
 *  @return how many there are, which may be more than the capacity. RT: yes.  Threads: owner. */
size_t sn__arbiter_former_owners(const sn_arbiter *arbiter, int resource, int *controllers,
                                 size_t capacity) SN_RT;

/** The tables of the configuration. RT: yes.  Threads: any. */
const sn_names *sn__arbiter_controllers(const sn_arbiter *arbiter) SN_RT;
const sn_names *sn__arbiter_resources(const sn_arbiter *arbiter) SN_RT;

/** Read the changes one by one; any number of readers, each with a cursor that starts at 0.
 *  Changes that were overwritten are skipped: the numbers show it.
 *  @return false if there is none that is new. RT: yes.  Threads: owner. */
bool sn__arbiter_read_change(const sn_arbiter *arbiter, uint64_t *cursor,
                             sn_arbiter_change *change) SN_RT;

/** Counters since creation; `changes` shows whether the owner table has changed.
 *  RT: yes.  Threads: owner. */
sn_arbiter_counts sn__arbiter_count(const sn_arbiter *arbiter) SN_RT;

/** Text for logs: "granted", "request". Never NULL. RT: yes.  Threads: any. */
const char *sn__arbiter_answer_text(sn_arbiter_answer answer) SN_RT;
const char *sn__arbiter_why_text(sn_arbiter_why why) SN_RT;

SN_END_DECLS

#endif
