/** @file
 *  Internal: the component `resources_control`. It applies the rules of arbiter.h to components. It
 *  is stepped before the controllers of its activity, which need its service. */
#ifndef SN_ARBITER_RESOURCES_CONTROL_H
#define SN_ARBITER_RESOURCES_CONTROL_H

#include <stdatomic.h>

#include "arbiter/arbiter_core.h"
#include "arbiter/controller_internal.h"
#include "arbiter/owners.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/tap.h"

typedef struct sn__resources_control sn__resources_control;

/** One controller; its index in the list is its identity. */
typedef struct sn__member {
  sn__resources_control *server;
  int index;
  const char *name;
  sn_component *component; /**< NULL: it is outside, and asks by messages and calls */
  sn_component *writer;    /**< the component that writes its references: itself, or for an outside
                              controller the component of its name (relay_joints); NULL: none */
  sn_caller release;       /**< its operation releaseResources; keeps it from being removed */
  sn_controller *controller;     /**< NULL until it is attached */
  atomic_bool is_new;            /**< attached since the last cycle: its policy may have changed */
  const sn_component *requester; /**< the component that asks for it; NULL: none yet */
  sn_resource_set shown;         /**< what it owns in this cycle, as it and the gate know it */
  bool has_claim;                /**< it asked when it could not be answered */
  sn_arbiter_claim claim;
  bool is_down;            /**< its failure was reported to the arbiter */
  int64_t last_request_ns; /**< outside: time of its last request */
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
  sn__resource_arbiter iface;
  sn_owners *owners;
  size_t member_count;
  sn__member *members;
  sn_arena_mark configured; /**< where the memory of start begins */
  sn_arbiter *arbiter;      /**< NULL until started */
  uint64_t change_cursor;
  uint64_t committed; /**< changes of the arbiter that are shown */
  bool is_stale;      /**< some are not, or a controller does not know all of them */
  int64_t now_ns;     /**< of this cycle */
  sn_log_limit refusals;
  bool must_reset;    /**< controllers must drop what they had */
  bool is_delivering; /**< actions are being delivered: a request from a hook is answered at once */
  bool is_giving;     /**< in the middle of a cycle: a request from a hook waits for its end */
};

/* ---- resources_map.c ---- */

/** Which joints belong to which resource. */
sn_status sn__resources_map(sn__resources_control *self, sn_error *err);

/* ---- resources_lists.c ---- */

/** Open all controllers of the lists; on failure close those that are open. */
sn_status sn__members_add(sn__resources_control *self, sn_error *err);
void sn__members_close(sn__resources_control *self);

/** @return NULL: there is none of this name */
sn__member *sn__member_find(const sn__resources_control *self, const char *name);

/** Is it running? If not it is not touched: management may be cleaning it up. */
bool sn__member_runs(const sn__member *member) SN_RT;

/* ---- resources_requests.c ---- */

/** Answer requests by messages; log refusals. RT: yes */
void sn__resources_read_requests(sn__resources_control *self) SN_RT;

/** The operation `requestResources`. */
sn_operation_function sn__resources_request;

/* ---- hand_over.c: what takes effect when ---- */

/** The link from a controller to the arbiter. */
sn_consumer_link sn__member_link(sn__member *member);

/** Between two cycles, before any controller is stepped: show all decisions of the arbiter, and
 * notify the controllers. RT: yes */
void sn__resources_deliver(sn__resources_control *self) SN_RT;

/** Deliver an action to one controller. RT: yes */
void sn__member_notify(const sn__member *member, const sn_arbiter_action *action) SN_RT;

/** Show the gate and others who owns what.
 *  @param action  the cause; NULL: none. RT: yes */
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
