/** @file
 *  `RobotModelURDF`: the model as a service that is configured, queried from many threads, and
 * cleaned up only while it is not in use.
 *
 *  Before configuration every query returns SN_ENOTCONFIGURED. After it nothing changes, and
 * queries take no lock. */
#ifndef SN_MODEL_ROBOT_MODEL_H
#define SN_MODEL_ROBOT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/model.h"
#include "sinew/names.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque; on the heap, since it outlives configurations. */
typedef struct sn_robot_model sn_robot_model;

/** Create an unconfigured service.
 *  @return SN_OK or SN_ENOMEM
 *  RT: no, allocates. */
sn_status sn__robot_model_create(sn_robot_model **out, sn_error *err);

/** Destroy it; it must be unconfigured, or no longer held or queried. NULL is allowed.
 *  RT: no.  Threads: the last one. */
void sn__robot_model_destroy(sn_robot_model *service);

/** `configure`: load the URDF text, build the chains. If it is configured already, it is cleaned up
 * first. An error leaves it unconfigured and reusable.
 *  @param report  receives every problem; may be NULL
 *  @return as sn_model_parse(); SN_EBUSY if the current model is held, or if configure or cleanup
 * runs in another thread RT: no.  Threads: any, but meant for the owner's. */
sn_status sn__robot_model_configure(sn_robot_model *service, const char *robot_description,
                                    size_t size, const sn_model_config *config, sn_report *report,
                                    sn_error *err);

/** `cleanup`: release everything. Fails while the model is held; waits for running queries, which
 * are short; new ones return SN_ENOTCONFIGURED.
 *  @return SN_OK (also if it was not configured) or SN_EBUSY
 *  RT: no, may wait.  Threads: any, but meant for the owner's. */
sn_status sn__robot_model_cleanup(sn_robot_model *service);

/** `isConfigured`. RT: yes.  Threads: any. */
bool sn__robot_model_is_configured(const sn_robot_model *service) SN_RT;

/** Hold the model: it stays until sn__robot_model_release(), and cleanup fails meanwhile.
 *  @return NULL if not configured
 *  RT: yes, lock-free.  Threads: any. */
SN_API const sn_model *sn__robot_model_hold(sn_robot_model *service) SN_RT;
/** End one successful sn__robot_model_hold(). RT: yes.  Threads: any. */
SN_API void sn__robot_model_release(sn_robot_model *service) SN_RT;

/** Single queries, each safe against a cleanup in another thread. Results are copied. All return
 * SN_ENOTCONFIGURED before configuration, SN_ENOENT for an unknown name and SN_ENOSPC if there is
 * not enough room, with outputs untouched. RT: yes.  Threads: any. */

/** `getJointIndex`, `getChainIndex`: -1 in @p index if unknown (and SN_OK, as specified). */
sn_status sn__robot_model_joint_index(sn_robot_model *service, const char *joint, int *index) SN_RT;
sn_status sn__robot_model_chain_index(sn_robot_model *service, const char *chain, int *index) SN_RT;

/** `listChains`, `listJoints`, `listContacts`. */
sn_status sn__robot_model_list_chains(sn_robot_model *service, sn_name_list *list) SN_RT;
sn_status sn__robot_model_list_joints(sn_robot_model *service, sn_name_list *list) SN_RT;
sn_status sn__robot_model_list_contacts(sn_robot_model *service, sn_name_list *list) SN_RT;
/** `getChainJoints`: including virtual ones. */
sn_status sn__robot_model_chain_joints(sn_robot_model *service, const char *chain,
                                       sn_name_list *list) SN_RT;
/** `getJointsChains`. */
sn_status sn__robot_model_joints_chains(sn_robot_model *service, const char *const *joints,
                                        size_t joint_count, sn_name_list *list) SN_RT;

/** `getJointChain` (empty if the joint has none, or is unknown), `getChainDefaultContact` (empty if
 * none), `getChainProperty` (SN_ENOENT if the chain has no such key), `getRobotDescription` (all
 * bytes of it: in UTF-16 some are NUL).
 *  @param text  room of @p size bytes, receives the text and its NUL */
sn_status sn__robot_model_joint_chain(sn_robot_model *service, const char *joint, char *text,
                                      size_t size) SN_RT;
sn_status sn__robot_model_chain_default_contact(sn_robot_model *service, const char *chain,
                                                char *text, size_t size) SN_RT;
sn_status sn__robot_model_chain_property(sn_robot_model *service, const char *chain,
                                         const char *key, char *text, size_t size) SN_RT;
sn_status sn__robot_model_description(sn_robot_model *service, char *text, size_t size) SN_RT;

/** `getContactPoints` (into an empty buffer) and `addContactPointsToBuffer`.
 *  @param appended  how many; -1 if the contact is unknown */
sn_status sn__robot_model_add_contact_points(sn_robot_model *service, const char *contact,
                                             sn_point_buffer *buffer, int *appended) SN_RT;

SN_END_DECLS

#endif
