/** @file
 *  The channels, inputs, parameters and services of the server, from the tables of the components.
 *  Created when the server starts, and constant. */
#ifndef SN_FOXGLOVE_CATALOG_H
#define SN_FOXGLOVE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "sinew/arena.h"
#include "sinew/msg.h"
#include "sinew/system.h"

typedef enum sn__fox_kind {
  SN__FOX_PORT,       /**< an output */
  SN__FOX_ROBOT,      /**< the URDF */
  SN__FOX_LOG,        /**< lines of the log */
  SN__FOX_COMPONENTS, /**< their tables and state */
  SN__FOX_TIMING      /**< of activities and components */
} sn__fox_kind;

/** The id of a channel is its place in the list plus one, as that of a service. */
typedef struct sn__fox_channel {
  sn__fox_kind kind;
  const char *topic;       /**< `/component/port` */
  const char *port;        /**< `component.port`; NULL: not a port */
  const sn_msg_type *type; /**< NULL: JSON */
} sn__fox_channel;

typedef struct sn__fox_input {
  const char *topic, *port;
} sn__fox_input;

typedef struct sn__fox_parameter {
  const char *name; /**< `component.property`, or `/robot_description` */
  bool is_part;     /**< of a bag, or too long: not listed with all */
} sn__fox_parameter;

typedef enum sn__fox_service_kind {
  SN__FOX_CALL,
  SN__FOX_READ,     /**< changes nothing: needs no token */
  SN__FOX_STOP,     /**< emergency stop: needs no token, executed at once */
  SN__FOX_AUTHORIZE /**< takes the token */
} sn__fox_service_kind;

typedef struct sn__fox_service {
  sn__fox_service_kind kind;
  const char *name;           /**< `/component/operation` */
  const char *operation;      /**< `component.operation` */
  const sn_msg_type *request; /**< NULL: none */
} sn__fox_service;

typedef struct sn__fox_catalog {
  sn_arena arena;
  sn__fox_channel *channels;
  size_t channel_count;
  sn__fox_input *inputs;
  size_t input_count;
  sn__fox_parameter *parameters;
  size_t parameter_count;
  sn__fox_service *services;
  size_t service_count;
  const char *robot_component;              /**< the component that serves the robot; NULL: none */
  sn__buffer advertise, advertise_services; /**< messages, encoded */
} sn__fox_catalog;

/** @param self  the server's own component, which clients cannot stop
 *  @return SN_OK or SN_ENOMEM */
sn_status sn__fox_catalog_init(sn__fox_catalog *catalog, sn_system *system,
                               const sn_component *self, sn_error *err);
void sn__fox_catalog_free(sn__fox_catalog *catalog);

/** @return the place in the list, or -1 */
int sn__fox_find_input(const sn__fox_catalog *catalog, const char *topic);
int sn__fox_find_parameter(const sn__fox_catalog *catalog, const char *name);

#endif
