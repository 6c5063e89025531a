/* Copying, comparing and checking by a walk over the table. */
#include <float.h>
#include <math.h>

#include "msg/copy.h"
#include "msg/finite.h"
#include "msg/msg_names_internal.h"
#include "msg/msg_text.h"
#include "msg/walk.h"
#include "sinew/fault.h"
#include "sinew/msg.h"

static bool fits(const sn_msg_type *type, const char *to, const char *from) {
  bool good = true;
  for (size_t i = 0; i < type->field_count && good; i++) {
    const sn_msg_field *field = &type->fields[i];
    const char *out = to + field->offset;
    const char *in = from + field->offset;
    switch (sn__field_layout(field)) {
      case SN__LAYOUT_TEXT:
      case SN__LAYOUT_FLAT_SEQ:
        good = sn__seq_load(in).count <= sn__seq_load(out).capacity;
        break;
      case SN__LAYOUT_NAMES:
        good = sn__msg_names_fits(sn__names_in(out), sn__names_in(in));
        break;
      case SN__LAYOUT_DEEP:
      case SN__LAYOUT_DEEP_SEQ:
        good = sn__elements_fit(field, to, from);
        break;
      case SN__LAYOUT_BYTES:
      case SN__LAYOUT_NOTHING:
        break;
    }
  }
  return good;
}

bool sn__elements_fit(const sn_msg_field *field, const char *to, const char *from) {
  const sn__seq in = sn__field_elements(field, from);
  const sn__seq out = sn__field_elements(field, to);
  bool good = in.count <= out.capacity;
  for (size_t i = 0; i < in.count && good; i++) {
    good = fits(field->nested, (const char *)out.data + i * field->size,
                (const char *)in.data + i * field->size);
  }
  return good;
}

static void copy_seq(char *out, const char *in, size_t size) {
  const sn__seq seq = sn__seq_load(in);
  if (seq.count > 0) {
    memcpy(sn__seq_load(out).data, seq.data, seq.count * size);
  }
  sn__seq_set_count(out, seq.count);
}

static void copy(const sn_msg_type *type, char *to, const char *from) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    char *out = to + field->offset;
    const char *in = from + field->offset;
    switch (sn__field_layout(field)) {
      case SN__LAYOUT_BYTES:
        memcpy(out, in, sn__field_count(field) * field->size);
        break;
      case SN__LAYOUT_TEXT:
        copy_seq(out, in, 1);
        ((char *)sn__seq_load(out).data)[sn__seq_load(in).count] = '\0';
        break;
      case SN__LAYOUT_NAMES:
        sn__msg_names_take(sn__names_at(out), sn__names_in(in));
        break;
      case SN__LAYOUT_FLAT_SEQ:
        copy_seq(out, in, field->size);
        break;
      case SN__LAYOUT_DEEP:
      case SN__LAYOUT_DEEP_SEQ:
        sn__elements_copy(field, to, from);
        break;
      case SN__LAYOUT_NOTHING:
        break;
    }
  }
}

void sn__elements_copy(const sn_msg_field *field, char *to, const char *from) {
  const sn__seq in = sn__field_elements(field, from);
  const sn__seq out = sn__field_elements(field, to);
  for (size_t i = 0; i < in.count; i++) {
    copy(field->nested, (char *)out.data + i * field->size,
         (const char *)in.data + i * field->size);
  }
  if (field->shape == SN_MSG_SEQUENCE) {
    sn__seq_set_count(to + field->offset, in.count);
  }
}

sn_status sn_msg_copy(const sn_msg_type *type, void *to, const void *from) {
  SN_ASSERT(to != from);
  if (!fits(type, to, from)) {
    return SN_ENOSPC;
  }
  copy(type, to, from);
  return SN_OK;
}

static bool seq_equal(const sn__seq *a, const sn__seq *b, size_t size) {
  return a->count == b->count && (a->count == 0 || memcmp(a->data, b->data, a->count * size) == 0);
}

static bool elements_equal(const sn_msg_field *field, const char *a, const char *b) {
  const sn__seq x = sn__field_elements(field, a);
  const sn__seq y = sn__field_elements(field, b);
  bool same = x.count == y.count;
  for (size_t i = 0; i < x.count && same; i++) {
    same = sn__msg_equal(field->nested, (const char *)x.data + i * field->size,
                         (const char *)y.data + i * field->size);
  }
  return same;
}

static bool field_equal(const sn_msg_field *field, const char *a, const char *b) {
  const sn__layout layout = sn__field_layout(field);
  if (layout == SN__LAYOUT_NOTHING) {
    return true;
  }
  if (layout == SN__LAYOUT_NAMES) {
    return sn__msg_names_equal(sn__names_in(a + field->offset), sn__names_in(b + field->offset));
  }
  if (layout == SN__LAYOUT_DEEP || layout == SN__LAYOUT_DEEP_SEQ) {
    return elements_equal(field, a, b);
  }
  if (layout == SN__LAYOUT_BYTES) {
    return memcmp(a + field->offset, b + field->offset, sn__field_count(field) * field->size) == 0;
  }
  const sn__seq x = sn__seq_load(a + field->offset);
  const sn__seq y = sn__seq_load(b + field->offset);
  return seq_equal(&x, &y, layout == SN__LAYOUT_TEXT ? 1 : field->size);
}

bool sn__msg_equal(const sn_msg_type *type, const void *a, const void *b) {
  bool same = true;
  for (size_t i = 0; i < type->field_count && same; i++) {
    same = field_equal(&type->fields[i], a, b);
  }
  return same;
}

static bool all_finite_f32(const float *values, size_t count, bool may_be_nan) {
  bool good = true;
  for (size_t i = 0; i < count; i++) {
    good &= isfinite(values[i]) || (may_be_nan && isnan(values[i]));
  }
  return good;
}

static bool field_is_finite(const sn_msg_field *field, const void *msg) {
  const sn__seq seq = sn__field_elements(field, msg);
  const bool may_be_nan = (field->flags & SN_MSG_MAY_BE_NAN) != 0;
  if (field->kind == SN_MSG_FLOAT64) {
    return sn__are_finite(seq.data, seq.count);
  }
  if (field->kind == SN_MSG_FLOAT32) {
    return all_finite_f32(seq.data, seq.count, may_be_nan);
  }
  bool good = true;
  for (size_t i = 0; i < seq.count && good; i++) {
    good = sn_msg_is_finite(field->nested, (const char *)seq.data + i * field->size);
  }
  return good;
}

bool sn_msg_is_finite(const sn_msg_type *type, const void *msg) {
  bool good = true;
  for (size_t i = 0; i < type->field_count && good; i++) {
    const sn_msg_kind kind = type->fields[i].kind;
    if (kind == SN_MSG_FLOAT64 || kind == SN_MSG_FLOAT32 || kind == SN_MSG_NESTED) {
      good = field_is_finite(&type->fields[i], msg);
    }
  }
  return good;
}
