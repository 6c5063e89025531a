/** @file
 *  Guessing a token is slow: how many wrong ones each party may try. Pure: time is an argument. */
#ifndef SN_FOXGLOVE_HTTP_THROTTLE_H
#define SN_FOXGLOVE_HTTP_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "foxglove/http/access.h"

enum {
  SN__THROTTLE_PARTIES = 64, /**< that are remembered */
  SN__THROTTLE_TRIES = 10,   /**< wrong tokens of a party in one span */
  SN__THROTTLE_SPAN_S = 10   /**< how long a span is */
};

typedef struct sn__throttle_entry {
  sn__party party;
  int64_t until_ns; /**< end of its span; a span that is over is a free entry */
  unsigned wrong;
} sn__throttle_entry;

/** Zeroed: nobody has tried. The last entry is shared by all that find the others taken, so the
 *  table is bounded and a flood from many addresses is throttled, too. */
typedef struct sn__throttle {
  sn__throttle_entry entries[SN__THROTTLE_PARTIES + 1];
} sn__throttle;

/** May this party have a token looked at? While it may not, also the right one is refused.
 *  @return 0, or the seconds that it has to wait, rounded up */
unsigned sn__throttle_wait_s(const sn__throttle *throttle, const sn__party *party, int64_t now_ns);

/** This party gave a wrong token. */
void sn__throttle_note(sn__throttle *throttle, const sn__party *party, int64_t now_ns);

#endif
