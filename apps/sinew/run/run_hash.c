#include "run/run_hash.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "sinew/msg_wire.h"

enum { NAME_SIZE = 512 };

/* FNV-1a, 64 bits: Fowler, Noll, Vo. */
static const uint64_t fnv_offset = UINT64_C(14695981039346656037);
static const uint64_t fnv_prime = UINT64_C(1099511628211);

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
  const uint8_t *at = bytes;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ at[i]) * fnv_prime;
  }
  return hash;
}

static uint64_t mix_number(uint64_t hash, uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) {
    const uint8_t byte = (uint8_t)(number >> shift);
    hash = mix(hash, &byte, 1);
  }
  return hash;
}

static bool grow(run_hash *h) {
  run_hash_output *outputs =
      sn__list_grow(h->outputs, &h->output_capacity, h->output_count + 1, sizeof *outputs);
  h->outputs = outputs == NULL ? h->outputs : outputs;
  return outputs != NULL;
}

static bool open_output(run_hash *h, sn_system *system, const sn_component *component,
                        const sn_port *port, size_t buffer, sn_error *err) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%s.%s", component->name, port->name);
  const sn_connection connection = {.buffer = buffer, .overflow = SN_OVERFLOW_REFUSE};
  sn_tap *tap = NULL;
  if (!grow(h)) {
    snprintf(err->message, sizeof err->message, "out of memory");
    return false;
  }
  if (sn_tap_open(system, name, &connection, &tap, err) != SN_OK) {
    return false;
  }
  h->outputs[h->output_count++] = (run_hash_output){.tap = tap, .hash = fnv_offset};
  return true;
}

bool run_hash_open(run_hash *h, sn_system *system, size_t buffer, sn_error *err) {
  for (size_t i = 0; i < sn_system_component_count(system); i++) {
    const sn_component *component = sn_system_component_at(system, i);
    for (const sn_port *p = component->type->ports; p != NULL && p->name != NULL; p++) {
      if (p->kind == SN_PORT_OUT && !open_output(h, system, component, p, buffer, err)) {
        return false;
      }
    }
  }
  return true;
}

/* Equal messages have equal bytes on the wire; structs may differ in padding. */
static void take(run_hash *h, run_hash_output *output, const void *msg) {
  const sn_msg_type *type = sn_tap_type(output->tap);
  size_t size = 0;
  sn_status status = sn_cdr_write(type, msg, h->bytes, h->byte_capacity, &size);
  if (status == SN_ENOSPC) {
    uint8_t *bytes = sn__list_grow(h->bytes, &h->byte_capacity, size, 1);
    if (bytes == NULL) {
      h->is_out_of_memory = true;
      return;
    }
    h->bytes = bytes;
    status = sn_cdr_write(type, msg, h->bytes, h->byte_capacity, &size);
  }
  output->hash = mix_number(output->hash, size);
  output->hash = status == SN_OK ? mix(output->hash, h->bytes, size) : output->hash;
  output->count++;
}

void run_hash_drain(run_hash *h) {
  for (size_t i = 0; i < h->output_count; i++) {
    sn_flow flow = SN_NO_DATA;
    for (;;) {
      const void *msg = sn_tap_read(h->outputs[i].tap, &flow);
      if (flow != SN_NEW_DATA) {
        break;
      }
      take(h, &h->outputs[i], msg);
    }
  }
}

uint64_t run_hash_value(const run_hash *h, uint64_t *messages, uint64_t *lost) {
  uint64_t hash = fnv_offset;
  *messages = 0;
  *lost = 0;
  for (size_t i = 0; i < h->output_count; i++) {
    hash = mix_number(mix_number(hash, h->outputs[i].count), h->outputs[i].hash);
    *messages += h->outputs[i].count;
    *lost += sn_tap_counts(h->outputs[i].tap).lost;
  }
  return hash;
}

void run_hash_close(run_hash *h) {
  for (size_t i = 0; i < h->output_count; i++) {
    sn_tap_close(h->outputs[i].tap);
  }
  free(h->outputs);
  free(h->bytes);
  *h = (run_hash){0};
}
