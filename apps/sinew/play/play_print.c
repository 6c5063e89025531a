#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "common/print.h"
#include "play/play.h"
#include "sinew/quat.h"

void play_fail(play_result *result, int code, const char *format, ...) {
  char text[PLAY_TEXT_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (result->error[0] == '\0') {
    result->is_ok = false;
    result->error_code = code;
    memcpy(result->error, text, sizeof text);
  }
}

static void put_pose(sn__buffer *out, const char *name, bool is_known, sn_pose pose) {
  const sn_quat q = sn_quat_from_mat3(pose.rot);
  const double numbers[] = {pose.pos.x, pose.pos.y, pose.pos.z, q.x, q.y, q.z, q.w};
  if (!is_known) {
    sn__json_null(out, name);
    return;
  }
  sn__json_open(out, name, '[');
  for (size_t i = 0; i < 7; i++) {
    sn__json_real(out, NULL, numbers[i]);
  }
  sn__json_close(out, ']');
}

static int print_json(const play_result *r) {
  sn__buffer out = {0};
  sn__json_open(&out, NULL, '{');
  sn__json_text(&out, "movement", r->movement);
  sn__json_text(&out, "kind", r->kind);
  sn__json_bool(&out, "ok", r->is_ok);
  sn__json_int(&out, "error_code", r->error_code);
  sn__json_text(&out, "error_string", r->error);
  sn__json_bool(&out, "fell", r->fell);
  put_pose(&out, "base", r->has_base, r->base);
  put_pose(&out, "base_goal", r->has_goal, r->goal);
  sn__json_real(&out, "position_error_m", r->position_error_m);
  sn__json_real(&out, "orientation_error_rad", r->orientation_error_rad);
  sn__json_real(&out, "max_tilt_rad", r->max_tilt_rad);
  sn__json_real(&out, "slip_m", r->slip_m);
  sn__json_real(&out, "duration_s", r->duration_s);
  sn__json_real(&out, "plan_ms", r->plan_ms);
  sn__json_close(&out, '}');
  const bool is_good = !out.failed && printf("%.*s\n", (int)out.used, out.data) > 0;
  sn__buffer_free(&out);
  return is_good && fflush(stdout) == 0 ? EXIT_GOOD : out_of_memory();
}

void play_print_head(void) {
  printf("%-28s %-16s %-6s %9s %9s %8s %8s %8s\n", "movement", "kind", "result", "off m", "off rad",
         "tilt rad", "slip m", "s");
}

static void print_number(bool is_known, double value) {
  if (is_known) {
    printf(" %8.4f", value);
  } else {
    printf(" %8s", "-");
  }
}

int play_print(const play_result *r, bool as_json) {
  if (as_json) {
    return print_json(r);
  }
  const char *slash = strrchr(r->movement, '/');
  char name[64];
  text_clean(slash == NULL ? r->movement : slash + 1, name, sizeof name);
  printf("%-28s %-16s %-6s ", name, r->kind == NULL ? "-" : r->kind,
         r->fell    ? "fell"
         : r->is_ok ? "good"
                    : "failed");
  print_number(r->has_goal && r->has_base, r->position_error_m);
  printf(" ");
  print_number(r->has_goal && r->has_base, r->orientation_error_rad);
  print_number(r->has_base, r->max_tilt_rad);
  print_number(r->has_base, r->slip_m);
  print_number(r->kind != NULL, r->duration_s);
  printf("\n");
  if (r->error[0] != '\0') {
    char text[PLAY_TEXT_SIZE];
    text_clean(r->error, text, sizeof text);
    printf("  %s\n", text);
  }
  return fflush(stdout) == 0 ? EXIT_GOOD : EXIT_FAULT;
}
