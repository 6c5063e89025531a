/** @file
 *  Internal: the one reader of messages whose numbers belong to names (joints, chains).
 *
 *  A name map knows where each entry of a table is in a message. Names rarely change from one
 *  message to the next: a list that shares the table, or equals the last list byte by byte, is not
 *  looked up again. Use one map for each writer. */
#ifndef SN_MSG_NAME_MAP_H
#define SN_MSG_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "sinew/arena.h"
#include "sinew/msg.h"
#include "sinew/msg_types.h"

/** The verdict on a message. All but the first two mean: refuse it as a whole. */
typedef enum sn__read_verdict {
  SN__READ_GOOD,
  SN__READ_UNKNOWN,    /**< good, but for names that are not in the table */
  SN__READ_LENGTHS,    /**< a sequence is not as long as the names */
  SN__READ_NOT_FINITE, /**< a number is NaN or infinite */
  SN__READ_DUPLICATE   /**< a name appears twice */
} sn__read_verdict;

/** Read `at` and `has_unknown`; the rest is private. */
typedef struct sn__name_map {
  const sn_names *table;
  size_t count;     /**< entries of the table */
  int *at;          /**< [count] where each entry is in the last message; -1: it is not in it */
  bool has_unknown; /**< the last message has names that are not in the table */
  int duplicate;    /**< an entry that is in it twice; -1: none */
  bool is_cached;   /**< the list below is that of the last message */
  bool is_shared;   /**< it shares the table */
  char *text;       /**< [text_capacity] else its texts, each with its NUL */
  size_t text_count, text_capacity;
} sn__name_map;

/** @return false: no memory. RT: no. */
bool sn__name_map_init(sn__name_map *map, sn_arena *arena, const sn_names *table);

/** Find the names of a message. RT: yes, O(names); O(bytes of the names) if they have not changed.
 */
void sn__name_map_find(sn__name_map *map, const sn_msg_names *names) SN_RT;

/** Check a message and find its names.
 *  @param required  as long as the names; may be NULL
 *  @param a, b      as long as the names, or empty; may be NULL
 *  @param entry     out: what a verdict is about; -1: nothing in particular; may be NULL
 *  RT: yes. */
sn__read_verdict sn__name_map_read(sn__name_map *map, const sn_msg_names *names,
                                   const sn_seq_f64 *required, const sn_seq_f64 *a,
                                   const sn_seq_f64 *b, int *entry) SN_RT;

/** A joint state: positions, and velocities and efforts if it has them. RT: yes. */
sn__read_verdict sn__read_joint_state(sn__name_map *map, const sn_joint_state *msg,
                                      int *entry) SN_RT;

/** Goals of servos, or limp flags, or both, of at least one servo. RT: yes. */
sn__read_verdict sn__read_servo_goal(sn__name_map *map, const sn_servo_goal *msg) SN_RT;

/** Put values of the last message into the order of the table.
 *  @param values  empty: nothing is done
 *  @param sorted  [count] entries that the message names are written, the others stay
 *  @return how many entries were written.  RT: yes. */
size_t sn__name_map_sort(const sn__name_map *map, const sn_seq_f64 *values, double *sorted) SN_RT;

/** Is it to be used, at least in part? */
static inline bool sn__read_is_good(sn__read_verdict verdict) {
  return verdict == SN__READ_GOOD || verdict == SN__READ_UNKNOWN;
}

/** "a joint appears twice"; static. RT: yes. */
const char *sn__read_verdict_text(sn__read_verdict verdict) SN_RT;

#endif
