/** @file
 *  Internal: the ring that entries of a journal lie in, each in one piece. One writer, one reader.
 *  Data that are too long for it are set apart, by writers that may allocate. The reader gets long
 *  data in pieces. */
#ifndef SN_RT_JOURNAL_JOURNAL_RING_H
#define SN_RT_JOURNAL_JOURNAL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sinew/api.h"
#include "sinew/msg.h"

enum {
  SN__JOURNAL_RING_SIZE = 1 << 20,
  SN__JOURNAL_IN_RING_MAX = SN__JOURNAL_RING_SIZE / 2, /**< bytes of an entry in the ring */
  SN__JOURNAL_APART_MAX = 64 << 20, /**< bytes that are set apart and wait for the reader */
  SN__JOURNAL_NAME_SIZE = 256
};

/** What precedes the name and the data of an entry. */
typedef struct sn__journal_head {
  uint32_t size; /**< of all of it, a multiple of 8 */
  uint8_t kind;  /**< 0: nothing, up to the end of the ring */
  bool is_exact;
  bool is_apart;     /**< behind the name is only where the data are */
  uint8_t name_size; /**< without NUL */
  uint32_t data_size;
  uint32_t activity; /**< index + 1; 0: none */
  uint64_t cycle, source;
  int64_t stamp_ns;
} sn__journal_head;

typedef struct sn__journal_ring {
  uint8_t *bytes;                 /**< SN__JOURNAL_RING_SIZE of them */
  _Atomic uint64_t written, read; /**< bytes, ever */
  _Atomic uint64_t lost;          /**< entries */
  _Atomic uint64_t apart;         /**< bytes that are set apart now */
  size_t done;                    /**< the reader's: bytes of the data of the next entry */
} sn__journal_ring;

/** What an entry says, before it is in a ring. */
typedef struct sn__journal_draft {
  sn__journal_head head;
  const char *name, *point; /**< `name.point` */
  const sn_msg_type *type;  /**< of the data, which is written as CDR; NULL: bytes */
  const void *data;
  size_t data_size; /**< of bytes */
  uint8_t *apart;   /**< the data, all data_size of them, by malloc(); NULL: as above */
} sn__journal_draft;

/** Set the data of a draft apart if they are longer than @p max. If there is no memory they stay.
 *  RT: no. */
void sn__journal_set_apart(sn__journal_draft *d, size_t max);

/** Put an entry in, or count it as lost; what was set apart is the ring's, or freed.
 *  RT: yes if nothing was, O(bytes).  Threads: the writer. */
void sn__journal_ring_put(sn__journal_ring *r, sn__journal_draft *d) SN_RT;

/** Some data of the next entry. */
typedef struct sn__journal_piece {
  sn__journal_head head;
  const char *name; /**< head.name_size bytes */
  const uint8_t *data;
  size_t size;
  bool is_last;
} sn__journal_piece;

/** The next piece. @param max  bytes, >= 1. @return false: there is none.  Threads: the reader. */
bool sn__journal_ring_look(sn__journal_ring *r, size_t max, sn__journal_piece *piece);
/** It was taken, or with @p all the entry as a whole. */
void sn__journal_ring_take(sn__journal_ring *r, const sn__journal_piece *piece, bool all);

/** Free what it holds; nobody uses it any more. */
void sn__journal_ring_free(sn__journal_ring *r);

#endif
