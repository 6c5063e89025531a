/** @file
 *  Internal: the pieces of which a compiled copy consists, for msg_copier.c and msg_pack.c. */
#ifndef SN_MSG_MSG_COPIER_INTERNAL_H
#define SN_MSG_MSG_COPIER_INTERNAL_H

#include "msg/msg_copier.h"

/** Bytes in the struct, or the elements of a sequence. */
typedef struct sn__piece {
  size_t offset; /**< in the struct of the message */
  size_t size;   /**< of all bytes; of one element of a sequence */
} sn__piece;

/** A sequence or array of structs with texts or sequences: copied by a walk over the table. */
typedef struct sn__deep_piece {
  const sn_msg_field *field;
  size_t offset; /**< of the struct that the field is in */
} sn__deep_piece;

/** Pieces are sorted by kind, so that a copy is a few short loops without branches. */
struct sn_msg_copier {
  size_t type_size; /**< of the struct */
  size_t bytes_count, text_count, seq_count, names_count, deep_count;
  size_t bytes_size; /**< of all pieces of bytes */
  size_t bytes_end;  /**< of the last of them in the struct, while they are collected */
  sn__piece *bytes;  /**< neighbours in the struct are one piece */
  sn__piece *seqs;   /**< texts first: they have one byte more than their count, the NUL */
  size_t *names;
  sn__deep_piece *deep;
};

#endif
