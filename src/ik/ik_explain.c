#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "ik/ik.h"

const char *sn_ik_code_name(sn_ik_code code) {
  switch (code) {
    case SN_IK_OK:
      return "OK";
    case SN_IK_UNSUPPORTED_DISCRETIZATION_REQUESTED:
      return "UNSUPPORTED_DISCRETIZATION_REQUESTED";
    case SN_IK_DISCRETIZATION_NOT_INITIALIZED:
      return "DISCRETIZATION_NOT_INITIALIZED";
    case SN_IK_MULTIPLE_TIPS_NOT_SUPPORTED:
      return "MULTIPLE_TIPS_NOT_SUPPORTED";
    case SN_IK_EMPTY_TIP_POSES:
      return "EMPTY_TIP_POSES";
    case SN_IK_SEED_OUTSIDE_LIMITS:
      return "IK_SEED_OUTSIDE_LIMITS";
    case SN_IK_SOLVER_NOT_ACTIVE:
      return "SOLVER_NOT_ACTIVE";
    case SN_IK_NO_SOLUTION:
      return "NO_SOLUTION";
    case SN_IK_TIMED_OUT:
      return "TIMED_OUT";
    case SN_IK_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case SN_IK_REFUSED:
      return "REFUSED";
  }
  return "UNKNOWN";
}

/* Room for the longest reason; names are cut to 63 bytes when stored. */
enum { TEXT_SIZE = 320 };

/* Append the value of a placeholder {key} to the text. */
static void append_value(const sn__ik_reason *reason, char key, char *text) {
  const size_t length = strlen(text);
  char *end = text + length;
  const size_t room = TEXT_SIZE - length;
  switch (key) {
    case 'n':
      snprintf(end, room, "%zu", reason->n);
      break;
    case 'm':
      snprintf(end, room, "%zu", reason->m);
      break;
    case 'x':
      snprintf(end, room, "%g", reason->x);
      break;
    case 'y':
      snprintf(end, room, "%g", reason->y);
      break;
    case 'z':
      snprintf(end, room, "%g", reason->z);
      break;
    default:
      snprintf(end, room, "%s", reason->name);
      break;
  }
}

static void format_reason(const sn__ik_reason *reason, char *text) {
  text[0] = '\0';
  for (const char *c = reason->text; *c != '\0'; c++) {
    if (c[0] == '{' && c[1] != '\0' && c[2] == '}') {
      append_value(reason, c[1], text);
      c += 2;
    } else {
      strncat(text, c, strlen(text) + 1 < TEXT_SIZE ? 1 : 0);
    }
  }
}

static void format_search(const sn_ik_result *result, char *text) {
  const char *what = result->kinematic_error == SN_IK_TIMED_OUT ? "time ran out"
                     : result->kinematic_error == SN_IK_REFUSED ? "all solutions were refused"
                                                                : "no solution";
  snprintf(text, TEXT_SIZE,
           "%s: %zu searched, %zu outside limits, %zu not at the target, %zu refused by the "
           "callback",
           what, result->searched_count, result->outside_limits_count, result->untrue_count,
           result->refused_count);
}

size_t sn_ik_explain(const sn_ik *ik, char *text, size_t size) {
  char whole[TEXT_SIZE] = "";
  if (ik == NULL) {
    snprintf(whole, sizeof whole, "no solver: it was not created, or its creation failed");
  } else if (ik->reason.text != NULL) {
    format_reason(&ik->reason, whole);
  } else if (ik->result.kinematic_error > SN_IK_OK) {
    format_search(&ik->result, whole);
  }
  return size == 0 ? 0 : sn__text_clean(whole, text, size);
}
