#include "ros/ros2/blob.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define asm __asm__ /* Cyclone's headers use GNU C */
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/q_radmin.h>
#undef asm

/* ---- samples ---- */

typedef struct blob {
  struct ddsi_serdata base;
  size_t size;
  uint8_t bytes[]; /* zero-padded to a multiple of 4, as the protocol may require */
} blob;

/* The sample type that dds_write() gets. */
typedef struct span {
  const void *bytes;
  size_t size;
} span;

static blob *create(const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, size_t size) {
  if (size > SN__BYTES_MAX) {
    return NULL;
  }
  blob *b = calloc(1, sizeof *b + ((size + 3) & ~(size_t)3));
  if (b != NULL) {
    ddsi_serdata_init(&b->base, type, kind);
    b->base.hash = type->serdata_basehash; /* keyless: a single instance */
    b->size = size;
  }
  return b;
}

static void free_blob(struct ddsi_serdata *data) {
  free(data);
}

static bool have_same_key(const struct ddsi_serdata *a, const struct ddsi_serdata *b) {
  (void)a, (void)b;
  return true;
}

static uint32_t size_of(const struct ddsi_serdata *data) {
  return (uint32_t)((const blob *)data)->size;
}

/* Fragments are in order and may overlap. */
static struct ddsi_serdata *from_network(const struct ddsi_sertype *type,
                                         enum ddsi_serdata_kind kind,
                                         const struct nn_rdata *fragment, size_t size) {
  blob *b = create(type, kind, size);
  size_t used = 0;
  for (; b != NULL && fragment != NULL; fragment = fragment->nextfrag) {
    if (fragment->min > used || fragment->maxp1 > size) {
      free(b);
      return NULL;
    }
    if (fragment->maxp1 > used) {
      const unsigned char *payload =
          NN_RMSG_PAYLOADOFF(fragment->rmsg, NN_RDATA_PAYLOAD_OFF(fragment));
      memcpy(b->bytes + used, payload + (used - fragment->min), fragment->maxp1 - used);
      used = fragment->maxp1;
    }
  }
  return b == NULL ? NULL : &b->base;
}

static struct ddsi_serdata *from_pieces(const struct ddsi_sertype *type,
                                        enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t count,
                                        const ddsrt_iovec_t *pieces, size_t size) {
  blob *b = create(type, kind, size);
  size_t used = 0;
  for (size_t i = 0; b != NULL && i < (size_t)count; i++) {
    const size_t rest = size - used;
    const size_t length = pieces[i].iov_len < rest ? pieces[i].iov_len : rest;
    memcpy(b->bytes + used, pieces[i].iov_base, length);
    used += length;
  }
  return b == NULL ? NULL : &b->base;
}

static struct ddsi_serdata *from_hash(const struct ddsi_sertype *type,
                                      const struct ddsi_keyhash *hash) {
  (void)hash;
  blob *b = create(type, SDK_KEY, 4);
  return b == NULL ? NULL : &b->base;
}

static struct ddsi_serdata *from_sample(const struct ddsi_sertype *type,
                                        enum ddsi_serdata_kind kind, const void *sample) {
  const span *s = sample;
  blob *b = create(type, kind, kind == SDK_DATA ? s->size : 4);
  if (b != NULL && kind == SDK_DATA) {
    memcpy(b->bytes, s->bytes, s->size);
  }
  return b == NULL ? NULL : &b->base;
}

static void to_network(const struct ddsi_serdata *data, size_t offset, size_t size, void *out) {
  memcpy(out, ((const blob *)data)->bytes + offset, size);
}

static struct ddsi_serdata *ref_bytes(const struct ddsi_serdata *data, size_t offset, size_t size,
                                      ddsrt_iovec_t *out) {
  struct ddsi_serdata *held = ddsi_serdata_ref(data);
  out->iov_base = ((blob *)held)->bytes + offset;
  out->iov_len = (ddsrt_iov_len_t)size;
  return held;
}

static void unref_bytes(struct ddsi_serdata *data, const ddsrt_iovec_t *lent) {
  (void)lent;
  ddsi_serdata_unref(data);
}

/* Samples are read as bytes by sn__blob_take(), never converted to a struct. */
static bool to_sample(const struct ddsi_serdata *data, void *sample, void **room, void *end) {
  (void)data, (void)sample, (void)room, (void)end;
  return false;
}

static bool key_to_sample(const struct ddsi_sertype *type, const struct ddsi_serdata *data,
                          void *sample, void **room, void *end) {
  (void)type, (void)data, (void)sample, (void)room, (void)end;
  return false;
}

