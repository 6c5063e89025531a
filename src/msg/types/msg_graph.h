/** @file
 *  What nodes of a ROS graph expect from a robot besides the messages of its components: frames and
 *  plain texts. */
#ifndef SN_MSG_TYPES_MSG_GRAPH_H
#define SN_MSG_TYPES_MSG_GRAPH_H

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"
#include "sinew/quat.h"
#include "sinew/vec3.h"

SN_BEGIN_DECLS

/** std_msgs/String. */
typedef struct sn_std_string {
  sn_msg_text data;
} sn_std_string;

/** geometry_msgs/Transform. */
typedef struct sn_msg_transform {
  sn_vec3 translation; /**< m */
  sn_quat rotation;    /**< a unit quaternion */
} sn_msg_transform;

/** geometry_msgs/TransformStamped: the frame `child_frame_id` seen from `header.frame_id`. */
typedef struct sn_transform_stamped {
  sn_header header;
  sn_msg_text child_frame_id;
  sn_msg_transform transform;
} sn_transform_stamped;

SN_SEQ_DEFINE(sn_seq_transform, sn_transform_stamped);

/** tf2_msgs/TFMessage. */
typedef struct sn_tf_message {
  sn_seq_transform transforms;
} sn_tf_message;

SN_API extern const sn_msg_type sn__std_string_type;
extern const sn_msg_type sn_transform_type;
extern const sn_msg_type sn_transform_stamped_type;
SN_API extern const sn_msg_type sn__tf_message_type;

SN_END_DECLS

#endif
