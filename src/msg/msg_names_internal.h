/** @file
 *  Internal: lists of names inside messages. */
#ifndef SN_MSG_MSG_NAMES_INTERNAL_H
#define SN_MSG_MSG_NAMES_INTERNAL_H

#include "sinew/msg.h"

/** @return the position of @p text, or -1. O(1) with a table, a search without. RT: yes. */
int sn__msg_names_index(const sn_msg_names *list, const char *text) SN_RT;

/** The same names in the same order? O(1) if both share a table. RT: yes. */
bool sn__msg_names_equal(const sn_msg_names *a, const sn_msg_names *b) SN_RT;

#endif
