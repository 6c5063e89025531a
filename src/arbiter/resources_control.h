/** @file
 *  Internal: the component `resources_control`. The rules are those of arbiter.h; here they meet
 *  components. It is stepped before the controllers of its activity, which need its service. */
#ifndef SN_ARBITER_RESOURCES_CONTROL_H
#define SN_ARBITER_RESOURCES_CONTROL_H

#include <stdatomic.h>

#include "arbiter/controller_internal.h"
#include "sinew/arbiter.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/owners.h"
#include "sinew/tap.h"

typedef struct sn__resources_control sn__resources_control;

/** One controller; its place in the list is its identity. */
typedef struct sn__member {
  sn__resources_control *server;
  int index;
  const char *name;
  sn_component *component;   /**< NULL: it is outside, and comes by messages and calls */
  sn_component *voice;       /**< whose references are its own: itself, or for one outside the
                                  component of its name (relay_joints); NULL: it has none */
  sn_caller release;         /**< its operation releaseResources: it cannot be removed meanwhile */
  sn_controller *controller; /**< NULL until it is attached */
  atomic_bool is_new;        /**< attached since the last cycle: its policy may be another one */
  const sn_component *speaker; /**< the component whose connection speaks for it; NULL: none yet */
  sn_resource_set shown;       /**< what is its own in this cycle, for it and for the aggregator */
  bool has_claim;              /**< it asked when it could not be answered: */
  sn_arbiter_claim claim;
  bool is_down;     /**< the arbiter was told that it failed */
  int64_t heard_ns; /**< outside: when it was heard of last */
} sn__member;

struct sn__resources_control {
  sn_component component;
  sn_texts list_orocos, list_ros, resources, other_resources;
  const char *fallback;
  double remote_timeout_s;
  double wait_s;
  sn_input sync;
  sn_inputs requests;
  sn_output assignment;
  sn_requester robot_model;

  const sn_model *model;
  sn__resource_map map;
  sn__resource_arbiter face;
  sn_owners *owners;
  size_t member_count;
  sn__member *members;
  sn_arena_mark configured; /**< where the memory of start begins */
  sn_arbiter *arbiter;      /**< NULL until started */
  uint64_t change_cursor;
  uint64_t committed; /**< changes of the arbiter that are shown */
  bool is_behind;     /**< some are not, or somebody was not told how things stand */
  int64_t now_ns;     /**< of this cycle */
  bool has_warned;    /**< of a refused request */
  int64_t warned_ns;  /**< when */
  uint64_t refused;   /**< requests since then, not logged yet */
  bool must_greet;    /**< controllers have to hear that nobody owns anything */
  bool is_delivering; /**< actions are being told: a request from a hook tells its own */
  bool is_giving;     /**< in the midst of a cycle: a request from a hook waits for its end */
};

/* ---- resources_map.c ---- */

/** Which joints belong to which resource. */
sn_status sn__resources_map(sn__resources_control *self, sn_error *err);

/* ---- resources_lists.c ---- */

/** All controllers of the lists; on failure let those go that are there already. */
sn_status sn__members_add(sn__resources_control *self, sn_error *err);
void sn__members_let_go(sn__resources_control *self);

/** @return NULL: there is none of this name */
sn__member *sn__member_find(const sn__resources_control *self, const char *name);

/** Does it run? One that does not is not touched: management may be cleaning it up. */
bool sn__member_runs(const sn__member *member) SN_RT;

/* ---- resources_requests.c ---- */

/** Answer the requests that came by messages; log what was refused. RT: yes */
void sn__resources_read_requests(sn__resources_control *self) SN_RT;

/** The operation `requestResources`. */
sn_operation_function sn__resources_request;

/* ---- hand_over.c: what takes effect when ---- */

/** The way of a controller to the arbiter. */
sn_consumer_link sn__member_link(sn__member *member);

/** Between two cycles, before any controller is stepped: show all that the arbiter has decided, and
 *  tell everybody what concerns them. RT: yes */
void sn__resources_deliver(sn__resources_control *self) SN_RT;

/** Tell one controller something. RT: yes */
void sn__member_tell(const sn__member *member, const sn_arbiter_action *action) SN_RT;

/** Let the aggregator and others know who owns what.
 *  @param action  what led to it; NULL: nothing in particular. RT: yes */
void sn__resources_commit(sn__resources_control *self, const sn_arbiter_action *action) SN_RT;

/** Publish the table, also if it has not changed. RT: yes */
void sn__resources_publish(sn__resources_control *self, const sn_arbiter_action *action) SN_RT;

/** Publish the table as the answer to an invalid request, with its id and @p reason. RT: yes */
void sn__resources_refuse(sn__resources_control *self, const sn_resource_request *request,
                          const char *reason) SN_RT;

/** Fill a message with the table. @return SN_OK, SN_ENOSPC. RT: yes */
sn_status sn__resources_fill(const sn__resources_control *self, const sn_arbiter_action *action,
                             sn_resource_assignment *out) SN_RT;

#endif
