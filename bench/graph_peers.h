/** @file
 *  Who else is in the graphs: what a node needs to be found, and a subscriber of joint_states that
 *  comes and goes and says how long the messages were under way (bench_graph.h). */
#ifndef SN_GRAPH_PEERS_H
#define SN_GRAPH_PEERS_H

#include <stddef.h>

/** Before the robot begins. @param line  the component for the deployment */
void graph_ros1_open(char *line, size_t size);
void graph_ros2_open(char *line, size_t size);

/** Begin to listen; the first messages may take a while. */
void graph_ros1_listen(void);
void graph_ros2_listen(void);

/** Stop listening, then print. @param name  of the case */
void graph_ros1_leave(const char *name);
void graph_ros2_leave(const char *name);

/** A process that does nothing but listen: what graph_ros2_listen() starts. */
int graph_ros2_child(void);

#endif
