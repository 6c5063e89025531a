/** @file
 *  All of Sinew's public headers. */
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/api.h"
#include "sinew/arena.h"
#include "sinew/clock.h"
#include "sinew/dense.h"
#include "sinew/dyn.h"
#include "sinew/fault.h"
#include "sinew/ik_solver.h"
#include "sinew/kin.h"
#include "sinew/log.h"
#include "sinew/model.h"
#include "sinew/msg.h"
#include "sinew/msg_cdr.h"
#include "sinew/msg_copier.h"
#include "sinew/msg_json.h"
#include "sinew/msg_names.h"
#include "sinew/msg_ros1.h"
#include "sinew/msg_schema.h"
#include "sinew/msg_types.h"
#include "sinew/names.h"
#include "sinew/pose.h"
#include "sinew/props.h"
#include "sinew/quat.h"
#include "sinew/random.h"
#include "sinew/report.h"
#include "sinew/robot_model.h"
#include "sinew/spatial.h"
#include "sinew/status.h"
#include "sinew/tree.h"
#include "sinew/vec3.h"

#endif
