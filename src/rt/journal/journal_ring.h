/** @file
 *  Internal: a ring of journal entries, each contiguous. One writer, one reader. Data that are too
 *  long for the ring are stored separately, by writers that may allocate. The reader gets long data
 *  in pieces. */
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
  SN__JOURNAL_APART_MAX = 64 << 20, /**< bytes stored separately until they are read */
  SN__JOURNAL_NAME_SIZE = 256
};

/** The header of an entry; name and data follow. */
typedef struct sn__journal_head {
  uint32_t size; /**< of the whole entry, a multiple of 8 */
  uint8_t kind;  /**< 0: unused up to the end of the ring */
  bool is_exact;
  bool is_apart;     /**< a pointer to the data follows the name */
  uint8_t name_size; /**< without NUL */
  uint32_t data_size;
  uint32_t activity; /**< index + 1; 0: none */
  uint64_t cycle, source;
  int64_t stamp_ns;
} sn__journal_head;

typedef struct sn__journal_ring {
  uint8_t *bytes;                 /**< SN__JOURNAL_RING_SIZE of them */
  _Atomic uint64_t written, read; /**< bytes, in total */
  _Atomic uint64_t lost;          /**< entries */
  _Atomic uint64_t apart;         /**< bytes stored separately now */
  size_t done;                    /**< of the reader: bytes already read of the next entry's data */
} sn__journal_ring;

/** An entry before it is in a ring. */
typedef struct sn__journal_draft {
  sn__journal_head head;
  const char *name, *point; /**< `name.point` */
  const sn_msg_type *type;  /**< of the data, which is written as CDR; NULL: bytes */
  const void *data;
  size_t data_size; /**< of bytes */
  uint8_t *apart;   /**< all data_size bytes, by malloc(); NULL: use `data` */
} sn__journal_draft;

/** Store the data of a draft separately if they are longer than @p max and memory is available.
 *  RT: no. */
void sn__journal_set_apart(sn__journal_draft *d, size_t max);

/** Append an entry, or count it as lost. Data that are stored separately are owned by the ring from
 *  now on, or freed.
 *  RT: yes without such data, O(bytes).  Threads: the writer. */
void sn__journal_ring_put(sn__journal_ring *r, sn__journal_draft *d) SN_RT;

/** A piece of the next entry's data. */
typedef struct sn__journal_piece {
  sn__journal_head head;
  const char *name; /**< head.name_size bytes */
  const uint8_t *data;
  size_t size;
  bool is_last;
} sn__journal_piece;

/** The next piece. @param max bytes, >= 1. @return false: none. Threads: the reader. */
bool sn__journal_ring_look(sn__journal_ring *r, size_t max, sn__journal_piece *piece);
/** Consume the piece, or with @p all the whole entry. */
void sn__journal_ring_take(sn__journal_ring *r, const sn__journal_piece *piece, bool all);

/** Free its memory. No thread may use the ring any more. */
void sn__journal_ring_free(sn__journal_ring *r);

#endif
