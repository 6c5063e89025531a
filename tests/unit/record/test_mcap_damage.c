/* Files that end in the middle, files with wrong bits, disks without room, writers that are killed:
   what was complete is read, the rest does no harm. */
#define _POSIX_C_SOURCE 200809L

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "mcap_bytes.h"
#include "program.h"
#include "sinew/msg_types.h"
#include "sinew/random.h"
#include "sn_test.h"

#define MESSAGES 80
#define PER_CHUNK 5

static sn_arena arena;
static mcap_bytes file;
static sn_error err;
static size_t chunk_ends[MESSAGES / PER_CHUNK]; /* bytes of the file when the chunk was written */

static int set_up(void **state) {
  (void)state;
  sn_arena_init_growing(&arena, "mcap", 0);
  mcap_bytes_init(&file);
  err = (sn_error){SN_OK, ""};
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  mcap_bytes_free(&file);
  sn_arena_release(&arena);
  return 0;
}

static sn_status write_tick(sn_mcap_writer *writer, uint64_t i) {
  const sn_timer_event event = {.stamp_ns = (int64_t)i, .period_ns = 1, .cycle = i};
  return sn__mcap_writer_write(writer, 0, (int64_t)i, (int64_t)i, &event, &err);
}

/* Chunks of five messages each. @return the first failure */
static sn_status write_file(sn_mcap_sink sink) {
  const sn_mcap_writer_config config = {
      .sink = sink, .chunk_size = 1 << 14, .channel_max = 4, .index_size = 1 << 12};
  sn_mcap_writer *writer = NULL;
  size_t channel = 0;
  sn_status status = sn__mcap_writer_create(&arena, &config, &writer, &err);
  if (status == SN_OK) {
    status = sn__mcap_writer_add(writer, "/tick", &sn_timer_event_type, &channel, &err);
  }
  for (uint64_t i = 0; status == SN_OK && i < MESSAGES; i++) {
    status = write_tick(writer, i);
    if (status == SN_OK && i % PER_CHUNK == PER_CHUNK - 1) {
      status = sn__mcap_writer_flush(writer, &err);
    }
    if (status == SN_OK && i % PER_CHUNK == PER_CHUNK - 1) {
      chunk_ends[i / PER_CHUNK] = (size_t)sn__mcap_writer_counts(writer).bytes;
    }
  }
  if (status == SN_OK) {
    status = sn__mcap_writer_finish(writer, &err);
  }
  if (writer != NULL && status != SN_OK) { /* reported once; nothing is written afterwards */
    const size_t writes = file.writes;
    sn_error again = {SN_OK, ""};
    assert_int_equal(write_tick(writer, 0), SN_ESTOPPED);
    assert_int_equal(sn__mcap_writer_flush(writer, &again), SN_ESTOPPED);
    assert_int_equal(sn__mcap_writer_note(writer, "n", NULL, 0, &again), SN_ESTOPPED);
    assert_int_equal(sn__mcap_writer_add(writer, "/b", &sn_header_type, &channel, &again),
                     SN_ESTOPPED);
    assert_int_equal(sn__mcap_writer_finish(writer, &again), SN_ESTOPPED);
    sn_assert_contains(again.message, "the recording has ended: disk full");
    assert_int_equal(file.writes, writes);
  }
  return status;
}

/* Messages that are read from the first bytes, which must be 0, 1, 2, … */
static size_t count_good(size_t size, bool *is_complete) {
  static uint8_t memory[1 << 17];
  sn_arena small;
  sn_arena_init(&small, "reader", memory, sizeof memory);
  const sn_mcap_source source = mcap_bytes_source(&file, size);
  const sn_mcap_reader_config config = {
      .channel_max = 4, .text_size = 1 << 10, .record_size = 1 << 12};
  sn_mcap_reader *reader = NULL;
  const sn_status status = sn__mcap_reader_create(&small, &source, &config, &reader, &err);
  if (status != SN_OK) {
    assert_int_equal(status, SN_ESYNTAX);
    *is_complete = false;
    return 0;
  }
  size_t count = 0;
  sn_mcap_message message;
  while (sn__mcap_reader_next(reader, &message, &err) == SN_OK) {
    sn_timer_event event = {0};
    assert_int_equal(sn__mcap_decode(&message, &event, &err), SN_OK);
    assert_int_equal(event.cycle, count);
    assert_int_equal(message.sequence, count);
    count++;
  }
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 0);
  *is_complete = sn__mcap_reader_info(reader).is_complete;
  return count;
}

