#include "random_msg.h"

#include <math.h>
#include <string.h>

#include "msg/scalar.h"
#include "msg/walk.h"
#include "sn_test.h"

#define TEXT_MAX 64

/* A text of at most size bytes, with a NUL after it. */
static void random_text(const sn_random_msg_config *config, sn_random *random, size_t size,
                        char *text) {
  static const char *const characters[] = {"a",    "Z", "_",        "\"", "\\", "\n",
                                           "\x7f", "é", "\xc2\x85", "→",  "𝄞",  "/"};
  const size_t length = sn_random_below(random, size + 1);
  size_t used = 0;
  while (used < length) {
    if (config->is_ascii) {
      text[used++] = (char)('a' + sn_random_below(random, 26));
    } else if (config->is_json) {
      const char *one = characters[sn_random_below(random, 12)];
      if (used + strlen(one) > size) {
        break;
      }
      memcpy(text + used, one, strlen(one));
      used += strlen(one);
    } else {
      text[used++] = (char)(1 + sn_random_below(random, 255));
    }
  }
  text[used] = '\0';
}

static void fill_names(sn_msg_names *list, const sn_random_msg_config *config, sn_random *random) {
  if (config->table != NULL && sn_random_below(random, 2) == 0) {
    sn_msg_names_share(list, config->table);
    return;
  }
  sn_msg_names_clear(list);
  const size_t count = sn_random_below(random, list->capacity + 1);
  for (size_t i = 0; i < count; i++) {
    char text[TEXT_MAX];
    const size_t room = list->text_capacity - list->text_count;
    const size_t share = room / (count - i); /* so that all of them fit */
    assert_true(share > 0);
    random_text(config, random, share < TEXT_MAX ? share - 1 : TEXT_MAX - 1, text);
    assert_int_equal(sn_msg_names_add(list, text, strlen(text)), SN_OK);
  }
}

static uint64_t random_float_bits(sn_msg_kind kind, const sn_random_msg_config *config,
                                  sn_random *random) {
  uint64_t bits = 0;
  double value = 0.0;
  if (sn_random_below(random, 8) == 0) {
    const double specials[] = {0.0, -0.0, 5e-324, 1.7976931348623157e308, 0.1, 1.0, NAN, INFINITY};
    const size_t last = config->is_finite ? 6 : config->is_json ? 7 : 8;
    value = specials[sn_random_below(random, last)];
    value = kind == SN_MSG_FLOAT32 && value > 3e38 && isfinite(value) ? 3e38 : value;
  } else if (sn_random_below(random, 2) == 0) {
    value = sn_random_normal(random);
  } else {
    do { /* any bits at all */
      bits = sn_random_bits(random);
      float single = 0.0f;
      if (kind == SN_MSG_FLOAT32) {
        bits &= UINT32_MAX;
        const uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        value = (double)single;
      } else {
        memcpy(&value, &bits, sizeof value);
      }
    } while ((config->is_finite || config->is_json) && !isfinite(value));
    return bits;
  }
  if (kind == SN_MSG_FLOAT64) {
    memcpy(&bits, &value, sizeof bits);
  } else {
    const float single = (float)value;
    uint32_t low = 0;
    memcpy(&low, &single, sizeof low);
    bits = low;
  }
  return bits;
}

static int64_t random_time(const sn_random_msg_config *config, sn_random *random) {
  if (!config->is_valid_time) {
    return (int64_t)sn_random_bits(random);
  }
  const int64_t sec = (int64_t)sn_random_below(random, UINT64_C(1) << 31);
  return sn__wire_time_join(sec, (int64_t)sn_random_below(random, SN__NS_PER_S));
}

static void fill_element(const sn_msg_field *field, char *at, const sn_random_msg_config *config,
                         sn_random *random) {
  if (field->kind == SN_MSG_NESTED) {
    sn_random_msg_fill(field->nested, at, config, random);
  } else if (field->kind == SN_MSG_TEXT) {
    char text[TEXT_MAX];
    const size_t room = sn__seq_load(at).capacity;
    random_text(config, random, room < TEXT_MAX ? room : TEXT_MAX - 1, text);
    assert_int_equal(sn_msg_text_set((sn_msg_text *)(void *)at, text), SN_OK);
  } else if (field->kind == SN_MSG_TIME || field->kind == SN_MSG_DURATION) {
    const int64_t time_ns = random_time(config, random);
    memcpy(at, &time_ns, sizeof time_ns);
  } else if (field->kind == SN_MSG_FLOAT32 || field->kind == SN_MSG_FLOAT64) {
    sn__scalar_store(field->kind, at, random_float_bits(field->kind, config, random));
  } else {
    const bool is_wide = sn__kind_size(field->kind) == 8;
    const uint64_t bits = sn_random_bits(random) >> (config->is_json && is_wide ? 11 : 0);
    sn__scalar_store(field->kind, at, field->kind == SN_MSG_BOOL ? bits & 1 : bits);
  }
}

void sn_random_msg_fill(const sn_msg_type *type, void *msg, const sn_random_msg_config *config,
                        sn_random *random) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    char *at = (char *)msg + field->offset;
    if (!sn__field_is_stored(field)) {
      continue;
    }
    if (field->shape == SN_MSG_SEQUENCE && field->kind == SN_MSG_TEXT) {
      fill_names(sn__names_at(at), config, random);
      continue;
    }
    sn__seq seq = {.data = at, .count = 1};
    if (field->kind != SN_MSG_TEXT) {
      seq = sn__field_elements(field, msg);
    }
    if (field->shape == SN_MSG_SEQUENCE) {
      seq.count = sn_random_below(random, seq.capacity + 1);
      sn__seq_set_count(at, seq.count);
    }
    for (size_t k = 0; k < seq.count; k++) {
      fill_element(field, (char *)seq.data + k * field->size, config, random);
    }
  }
}

static void spoil_names(sn_msg_names *list, int byte) {
  sn_msg_names_clear(list);
  memset(list->starts, byte, list->capacity * sizeof *list->starts);
  memset(list->text, byte, list->text_capacity);
}

void sn_random_msg_spoil(const sn_msg_type *type, void *msg, int byte) {
  for (size_t i = 0; i < type->field_count; i++) {
    const sn_msg_field *field = &type->fields[i];
    char *at = (char *)msg + field->offset;
    const sn__layout layout = sn__field_layout(field);
    if (layout == SN__LAYOUT_NAMES) {
      spoil_names(sn__names_at(at), byte);
    } else if (layout == SN__LAYOUT_TEXT) {
      memset(sn__seq_load(at).data, byte, sn__seq_load(at).capacity);
      ((char *)sn__seq_load(at).data)[0] = '\0';
      sn__seq_set_count(at, 0);
    } else if (layout != SN__LAYOUT_NOTHING) {
      const sn__seq seq = sn__field_elements(field, msg);
      for (size_t k = 0; k < seq.capacity; k++) {
        char *element = (char *)seq.data + k * field->size;
        if (field->kind == SN_MSG_NESTED && !field->nested->is_flat) {
          sn_random_msg_spoil(field->nested, element, byte);
        } else {
          memset(element, field->kind == SN_MSG_BOOL ? byte & 1 : byte, field->size);
        }
      }
      if (field->shape == SN_MSG_SEQUENCE) {
        sn__seq_set_count(at, 0);
      }
    }
  }
}
