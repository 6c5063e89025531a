/** @file
 *  Internal: for components that use the robot model: hold it from configure to cleanup. */
#ifndef SN_RT_COMPONENTS_ROBOT_MODEL_CLIENT_H
#define SN_RT_COMPONENTS_ROBOT_MODEL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/robot_model.h"
#include "sinew/component.h"
#include "sinew/model.h"
#include "sinew/msg_types.h"
#include "sinew/status.h"

/** Hold the model of a requester of SN_ROBOT_MODEL.
 *  @return NULL if it is not configured, with the reason */
const sn_model *sn__model_hold(const sn_requester *requester, sn_error *err);
/** Release it: in cleanup, and when configure fails later. */
void sn__model_release(const sn_requester *requester);

/** Where the robot was read from, to find its meshes; each NULL if unknown. While it is held. */
void sn__model_files(const sn_requester *requester, const char **robot_file,
                     const char **package_path);

/** The hook configure of a component that depends on the robot: hold the model, create the rest.
 *  @param model  out: valid until sn__model_release(), which is for cleanup
 *  @param create  all else that configure does; if it fails nothing is held */
sn_status sn__configure_with_model(sn_component *component, const sn_requester *requester,
                                   const sn_model **model,
                                   sn_status (*create)(sn_component *component, sn_error *err),
                                   sn_error *err);

/** Do @p count items (@p what, for the message) fit into a sequence of an output?
 *  @return SN_OK or SN_ENOSPC with the reason */
sn_status sn__fits(size_t count, size_t capacity, const char *what, sn_error *err);

#endif