static size_t expected_messages(size_t size) {
  size_t count = 0;
  for (size_t i = 0; i < MESSAGES / PER_CHUNK; i++) {
    /* The chunk is complete before its message index, of 15 + 16 bytes a message, is. */
    count += size >= chunk_ends[i] - 15 - 16 * PER_CHUNK ? PER_CHUNK : 0;
  }
  return count;
}

SN_TEST(file_cut_anywhere_reads_up_to_the_last_chunk) {
  assert_int_equal(write_file(mcap_bytes_sink(&file)), SN_OK);
  for (size_t size = 0; size <= file.size; size++) {
    bool is_complete = true;
    assert_int_equal(count_good(size, &is_complete), expected_messages(size));
    assert_int_equal(is_complete, size == file.size);
  }
}

SN_TEST(disk_may_be_full_at_any_byte) {
  assert_int_equal(write_file(mcap_bytes_sink(&file)), SN_OK);
  const size_t full_size = file.size;
  for (size_t room = 0; room < full_size; room++) {
    const sn_arena_mark mark = sn_arena_save(&arena);
    file.size = 0;
    file.room = room;
    err.message[0] = '\0';
    assert_int_equal(write_file(mcap_bytes_sink(&file)), SN_EIO);
    bool is_complete = true;
    assert_int_equal(file.size, room);
    assert_int_equal(count_good(room, &is_complete), expected_messages(room));
    assert_false(is_complete);
    sn_arena_restore(&arena, mark);
  }
}

/* What is read from a file with wrong bits: its end, and of each message whether it was written. */
static size_t read_damaged(size_t *refusals) {
  static uint8_t memory[1 << 17];
  sn_arena small;
  sn_arena_init(&small, "reader", memory, sizeof memory);
  const sn_mcap_source source = mcap_bytes_source(&file, file.size);
  const sn_mcap_reader_config config = {
      .channel_max = 4, .text_size = 1 << 10, .record_size = 1 << 12};
  sn_mcap_reader *reader = NULL;
  *refusals = 0;
  if (sn__mcap_reader_create(&small, &source, &config, &reader, &err) != SN_OK) {
    return 0;
  }
  size_t count = 0;
  for (;;) {
    sn_mcap_message message;
    const sn_status status = sn__mcap_reader_next(reader, &message, &err);
    if (status == SN_ENOENT) {
      return count;
    }
    count += status == SN_OK ? 1 : 0;
    *refusals += status == SN_OK ? 0 : 1;
    assert_true(count + *refusals <= file.size);
  }
}

SN_TEST(wrong_bit_in_a_chunk_costs_that_chunk) {
  assert_int_equal(write_file(mcap_bytes_sink(&file)), SN_OK);
  const size_t records = (9 + 22 + 28) * PER_CHUNK;
  for (size_t c = 0; c < MESSAGES / PER_CHUNK; c++) {
    const size_t end = chunk_ends[c] - 15 - 16 * PER_CHUNK;
    for (size_t at = end - records; at < end; at++) {
      size_t refusals = 0;
      file.data[at] ^= (uint8_t)(1 << (at % 8));
      assert_int_equal(read_damaged(&refusals), MESSAGES - PER_CHUNK);
      assert_int_equal(refusals, 1);
      sn_assert_contains(err.message, "a chunk is damaged: checksum ");
      file.data[at] ^= (uint8_t)(1 << (at % 8));
    }
  }
}

SN_TEST(any_wrong_bytes_do_no_harm) {
  assert_int_equal(write_file(mcap_bytes_sink(&file)), SN_OK);
  uint8_t *good = malloc(file.size);
  memcpy(good, file.data, file.size);
  size_t refusals = 0;
  for (size_t at = 0; at < file.size; at++) { /* every byte, all its bits */
    file.data[at] ^= 0xff;
    assert_true(read_damaged(&refusals) <= MESSAGES);
    file.data[at] ^= 0xff;
  }
  sn_random random;
  sn_random_init(&random, 91);
  for (size_t n = 0; n < sn_test_cases(3000); n++) { /* some bytes at once */
    for (size_t k = 0; k < 4; k++) {
      file.data[sn_random_below(&random, file.size)] = (uint8_t)sn_random_bits(&random);
    }
    read_damaged(&refusals);
    memcpy(file.data, good, file.size);
  }
  free(good);
}

