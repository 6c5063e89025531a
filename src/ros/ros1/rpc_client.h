/** @file
 *  Internal: XML-RPC client; one call at a time, each on a new connection. */
#ifndef SN_ROS_ROS1_RPC_CLIENT_H
#define SN_ROS_ROS1_RPC_CLIENT_H

#include "ros/ros1/net.h"
#include "ros/ros1/rpc.h"

typedef struct sn__rpc_client sn__rpc_client;

/** Called when a call completes. @param value  third item of the response, NULL on failure
 *  @param status  SN_OK; SN_EINVAL: rejected by the peer; otherwise a communication failure */
typedef void sn__rpc_done(sn__rpc_client *client, sn_status status, const sn__rpc_value *value,
                          const sn_error *err);

/** Zero-initialise, then set `net`, `done` and `owner`. */
struct sn__rpc_client {
  sn__net *net;
  sn__rpc_done *done;
  void *owner;
  sn__link *link; /**< NULL: idle */
  bool is_complete;
  sn__bytes request;
  sn__rpc_writer writer;
};

/** Begin a call; write the parameters with `client->writer`, then send it. */
void sn__rpc_client_begin(sn__rpc_client *client, const char *method);
/** @return false if no connection slot is free; `done` is not called then */
bool sn__rpc_client_send(sn__rpc_client *client, const char *host, int port);
/** Cancel the current call; `done` is not called. */
void sn__rpc_client_cancel(sn__rpc_client *client);
void sn__rpc_client_free(sn__rpc_client *client);

#endif
