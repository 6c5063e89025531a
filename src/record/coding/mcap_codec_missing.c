/* Replaces mcap_codec.c in a library without compression. */
#include "base/fail.h"
#include "record/coding/mcap_codec.h"

sn_status sn__mcap_codec_open(sn__mcap_codec **out, sn_error *err) {
  (void)out;
  return sn__fail(err, SN_EUNSUPPORTED,
                  "Sinew was built without compression: install libzstd-dev and liblz4-dev and "
                  "build again with SINEW_COMPRESSION=ON");
}

void sn__mcap_codec_close(sn__mcap_codec *codec) {
  (void)codec;
}

size_t sn__mcap_pack_bound(sn_mcap_compression compression, size_t size) {
  (void)compression;
  (void)size;
  return 0;
}

size_t sn__mcap_pack(sn__mcap_codec *codec, sn_mcap_compression compression, const void *bytes,
                     size_t size, void *out, size_t room) {
  (void)codec;
  (void)compression;
  (void)bytes;
  (void)size;
  (void)out;
  (void)room;
  return 0;
}

bool sn__mcap_unpack(sn__mcap_codec *codec, sn_mcap_compression compression, const void *packed,
                     size_t packed_size, void *out, size_t size) {
  (void)codec;
  (void)compression;
  (void)packed;
  (void)packed_size;
  (void)out;
  (void)size;
  return false;
}
