/** @file
 *  Requests and responses of many operations. An operation with other arguments declares its own
 *  messages in the same way. */
#ifndef SINEW_MSG_CALLS_H
#define SINEW_MSG_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"
#include "sinew/msg_names.h"
#include "sinew/msg_types.h"

SN_BEGIN_DECLS

/** Request of std_srvs/SetBool. */
typedef struct sn_call_switch {
  bool data;
} sn_call_switch;

/** Response of std_srvs/SetBool and std_srvs/Trigger. */
typedef struct sn_call_outcome {
  bool success;
  sn_msg_text message;
} sn_call_outcome;

/** Yes or no. */
typedef struct sn_call_flag {
  bool value;
} sn_call_flag;

/** A position in a list; -1: not found. */
typedef struct sn_call_index {
  int32_t index;
} sn_call_index;

/** One name. */
typedef struct sn_call_name {
  sn_msg_text name;
} sn_call_name;

/** One text. */
typedef struct sn_call_text {
  sn_msg_text text;
} sn_call_text;

/** A list of names. */
typedef struct sn_call_names {
  sn_msg_names names;
} sn_call_names;

/** A key of something that has a name. */
typedef struct sn_call_key {
  sn_msg_text name;
  sn_msg_text key;
} sn_call_key;

/** Whether a controller is active, and with which limbs; no names: those of its configuration. */
typedef struct sn_set_operational {
  bool operational;
  sn_msg_names resources; /**< chains or groups, or joints, whose limbs are meant */
} sn_set_operational;

/** A chain, with or without the links and joints beyond its last physical link. */
typedef struct sn_call_chain {
  sn_msg_text name;
  bool with_virtual_joints;
} sn_call_chain;

/** Links with the joints above them, parents before their children: a tree or a chain. Entry i of
 *  every list belongs to link i. */
typedef struct sn_call_tree {
  sn_msg_names links;
  sn_seq_i32 parents;  /**< place of the parent in `links`; -1: it is the first */
  sn_msg_names joints; /**< that connect them to their parents; empty for the first */
  sn_msg_names types;  /**< of joints, as in URDF; empty for the first */
  sn_seq_pose origins; /**< of joints in the frame of the parent */
  sn_seq_vec3 axes;    /**< of joints, unit vectors in the frame of the joint */
} sn_call_tree;

/** Points in space, m. */
typedef struct sn_call_points {
  sn_seq_vec3 points;
} sn_call_points;

/** A buffer of points that those of a contact are appended to. */
typedef struct sn_call_contact_buffer {
  sn_msg_text name; /**< of the contact */
  sn_seq_vec3 points;
} sn_call_contact_buffer;

/** The buffer afterwards. */
typedef struct sn_call_contact_points {
  int32_t appended; /**< number of points; -1: no such contact */
  sn_seq_vec3 points;
} sn_call_contact_points;

SN_API extern const sn_msg_type sn_call_switch_type;
SN_API extern const sn_msg_type sn_call_outcome_type;
SN_API extern const sn_msg_type sn_call_flag_type;
SN_API extern const sn_msg_type sn_call_index_type;
SN_API extern const sn_msg_type sn_call_name_type;
SN_API extern const sn_msg_type sn_call_text_type;
SN_API extern const sn_msg_type sn_call_names_type;
SN_API extern const sn_msg_type sn_call_key_type;
SN_API extern const sn_msg_type sn_set_operational_type;
SN_API extern const sn_msg_type sn_call_points_type;
SN_API extern const sn_msg_type sn_call_chain_type;
SN_API extern const sn_msg_type sn_call_tree_type;
SN_API extern const sn_msg_type sn_call_contact_buffer_type;
SN_API extern const sn_msg_type sn_call_contact_points_type;

SN_END_DECLS

#endif