/* A failing source is reported and ends the file. */
static sn_status fail_late(void *context, uint64_t offset, void *bytes, size_t size, sn_error *e) {
  (void)offset;
  size_t *calls = context;
  if ((*calls)++ > 2) {
    return sn__fail(e, SN_EIO, "the cable is out");
  }
  memcpy(bytes, file.data + offset, size);
  return SN_OK;
}

SN_TEST(source_that_fails_is_reported) {
  assert_int_equal(write_file(mcap_bytes_sink(&file)), SN_OK);
  size_t calls = 0;
  const sn_mcap_source source = {file.size, fail_late, &calls};
  const sn_mcap_reader_config config = {.record_size = 1 << 12};
  sn_mcap_reader *reader = NULL;
  assert_int_equal(sn__mcap_reader_create(&arena, &source, &config, &reader, &err), SN_OK);
  calls = 100;
  sn_mcap_message message;
  sn_status status = SN_OK;
  while (status == SN_OK) {
    status = sn__mcap_reader_next(reader, &message, &err);
  }
  assert_int_equal(status, SN_EIO);
  assert_string_equal(err.message, "the cable is out");
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), SN_ENOENT);
}

/* ---- a process that is killed ---- */

static sn_status write_all(void *context, const void *bytes, size_t size, sn_error *e) {
  const int descriptor = *(const int *)context;
  return write(descriptor, bytes, size) == (ssize_t)size ? SN_OK : sn__fail(e, SN_EIO, "no");
}

__attribute__((noreturn)) static void record_for_ever(const char *path) {
  int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const sn_mcap_writer_config config = {.sink = {.write = write_all, .context = &descriptor},
                                        .chunk_size = 1 << 14};
  sn_mcap_writer *writer = NULL;
  size_t channel = 0;
  if (sn__mcap_writer_create(&arena, &config, &writer, NULL) != SN_OK ||
      sn__mcap_writer_add(writer, "/tick", &sn_timer_event_type, &channel, NULL) != SN_OK) {
    _exit(1);
  }
  for (uint64_t i = 0; i < 10000000; i++) { /* has an end if the parent dies */
    if (write_tick(writer, i) != SN_OK) {
      _exit(1);
    }
  }
  _exit(0);
}

SN_TEST(recording_of_a_killed_process_is_read) {
  char folder[64];
  char path[128];
  sn_test_folder_create(folder);
  snprintf(path, sizeof path, "%s/killed.mcap", folder);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    record_for_ever(path);
  }
  struct stat about = {0};
  while (stat(path, &about) != 0 || about.st_size < (1 << 17)) {
    const struct timespec moment = {.tv_nsec = 1000000};
    nanosleep(&moment, NULL);
  }
  assert_int_equal(kill(child, SIGKILL), 0);
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  sn_mcap_reader *reader = NULL;
  assert_int_equal(sn__mcap_reader_load(&arena, path, NULL, &reader, &err), SN_OK);
  sn_mcap_message message;
  uint64_t count = 0;
  while (sn__mcap_reader_next(reader, &message, &err) == SN_OK) {
    sn_timer_event event = {0};
    assert_int_equal(sn__mcap_decode(&message, &event, &err), SN_OK);
    assert_int_equal(event.cycle, count++);
  }
  assert_true(count > 1000);
  assert_int_equal(sn__mcap_reader_info(reader).damaged, 0);
  assert_false(sn__mcap_reader_info(reader).is_complete);
  sn__mcap_reader_close(reader);
  assert_int_equal(sn__mcap_reader_next(reader, &message, &err), SN_ENOENT);
  sn_test_folder_remove(folder);
}

SN_TEST(files_that_cannot_be_opened_are_told) {
  sn_mcap_reader *reader = NULL;
  assert_int_equal(sn__mcap_reader_load(&arena, "/nowhere.mcap", NULL, &reader, &err), SN_EIO);
  sn_assert_contains(err.message, "No such file or directory");
  assert_int_equal(sn__mcap_reader_load(&arena, "/tmp", NULL, &reader, &err), SN_EIO);
  sn_assert_contains(err.message, "Is a directory");
  assert_int_equal(sn__mcap_reader_load(&arena, "/dev/zero", NULL, &reader, &err), SN_EIO);
  assert_int_equal(sn__mcap_reader_load(&arena, "/dev/null", NULL, &reader, &err), SN_EIO);
  assert_null(reader);
  sn__mcap_reader_close(NULL);
}

SN_TEST_EACH(set_up, tear_down)
