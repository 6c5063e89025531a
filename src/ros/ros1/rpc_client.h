/** @file
 *  Internal: one call by XML-RPC at a time, over a connection of its own. */
#ifndef SN_ROS_ROS1_RPC_CLIENT_H
#define SN_ROS_ROS1_RPC_CLIENT_H

#include "ros/ros1/net.h"
#include "ros/ros1/rpc.h"

typedef struct sn__rpc_client sn__rpc_client;

/** What came of a call. @param value  the third item of the answer, NULL on failure
 *  @param status  SN_OK; SN_EINVAL: the other side refused; else nothing could be heard of it */
typedef void sn__rpc_done(sn__rpc_client *client, sn_status status, const sn__rpc_value *value,
                          const sn_error *err);

/** All zero, then `net`, `done` and `owner`. */
struct sn__rpc_client {
  sn__net *net;
  sn__rpc_done *done;
  void *owner;
  sn__link *link; /**< NULL: no call is under way */
  bool is_complete;
  sn__bytes request;
  sn__rpc_writer writer;
};

/** Begin a call; put the parameters with `client->writer`, then send it. */
void sn__rpc_client_begin(sn__rpc_client *client, const char *method);
/** @return false if there is no place for the connection: nothing comes of the call */
bool sn__rpc_client_send(sn__rpc_client *client, const char *host, int port);
/** Forget the call that is under way: `done` will not be called. */
void sn__rpc_client_cancel(sn__rpc_client *client);
void sn__rpc_client_free(sn__rpc_client *client);

#endif
