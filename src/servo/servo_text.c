#include "servo/servo_text.h"

#include "base/number.h"

static void put_number(FILE *out, const char *before, double value) {
  char text[SN__NUMBER_SIZE];
  sn__number_format(value, text);
  fprintf(out, "%s%s", before, text);
}

/* A YAML scalar in double quotes. */
static void put_name(FILE *out, const char *name) {
  fputc('"', out);
  for (const char *at = name; *at != '\0'; at++) {
    const unsigned char c = (unsigned char)*at;
    if (c == '"' || c == '\\') {
      fprintf(out, "\\%c", c);
    } else if (c < 0x20 || c == 0x7F) {
      fprintf(out, "\\x%02X", c);
    } else {
      fputc(c, out);
    }
  }
  fputc('"', out);
}

static void put_entry(FILE *out, const sn_servo_entry *entry) {
  const sn_servo_params *p = &entry->params;
  fputs("  - {name: ", out);
  put_name(out, entry->name);
  put_number(out, ", kp: ", p->kp);
  put_number(out, ", kgear: ", p->kgear);
  if (entry->has_alpha) {
    for (size_t i = 0; i < 4; i++) {
      put_number(out, i == 0 ? ", alpha: [" : ", ", p->alpha[i]);
    }
    fputs("]", out);
  }
  put_number(out, ", qs: ", p->qs);
  put_number(out, ", delta: ", p->delta);
  if (p->inertia != 0.0) {
    put_number(out, ", inertia: ", p->inertia);
  }
  if (entry->torque_max != 0.0) {
    put_number(out, ", torque_max: ", entry->torque_max);
  }
  fputs("}\n", out);
}

void sn__servo_text_write(FILE *out, const sn_servo_list *list) {
  fputs("# Models of the servos, written by sinew.\nservo_models:", out);
  fputs(list->count == 0 ? " []\n" : "\n", out);
  for (size_t i = 0; i < list->count; i++) {
    put_entry(out, &list->entries[i]);
  }
}
