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

static void put_unless_zero(FILE *out, const char *before, double value) {
  if (value != 0.0) {
    put_number(out, before, value);
  }
}

static void put_pair(FILE *out, const char *before, const double pair[2]) {
  put_number(out, before, pair[0]);
  put_number(out, ", ", pair[1]);
  fputs("]", out);
}

static void put_extension(FILE *out, const sn_servo_extension *ext) {
  put_unless_zero(out, ", back_emf: ", ext->back_emf);
  if (ext->load[0] != 0.0 || ext->load[1] != 0.0) {
    put_pair(out, ", load_friction: [", ext->load);
  }
  if (ext->is_directional) {
    put_pair(out, ", back_load_friction: [", ext->back_load);
  }
  put_unless_zero(out, ", offset: ", ext->offset);
  put_unless_zero(out, ", drive_max: ", ext->drive_max);
  put_unless_zero(out, ", delay: ", ext->delay_s);
  put_unless_zero(out, ", backlash: ", ext->backlash);
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
  put_unless_zero(out, ", inertia: ", p->inertia);
  put_unless_zero(out, ", torque_max: ", entry->torque_max);
  put_extension(out, &p->ext);
  fputs("}\n", out);
}

void sn__servo_text_write(FILE *out, const sn_servo_list *list) {
  fputs("# Models of the servos, written by sinew.\nservo_models:", out);
  fputs(list->count == 0 ? " []\n" : "\n", out);
  for (size_t i = 0; i < list->count; i++) {
    put_entry(out, &list->entries[i]);
  }
}
