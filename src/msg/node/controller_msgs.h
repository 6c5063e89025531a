/** @file
 *  Internal: services of the controller manager of ros2_control, as in Jazzy. */
#ifndef SN_MSG_NODE_CONTROLLER_MSGS_H
#define SN_MSG_NODE_CONTROLLER_MSGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

SN_BEGIN_DECLS

/** controller_manager_msgs/ChainConnection. */
typedef struct sn__chain_connection {
  sn_msg_text name;
  sn_msg_names reference_interfaces;
} sn__chain_connection;

SN_SEQ_DEFINE(sn__seq_chain_connection, sn__chain_connection);

/** controller_manager_msgs/ControllerState. An interface is `joint/position`. */
typedef struct sn__controller_state {
  sn_msg_text name;
  sn_msg_text state; /**< `active` or `inactive` */
  sn_msg_text type;
  bool is_async;
  uint16_t update_rate; /**< Hz */
  sn_msg_names claimed_interfaces, required_command_interfaces, required_state_interfaces;
  bool is_chainable, is_chained;
  sn_msg_names exported_state_interfaces, reference_interfaces;
  sn__seq_chain_connection chain_connections;
} sn__controller_state;

SN_SEQ_DEFINE(sn__seq_controller_state, sn__controller_state);

/** The response of controller_manager_msgs/ListControllers; the request is empty. */
typedef struct sn__list_controllers_response {
  sn__seq_controller_state controller;
} sn__list_controllers_response;

/** Values of `strictness`. */
typedef enum sn__strictness {
  SN__BEST_EFFORT = 1,
  SN__STRICT,
  SN__AUTO,
  SN__FORCE_AUTO
} sn__strictness;

/** controller_manager_msgs/SwitchController. */
typedef struct sn__switch_request {
  sn_msg_names activate_controllers, deactivate_controllers;
  int32_t strictness; /**< sn__strictness */
  bool activate_asap;
  int64_t timeout_ns;
} sn__switch_request;
typedef struct sn__switch_response {
  bool ok;
  sn_msg_text message;
} sn__switch_response;

SN_API extern const sn_msg_type sn__list_controllers_response_type;
SN_API extern const sn_msg_type sn__switch_request_type, sn__switch_response_type;

SN_END_DECLS

#endif
