/** @file
 *  Internal: where any thread drops its wish to stop, without waiting for anybody.
 *
 *  The wish is one count, and it counts from that moment on. Who and why is for people: it is
 *  written behind it into one of a few slots, and left out if they are all in use. */
#ifndef SN_CONTROL_STOP_BOX_H
#define SN_CONTROL_STOP_BOX_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "sinew/api.h"

enum { SN__STOP_SLOTS = 8 };

typedef struct sn__stop_text {
  char who[64];
  char why[192];
} sn__stop_text;

typedef struct sn__stop_slot {
  _Atomic int state; /**< free, being written, ready */
  uint64_t number;   /**< of the wish */
  sn__stop_text text;
} sn__stop_slot;

/** All zero is an empty box. */
typedef struct sn__stop_box {
  _Atomic uint64_t count; /**< wishes so far */
  sn__stop_slot slots[SN__STOP_SLOTS];
} sn__stop_box;

/** Wish to stop; texts are cleaned and cut. RT: yes, wait-free.  Threads: any. */
void sn__stop_box_put(sn__stop_box *box, const char *who, const char *why) SN_RT;

/** How many wishes there were. RT: yes.  Threads: any. */
uint64_t sn__stop_box_count(sn__stop_box *box) SN_RT;

/** Empty the slots that are ready.
 *  @param number  of the wish (0: the first) whose text is wanted
 *  @return whether it was there, in @p out
 *  RT: yes.  Threads: one reader. */
bool sn__stop_box_take(sn__stop_box *box, uint64_t number, sn__stop_text *out) SN_RT;

#endif