static struct ddsi_serdata *to_key(const struct ddsi_serdata *data) {
  blob *b = create(data->type, SDK_KEY, 4);
  if (b == NULL) {
    return NULL;
  }
  b->base.hash = data->hash;
  b->base.type = NULL;
  return &b->base;
}

static size_t print(const struct ddsi_sertype *type, const struct ddsi_serdata *data, char *out,
                    size_t size) {
  (void)type, (void)data;
  if (size > 0) {
    out[0] = '\0';
  }
  return 0;
}

static void key_hash(const struct ddsi_serdata *data, struct ddsi_keyhash *out, bool force_md5) {
  (void)data, (void)force_md5;
  memset(out, 0, sizeof *out);
}

static const struct ddsi_serdata_ops sample_ops = {
    .eqkey = have_same_key,
    .get_size = size_of,
    .from_ser = from_network,
    .from_ser_iov = from_pieces,
    .from_keyhash = from_hash,
    .from_sample = from_sample,
    .to_ser = to_network,
    .to_ser_ref = ref_bytes,
    .to_ser_unref = unref_bytes,
    .to_sample = to_sample,
    .to_untyped = to_key,
    .untyped_to_sample = key_to_sample,
    .free = free_blob,
    .print = print,
    .get_keyhash = key_hash,
};

/* ---- types: they differ only by name, which Cyclone compares ---- */

static void free_type(struct ddsi_sertype *type) {
  ddsi_sertype_fini(type);
  free(type);
}

static bool are_equal(const struct ddsi_sertype *a, const struct ddsi_sertype *b) {
  (void)a, (void)b;
  return true;
}

static uint32_t hash_type(const struct ddsi_sertype *type) {
  (void)type;
  return 0;
}

static void zero_samples(const struct ddsi_sertype *type, void *samples, size_t count) {
  (void)type;
  memset(samples, 0, count * sizeof(span));
}

/* Loans are not used. */
static void grow_samples(void **out, const struct ddsi_sertype *type, void *old, size_t old_count,
                         size_t count) {
  (void)type, (void)old, (void)old_count;
  for (size_t i = 0; i < count; i++) {
    out[i] = NULL;
  }
}

static void free_samples(const struct ddsi_sertype *type, void **samples, size_t count,
                         dds_free_op_t operation) {
  (void)type, (void)samples, (void)count, (void)operation;
}

static size_t size_on_wire(const struct ddsi_sertype *type, const void *sample) {
  (void)type;
  return ((const span *)sample)->size;
}

static bool put_on_wire(const struct ddsi_sertype *type, const void *sample, void *out,
                        size_t size) {
  const span *s = sample;
  (void)type;
  if (s->size > size) {
    return false;
  }
  memcpy(out, s->bytes, s->size);
  return true;
}

static const struct ddsi_sertype_ops type_ops = {
    .version = ddsi_sertype_v0,
    .free = free_type,
    .zero_samples = zero_samples,
    .realloc_samples = grow_samples,
    .free_samples = free_samples,
    .equal = are_equal,
    .hash = hash_type,
    .get_serialized_size = size_on_wire,
    .serialize_into = put_on_wire,
};

/* ---- interface ---- */

struct ddsi_sertype *sn__blob_type(const char *name) {
  struct ddsi_sertype *type = calloc(1, sizeof *type);
  if (type != NULL) {
    ddsi_sertype_init_flags(type, name, &type_ops, &sample_ops, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
    type->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  }
  return type;
}

dds_entity_t sn__blob_topic(dds_entity_t participant, const char *name, const char *type_name) {
  struct ddsi_sertype *type = sn__blob_type(type_name);
  if (type == NULL) {
    return DDS_RETCODE_OUT_OF_RESOURCES;
  }
  const dds_entity_t topic = dds_create_topic_sertype(participant, name, &type, NULL, NULL, NULL);
  if (topic < 0) {
    ddsi_sertype_unref(type);
  }
  return topic;
}

dds_return_t sn__blob_write(dds_entity_t writer, const void *bytes, size_t size) {
  const span sample = {bytes, size};
  return dds_write(writer, &sample);
}

dds_return_t sn__blob_take(dds_entity_t reader, sn__bytes *out, dds_instance_handle_t *publisher) {
  struct ddsi_serdata *data = NULL;
  dds_sample_info_t info;
  const dds_return_t count = dds_takecdr(reader, &data, 1, &info, DDS_ANY_STATE);
  out->used = 0;
  if (count <= 0) {
    return count;
  }
  *publisher = info.publication_handle;
  if (info.valid_data) {
    const blob *b = (const blob *)data;
    out->failed = false;
    sn__bytes_put(out, b->bytes, b->size);
  }
  ddsi_serdata_unref(data);
  return 1;
}
