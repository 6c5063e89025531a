/* The schemas and channels of a file: two tables by ascending id, texts in one block. */
#include <inttypes.h>

#include "base/fail.h"
#include "record/mcap_reader.h"
#include "sinew/msg_types.h"

/* A copy with a NUL. @return NULL if memory is exhausted */
static const char *keep(sn_mcap_reader *reader, sn__mcap_text text) {
  if (text.size == 0) {
    return "";
  }
  if (text.size + 1 > reader->config.text_size - reader->text_used) {
    return NULL;
  }
  char *copy = reader->texts + reader->text_used;
  memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  reader->text_used += text.size + 1;
  return copy;
}

static bool has_nul(sn__mcap_text text) {
  return text.size > 0 && memchr(text.data, '\0', text.size) != NULL;
}

static bool is_same(const char *known, sn__mcap_text text) {
  return strlen(known) == text.size && memcmp(known, text.data, text.size) == 0;
}

static sn_status refuse(sn_error *err, uint64_t at, const char *what, uint16_t id,
                        const char *reason) {
  return sn__fail(err, SN_ESYNTAX, "byte %" PRIu64 ": %s %u %s", at, what, (unsigned)id, reason);
}

static sn_status no_room(sn_error *err, uint64_t at, const char *what, uint16_t id) {
  return sn__fail(err, SN_ELIMIT, "byte %" PRIu64 ": no room for %s %u: there are too many", at,
                  what, (unsigned)id);
}

/* ---- schemas ---- */

/* The position of the id, or where to insert it. */
static size_t schema_position(const sn_mcap_reader *reader, uint16_t id) {
  size_t low = 0;
  for (size_t high = reader->schema_count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (reader->schemas[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static const sn__mcap_schema *find_schema(const sn_mcap_reader *reader, uint16_t id) {
  const size_t i = schema_position(reader, id);
  return i < reader->schema_count && reader->schemas[i].id == id ? &reader->schemas[i] : NULL;
}

sn_status sn__mcap_learn_schema(sn_mcap_reader *reader, sn__mcap_in in, uint64_t at,
                                sn_error *err) {
  const uint16_t id = (uint16_t)sn__mcap_take_number(&in, 2);
  const sn__mcap_text name = sn__mcap_take_text(&in);
  const sn__mcap_text encoding = sn__mcap_take_text(&in);
  if (in.is_short || has_nul(name) || has_nul(encoding)) {
    return refuse(err, at, "schema", id, "is damaged");
  }
  if (id == 0) {
    return SN_OK; /* means "none" */
  }
  const sn__mcap_schema *known = find_schema(reader, id);
  if (known != NULL) {
    return is_same(known->name, name) && is_same(known->encoding, encoding)
               ? SN_OK
               : refuse(err, at, "schema", id, "was defined before, differently");
  }
  const size_t text_used = reader->text_used;
  const sn__mcap_schema added = {id, keep(reader, name), keep(reader, encoding)};
  if (reader->schema_count == reader->config.channel_max || added.name == NULL ||
      added.encoding == NULL) {
    reader->text_used = text_used;
    return no_room(err, at, "schema", id);
  }
  const size_t place = schema_position(reader, id);
  memmove(&reader->schemas[place + 1], &reader->schemas[place],
          (reader->schema_count - place) * sizeof *reader->schemas);
  reader->schemas[place] = added;
  reader->schema_count++;
  return SN_OK;
}

/* ---- channels ---- */

static size_t channel_position(const sn_mcap_reader *reader, uint16_t id) {
  size_t low = 0;
  for (size_t high = reader->channel_count; low < high;) {
    const size_t middle = low + (high - low) / 2;
    if (reader->channels[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

sn_mcap_channel *sn__mcap_channel_find(sn_mcap_reader *reader, uint16_t id) {
  const size_t i = channel_position(reader, id);
  return i < reader->channel_count && reader->channels[i].id == id ? &reader->channels[i] : NULL;
}

/* Sinew's type, if its messages can be decoded. */
static const sn_msg_type *find_type(const char *name, const char *encoding) {
  const bool is_known = strcmp(encoding, "cdr") == 0 || strcmp(encoding, "ros1") == 0 ||
                        strcmp(encoding, "json") == 0;
  return is_known ? sn_msg_type_find(name) : NULL;
}

static void insert_channel(sn_mcap_reader *reader, const sn_mcap_channel *added, uint16_t schema) {
  const size_t place = channel_position(reader, added->id);
  const size_t behind = reader->channel_count - place;
  memmove(&reader->channels[place + 1], &reader->channels[place],
          behind * sizeof *reader->channels);
  memmove(&reader->channel_schemas[place + 1], &reader->channel_schemas[place],
          behind * sizeof *reader->channel_schemas);
  reader->channels[place] = *added;
  reader->channel_schemas[place] = schema;
  reader->channel_count++;
}

sn_status sn__mcap_learn_channel(sn_mcap_reader *reader, sn__mcap_in in, uint64_t at,
                                 sn_error *err) {
  const uint16_t id = (uint16_t)sn__mcap_take_number(&in, 2);
  const uint16_t schema_id = (uint16_t)sn__mcap_take_number(&in, 2);
  const sn__mcap_text topic = sn__mcap_take_text(&in);
  const sn__mcap_text encoding = sn__mcap_take_text(&in);
  const sn__mcap_schema none = {0, "", ""};
  const sn__mcap_schema *schema = schema_id == 0 ? &none : find_schema(reader, schema_id);
  if (in.is_short || has_nul(topic) || has_nul(encoding)) {
    return refuse(err, at, "channel", id, "is damaged");
  }
  if (schema == NULL) {
    return refuse(err, at, "channel", id, "has a schema without a definition");
  }
  const sn_mcap_channel *known = sn__mcap_channel_find(reader, id);
  if (known != NULL) {
    return is_same(known->topic, topic) && is_same(known->encoding, encoding) &&
                   reader->channel_schemas[known - reader->channels] == schema_id
               ? SN_OK
               : refuse(err, at, "channel", id, "was defined before, differently");
  }
  const size_t text_used = reader->text_used;
  sn_mcap_channel added = {.id = id,
                           .topic = keep(reader, topic),
                           .encoding = keep(reader, encoding),
                           .schema = schema->name,
                           .schema_encoding = schema->encoding};
  if (reader->channel_count == reader->config.channel_max || added.topic == NULL ||
      added.encoding == NULL) {
    reader->text_used = text_used;
    return no_room(err, at, "channel", id);
  }
  added.type = find_type(added.schema, added.encoding);
  insert_channel(reader, &added, schema_id);
  return SN_OK;
}

size_t sn__mcap_reader_channel_count(const sn_mcap_reader *reader) {
  return reader->channel_count;
}

const sn_mcap_channel *sn__mcap_reader_channel_at(const sn_mcap_reader *reader, size_t index) {
  return &reader->channels[index];
}
