#include "record/coding/mcap_codec.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <zstd.h>

#include "base/fail.h"

/* docs/recordings.md has the measurements: higher levels take several times as long and save a few
   per cent, since most of what can be saved are names and values that repeat in every message. */
enum { ZSTD_LEVEL = 1 };

struct sn__mcap_codec {
  ZSTD_CCtx *pack;
  ZSTD_DCtx *unpack;
  LZ4F_dctx *unpack_lz4;
};

sn_status sn__mcap_codec_open(sn__mcap_codec **out, sn_error *err) {
  sn__mcap_codec *codec = calloc(1, sizeof *codec);
  if (codec != NULL) {
    codec->pack = ZSTD_createCCtx();
    codec->unpack = ZSTD_createDCtx();
  }
  if (codec == NULL || codec->pack == NULL || codec->unpack == NULL ||
      LZ4F_isError(LZ4F_createDecompressionContext(&codec->unpack_lz4, LZ4F_VERSION))) {
    sn__mcap_codec_close(codec);
    return sn__fail(err, SN_ENOMEM, "no memory for compressed chunks");
  }
  *out = codec;
  return SN_OK;
}

void sn__mcap_codec_close(sn__mcap_codec *codec) {
  if (codec != NULL) {
    ZSTD_freeCCtx(codec->pack);
    ZSTD_freeDCtx(codec->unpack);
    (void)LZ4F_freeDecompressionContext(codec->unpack_lz4);
    free(codec);
  }
}

static LZ4F_preferences_t lz4_preferences(size_t size) {
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  preferences.frameInfo.contentSize = size; /* other readers allocate by it */
  return preferences;
}

size_t sn__mcap_pack_bound(sn_mcap_compression compression, size_t size) {
  if (compression == SN_MCAP_ZSTD) {
    return ZSTD_compressBound(size);
  }
  const LZ4F_preferences_t preferences = lz4_preferences(size);
  return compression == SN_MCAP_LZ4 ? LZ4F_compressFrameBound(size, &preferences) : 0;
}

size_t sn__mcap_pack(sn__mcap_codec *codec, sn_mcap_compression compression, const void *bytes,
                     size_t size, void *out, size_t room) {
  if (compression == SN_MCAP_ZSTD) {
    const size_t used = ZSTD_compressCCtx(codec->pack, out, room, bytes, size, ZSTD_LEVEL);
    return ZSTD_isError(used) ? 0 : used;
  }
  const LZ4F_preferences_t preferences = lz4_preferences(size);
  const size_t used = LZ4F_compressFrame(out, room, bytes, size, &preferences);
  return LZ4F_isError(used) ? 0 : used;
}

/* A frame may need several calls. One that makes no progress is not complete. */
static bool unpack_lz4(LZ4F_dctx *context, const unsigned char *packed, size_t packed_size,
                       unsigned char *out, size_t size) {
  size_t read = 0;
  size_t written = 0;
  size_t wanted = 1; /* 0: the frame has ended */
  LZ4F_resetDecompressionContext(context);
  while (wanted != 0 || read < packed_size) {
    size_t in_size = packed_size - read;
    size_t out_size = size - written;
    wanted = LZ4F_decompress(context, out + written, &out_size, packed + read, &in_size, NULL);
    if (LZ4F_isError(wanted) || (in_size == 0 && out_size == 0 && wanted != 0)) {
      return false;
    }
    read += in_size;
    written += out_size;
  }
  return written == size;
}

bool sn__mcap_unpack(sn__mcap_codec *codec, sn_mcap_compression compression, const void *packed,
                     size_t packed_size, void *out, size_t size) {
  return compression == SN_MCAP_ZSTD
             ? ZSTD_decompressDCtx(codec->unpack, out, size, packed, packed_size) == size
             : unpack_lz4(codec->unpack_lz4, packed, packed_size, out, size);
}
