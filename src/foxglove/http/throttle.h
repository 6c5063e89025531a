/** @file
 *  Limits how fast a party can guess the token. Pure: time is an argument. */
#ifndef SN_FOXGLOVE_HTTP_THROTTLE_H
#define SN_FOXGLOVE_HTTP_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "foxglove/http/access.h"

enum {
  SN__THROTTLE_PARTIES = 64, /**< tracked at once */
  SN__THROTTLE_TRIES = 10,   /**< wrong tokens of a party in one span */
  SN__THROTTLE_SPAN_S = 10   /**< how long a span is */
};

typedef struct sn__throttle_entry {
  sn__party party;
  int64_t until_ns; /**< end of its span; after that the entry is free */
  unsigned wrong;
} sn__throttle_entry;

/** All zero is empty. Parties without an entry share the last one, so the table is bounded and a
 * flood from many addresses is throttled, too. */
typedef struct sn__throttle {
  sn__throttle_entry entries[SN__THROTTLE_PARTIES + 1];
} sn__throttle;

/** May this party try a token? If not, even the right one is refused.
 *  @return 0, or the seconds to wait, rounded up */
unsigned sn__throttle_wait_s(const sn__throttle *throttle, const sn__party *party, int64_t now_ns);

/** Record a wrong token of this party. */
void sn__throttle_record(sn__throttle *throttle, const sn__party *party, int64_t now_ns);

#endif
