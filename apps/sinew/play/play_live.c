#define _POSIX_C_SOURCE 200809L /* nanosleep() */

#include "play/play_live.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/print.h"
#include "live/control_client.h"
#include "movements/movement.h"
#include "play/play_live_base.h"

enum { LOOK_MS = 50 };

typedef struct live {
  const play_arguments *arguments;
  control_client client;
  char component[128]; /* of the type movements */
  live_base base;
} live;

/* ---- requests ---- */

/* @return the result of an operation, to json_decref(); NULL: *code is set */
static json_t *ask(live *l, const char *operation, json_t *arguments, int *code) {
  char name[200];
  snprintf(name, sizeof name, "%s.%s", l->component, operation);
  json_t *request = json_pack("{s:s, s:s, s:o}", "verb", "call", "name", name, "arguments",
                              arguments == NULL ? json_object() : arguments);
  json_t *result = NULL;
  *code = control_client_ask(&l->client, request, &result);
  return *code == EXIT_GOOD ? result : NULL;
}

static int find_component(live *l) {
  json_t *result = NULL;
  const int code = control_client_ask(&l->client, json_pack("{s:s}", "verb", "ls"), &result);
  const json_t *all = json_object_get(result, "components");
  for (size_t i = 0; i < json_array_size(all); i++) {
    const json_t *one = json_array_get(all, i);
    const char *type = json_string_value(json_object_get(one, "type"));
    if (type != NULL && strcmp(type, "movements") == 0) {
      snprintf(l->component, sizeof l->component, "%s",
               json_string_value(json_object_get(one, "name")));
    }
  }
  if (code == EXIT_GOOD) {
    live_base_open(&l->base, l->client.options, all);
  }
  json_decref(result);
  if (code == EXIT_GOOD && l->component[0] == '\0') {
    fprintf(stderr, "sinew play: the system has no component of type 'movements'\n");
    return EXIT_NO;
  }
  return code;
}

/* ---- one movement ---- */

/* The file in as few bytes as possible; NULL: see the result. */
static char *read_text(const char *path, sn_arena *arena, sn__movement *movement,
                       play_result *result) {
  sn_error err = {.message = ""};
  const sn_status status = sn__movement_load(path, arena, movement, &err);
  if (status != SN_OK) {
    play_fail(result, -1, "%s", err.message);
  } else {
    result->kind = sn__movement_kind_name(movement->kind);
  }
  json_t *json = status == SN_OK ? json_load_file(path, 0, NULL) : NULL;
  char *text = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(json);
  if (status == SN_OK && text == NULL) {
    play_fail(result, -1, "out of memory");
  }
  return text;
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text == NULL ? "" : text;
}

/* @return whether it is accepted */
static bool begin(live *l, const char *path, const char *text, play_result *result, int *code) {
  json_t *request = json_pack("{s:s, s:s, s:f, s:b}", "name", path, "text", text, "speed",
                              l->arguments->speed, "fastest", (int)l->arguments->is_fastest);
  json_t *outcome = ask(l, "playText", request, code);
  const bool success = json_is_true(json_object_get(outcome, "success"));
  if (outcome != NULL && !success) {
    play_fail(result, -1, "%s", text_of(outcome, "message"));
  }
  json_decref(outcome);
  return success;
}

static void wait_for_end(live *l, play_result *result, int *code) {
  const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000};
  bool is_playing = true;
  while (is_playing && *code == EXIT_GOOD) {
    nanosleep(&nap, NULL);
    live_base_update(&l->base);
    json_t *state = ask(l, "getMovement", NULL, code);
    is_playing = strcmp(text_of(state, "state"), "playing") == 0;
    result->duration_s = json_number_value(json_object_get(state, "elapsed"));
    result->is_ok = json_is_true(json_object_get(state, "success"));
    if (state != NULL && !is_playing && !result->is_ok) {
      play_fail(result, (int)json_integer_value(json_object_get(state, "error_code")), "%s",
                text_of(state, "message"));
    }
    json_decref(state);
  }
}

static int play_one(live *l, const char *path) {
  play_result result = {.movement = path};
  int code = EXIT_GOOD;
  sn_arena arena;
  sn__movement movement;
  sn_arena_init_growing(&arena, "movement", 0);
  char *text = read_text(path, &arena, &movement, &result);
  live_base_update(&l->base);
  l->base.tilt_max_rad = 0.0;
  const sn_pose start = l->base.pose;
  if (text != NULL && begin(l, path, text, &result, &code)) {
    wait_for_end(l, &result, &code);
    live_base_update(&l->base);
    live_base_measure(&l->base, start, &movement, &result);
  }
  free(text);
  sn_arena_release(&arena);
  if (code != EXIT_GOOD) {
    return code;
  }
  const int printed = play_print(&result, l->arguments->as_json);
  return printed != EXIT_GOOD ? printed : result.is_ok ? EXIT_GOOD : EXIT_NO;
}

int play_live(const play_arguments *a) {
  const control_options options = {.command = "play", .socket = a->socket, .name = a->name};
  live l = {.arguments = a};
  int code = control_client_open(&l.client, &options);
  if (code != EXIT_GOOD) {
    return code;
  }
  code = find_component(&l);
  if (code == EXIT_GOOD && !a->as_json) {
    play_print_head();
  }
  const bool can_play = code == EXIT_GOOD;
  for (size_t i = 0; can_play && i < a->movements.count && code <= EXIT_NO; i++) {
    const int one = play_one(&l, a->movements.items[i]);
    code = one > code ? one : code;
  }
  live_base_close(&l.base);
  control_client_close(&l.client);
  return code;
}
