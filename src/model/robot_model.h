/** @file
 *  `RobotModelURDF`: the model as a service that is configured, held by many threads without a
 * lock, and cleaned up only while no thread holds it. A held model does not change. */
#ifndef SN_MODEL_ROBOT_MODEL_H
#define SN_MODEL_ROBOT_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/model.h"
#include "sinew/status.h"

SN_BEGIN_DECLS

/** Opaque; on the heap, since it outlives configurations. */
typedef struct sn_robot_model sn_robot_model;

/** Create an unconfigured service.
 *  @return SN_OK or SN_ENOMEM
 *  RT: no, allocates. */
sn_status sn__robot_model_create(sn_robot_model **out, sn_error *err);

/** Destroy it; it must be unconfigured, or no longer held. NULL is allowed.
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

/** `cleanup`: release everything. Fails while the model is held.
 *  @return SN_OK (also if it was not configured) or SN_EBUSY
 *  RT: no.  Threads: any, but meant for the owner's. */
sn_status sn__robot_model_cleanup(sn_robot_model *service);

/** Where the robot was read from, for those that read its meshes.
 *  @param robot_file, package_path  may be NULL or empty; must outlive the service
 *  RT: no.  Threads: the owner's, before configure. */
void sn__robot_model_set_files(sn_robot_model *service, const char *robot_file,
                               const char *package_path);

/** What sn__robot_model_set_files() set; NULL if it was empty. RT: yes.  Threads: any that holds
 * the model. */
void sn__robot_model_files(const sn_robot_model *service, const char **robot_file,
                           const char **package_path) SN_RT;

/** `isConfigured`. RT: yes.  Threads: any. */
bool sn__robot_model_is_configured(const sn_robot_model *service) SN_RT;

/** Hold the model: it stays until sn__robot_model_release(), and cleanup fails meanwhile.
 *  @return NULL if not configured
 *  RT: yes, lock-free.  Threads: any. */
SN_API const sn_model *sn__robot_model_hold(sn_robot_model *service) SN_RT;
/** End one successful sn__robot_model_hold(). RT: yes.  Threads: any. */
SN_API void sn__robot_model_release(sn_robot_model *service) SN_RT;

SN_END_DECLS

#endif
