/** @file
 *  Internal: looking up a host, in another thread, for a link that may be gone when it is found. */
#ifndef SN_ROS_ROS1_DIAL_H
#define SN_ROS_ROS1_DIAL_H

#include "ros/ros1/net.h"

typedef struct sn__dial {
  sn__remote_job job;    /**< first */
  struct sn__dial *next; /**< of all that are under way */
  sn__link *link;        /**< NULL: nobody waits for it any more */
  char host[SN__HOST_SIZE];
  int port;
  struct in_addr address;
  bool is_found;
} sn__dial;

/** Begin; the link is connected, or fails, later. @return false if there is no memory */
bool sn__dial_start(sn__link *link, const char *host, int port);
bool sn__dial_is_one(const sn__remote_job *job);
/** Free one that is done, or all when the pool has ended. */
void sn__dial_end(sn__net *net, sn__dial *dial);
void sn__dial_end_all(sn__net *net);

#endif
