/** @file
 *  Internal: compressed chunks of MCAP files, with libzstd and liblz4. */
#ifndef SN_RECORD_MCAP_CODEC_H
#define SN_RECORD_MCAP_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "record/mcap.h"

/** The name of a compression in a file; "" for SN_MCAP_PLAIN. */
const char *sn__mcap_compression_name(sn_mcap_compression compression);

/** Opaque: contexts of the libraries. They are kept between chunks and allocated outside of
 *  arenas. */
typedef struct sn__mcap_codec sn__mcap_codec;

/** @param out  end it with sn__mcap_codec_close()
 *  @return SN_OK, SN_ENOMEM; SN_EUNSUPPORTED: Sinew was built without the libraries */
sn_status sn__mcap_codec_open(sn__mcap_codec **out, sn_error *err);

/** NULL is allowed. */
void sn__mcap_codec_close(sn__mcap_codec *codec);

/** Largest number of bytes that sn__mcap_pack() writes for @p size bytes. */
size_t sn__mcap_pack_bound(sn_mcap_compression compression, size_t size);

/** Compress a chunk. Equal bytes give equal results.
 *  @param room  of @p out: sn__mcap_pack_bound()
 *  @return bytes of @p out; 0: it failed, which means that memory has run out */
size_t sn__mcap_pack(sn__mcap_codec *codec, sn_mcap_compression compression, const void *bytes,
                     size_t size, void *out, size_t room);

/** Undo it. Never writes more than @p size bytes.
 *  @param packed  of another program, may be damaged
 *  @return whether @p packed holds exactly @p size bytes */
bool sn__mcap_unpack(sn__mcap_codec *codec, sn_mcap_compression compression, const void *packed,
                     size_t packed_size, void *out, size_t size);

#endif
